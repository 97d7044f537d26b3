//! The file `DDD-DDD_<year>.xml`.
//!
//! The authority's schema of the form DDD-DDD is not public where we looked, so the file has a
//! shape of its own, in a namespace of its own, and says so in its first line. Comments behind that
//! say what the figures leave out, and what to look at. Its builder is [`yearly_report`] alone:
//! once the schema is known, that is what changes.

use racun_kernel::{Decimal, Issue, Issues};

use super::review::Review;
use super::rules::Basis;
use crate::xml::Xml;

/// What only the trader knows; each not below zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualValues {
    /// Tax that was withheld.
    pub withholding_tax_amount: Decimal,
    /// Tax that was paid abroad.
    pub foreign_tax_credit_amount: Decimal,
    /// Advances that were paid.
    pub prior_advance_income_tax_amount: Decimal,
    /// What is taken off the revenue.
    pub revenue_adjustment_decrease: Decimal,
    /// What is added to it.
    pub revenue_adjustment_increase: Decimal,
}

impl ManualValues {
    /// Checks that none is below zero.
    ///
    /// # Errors
    /// `out_of_range` at each that is.
    pub fn check(&self) -> Result<(), Issues> {
        let mut issues = Issues::default();
        for (name, amount) in self.named() {
            if amount.is_negative() || !amount.fits_scale(2) {
                let message = "expected an amount of at least 0 with at most 2 decimals";
                issues.push(Issue::new("out_of_range", message).at(name));
            }
        }
        issues.into_result(())
    }

    fn named(&self) -> [(&'static str, &Decimal); 5] {
        [
            ("withholding_tax_amount", &self.withholding_tax_amount),
            ("foreign_tax_credit_amount", &self.foreign_tax_credit_amount),
            ("prior_advance_income_tax_amount", &self.prior_advance_income_tax_amount),
            ("revenue_adjustment_decrease", &self.revenue_adjustment_decrease),
            ("revenue_adjustment_increase", &self.revenue_adjustment_increase),
        ]
    }
}

/// Who reports, and the figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearlyReport<'a> {
    /// The taxpayer's eight digits ([`crate::tax_payer`]).
    pub tax_payer: &'a str,
    /// The taxpayer's name.
    pub name: &'a str,
    /// Its registration number.
    pub registration_number: Option<&'a str>,
    /// Its activities, as `dd.ddd`.
    pub activity_codes: &'a [String],
    /// How it is insured.
    pub basis: Basis,
    /// The year, with the adjustments of `manual` in its figures.
    pub review: &'a Review,
    /// What only the trader knows.
    pub manual: &'a ManualValues,
}

/// The namespace of the file: ours.
const NAMESPACE: &str = "urn:racun:ddd-ddd:1";

/// The file's name.
#[must_use]
pub fn yearly_file_name(year: i32) -> String {
    format!("DDD-DDD_{year}.xml")
}

/// The file. What is to be paid is the tax less what was withheld, paid abroad and paid ahead;
/// below zero for what is given back.
#[must_use]
pub fn yearly_report(report: &YearlyReport<'_>) -> String {
    let (values, manual) = (&report.review.auto_values, report.manual);
    let credits = [
        &manual.withholding_tax_amount,
        &manual.foreign_tax_credit_amount,
        &manual.prior_advance_income_tax_amount,
    ];
    let credits: Decimal = credits.into_iter().sum();
    let mut xml = Xml::new();
    xml.comment(
        "The figures of the form DDD-DDD. The schema of eDavki was not at hand: this is not the \
         file that eDavki imports; enter the figures there",
    );
    for issue in &report.review.issues {
        let what = if issue.leaves_out() { "left out" } else { "look at" };
        let numbers = issue.affected_documents.iter().map(|one| &*one.document.number);
        xml.finding(what, issue.code, issue.summary.trim_end_matches('.'), numbers);
    }
    xml.under("DDD-DDD", NAMESPACE, |xml| {
        xml.within("TaxPayer", |xml| {
            xml.text("TaxNumber", report.tax_payer);
            xml.text("Name", report.name);
            xml.short("RegistrationNumber", report.registration_number.unwrap_or_default(), 20);
            for code in report.activity_codes {
                xml.text("ActivityCode", code);
            }
            xml.text("InsuranceBasis", report.basis.name());
        });
        xml.within("Period", |xml| {
            xml.text("From", &format!("{}-01-01", report.review.year));
            xml.text("To", &format!("{}-12-31", report.review.year));
        });
        xml.text("Marking", "N");
        xml.within("Figures", |xml| {
            for (name, amount) in [
                ("TotalInvoiceRevenue", &values.total_invoice_revenue),
                ("TotalCreditNoteReduction", &values.total_credit_note_reduction),
                ("RevenueAdjustmentIncrease", &manual.revenue_adjustment_increase),
                ("RevenueAdjustmentDecrease", &manual.revenue_adjustment_decrease),
                ("AdjustedRevenue", &values.adjusted_revenue),
                ("NormativeExpenses", &values.normative_expenses),
                ("TaxBase", &values.tax_base),
                ("IncomeTax", &values.income_tax_amount),
                ("WithholdingTax", &manual.withholding_tax_amount),
                ("ForeignTaxCredit", &manual.foreign_tax_credit_amount),
                ("PriorAdvances", &manual.prior_advance_income_tax_amount),
                ("ToPay", &(&values.income_tax_amount - &credits)),
                ("Advance", &values.advance_tax_amount),
                ("MonthlyInstallment", &values.monthly_installment_amount),
                ("QuarterlyInstallment", &values.quarterly_installment_amount),
            ] {
                xml.amount(name, amount);
            }
            let paid = if values.is_paid_monthly() { "monthly" } else { "quarterly" };
            xml.text("Installments", paid);
        });
    });
    xml.finish()
}
