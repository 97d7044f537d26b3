//! What a request says of a document, and the rules on its dates.

use racun_kernel::id::{BusinessUnitId, CustomerId, EntityId};
use racun_kernel::{Currency, Decimal, ExchangeRate, Issue, Issues, Metadata, PaymentReference};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

use crate::calculation::{CalculationMode, SummaryTax};
use crate::line::{Line, NewLine};
use crate::{
    CreationSource, DocumentKind, EInvoiceForm, EInvoiceOptions, Party, Texts, TransactionType,
    Translations, UnitSnapshot, ViesData,
};

/// What an estimate calls itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleType {
    /// Estimate.
    #[default]
    Estimate,
    /// Pro-forma invoice.
    ProformaInvoice,
}

impl TitleType {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::ProformaInvoice => "proforma_invoice",
        }
    }
}

/// Totals that a custom document is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenTotals {
    /// Before tax.
    pub total: Decimal,
    /// With tax.
    pub total_with_tax: Decimal,
    /// Discounts, before tax.
    pub total_discount: Decimal,
    /// Taxes.
    pub taxes: Vec<SummaryTax>,
}

/// The part of a document that a request decides and an update may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Date of the document.
    #[serde(with = "racun_kernel::calendar::date")]
    pub date: Date,
    /// Due date.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_due: Option<Date>,
    /// Last day on which an estimate is valid.
    #[serde(with = "racun_kernel::calendar::date::option", default)]
    pub date_valid_till: Option<Date>,
    /// What an estimate calls itself.
    #[serde(default)]
    pub title_type: TitleType,
    /// Whether a delivery note shows no prices.
    #[serde(default)]
    pub hide_prices: bool,
    /// Day of the service, or its first.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_service: Option<Date>,
    /// Last day of the service.
    #[serde(with = "racun_kernel::calendar::date::option")]
    pub date_service_to: Option<Date>,
    /// Who issues it.
    pub issuer: Party,
    /// The catalogue customer.
    pub customer_id: Option<CustomerId>,
    /// Who receives it.
    pub customer: Option<Party>,
    /// The business unit.
    pub business_unit_id: Option<BusinessUnitId>,
    /// The unit, frozen.
    pub business_unit: Option<UnitSnapshot>,
    /// Texts.
    pub texts: Texts,
    /// Texts by locale.
    #[serde(default)]
    pub translations: Translations,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Into the entity's currency, when it is another.
    pub exchange_rate: Option<ExchangeRate>,
    /// Kind of sale.
    pub transaction_type: TransactionType,
    /// What VIES had to say.
    pub vies: Option<ViesData>,
    /// The caller's reference.
    pub reference: Option<String>,
    /// The caller's properties.
    pub metadata: Metadata,
    /// What is wanted of its electronic invoices.
    #[serde(default, skip_serializing_if = "EInvoiceOptions::is_empty")]
    pub e_invoices: EInvoiceOptions,
    /// Lines, in the request's order.
    pub lines: Vec<Line>,
}

/// All that a new document is made of.
#[derive(Debug, Clone)]
pub struct NewDocument {
    /// What it is.
    pub kind: DocumentKind,
    /// Whose it is.
    pub entity_id: EntityId,
    /// Where it comes from.
    pub source: CreationSource,
    /// How it is calculated.
    pub mode: CalculationMode,
    /// What the request says; its lines are empty and come from `lines`.
    pub content: Content,
    /// Lines as asked for.
    pub lines: Vec<NewLine>,
    /// The total that the caller expects.
    pub expected_total_with_tax: Option<Decimal>,
    /// Totals of a custom document, which are not calculated.
    pub given: Option<GivenTotals>,
    /// Today, in the entity's zone.
    pub today: Date,
}

impl NewDocument {
    /// A document of `entity_id` that a program makes on the day that `content` is dated,
    /// calculated in the default mode.
    #[must_use]
    pub const fn new(
        kind: DocumentKind,
        entity_id: EntityId,
        content: Content,
        lines: Vec<NewLine>,
    ) -> Self {
        let today = content.date;
        Self {
            kind,
            entity_id,
            source: CreationSource::Api,
            mode: CalculationMode::B2bStandard,
            content,
            lines,
            expected_total_with_tax: None,
            given: None,
            today,
        }
    }
}

impl Content {
    /// Characters that a reference may hold.
    pub const MAX_REFERENCE_CHARS: usize = 255;
    /// Lines that a document may hold.
    pub const MAX_LINES: usize = 1000;

