//! From a request's lines to a document's: items, taxes and categories filled in.

use racun_access::Entity;
use racun_catalog::{Item, Tax};
use racun_documents::{LineKind, LineTaxDetail, LineTranslations, Localized, NewLine};
use racun_kernel::id::{FinancialCategoryId, TaxId};
use racun_kernel::{Decimal, Issue, Issues};
use time::Date;

use super::gather::{LineRecords, archived_category};
use super::request::{DocumentRequest, LineRequest, LineTaxRequest};

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

/// The lines of `request`, with what they name filled in; issues are those of `items` and of
/// `category_assignments`.
pub(super) fn resolve(
    request: &DocumentRequest,
    rules: &LineRules<'_>,
    issues: &mut Issues,
) -> Vec<NewLine> {
    let mut lines = rules.lines(request.items.as_deref().unwrap_or_default(), issues);
    assign_categories(request, rules, &mut lines, issues);
    lines
}

fn assign_categories(
    request: &DocumentRequest,
    rules: &LineRules<'_>,
    lines: &mut [NewLine],
    issues: &mut Issues,
) {
    let mut inner = Issues::default();
    for (n, assignment) in request.category_assignments.iter().enumerate() {
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
    /// ([`super::gather::archived_of_items`]).
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
