//! Items.

use std::collections::BTreeMap;

use racun_kernel::id::{self, EntityId, FinancialCategoryId, ItemId, TaxId};
use racun_kernel::text::check_localized;
use racun_kernel::{
    Classification, Currency, Decimal, Issue, Issues, Metadata, Patch, Stamp, Tenant,
};
use racun_store::{Context, Store};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::certified;
use crate::check::{Check, MAX_TEXT_CHARS, required, text};
use crate::error::CatalogError;
use crate::life_cycle::{self, Trashable};
use crate::record::record;
use crate::tax::Tax;

mod references;

pub use references::{ItemTaxInput, References};

/// What e-invoices need to know of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemEInvoicing {
    /// Code of its unit in UN/ECE Recommendation 20.
    pub unit_code: Option<String>,
}

/// An item's texts in other languages, by locale.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemTranslations {
    /// Names, at most [`Item::MAX_TRANSLATED_NAME_CHARS`] each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub name: BTreeMap<String, String>,
    /// Descriptions, at most [`Item::MAX_TRANSLATED_DESCRIPTION_CHARS`] each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub description: BTreeMap<String, String>,
}

/// Something that is sold, at a net price or a gross one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: ItemId,
    /// Whose item.
    pub entity_id: EntityId,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Goods, service or prepayment.
    pub classification: Option<Classification>,
    /// Net price of one unit, in the entity's currency; null when it is priced gross.
    pub price: Option<Decimal>,
    /// Gross price of one unit, in the entity's currency; null when it is priced net.
    pub gross_price: Option<Decimal>,
    /// The unit it is sold by.
    pub unit: Option<String>,
    /// What e-invoices need to know of it.
    pub e_invoicing: Option<ItemEInvoicing>,
    /// The taxes on it.
    pub tax_ids: Vec<TaxId>,
    /// The category that its lines are reported under.
    pub financial_category_id: Option<FinancialCategoryId>,
    /// Its texts in other languages.
    pub translations: ItemTranslations,
    /// What the caller attached.
    pub metadata: Metadata,
    /// Whether a certified document sells it, as those of Portugal are: then its name stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_certified: bool,
    /// Since when it is in the trash.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

record! {
    /// Where items are kept.
    ITEMS: Item, id::Item, "items",
    events { item }
    fields {
        name: text searched,
        description: text searched,
        classification: text,
        price: number,
        gross_price: number,
        unit: text searched,
        tax_ids: list,
        financial_category_id: text,
        metadata: map,
    }
    unique {}
    trash { deleted_at }
}

impl Item {
    /// Characters that a description may hold.
    pub const MAX_DESCRIPTION_CHARS: usize = 10_000;
    /// Characters that a translated name may hold.
    pub const MAX_TRANSLATED_NAME_CHARS: usize = 500;
    /// Characters that a translated description may hold.
    pub const MAX_TRANSLATED_DESCRIPTION_CHARS: usize = 10_000;

    /// What one unit costs with tax on `date`, as money of `currency`.
    ///
    /// Several taxes add up on the same net price. `taxes` are looked through for the item's own;
    /// one that is not among them, or has no rate on that date, adds nothing.
    #[must_use]
    pub fn price_with_tax(&self, taxes: &[Tax], date: Date, currency: Currency) -> Decimal {
        if let Some(gross) = &self.gross_price {
            return currency.round(gross);
        }
        let own = taxes.iter().filter(|tax| self.tax_ids.contains(&tax.id));
        let rate: Decimal = own.filter_map(|tax| tax.rate_on(date)).sum();
        let net = self.price.clone().unwrap_or_else(Decimal::zero);
        currency.round(&(&net + &(&net * &rate.percent())))
    }
}

impl Trashable for Item {
    fn set_deleted_at(&mut self, at: Option<OffsetDateTime>) {
        self.deleted_at = at;
    }
}

/// The entity's rules on items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemRules {
    /// Taxes that one item may have: `country_rules.max_taxes_per_item`.
    pub max_taxes_per_item: usize,
    /// The entity's local day, by which a bare rate chooses among the taxes.
    pub today: Date,
}

/// What a caller says of an item. A new one needs `name`, and `price` or `gross_price`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemInput {
    /// See [`Item::name`]; so all below. Not blank.
    pub name: Patch<String>,
    /// At most [`Item::MAX_DESCRIPTION_CHARS`] characters.
    pub description: Patch<String>,
    /// Goods, service or prepayment.
    pub classification: Patch<Classification>,
    /// Net price; a value clears the gross price.
    pub price: Patch<Decimal>,
    /// Gross price; a value clears the net price.
    pub gross_price: Patch<Decimal>,
    /// The unit it is sold by.
    pub unit: Patch<String>,
    /// What e-invoices need to know of it.
    pub e_invoicing: Patch<ItemEInvoicing>,
    /// Taxes of the entity, each once. Null removes them all.
    pub tax_ids: Patch<Vec<String>>,
    /// The same, chosen by classification or rate; not together with `tax_ids`.
    pub taxes: Patch<Vec<ItemTaxInput>>,
    /// A category of the entity that is not archived.
    pub financial_category_id: Patch<String>,
    /// What the caller attaches; replaces all that was attached.
    pub metadata: Patch<BTreeMap<String, String>>,
    /// Texts in other languages; replace all there were.
    pub translations: Patch<ItemTranslations>,
}

