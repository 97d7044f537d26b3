//! What is answered of the yearly figures of a flat-rate sole trader.

use racun_insights::Review;
use racun_kernel::Decimal;
use racun_kernel::calendar::format_midnight;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Convert;
use crate::schema::number;

/// The yearly figures of a sole trader.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NormiraniReview)]
pub(super) struct ReviewBody {
    /// The year.
    year: i32,
    /// The figures, in euros.
    auto_values: AutoValuesBody,
    /// What to know of them.
    warnings: Vec<ReviewWarningBody>,
    /// What to look at.
    issue_details: Vec<IssueDetailBody>,
    /// The rules that were applied.
    rule_summary: RuleSummaryBody,
}

crate::body::answer! {
    /// The figures of a year, in euros.
    AutoValuesBody as NormiraniValues from racun_insights::AutoValues {
        /// Invoices before tax.
        #[schema(schema_with = number)]
        total_invoice_revenue: Decimal,
        /// Credit notes before tax.
        #[schema(schema_with = number)]
        total_credit_note_reduction: Decimal,
        /// The one less the other, with the trader's own changes.
        #[schema(schema_with = number)]
        adjusted_revenue: Decimal,
        /// Expenses by the rule.
        #[schema(schema_with = number)]
        normative_expenses: Decimal,
        /// What is taxed.
        #[schema(schema_with = number)]
        tax_base: Decimal,
        /// The tax on it.
        #[schema(schema_with = number)]
        income_tax_amount: Decimal,
        /// The advance of the next year.
        #[schema(schema_with = number)]
        advance_tax_amount: Decimal,
        /// A twelfth of it.
        #[schema(schema_with = number)]
        monthly_installment_amount: Decimal,
        /// A quarter of it.
        #[schema(schema_with = number)]
        quarterly_installment_amount: Decimal,
    }
}

crate::body::answer! {
    /// The rules that were applied, in words.
    RuleSummaryBody as NormiraniRules from racun_insights::RuleSummary {
        /// How expenses follow from revenue.
        normative_expense_rule: String,
        /// How the tax follows from its base.
        income_tax_rule: String,
        /// How the advance of the next year follows.
        advance_rule: String,
    }
}

/// What to know of the figures.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NormiraniWarning)]
struct ReviewWarningBody {
    /// For programs.
    code: String,
    /// For people.
    message: String,
    /// `info` or `warning`.
    severity: String,
}

/// Something to look at.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NormiraniIssue)]
struct IssueDetailBody {
    /// For programs.
    code: String,
    /// What it is.
    title: String,
    /// In a sentence.
    summary: String,
    /// Why it matters.
    explanation: String,
    /// What to do.
    action: String,
    /// `info` or `warning`.
    severity: String,
    /// Where authorities say so.
    official_sources: Vec<OfficialSourceBody>,
    /// The documents.
    affected_documents: Vec<AffectedBody>,
}

/// Where an authority says something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OfficialSource)]
struct OfficialSourceBody {
    /// What it is called.
    label: String,
    /// Where it is.
    url: String,
    /// Who publishes it: `FURS` or `PISRS`.
    issuer: String,
}

/// A document that an issue is about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NormiraniDocument)]
struct AffectedBody {
    /// Its id.
    id: String,
    /// `invoice`, `credit_note` or `advance_invoice`.
    r#type: String,
    /// Its number.
    number: String,
    /// Its date, at midnight UTC.
    date: String,
    /// The customer's name.
    #[schema(required = true)]
    customer_name: Option<String>,
    /// The customer's country.
    #[schema(required = true)]
    customer_country_code: Option<String>,
    /// The customer's tax number.
    #[schema(required = true)]
    customer_tax_number: Option<String>,
    /// Its currency.
    currency_code: String,
    /// Before tax, in that.
    #[schema(schema_with = number)]
    total: Decimal,
    /// Before tax, in euros.
    #[schema(schema_with = crate::schema::nullable_number, required = true)]
    total_converted: Option<Decimal>,
    /// Why it is named.
    reason: String,
    /// Where it is read.
    document_path: String,
}

fn affected(affected: racun_insights::AffectedDocument) -> AffectedBody {
    use racun_insights::SoldKind;
    let document = affected.document;
    let (kind, path) = match document.kind {
        SoldKind::Invoice => ("invoice", "invoices"),
        SoldKind::CreditNote => ("credit_note", "credit-notes"),
        SoldKind::Advance => ("advance_invoice", "advance-invoices"),
    };
    AffectedBody {
        document_path: format!("/{path}/{}", document.id),
        id: document.id,
        r#type: kind.to_owned(),
        number: document.number,
        date: format_midnight(document.date),
        customer_name: document.customer_name,
        customer_country_code: document.customer_country_code,
        customer_tax_number: document.customer_tax_number,
        currency_code: document.currency_code,
        total: document.total,
        total_converted: document.total_converted,
        reason: affected.reason.to_owned(),
    }
}

impl Convert<ReviewBody> for Review {
    fn convert(self) -> ReviewBody {
        let values = self.auto_values;
        let rules = self.rule_summary;
        let source = |source: racun_insights::OfficialSource| OfficialSourceBody {
            label: source.label.to_owned(),
            url: source.url.to_owned(),
            issuer: source.issuer.to_owned(),
        };
        let issue = |issue: racun_insights::IssueDetail| IssueDetailBody {
            code: issue.code.to_owned(),
            title: issue.title.to_owned(),
            summary: issue.summary.to_owned(),
            explanation: issue.explanation.to_owned(),
            action: issue.action.to_owned(),
            severity: issue.severity.name().to_owned(),
            official_sources: issue.official_sources.into_iter().map(source).collect(),
            affected_documents: issue.affected_documents.into_iter().map(affected).collect(),
        };
        let warning = |warning: racun_insights::Warning| ReviewWarningBody {
            code: warning.code.to_owned(),
            message: warning.message,
            severity: warning.severity.name().to_owned(),
        };
        ReviewBody {
            year: self.year,
            auto_values: values.convert(),
            warnings: self.warnings.into_iter().map(warning).collect(),
            issue_details: self.issues.into_iter().map(issue).collect(),
            rule_summary: rules.convert(),
        }
    }
}
