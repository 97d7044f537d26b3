//! Figures, warnings and issues of a year.

use racun_kernel::Decimal;
use time::{Date, Month};

use super::rules::{AutoValues, Basis, RuleSummary, Rules, YearInput};
use crate::facts::SoldKind;

/// An issued document of the year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevenueDocument {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: SoldKind,
    /// Its number.
    pub number: String,
    /// Its date.
    pub date: Date,
    /// Whether it was declared void.
    pub is_voided: bool,
    /// The customer's name.
    pub customer_name: Option<String>,
    /// The customer's country.
    pub customer_country_code: Option<String>,
    /// The customer's tax number.
    pub customer_tax_number: Option<String>,
    /// The document's currency.
    pub currency_code: String,
    /// Before tax, in that.
    pub total: Decimal,
    /// Before tax, in euros; `None` when no rate of exchange is known.
    pub total_converted: Option<Decimal>,
    /// Whether it is paid in full.
    pub is_paid: bool,
}

/// What a review is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearFacts {
    /// The year.
    pub year: i32,
    /// How the trader is insured; full-time is assumed when that is not said.
    pub basis: Option<Basis>,
    /// The date of the first document that was ever issued, when it is in this year.
    pub first_document: Option<Date>,
    /// What the trader adds to revenue.
    pub increase: Decimal,
    /// What the trader takes off it.
    pub decrease: Decimal,
    /// Today, in the trader's zone.
    pub today: Date,
    /// What was issued; documents of other years are passed over.
    pub documents: Vec<RevenueDocument>,
}

/// How much something matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Good to know.
    Info,
    /// To be looked at before the report is used.
    Warning,
}

impl Severity {
    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
        }
    }
}

/// A line to show above the figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
    /// How much it matters.
    pub severity: Severity,
}

/// Where an authority says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfficialSource {
    /// What it is called.
    pub label: &'static str,
    /// Where it is.
    pub url: &'static str,
    /// Who publishes it: `FURS` or `PISRS`.
    pub issuer: &'static str,
}

/// A document that an issue is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedDocument {
    /// The document.
    pub document: RevenueDocument,
    /// Why it is named.
    pub reason: &'static str,
}

/// Something to look at, with the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueDetail {
    /// For programs.
    pub code: &'static str,
    /// What it is.
    pub title: &'static str,
    /// In a sentence.
    pub summary: &'static str,
    /// Why it matters.
    pub explanation: &'static str,
    /// What to do.
    pub action: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Where authorities say so.
    pub official_sources: Vec<OfficialSource>,
    /// The documents.
    pub affected_documents: Vec<AffectedDocument>,
}

/// A year as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The year.
    pub year: i32,
    /// The figures.
    pub auto_values: AutoValues,
    /// What to know of them.
    pub warnings: Vec<Warning>,
    /// What to look at.
    pub issues: Vec<IssueDetail>,
    /// The rules that were applied.
    pub rule_summary: RuleSummary,
}

impl IssueDetail {
    /// Whether its documents are not in the figures.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        self.code != UNPAID
    }
}

const LAW: OfficialSource = OfficialSource {
    label: "Zakon o dohodnini (ZDoh-2)",
    url: "https://pisrs.si/pregledPredpisa?id=ZAKO4697",
    issuer: "PISRS",
};
const AUTHORITY: OfficialSource = OfficialSource {
    label: "FURS: Dohodek iz dejavnosti",
    url: "https://www.fu.gov.si/davki_in_druge_dajatve/podrocja/dohodnina/dohodek_iz_dejavnosti/",
    issuer: "FURS",
};

/// The code of the warning that the activity may have begun in the year.
const BEGAN: &str = "activity_began_in_year";

/// Codes of issues.
const NO_RATE: &str = "missing_exchange_rate";
const UNPAID: &str = "unpaid_documents";
const ADVANCES: &str = "advance_invoices";
const VOIDED: &str = "voided_documents";

/// The review of a year.
#[must_use]
pub fn review(facts: &YearFacts) -> Review {
    let basis = facts.basis.unwrap_or(Basis::FullTime);
    let rules = Rules::of(facts.year, basis);
    let of_year = facts.documents.iter().filter(|one| one.date.year() == facts.year);
    let of_year: Vec<&RevenueDocument> = of_year.collect();
    let sum = |kind| {
        let counted = of_year.iter().filter(|one| one.kind == kind && !one.is_voided);
        counted.filter_map(|one| one.total_converted.as_ref()).sum()
    };
    let year = |months| YearInput {
        invoices: sum(SoldKind::Invoice),
        credit_notes: sum(SoldKind::CreditNote),
        increase: facts.increase.clone(),
        decrease: facts.decrease.clone(),
        months,
    };
    let auto_values = rules.apply(&year(12));
    let mut warnings = warnings(facts, &rules, &auto_values);
    let first = facts.first_document.filter(|first| first.month() != Month::January);
    warnings.extend(first.map(|first| {
        let months = 13 - i64::from(u8::from(first.month()));
        began_in_the_year(first, months, &rules.apply(&year(months)))
    }));
    Review {
        year: facts.year,
        warnings,
        issues: issues(&of_year),
        rule_summary: rules.summary(),
        auto_values,
    }
}

