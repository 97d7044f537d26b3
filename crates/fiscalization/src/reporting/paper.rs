//! Documents that were written on paper while the device did not work, and are entered afterwards:
//! forms of a bound book in Slovenia (VKR), receipts of a bound book in Croatia (paragon).

use racun_fiscal::furs::SalesBook;
use racun_fiscal::{Authority, fina};
use racun_kernel::{Issue, Issues, calendar};
use time::{Date, Duration, OffsetDateTime};

use super::request::{FinaRequest, FiscalRequest, FursRequest};

/// CIS takes no older receipt (check 176 of `s013`).
const OLDEST: Duration = Duration::days(30);

/// What a document was written on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Paper {
    /// Slovenia: a form of a bound book.
    Form {
        /// Which.
        book: SalesBook,
        /// The day on it.
        on: Date,
    },
    /// Croatia: a receipt of a bound book.
    Paragon {
        /// Its number.
        number: String,
        /// The time on it.
        at: OffsetDateTime,
    },
}

impl Paper {
    /// The form that `request` names, when it names one.
    ///
    /// A form is of no device, and it is always reported, however it is paid: who uses a book does
    /// so in the place of a device that would have reported it.
    ///
    /// # Errors
    /// Issues below `furs`: a form without its day, a day without its form, a form that FURS would
    /// not take, a day in the future, a device, or a skip.
    pub fn of_furs(request: &FursRequest, now: OffsetDateTime) -> Result<Option<Self>, Issues> {
        if request.sales_book.is_none() && request.issue_date.is_none() {
            return Ok(None);
        }
        let mut issues = Issues::default();
        let mut note = |is_wrong: bool, field: &str, code: &'static str, message: &str| {
            if is_wrong {
                issues.push(Issue::new(code, message).at(field));
            }
        };
        let message = "issue_date is the day on a form of a bound book; send which form it is, or \
                       leave issue_date out";
        note(request.sales_book.is_none(), "sales_book_identifier", "required", message);
        let message = "send the day on the form";
        note(request.issue_date.is_none(), "issue_date", "required", message);
        let today = Authority::Furs.local(now).date();
        let is_ahead = request.issue_date.is_some_and(|on| on > today);
        let message = "the day on the form must not be in the future";
        note(is_ahead, "issue_date", "date_in_future", message);
        let message = "a form of a bound book is of no electronic device; leave it out";
        note(request.electronic_device_name.is_some(), DEVICE, "conflicting", message);
        let message = "a form of a bound book is always reported; leave skip out";
        note(request.skip == Some(true), "skip", "conflicting", message);
        if let Some(book) = &request.sales_book {
            issues.collect("sales_book_identifier", book.check());
        }
        let form = request.sales_book.clone().zip(request.issue_date);
        let paper = form.map(|(book, on)| Self::Form { book, on });
        issues.into_result(paper).map_err(|issues| issues.at("furs"))
    }

    /// The receipt that `request` names, when it names one.
    ///
    /// # Errors
    /// Issues below `fina`: a number without its time, a time without its number, a number that CIS
    /// would not take, a time in the future or more than 30 days ago.
    pub fn of_fina(request: &FinaRequest, now: OffsetDateTime) -> Result<Option<Self>, Issues> {
        let (number, at) = match (&request.paragon, request.issued_at) {
            (None, None) => return Ok(None),
            (number, at) => (number.as_deref().map(str::trim), at),
        };
        let mut issues = Issues::default();
        let mut note = |is_wrong: bool, field: &str, code: &'static str, message: &str| {
            if is_wrong {
                issues.push(Issue::new(code, message).at(field));
            }
        };
        let message = "issued_at is the time on a receipt of a bound book; send the receipt's \
                       number, or leave issued_at out";
        note(number.is_none(), "paragon_br_rac", "required", message);
        note(at.is_none(), "issued_at", "required", "send the time on the receipt");
        let message = "the time on the receipt must not be in the future";
        note(at.is_some_and(|at| at > now), "issued_at", "date_in_future", message);
        let message = "CIS takes receipts of the last 30 days";
        let is_old = at.is_some_and(|at| now - at > OLDEST);
        note(is_old, "issued_at", "out_of_range", message);
        if let Some(number) = number {
            let checked = fina::check_paragon(number).map_err(Issues::from);
            issues.collect("paragon_br_rac", checked);
        }
        let paper = number.zip(at);
        let paper = paper.map(|(number, at)| Self::Paragon { number: number.to_owned(), at });
        issues.into_result(paper).map_err(|issues| issues.at("fina"))
    }

    /// When the document was issued. Of a form only the day is known: its noon in UTC, which is the
    /// same day in Slovenia.
    pub fn issued_at(&self) -> OffsetDateTime {
        match self {
            Self::Form { on, .. } => calendar::midnight(*on) + Duration::hours(12),
            Self::Paragon { at, .. } => *at,
        }
    }
}

const DEVICE: &str = "electronic_device_name";

impl FiscalRequest {
    /// Refuses what is said of paper to any authority but `told`: it would be lost without a word.
    ///
    /// # Errors
    /// `not_allowed` at each field that names paper, with `why`.
    pub fn refuse_paper(&self, told: Option<Authority>, why: &str) -> Result<(), Issues> {
        let (furs, fina) = (&self.furs, &self.fina);
        let fields = [
            (Authority::Furs, "sales_book_identifier", furs.sales_book.is_some()),
            (Authority::Furs, "issue_date", furs.issue_date.is_some()),
            (Authority::Fina, "paragon_br_rac", fina.paragon.is_some()),
            (Authority::Fina, "issued_at", fina.issued_at.is_some()),
        ];
        let mut issues = Issues::default();
        for (authority, field, is_said) in fields {
            if is_said && told != Some(authority) {
                issues.push(Issue::new("not_allowed", why).at(field).at(authority.name()));
            }
        }
        issues.into_result(())
    }
}
