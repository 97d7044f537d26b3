//! What a request says of lines, and the lines of a document that it makes: with items, taxes and
//! categories filled in.

use std::collections::BTreeSet;

use racun_access::Entity;
use racun_catalog::{ITEMS, Item, Tax};
use racun_documents::calculation::Discount;
use racun_documents::{
    LineKind, LineTaxDetail, LineTranslations, Localized, NewLine, RevenueRecognition,
};
use racun_kernel::id::{FinancialCategoryId, TaxId};
use racun_kernel::{Classification, Decimal, Issue, Issues, Metadata, Tenant};
use racun_store::{Store, StoreError};
use time::Date;

use super::line_records::{LineRecords, archived_category, by_ids, taxes};

/// A line as written into a request.
#[derive(Debug, Clone, Default)]
pub struct LineRequest {
    /// A heading, or goods and services when absent.
    pub kind: Option<LineKind>,
    /// Name; the item's when absent.
    pub name: Option<String>,
    /// Description; the item's when absent.
    pub description: Option<String>,
    /// Name and description by locale; the item's when absent.
    pub translations: Option<LineTranslations>,
    /// What it sells; the item's when absent.
    pub classification: Option<Classification>,
    /// How many; 1 when absent.
    pub quantity: Option<Decimal>,
    /// Price of one before tax; the item's when both prices are absent.
    pub price: Option<Decimal>,
    /// Price of one with tax.
    pub gross_price: Option<Decimal>,
    /// Unit of measure; the item's when absent.
    pub unit: Option<String>,
    /// Unit of measure by UN/ECE Recommendation 20.
    pub unit_code: Option<String>,
    /// Taxes. When absent the item's, else the entity's default tax; an empty list means untaxed.
    pub taxes: Option<Vec<LineTaxRequest>>,
    /// Discounts.
    pub discounts: Vec<Discount>,
    /// A catalogue item, whose fields fill in what is absent.
    pub item_id: Option<String>,
    /// Whether to keep the line as a new catalogue item.
    pub save_item: bool,
    /// Category for reports; the item's when absent.
    pub financial_category_id: Option<String>,
    /// When its revenue is earned.
    pub revenue_recognition: Option<RevenueRecognition>,
    /// The caller's properties.
    pub metadata: Metadata,
    /// Total before tax, for custom documents.
    pub total: Option<Decimal>,
    /// Total with tax, for custom documents.
    pub total_with_tax: Option<Decimal>,
}

/// A tax as written into a line: by id, else by rate, else by classification.
#[derive(Debug, Clone, Default)]
pub struct LineTaxRequest {
    /// The tax; its rate on the document's date holds.
    pub tax_id: Option<String>,
    /// A rate in percent; it needs no tax record.
    pub rate: Option<Decimal>,
    /// The classification of a tax.
    pub classification: Option<String>,
    /// Whether the customer owes the tax.
    pub reverse_charge: Option<bool>,
    /// Its amount, for custom documents.
    pub amount: Option<Decimal>,
    /// Whether the buyer may deduct it.
    pub is_deductible: Option<bool>,
    /// How much of it, in percent.
    pub deductible_percentage: Option<Decimal>,
    /// Portuguese exemption code; the tax's when absent.
    pub pt_exemption_code: Option<String>,
    /// Portuguese exemption reason; the tax's when absent.
    pub pt_exemption_reason: Option<String>,
}

/// A line's financial category, said beside the lines.
#[derive(Debug, Clone)]
pub struct CategoryAssignment {
    /// Zero-based index into the request's lines.
    pub item_index: usize,
    /// The category; `None` for none.
    pub financial_category_id: Option<String>,
}

