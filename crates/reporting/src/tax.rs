//! VAT books, the VAT overview, yearly figures and ledgers.

use racun_access::Entity;
use racun_documents::DocumentKind;
use racun_exports::{ArchivePart, archive_end};
use racun_insights::{
    Finding, Findings, Ledger, LedgerFormat, ManualValues, Review, TaxPeriod, VatBook, VatOverview,
    YearFacts, YearlyReport, review, tax_payer, yearly_file_name, yearly_report,
};
use racun_kernel::{Decimal, Issue};
use racun_sales::documents::today;
use racun_store::{Context, StoreError};
use time::{Date, Month};

use crate::facts::{bought, revenue, sold};
use crate::profile::{Profile, must_be_slovenian};
use crate::{ReportError, days};

/// Days of a report, at most.
pub const MAX_DAYS: i64 = 366;

/// The kinds of documents that tax reports look at.
const KINDS: [DocumentKind; 3] =
    [DocumentKind::Invoice, DocumentKind::CreditNote, DocumentKind::AdvanceInvoice];

/// A file to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFile {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// A VAT book, and the taxpayer that its form names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiledBook {
    /// The book.
    pub book: VatBook,
    /// The eight digits of the taxpayer.
    pub tax_payer: String,
    /// The day on which it is made.
    pub made_on: Date,
}

/// The book of issued invoices (KIR) of `period`.
///
/// # Errors
/// For entities elsewhere, without a tax number of eight digits, and when the store fails.
pub async fn issued_book(
    cx: Context<'_>,
    entity: &Entity,
    period: TaxPeriod,
) -> Result<FiledBook, ReportError> {
    must_be_slovenian(entity)?;
    let tax_payer = tax_payer(entity.tax_number.as_deref())?;
    let (from, to) = (Some(period.from()), Some(period.to()));
    let of = days::issued(cx, &KINDS, from, to, |one| sold(one, entity.currency)).await?;
    let made_on = today(entity, cx.stamp);
    Ok(FiledBook { book: VatBook::issued(period, &of), tax_payer, made_on })
}

/// The book of received invoices (KPR) of `period`, from expenses that are finalized. What is dated
/// after today, where the entity is, is left out.
///
/// # Errors
/// As [`issued_book`].
pub async fn received_book(
    cx: Context<'_>,
    entity: &Entity,
    period: TaxPeriod,
) -> Result<FiledBook, ReportError> {
    must_be_slovenian(entity)?;
    let tax_payer = tax_payer(entity.tax_number.as_deref())?;
    let home = entity.country_code.as_deref();
    let make = |one: &_| bought(one, entity.currency, home);
    let of = days::received(cx, period.from(), period.to(), make).await?;
    let made_on = today(entity, cx.stamp);
    Ok(FiledBook { book: VatBook::received(period, made_on, &of), tax_payer, made_on })
}

impl FiledBook {
    /// The archive with the form in it: `KIR_2026_M10.zip`.
    ///
    /// # Errors
    /// When it is larger than an archive can be.
    pub fn archive(&self) -> Result<ReportFile, ReportError> {
        let stem = self.book.file_stem();
        let form = self.book.form(&self.tax_payer);
        let too_large = |_| ReportError::Store(StoreError::TooExpensive);
        let mut part = ArchivePart::behind(0);
        part.add(&format!("{stem}.xml"), self.made_on, form.as_bytes()).map_err(too_large)?;
        let (mut bytes, directory) = part.into_bytes();
        let length = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let end = archive_end(1, length(&bytes), length(&directory)).map_err(too_large)?;
        bytes.extend(directory);
        bytes.extend(end);
        Ok(ReportFile { name: format!("{stem}.zip"), bytes })
    }
}

/// Checks the days of a report.
///
/// # Errors
/// `invalid_period` at `date_to`.
pub fn check_days(from: Date, to: Date) -> Result<(), Issue> {
    let wrong = match (to - from).whole_days() {
        days if days < 0 => "must not be before date_from".to_owned(),
        days if days >= MAX_DAYS => format!("at most {MAX_DAYS} days; ask year by year"),
        _ => return Ok(()),
    };
    Err(Issue::new("invalid_period", wrong).at("date_to"))
}

/// VAT by rate, category and kind of sale of the days `from` to `to`.
///
/// # Errors
/// Days that are none; the store's failure.
pub async fn vat_overview(
    cx: Context<'_>,
    entity: &Entity,
    from: Date,
    to: Date,
) -> Result<VatOverview, ReportError> {
    check_days(from, to)?;
    let make = |one: &_| sold(one, entity.currency);
    let of = days::issued(cx, &KINDS, Some(from), Some(to), make).await?;
    Ok(VatOverview::of(from, to, &of))
}

/// What was issued from `from` to `to`, posted and written for another program.
///
/// # Errors
/// For entities elsewhere, days that are none, when nothing is to be posted; the store's failure.
pub async fn ledger_file(
    cx: Context<'_>,
    entity: &Entity,
    format: LedgerFormat,
    from: Date,
    to: Date,
    version: &str,
) -> Result<ReportFile, ReportError> {
    must_be_slovenian(entity)?;
    check_days(from, to)?;
    let profile = Profile::of(entity);
    let make = |one: &_| sold(one, entity.currency);
    let of = days::issued(cx, &KINDS, Some(from), Some(to), make).await?;
    let ledger = Ledger::of(from, to, &of, &profile.accounts());
    if ledger.documents.is_empty() {
        return Err(nothing_to_post(&ledger.left_out));
    }
    let file = ledger.write(format, version);
    Ok(ReportFile { name: format.file_name(from, to), bytes: file.into_bytes() })
}