impl ItemInput {
    /// The new item that this describes. `known` are the taxes and category that it may refer to.
    ///
    /// # Errors
    /// All that is wrong, by path.
    pub fn into_item(
        self,
        entity_id: EntityId,
        rules: &ItemRules,
        known: &References,
        stamp: &Stamp,
    ) -> Result<Item, Issues> {
        let mut item = Item {
            id: stamp.id(),
            entity_id,
            name: String::new(),
            description: None,
            classification: None,
            price: None,
            gross_price: None,
            unit: None,
            e_invoicing: None,
            tax_ids: Vec::new(),
            financial_category_id: None,
            translations: ItemTranslations::default(),
            metadata: Metadata::default(),
            is_certified: false,
            deleted_at: None,
            created_at: stamp.now(),
            updated_at: stamp.now(),
        };
        self.apply(&mut item, rules, known)?;
        Ok(item)
    }

    /// Takes over into `item` what this says.
    ///
    /// # Errors
    /// All that is wrong, by path; another name of an item that certified documents sell. `item` is
    /// then of no use.
    pub fn apply(
        self,
        item: &mut Item,
        rules: &ItemRules,
        known: &References,
    ) -> Result<(), Issues> {
        let mut check = Check::default();
        let name = item.is_certified.then(|| item.name.clone());
        check.name(self.name, &mut item.name, MAX_TEXT_CHARS);
        if name.is_some_and(|name| name != item.name) {
            check.refuse(certified::kept("name", "item"));
        }
        check.optional(
            "description",
            self.description,
            &mut item.description,
            text(Item::MAX_DESCRIPTION_CHARS),
        );
        check.texts([("unit", self.unit, &mut item.unit)]);
        check.optional("e_invoicing", self.e_invoicing, &mut item.e_invoicing, e_invoicing);
        apply_prices(self.price, self.gross_price, item, &mut check);
        known.apply_taxes(self.tax_ids, self.taxes, item, rules, &mut check);
        let category = self.financial_category_id.try_map(|id| known.category(&id));
        if let Some(category) = check.keep("financial_category_id", category) {
            category.apply(&mut item.financial_category_id);
        }
        if let Some(sent) = check.keep("translations", self.translations.try_map(translations)) {
            sent.apply_or(&mut item.translations, ItemTranslations::default());
        }
        check.metadata(self.metadata, &mut item.metadata);
        self.classification.apply(&mut item.classification);
        check.finish()
    }
}

/// An item has one price. Sending one clears the other.
fn apply_prices(
    price: Patch<Decimal>,
    gross_price: Patch<Decimal>,
    item: &mut Item,
    check: &mut Check,
) {
    match (price, gross_price) {
        (Patch::Value(_), Patch::Value(_)) => {
            let message = "send price or gross_price, not both";
            check.refuse(Issue::new("conflicting", message).at("gross_price"));
        }
        (Patch::Value(price), _) => (item.price, item.gross_price) = (Some(price), None),
        (_, Patch::Value(gross)) => (item.price, item.gross_price) = (None, Some(gross)),
        (price, gross_price) => {
            price.apply(&mut item.price);
            gross_price.apply(&mut item.gross_price);
            if item.price.is_none() && item.gross_price.is_none() {
                check.refuse(required("a price or gross_price is needed").at("price"));
            }
        }
    }
}

fn e_invoicing(sent: ItemEInvoicing) -> Result<ItemEInvoicing, Issues> {
    let mut check = Check::default();
    if let Some(unit_code) = &sent.unit_code {
        check.keep("unit_code", racun_kernel::text::check(unit_code, MAX_TEXT_CHARS));
    }
    check.finish().map(|()| sent)
}

fn translations(sent: ItemTranslations) -> Result<ItemTranslations, Issues> {
    let mut check = Check::default();
    check.keep("name", check_localized(&sent.name, Item::MAX_TRANSLATED_NAME_CHARS));
    let max = Item::MAX_TRANSLATED_DESCRIPTION_CHARS;
    check.keep("description", check_localized(&sent.description, max));
    check.finish().map(|()| sent)
}

/// Adds an item.
///
/// # Errors
/// [`CatalogError::Invalid`], and when the store fails.
pub async fn create_item(
    cx: Context<'_>,
    input: ItemInput,
    rules: &ItemRules,
) -> Result<Item, CatalogError> {
    let known = References::of(cx, &input, rules).await?;
    let item = input.into_item(cx.scope.entity(), rules, &known, cx.stamp)?;
    life_cycle::create(cx, item).await
}

/// Changes an item.
///
/// # Errors
/// [`CatalogError::NotFound`], [`crate::RefusalReason::InTrash`], [`CatalogError::Invalid`], and
/// when the store fails.
pub async fn update_item(
    cx: Context<'_>,
    id: ItemId,
    input: ItemInput,
    rules: &ItemRules,
) -> Result<Item, CatalogError> {
    let known = References::of(cx, &input, rules).await?;
    let rules = *rules;
    let change = move |item: &mut Item| Ok(input.apply(item, &rules, &known)?);
    life_cycle::update(cx, id, change).await
}

/// The taxes on any of `items`, as [`Item::price_with_tax`] needs them.
///
/// # Errors
/// When the store fails.
pub async fn taxes_of_items(
    store: &dyn Store,
    tenant: &Tenant,
    items: &[Item],
) -> Result<Vec<Tax>, CatalogError> {
    references::taxes(store, tenant, items.iter().flat_map(|item| item.tax_ids.iter().copied()))
        .await
}