impl LineRecords {
    /// What `lines` name, and those of `categories` that there are.
    pub async fn gather(
        store: &dyn Store,
        tenant: &Tenant,
        lines: &[LineRequest],
        categories: BTreeSet<&str>,
    ) -> Result<Self, StoreError> {
        let items: Vec<Item> = by_ids(store, &ITEMS, tenant, item_ids(lines)).await?;
        let taxes =
            if lines.iter().any(needs_taxes) { taxes(store, tenant).await? } else { Vec::new() };
        let of_lines = lines.iter().filter_map(|line| line.financial_category_id.as_deref());
        let categories = of_lines.chain(categories).map(str::to_owned).collect();
        Self::of(store, tenant, items, taxes, categories).await
    }
}

fn item_ids(lines: &[LineRequest]) -> BTreeSet<&str> {
    lines.iter().filter_map(|line| line.item_id.as_deref()).collect()
}

/// A bare rate needs no record; an id, a classification, an item's taxes and the default do.
fn needs_taxes(line: &LineRequest) -> bool {
    let Some(taxes) = &line.taxes else { return line.kind.is_none() };
    taxes.iter().any(|tax| tax.tax_id.is_some() || tax.rate.is_none())
}

/// What applies to the lines of one document.
pub(crate) struct LineRules<'a> {
    /// The entity.
    pub entity: &'a Entity,
    /// What the lines name.
    pub records: &'a LineRecords,
    /// Date of the document: rates of taxes are those of this day.
    pub date: Date,
    /// Whether taxes are owed by the customer (`tax_rules.eu.auto_reverse_charge`).
    pub reverse_charge: bool,
    /// Whether lines are untaxed (`tax_rules.eu.auto_remove_tax_export`).
    pub untaxed: bool,
    /// Whether prices must be gross (`tax_rules.eu.require_gross_prices`).
    pub gross_only: bool,
}

/// The lines of `requests`, with what they name filled in; issues are those of `items` and of
/// `category_assignments`.
pub(super) fn resolve(
    requests: &[LineRequest],
    assignments: &[CategoryAssignment],
    rules: &LineRules<'_>,
    issues: &mut Issues,
) -> Vec<NewLine> {
    let mut lines = rules.lines(requests, issues);
    assign_categories(assignments, rules, &mut lines, issues);
    lines
}

fn assign_categories(
    assignments: &[CategoryAssignment],
    rules: &LineRules<'_>,
    lines: &mut [NewLine],
    issues: &mut Issues,
) {
    let mut inner = Issues::default();
    for (n, assignment) in assignments.iter().enumerate() {
        let mut of_assignment = Issues::default();
        let category =
            rules.category(assignment.financial_category_id.as_deref(), &mut of_assignment);
        match lines.get_mut(assignment.item_index) {
            Some(line) => line.financial_category_id = category,
            None => {
                let message =
                    format!("there are only {} items; the first has index 0", lines.len());
                of_assignment.push(Issue::new("out_of_range", message).at("item_index"));
            }
        }
        inner.extend_at(n, of_assignment);
    }
    issues.extend_at("category_assignments", inner);
}