    /// The content of a domestic sale by `issuer` in `currency`, dated `date`, without a customer
    /// and texts.
    #[must_use]
    pub fn new(date: Date, issuer: Party, currency: Currency) -> Self {
        Self {
            date,
            date_due: None,
            date_valid_till: None,
            title_type: TitleType::default(),
            hide_prices: false,
            date_service: None,
            date_service_to: None,
            issuer,
            customer_id: None,
            customer: None,
            business_unit_id: None,
            business_unit: None,
            texts: Texts::default(),
            translations: Translations::default(),
            currency,
            exchange_rate: None,
            transaction_type: TransactionType::Domestic,
            vies: None,
            reference: None,
            metadata: Metadata::default(),
            e_invoices: EInvoiceOptions::default(),
            lines: Vec::new(),
        }
    }

    /// Names of the fields, as on the wire, in which `old` differs.
    pub(crate) fn changes_of(&self, old: &Self) -> impl Iterator<Item = &'static str> {
        let is_other_form = |form| old.e_invoices.of(form) != self.e_invoices.of(form);
        let fields = [
            ("date", old.date != self.date),
            ("date_due", old.date_due != self.date_due),
            ("date_valid_till", old.date_valid_till != self.date_valid_till),
            ("title_type", old.title_type != self.title_type),
            ("hide_prices", old.hide_prices != self.hide_prices),
            ("date_service", old.date_service != self.date_service),
            ("date_service_to", old.date_service_to != self.date_service_to),
            ("issuer", old.issuer != self.issuer),
            ("customer_id", old.customer_id != self.customer_id),
            ("customer", old.customer != self.customer),
            ("business_unit_id", old.business_unit_id != self.business_unit_id),
            ("business_unit", old.business_unit != self.business_unit),
            ("note", old.texts.note != self.texts.note),
            ("payment_terms", old.texts.payment_terms != self.texts.payment_terms),
            ("tax_clause", old.texts.tax_clause != self.texts.tax_clause),
            ("footer", old.texts.footer != self.texts.footer),
            ("signature", old.texts.signature != self.texts.signature),
            ("translations", old.translations != self.translations),
            ("currency_code", old.currency != self.currency),
            ("exchange_rate", old.exchange_rate != self.exchange_rate),
            ("transaction_type", old.transaction_type != self.transaction_type),
            ("reference", old.reference != self.reference),
            ("metadata", old.metadata != self.metadata),
            ("eslog", is_other_form(EInvoiceForm::Eslog)),
            ("ujp", is_other_form(EInvoiceForm::Ujp)),
            ("xrechnung", is_other_form(EInvoiceForm::XRechnung)),
            ("zugferd", is_other_form(EInvoiceForm::Zugferd)),
            ("e_invoicing", old.e_invoices.send_enabled != self.e_invoices.send_enabled),
            ("items", old.lines != self.lines),
        ];
        fields.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name)
    }

    /// Checks dates, texts and parties, each with its path on the wire.
    pub(crate) fn check(&self, kind: DocumentKind, today: Date) -> Result<(), Issues> {
        let mut issues = Issues::default();
        self.check_dates(kind, today, &mut issues);
        issues.collect("issuer", self.issuer.check());
        if let Some(customer) = &self.customer {
            issues.collect("customer", customer.check());
        }
        if let Err(texts) = self.texts.check() {
            texts.iter().for_each(|issue| issues.push(issue.clone()));
        }
        issues.collect("translations", self.translations.check());
        racun_kernel::text::check_field(
            &mut issues,
            "reference",
            self.reference.as_deref(),
            Self::MAX_REFERENCE_CHARS,
        );
        let reference = self.reference.as_deref().map(PaymentReference::parse);
        if let Some(Err(issue)) = reference {
            issues.push(issue.at("reference"));
        }
        if let Some(exchange) = &self.exchange_rate
            && !exchange.rate.is_positive()
        {
            issues.push(
                Issue::new("out_of_range", "must be above zero").at("rate").at("exchange_rate"),
            );
        }
        issues.into_result(())
    }

    fn check_dates(&self, kind: DocumentKind, today: Date, issues: &mut Issues) {
        if self.date > today {
            let message =
                format!("must not be in the future; today is {today} in the entity's time zone");
            issues.push(Issue::new("date_in_future", message).at("date"));
        }
        let not_before = |until: Option<Date>| until.is_some_and(|until| until < self.date);
        let checks = [
            ("date_due", kind == DocumentKind::Invoice && not_before(self.date_due)),
            ("date_valid_till", not_before(self.date_valid_till)),
        ];
        for (field, _) in checks.into_iter().filter(|(_, wrong)| *wrong) {
            let message = format!("must not be before the document's date, {}", self.date);
            issues.push(Issue::new("date_before_document", message).at(field));
        }
        if let (Some(from), Some(to)) = (self.date_service, self.date_service_to)
            && to < from
        {
            let message = format!("must not be before date_service, {from}");
            issues.push(Issue::new("date_before_service", message).at("date_service_to"));
        }
    }

    /// The first instant of the document's date, as answers show it.
    #[must_use]
    pub const fn midnight(&self) -> OffsetDateTime {
        racun_kernel::calendar::midnight(self.date)
    }
}
