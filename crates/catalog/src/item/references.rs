//! What an item refers to: taxes and a financial category of its entity.

use std::collections::BTreeSet;

use racun_kernel::id::{FinancialCategoryId, TaxId};
use racun_kernel::{Decimal, Issue, Issues, Patch, Tenant};
use racun_store::{Context, RawQuery, Store};

use super::{Item, ItemInput, ItemRules};
use crate::check::{Check, required};
use crate::error::CatalogError;
use crate::financial_category::{FINANCIAL_CATEGORIES, FinancialCategory};
use crate::life_cycle;
use crate::tax::{TAXES, Tax, is_percentage, not_a_percentage};

/// A tax as a caller may choose it without knowing its id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemTaxInput {
    /// The tax with this classification; decides alone when it is sent.
    pub classification: Option<String>,
    /// A tax with this rate today: the default if it has it, else the one made first.
    pub rate: Option<Decimal>,
}

/// The taxes and the category that an input may refer to: they exist, and are neither in the trash
/// nor archived.
///
/// They are read before the item is written, and not held: a tax may go to the trash at any moment,
/// the one after this item is written as well as the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// Taxes, the ones made first in front.
    pub taxes: Vec<Tax>,
    /// The category.
    pub category: Option<FinancialCategory>,
}

impl References {
    /// What `input` may refer to.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn of(
        cx: Context<'_>,
        input: &ItemInput,
        rules: &ItemRules,
    ) -> Result<Self, CatalogError> {
        let mut taxes = match (&input.taxes, &input.tax_ids) {
            // Who chooses by rate chooses among all.
            (Patch::Value(_), _) => life_cycle::list_all(cx, RawQuery::default()).await?,
            (_, Patch::Value(ids)) => {
                // A list that is too long is refused as such, whatever is in it.
                let ids = ids.iter().take(rules.max_taxes_per_item);
                taxes(cx.store, &cx.tenant(), ids.filter_map(|id| id.parse().ok())).await?
            }
            _ => Vec::new(),
        };
        taxes.retain(|tax| tax.deleted_at.is_none());
        taxes.sort_by_key(|tax| tax.id);
        let id = input.financial_category_id.value().and_then(|id| id.parse().ok());
        let category: Option<FinancialCategory> = match id {
            Some::<FinancialCategoryId>(id) => cx.get(&FINANCIAL_CATEGORIES, id).await?,
            None => None,
        };
        Ok(Self { taxes, category: category.filter(|category| category.archived_at.is_none()) })
    }

    /// The category `id`, when it is known.
    pub(super) fn category(&self, id: &str) -> Result<FinancialCategoryId, Issue> {
        let known = self.category.as_ref().map(|category| category.id);
        known.filter(|known| known.to_string() == id).ok_or_else(|| {
            Issue::new("not_found", "no such financial category here, or it is archived")
        })
    }

    /// Gives `item` the taxes that were sent, in either way.
    pub(super) fn apply_taxes(
        &self,
        ids: Patch<Vec<String>>,
        taxes: Patch<Vec<ItemTaxInput>>,
        item: &mut Item,
        rules: &ItemRules,
        check: &mut Check,
    ) {
        let (field, chosen) = match (ids, taxes) {
            (Patch::Value(_), Patch::Value(_)) => {
                let message = "send tax_ids or taxes, not both";
                return check.refuse(Issue::new("conflicting", message).at("taxes"));
            }
            (Patch::Value(ids), _) => ("tax_ids", collect(&ids, rules, |id| Ok(self.by_id(id)?))),
            (_, Patch::Value(taxes)) => {
                ("taxes", collect(&taxes, rules, |tax| self.choose(tax, rules)))
            }
            (Patch::Absent, Patch::Absent) => return,
            _ => ("tax_ids", Ok(Vec::new())),
        };
        if let Some(chosen) = check.keep(field, chosen) {
            item.tax_ids = chosen;
        }
    }

    fn by_id(&self, id: &str) -> Result<TaxId, Issue> {
        let known = self.taxes.iter().map(|tax| tax.id).find(|known| known.to_string() == id);
        known.ok_or_else(|| Issue::new("not_found", "no such tax here, or it is in the trash"))
    }

    fn choose(&self, wanted: &ItemTaxInput, rules: &ItemRules) -> Result<TaxId, Issues> {
        let mut check = Check::default();
        if let Some(classification) = &wanted.classification {
            let max = Tax::MAX_CLASSIFICATION_CHARS;
            check.keep("classification", racun_kernel::text::check(classification, max));
        }
        if wanted.rate.as_ref().is_some_and(|rate| !is_percentage(rate)) {
            check.refuse(not_a_percentage().at("rate"));
        }
        check.finish()?;
        let mut taxes = self.taxes.iter();
        let found = match (&wanted.classification, &wanted.rate) {
            (Some(_), _) => taxes.find(|tax| tax.classification == wanted.classification),
            (None, Some(rate)) => {
                let mut fitting = taxes.filter(|tax| tax.rate_on(rules.today) == Some(rate));
                let first = fitting.clone().next();
                fitting.find(|tax| tax.is_default).or(first)
            }
            (None, None) => return Err(required("a classification or a rate is needed").into()),
        };
        let unknown = || {
            let message = "no tax here has this classification, or this rate today; make one first";
            Issue::new("not_found", message)
        };
        Ok(found.ok_or_else(unknown)?.id)
    }
}

/// The ids that `choose` finds for `sent`: not too many, and none twice.
fn collect<T>(
    sent: &[T],
    rules: &ItemRules,
    choose: impl Fn(&T) -> Result<TaxId, Issues>,
) -> Result<Vec<TaxId>, Issues> {
    let max = rules.max_taxes_per_item;
    if sent.len() > max {
        return Err(Issue::new("too_many", format!("at most {max} for each item")).into());
    }
    let mut issues = Issues::default();
    let mut ids = Vec::new();
    for (n, sent) in sent.iter().enumerate() {
        match issues.collect(n, choose(sent)) {
            Some(id) if ids.contains(&id) => {
                issues.push(Issue::new("duplicate", "the item has this tax already").at(n));
            }
            id => ids.extend(id),
        }
    }
    issues.into_result(ids)
}

/// The taxes with these ids that there are.
pub(super) async fn taxes(
    store: &dyn Store,
    tenant: &Tenant,
    ids: impl Iterator<Item = TaxId>,
) -> Result<Vec<Tax>, CatalogError> {
    let distinct: BTreeSet<String> = ids.map(|id| id.to_string()).collect();
    let ids: Vec<String> = distinct.into_iter().collect();
    Ok(store.get_all(&TAXES, tenant, &ids).await?)
}