/// That no document is posted; what was left out, for there is no file that would say it.
fn nothing_to_post(left_out: &Findings) -> ReportError {
    let of = |finding: &Finding| {
        format!("{} left out ({}): {}", finding.documents.len(), finding.code, finding.message)
    };
    let left_out: Vec<String> = left_out.iter().map(of).collect();
    let why = match left_out.is_empty() {
        true => "no invoice and no credit note was issued on these days".to_owned(),
        false => left_out.join("; "),
    };
    ReportError::NothingToPost(format!("nothing is to be posted: {why}; choose other days"))
}

/// The years of yearly reports.
pub const YEARS: std::ops::RangeInclusive<i32> = 2025..=2100;

/// The yearly figures of a sole trader with flat-rate expenses, with the trader's adjustments.
///
/// # Errors
/// For entities elsewhere; a year out of range; the store's failure.
pub async fn yearly_review(
    cx: Context<'_>,
    entity: &Entity,
    year: i32,
    increase: Decimal,
    decrease: Decimal,
) -> Result<Review, ReportError> {
    must_be_slovenian(entity)?;
    let range = YEARS.contains(&year).then(|| {
        let day = |month, day| Date::from_calendar_date(year, month, day).ok();
        Some((day(Month::January, 1)?, day(Month::December, 31)?))
    });
    let Some((from, to)) = range.flatten() else {
        let message = format!("expected {} to {}", YEARS.start(), YEARS.end());
        return Err(Issue::new("out_of_range", message).at("year").into());
    };
    let make = |one: &_| revenue(one, entity.currency);
    let documents = days::issued(cx, &KINDS, Some(from), Some(to), make).await?;
    let first = documents.iter().map(|one| one.date).min();
    let first_document = match first {
        Some(_) if days::is_issued_before(cx, &KINDS, from).await? => None,
        first => first,
    };
    let profile = Profile::of(entity);
    Ok(review(&YearFacts {
        year,
        basis: profile.basis(),
        first_document,
        increase,
        decrease,
        today: today(entity, cx.stamp),
        documents,
    }))
}

/// What a trader says of a year. What is not said is 0, or what the profile has for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidValues {
    /// Tax that was withheld.
    pub withholding_tax: Option<Decimal>,
    /// Tax that was paid abroad.
    pub foreign_tax_credit: Option<Decimal>,
    /// Advances that were paid.
    pub prior_advance: Option<Decimal>,
    /// What is taken off the revenue.
    pub decrease: Option<Decimal>,
    /// What is added to it.
    pub increase: Option<Decimal>,
}

impl SaidValues {
    fn with(self, profile: &Profile) -> ManualValues {
        let or_zero = |amount: Option<Decimal>| amount.unwrap_or_else(Decimal::zero);
        ManualValues {
            withholding_tax_amount: or_zero(
                self.withholding_tax.or_else(|| profile.withholding_tax()),
            ),
            foreign_tax_credit_amount: or_zero(
                self.foreign_tax_credit.or_else(|| profile.foreign_tax_credit()),
            ),
            prior_advance_income_tax_amount: or_zero(self.prior_advance),
            revenue_adjustment_decrease: or_zero(self.decrease),
            revenue_adjustment_increase: or_zero(self.increase),
        }
    }
}

/// The yearly file: `DDD-DDD_<year>.xml`.
///
/// # Errors
/// As [`yearly_review`]; amounts below zero; a profile that is not of a resident sole trader with
/// flat-rate expenses.
pub async fn yearly_file(
    cx: Context<'_>,
    entity: &Entity,
    year: i32,
    said: SaidValues,
) -> Result<ReportFile, ReportError> {
    must_be_slovenian(entity)?;
    let profile = Profile::of(entity);
    let manual = said.with(&profile);
    manual.check().map_err(|issues| issues.at("manual_values"))?;
    if !profile.exports_yearly() {
        return Err(ReportError::Profile(
            "the yearly file is for resident sole traders with flat-rate expenses: set \
             business_form sp, income_tax_regime normirani and tax_residency resident in the \
             profile",
        ));
    }
    let tax_payer = tax_payer(entity.tax_number.as_deref())?;
    let (increase, decrease) =
        (manual.revenue_adjustment_increase.clone(), manual.revenue_adjustment_decrease.clone());
    let review = yearly_review(cx, entity, year, increase, decrease).await?;
    let activity_codes = profile.activity_codes();
    let registration = profile.registration_number();
    let file = yearly_report(&YearlyReport {
        tax_payer: &tax_payer,
        name: &entity.name,
        registration_number: registration.or(entity.company_number.as_deref()),
        activity_codes: &activity_codes,
        basis: profile.basis().unwrap_or(racun_insights::Basis::FullTime),
        review: &review,
        manual: &manual,
    });
    Ok(ReportFile { name: yearly_file_name(year), bytes: file.into_bytes() })
}
