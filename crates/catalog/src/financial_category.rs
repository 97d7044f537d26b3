//! Financial categories.

use racun_kernel::id::{self, EntityId, FinancialCategoryId};
use racun_kernel::{Issues, Patch, Stamp};
use racun_store::{Context, RawQuery};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::check::Check;
use crate::error::CatalogError;
use crate::life_cycle;
use crate::record::record;

/// A category by which lines are reported. It is never deleted: an archived one keeps naming what
/// was reported under it, and takes no new lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinancialCategory {
    /// Its id.
    pub id: FinancialCategoryId,
    /// Whose category.
    pub entity_id: EntityId,
    /// Its name.
    pub name: String,
    /// The colour it is shown in, in the caller's own notation.
    pub color: Option<String>,
    /// Its place in lists: smallest first, equal ones by name.
    pub sort_order: i32,
    /// Since when it is archived.
    #[serde(with = "time::serde::rfc3339::option")]
    pub archived_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

record! {
    /// Where financial categories are kept.
    FINANCIAL_CATEGORIES: FinancialCategory, id::FinancialCategory, "financial_categories",
    events { financial_category }
    fields {
        name: text searched,
        color: text,
        sort_order: number,
        archived_at: instant,
    }
    unique {}
    trash {}
}

/// What a caller says of a financial category. A new one needs `name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinancialCategoryInput {
    /// 1 to [`FinancialCategory::MAX_NAME_CHARS`] characters, not blank.
    pub name: Patch<String>,
    /// The colour it is shown in.
    pub color: Patch<String>,
    /// 0 when missing.
    pub sort_order: Patch<i32>,
}

impl FinancialCategory {
    /// Characters that a category's name may hold.
    pub const MAX_NAME_CHARS: usize = 200;
}

impl FinancialCategoryInput {
    /// The new category that this describes.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_financial_category(
        self,
        entity_id: EntityId,
        stamp: &Stamp,
    ) -> Result<FinancialCategory, Issues> {
        let mut category = FinancialCategory {
            id: stamp.id(),
            entity_id,
            name: String::new(),
            color: None,
            sort_order: 0,
            archived_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        self.apply(&mut category)?;
        Ok(category)
    }

    /// Takes over into `category` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; `category` is then of no use.
    pub fn apply(self, category: &mut FinancialCategory) -> Result<(), Issues> {
        let mut check = Check::default();
        check.name(self.name, &mut category.name, FinancialCategory::MAX_NAME_CHARS);
        check.texts([("color", self.color, &mut category.color)]);
        self.sort_order.apply_or(&mut category.sort_order, 0);
        check.finish()
    }
}

/// Adds a financial category.
///
/// # Errors
/// [`CatalogError::Invalid`], and when the store fails.
pub async fn create_financial_category(
    cx: Context<'_>,
    input: FinancialCategoryInput,
) -> Result<FinancialCategory, CatalogError> {
    let category = input.into_financial_category(cx.scope.entity(), cx.stamp)?;
    life_cycle::create(cx, category).await
}

/// All financial categories, by `sort_order` and name; the archived ones only when asked for.
///
/// # Errors
/// When the store fails.
pub async fn list_financial_categories(
    cx: Context<'_>,
    include_archived: bool,
) -> Result<Vec<FinancialCategory>, CatalogError> {
    let raw = RawQuery {
        order_by: vec!["sort_order".to_owned(), "name".to_owned()],
        query: (!include_archived).then(|| r#"{"archived_at":null}"#.to_owned()),
        ..RawQuery::default()
    };
    life_cycle::list_all(cx, raw).await
}

/// Changes a financial category, archived or not.
///
/// # Errors
/// [`CatalogError::NotFound`], [`CatalogError::Invalid`], and when the store fails.
pub async fn update_financial_category(
    cx: Context<'_>,
    id: FinancialCategoryId,
    input: FinancialCategoryInput,
) -> Result<FinancialCategory, CatalogError> {
    let change = |category: &mut FinancialCategory| Ok(input.apply(category)?);
    life_cycle::update(cx, id, change).await
}

/// Archives a financial category. One that is archived stays as it is.
///
/// # Errors
/// [`CatalogError::NotFound`], and when the store fails.
pub async fn archive_financial_category(
    cx: Context<'_>,
    id: FinancialCategoryId,
) -> Result<FinancialCategory, CatalogError> {
    let now = cx.now();
    let change = move |category: &mut FinancialCategory| {
        category.archived_at.get_or_insert(now);
        Ok(())
    };
    life_cycle::update(cx, id, change).await
}