/// That the activity may have begun with the `first` document, and what the advance is then.
fn began_in_the_year(first: Date, months: i64, values: &AutoValues) -> Warning {
    let message = format!(
        "the first document here is of {first}, and the advance is computed for twelve months of \
         activity: if it began then, the base of {months} months is scaled to twelve and the \
         advance is {} EUR, {} EUR a month or {} EUR a quarter",
        values.advance_tax_amount,
        values.monthly_installment_amount,
        values.quarterly_installment_amount,
    );
    Warning { code: BEGAN, message, severity: Severity::Warning }
}

fn warnings(facts: &YearFacts, rules: &Rules, values: &AutoValues) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut say = |code, severity, message: String| {
        warnings.push(Warning { code, message, severity });
    };
    let year = rules.year;
    say(
        "rules_not_confirmed",
        Severity::Warning,
        format!(
            "the brackets of {year} are those that other programs apply, and were not compared \
             with an official text: have them confirmed before you file"
        ),
    );
    if facts.year != year {
        let message =
            format!("the rules of {} are not known; those of {year} are used", facts.year);
        say("rules_of_another_year", Severity::Warning, message);
    }
    if facts.basis.is_none() {
        let message = "full-time self-employment is assumed: set \
                       yearly_reporting.normiranec_insurance_basis in the profile";
        say("insurance_basis_assumed", Severity::Warning, message.to_owned());
    }
    if facts.today.year() <= facts.year {
        let message = format!("{} is not over: the figures are those of today", facts.year);
        say("year_not_over", Severity::Info, message);
    }
    if values.adjusted_revenue > Decimal::from(rules.revenue_limit) {
        let message = format!(
            "revenue is above {} EUR, beyond which the next years may not be taxed in this way",
            rules.revenue_limit
        );
        say("revenue_limit_exceeded", Severity::Warning, message);
    }
    if values.adjusted_revenue.is_negative() {
        let message = "credit notes and reductions are more than the revenue: there is no tax";
        say("negative_revenue", Severity::Info, message.to_owned());
    }
    warnings
}

fn issues(documents: &[&RevenueDocument]) -> Vec<IssueDetail> {
    let affected = |reason, is_affected: fn(&RevenueDocument) -> bool| {
        let of_it = documents.iter().filter(|one| is_affected(one));
        of_it
            .map(|one| AffectedDocument { document: RevenueDocument::clone(one), reason })
            .collect::<Vec<_>>()
    };
    let issues = [
        IssueDetail {
            code: NO_RATE,
            title: "Documents without a rate of exchange",
            summary: "Some documents are in another currency and have no amount in euros.",
            explanation: "They are not in the figures, which are too low by them.",
            action: "Set exchange_rate on each of them.",
            severity: Severity::Warning,
            official_sources: vec![LAW],
            affected_documents: affected("no amount in euros", |one| {
                one.total_converted.is_none() && !one.is_voided
            }),
        },
        IssueDetail {
            code: UNPAID,
            title: "Invoices that are not paid",
            summary: "Some invoices of the year are not paid in full.",
            explanation: "Revenue is counted by the date of the invoice, whether paid or not.",
            action: "Ask an accountant which date counts for you; correct by \
                     revenue_adjustment_decrease.",
            severity: Severity::Info,
            official_sources: vec![LAW, AUTHORITY],
            affected_documents: affected("not paid in full", |one| {
                one.kind == SoldKind::Invoice && !one.is_paid && !one.is_voided
            }),
        },
        IssueDetail {
            code: ADVANCES,
            title: "Advance invoices",
            summary: "Advance invoices are not counted as revenue.",
            explanation: "An advance is revenue when it is invoiced for what was supplied.",
            action: "Look whether each was followed by an invoice.",
            severity: Severity::Info,
            official_sources: vec![AUTHORITY],
            affected_documents: affected("an advance invoice", |one| {
                one.kind == SoldKind::Advance && !one.is_voided
            }),
        },
        IssueDetail {
            code: VOIDED,
            title: "Voided documents",
            summary: "Voided documents are not counted.",
            explanation: "A voided document stays under its number and is no revenue.",
            action: "None, when they were voided rightly.",
            severity: Severity::Info,
            official_sources: vec![AUTHORITY],
            affected_documents: affected("voided", |one| one.is_voided),
        },
    ];
    issues.into_iter().filter(|issue| !issue.affected_documents.is_empty()).collect()
}