impl LineRules<'_> {
    /// The lines of `requests`, with what they name filled in; issues are those of `items`.
    pub fn lines(&self, requests: &[LineRequest], issues: &mut Issues) -> Vec<NewLine> {
        let mut inner = Issues::default();
        let mut lines = Vec::with_capacity(requests.len());
        for (n, line) in requests.iter().enumerate() {
            let mut of_line = Issues::default();
            lines.push(self.line(line, &mut of_line));
            inner.extend_at(n, of_line);
        }
        issues.extend_at("items", inner);
        lines
    }

    fn line(&self, request: &LineRequest, issues: &mut Issues) -> NewLine {
        let item = self.item(request, issues);
        let own_price = request.price.is_some() || request.gross_price.is_some();
        let item_price = item.filter(|_| !own_price);
        let separator = request.kind == Some(LineKind::Separator);
        let taxes = if separator && request.taxes.is_none() {
            Vec::new()
        } else {
            self.taxes(request, item, issues)
        };
        if self.gross_only && request.price.is_some() {
            let message =
                "this entity's settings ask for gross_price (tax_rules.eu.require_gross_prices)";
            issues.push(Issue::new("required", message).at("gross_price"));
        }
        let text = |own: &Option<String>, of_item: fn(&Item) -> Option<String>| {
            own.clone().or_else(|| item.and_then(of_item))
        };
        NewLine {
            id: None,
            kind: request.kind,
            name: text(&request.name, |item| Some(item.name.clone())),
            description: text(&request.description, |item| item.description.clone()),
            translations: request
                .translations
                .clone()
                .or_else(|| item.map(translations))
                .unwrap_or_default(),
            classification: request.classification.or_else(|| item?.classification),
            quantity: request.quantity.clone(),
            price: request.price.clone().or_else(|| item_price.and_then(|item| item.price.clone())),
            gross_price: request
                .gross_price
                .clone()
                .or_else(|| item_price.and_then(|item| item.gross_price.clone())),
            unit: text(&request.unit, |item| item.unit.clone()),
            unit_code: text(&request.unit_code, unit_code),
            taxes,
            discounts: request.discounts.clone(),
            item_id: item.map(|item| item.id),
            financial_category_id: match &request.financial_category_id {
                Some(id) => self.category(Some(id), issues),
                None => item.and_then(|item| self.live_category(item)),
            },
            revenue_recognition: request.revenue_recognition.clone(),
            metadata: request.metadata.clone(),
            given: match (&request.total, &request.total_with_tax) {
                (None, None) => None,
                (total, with_tax) => {
                    let or_zero = |n: &Option<Decimal>| n.clone().unwrap_or_else(Decimal::zero);
                    Some((or_zero(total), or_zero(with_tax)))
                }
            },
        }
    }

    fn item(&self, request: &LineRequest, issues: &mut Issues) -> Option<&Item> {
        let id = request.item_id.as_ref()?;
        let item = self.records.items.get(id);
        if item.is_none() {
            let message = "there is no such item in this entity; create it, or leave item_id out";
            issues.push(Issue::new("not_found", message).at("item_id"));
        }
        item
    }

    fn category(&self, id: Option<&str>, issues: &mut Issues) -> Option<FinancialCategoryId> {
        let id = id?;
        let known = self.records.categories.contains(id).then(|| id.parse().ok()).flatten();
        if self.records.archived.contains(id) {
            issues.push(archived_category());
        } else if known.is_none() {
            let message = "there is no such financial category in this entity";
            issues.push(Issue::new("not_found", message).at("financial_category_id"));
        }
        known
    }

    /// The category of lines of `item`; an archived one is left out, and the answer says so
    /// ([`super::line_records::archived_of_items`]).
    fn live_category(&self, item: &Item) -> Option<FinancialCategoryId> {
        let is_archived =
            |id: &FinancialCategoryId| self.records.archived.contains(&id.to_string());
        item.financial_category_id.filter(|id| !is_archived(id))
    }

    /// The taxes of a line: its own, else the item's, else the entity's default.
    fn taxes(
        &self,
        request: &LineRequest,
        item: Option<&Item>,
        issues: &mut Issues,
    ) -> Vec<LineTaxDetail> {
        let mut inner = Issues::default();
        let mut taxes = Vec::new();
        match (&request.taxes, item.filter(|item| !item.tax_ids.is_empty())) {
            (Some(requested), _) => {
                for (n, tax) in requested.iter().enumerate() {
                    taxes.extend(inner.collect(n, self.tax(tax).map_err(Issues::from)));
                }
            }
            (None, Some(item)) => {
                let known = item.tax_ids.iter().filter_map(|id| self.by_id(&id.to_string()));
                taxes.extend(known.filter_map(|tax| self.detail(tax)));
            }
            (None, None) => taxes.extend(self.default_tax().and_then(|tax| self.detail(tax))),
        }
        let most = usize::from(self.entity.country_rules().max_taxes_per_item);
        if taxes.len() > most {
            let message = format!("at most {most} on a line in this entity's country");
            inner.push(Issue::new("too_many", message));
        }
        issues.extend_at("taxes", inner);
        if self.untaxed { Vec::new() } else { taxes }
    }

    fn default_tax(&self) -> Option<&Tax> {
        let subject = self.entity.is_tax_subject;
        self.records.taxes.iter().find(|tax| subject && tax.is_default)
    }

    fn by_id(&self, id: &str) -> Option<&Tax> {
        self.records.taxes.iter().find(|tax| tax.id.to_string() == id)
    }

    fn tax(&self, request: &LineTaxRequest) -> Result<LineTaxDetail, Issue> {
        let base = match (&request.tax_id, &request.rate, &request.classification) {
            (Some(id), ..) => {
                let message = "there is no such tax in this entity";
                let tax =
                    self.by_id(id).ok_or_else(|| Issue::new("not_found", message).at("tax_id"))?;
                let message = "this tax has no rate on the document's date";
                self.detail(tax).ok_or_else(|| Issue::new("no_rate", message).at("tax_id"))?
            }
            (None, Some(rate), _) => self.bare(rate.clone(), request.classification.clone()),
            (None, None, Some(name)) => {
                let message = "no tax of this entity has this classification";
                let missing = || Issue::new("not_found", message).at("classification");
                let same = |tax: &&Tax| tax.classification.as_ref() == Some(name);
                let tax = self.records.taxes.iter().find(same).ok_or_else(missing)?;
                self.detail(tax).ok_or_else(missing)?
            }
            (None, None, None) => {
                return Err(Issue::new("required", "a tax needs tax_id, rate or classification"));
            }
        };
        Ok(LineTaxDetail {
            reverse_charge: request.reverse_charge.unwrap_or(base.reverse_charge),
            amount: request.amount.clone().unwrap_or_else(Decimal::zero),
            is_deductible: request.is_deductible,
            deductible_percentage: request.deductible_percentage.clone(),
            pt_exemption_code: request.pt_exemption_code.clone().or(base.pt_exemption_code),
            pt_exemption_reason: request.pt_exemption_reason.clone().or(base.pt_exemption_reason),
            ..base
        })
    }

    /// `tax` with its rate on the document's date; `None` when it has none yet.
    fn detail(&self, tax: &Tax) -> Option<LineTaxDetail> {
        let rate = tax.rate_on(self.date)?.clone();
        Some(LineTaxDetail {
            tax_id: Some(tax.id),
            pt_exemption_code: tax.pt_exemption_code.clone(),
            pt_exemption_reason: tax.pt_exemption_reason.clone(),
            ..self.bare(rate, tax.classification.clone())
        })
    }

    fn bare(&self, rate: Decimal, classification: Option<String>) -> LineTaxDetail {
        LineTaxDetail {
            tax_id: None,
            rate,
            classification,
            reverse_charge: self.reverse_charge,
            amount: Decimal::zero(),
            is_deductible: None,
            deductible_percentage: None,
            pt_exemption_code: None,
            pt_exemption_reason: None,
        }
    }

    /// Present lines with their taxes' rates of the document's date, for an update of the date.
    pub(super) fn redated(&self, mut line: NewLine) -> NewLine {
        for tax in &mut line.taxes {
            let rate = tax.tax_id.and_then(|id| self.rate(id));
            tax.rate = rate.unwrap_or_else(|| tax.rate.clone());
        }
        line
    }

    /// The rate of the tax `id` on the document's date.
    pub fn rate(&self, id: TaxId) -> Option<Decimal> {
        self.by_id(&id.to_string())?.rate_on(self.date).cloned()
    }
}

fn translations(item: &Item) -> LineTranslations {
    let some = |texts: &Localized| Some(texts.clone()).filter(|texts| !texts.is_empty());
    LineTranslations {
        name: some(&item.translations.name),
        description: some(&item.translations.description),
    }
}

fn unit_code(item: &Item) -> Option<String> {
    item.e_invoicing.as_ref().and_then(|e_invoicing| e_invoicing.unit_code.clone())
}
