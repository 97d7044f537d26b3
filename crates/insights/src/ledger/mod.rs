//! Issued documents as postings, for programs of accountants in Slovenia.
//!
//! | Module    | Owns                                                                |
//! | --------- | ------------------------------------------------------------------- |
//! | `account` | accounts by purpose, their defaults, and which ones may be named    |
//! | `posting` | what a document is posted as                                        |
//! | `vod`     | the open format VOD of Opal                                         |
//! | `vasco`   | the postings of Vasco                                               |
//! | `minimax` | the import of postings of Minimax                                   |
//!
//! **Invariants.** A document's debits come to its credits. A document is posted whole, with one
//! posting at least, or named among those that were left out.

mod account;
mod minimax;
mod posting;
mod vasco;
mod vod;

use racun_kernel::Decimal;
use time::Date;

use crate::facts::{Findings, Partner, Said, Sold, SoldKind};
use crate::xml::Xml;

pub use account::{ACCOUNTS, Account, Accounts};
pub use posting::{Posting, Role, Side, postings};

/// Who makes the file.
pub(crate) const PROGRAM: &str = "Racun";

/// The programs whose format is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerFormat {
    /// VOD.
    Vod,
    /// Vasco.
    Vasco,
    /// Minimax.
    Minimax,
}

impl LedgerFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Vod, Self::Vasco, Self::Minimax];

    /// Its name in the profile.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vod => "vod_xml",
            Self::Vasco => "vasco_xml",
            Self::Minimax => "minimax_xml",
        }
    }

    /// What its files are called: `VOD_2026-10-01_2026-10-31.xml`.
    #[must_use]
    pub fn file_name(self, from: Date, to: Date) -> String {
        let program = match self {
            Self::Vod => "VOD",
            Self::Vasco => "VASCO",
            Self::Minimax => "MINIMAX",
        };
        format!("{program}_{from}_{to}.xml")
    }
}

/// The documents of some days, posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger<'a> {
    /// Documents with their postings, by date and number.
    pub documents: Vec<(&'a Sold, Vec<Posting>)>,
    /// Documents that are not posted, by why.
    pub left_out: Findings,
    /// What is odd about those that are.
    pub warnings: Findings,
}

const VOIDED: Said = ("voided", "voided documents are not posted");
const ADVANCE: Said = (
    "advance_invoice",
    "advance invoices are not posted: there is no account for them among the mappings",
);
const NOTHING: Said =
    ("nothing_to_post", "the document comes to nothing in all its parts: there is nothing to post");
const NOT_CONVERTED: Said = (
    "no_exchange_rate",
    "the document is in another currency and has no rate of exchange: set exchange_rate",
);

impl<'a> Ledger<'a> {
    /// Posts what was issued from `from` to `to`, both included.
    #[must_use]
    pub fn of(
        from: Date,
        to: Date,
        sold: impl IntoIterator<Item = &'a Sold>,
        accounts: &Accounts,
    ) -> Self {
        let of_days = sold.into_iter().filter(|sold| (from..=to).contains(&sold.date));
        let mut of_days: Vec<&Sold> = of_days.collect();
        of_days.sort_by(|a, b| (a.date, &a.number).cmp(&(b.date, &b.number)));
        let (mut left_out, mut warnings) = (Findings::default(), Findings::default());
        let mut documents = Vec::new();
        for sold in of_days {
            let posted = match sold.kind {
                _ if sold.is_voided => Err(VOIDED),
                SoldKind::Advance => Err(ADVANCE),
                _ if !sold.is_converted => Err(NOT_CONVERTED),
                SoldKind::Invoice | SoldKind::CreditNote => postings(sold, accounts),
            };
            match posted {
                Err(why) => left_out.note(why, &sold.id, &sold.number),
                Ok((postings, _)) if postings.is_empty() => {
                    left_out.note(NOTHING, &sold.id, &sold.number);
                }
                Ok((postings, odd)) => {
                    for one in odd {
                        warnings.note(one, &sold.id, &sold.number);
                    }
                    documents.push((sold, postings));
                }
            }
        }
        Self { documents, left_out, warnings }
    }

    /// The file in `format`.
    #[must_use]
    pub fn write(&self, format: LedgerFormat, version: &str) -> String {
        match format {
            LedgerFormat::Vod => vod::write(self, version),
            LedgerFormat::Vasco => vasco::write(self),
            LedgerFormat::Minimax => minimax::write(self),
        }
    }

    /// Writes what was left out and what is odd as comments, in every format.
    fn say(&self, xml: &mut Xml) {
        xml.findings("left out", &self.left_out);
        xml.findings("look at", &self.warnings);
    }

    /// All debits, which are all credits as well.
    #[must_use]
    pub fn turnover(&self) -> Decimal {
        let postings = self.documents.iter().flat_map(|(_, postings)| postings);
        postings.filter(|posting| posting.side == Side::Debit).map(|posting| &posting.amount).sum()
    }
}

/// The day by which a document belongs to a period of tax: that of its supply, or its date.
fn supplied_on(sold: &Sold) -> Date {
    sold.supplied_on.unwrap_or(sold.date)
}

/// The code under which the buyer is kept: its code in the entity's own records, at most `max`
/// characters from its end, where codes differ; for consumers a common one.
fn partner_code(sold: &Sold, max: usize) -> String {
    let partner = sold.partner.as_ref();
    let number = || partner.and_then(|partner| partner.union_number()).map(|found| found.number);
    let code = number().or_else(|| partner.and_then(|partner| partner.code.clone()));
    let code = code.unwrap_or_else(|| "KUPEC".to_owned());
    let length = code.chars().count();
    code.chars().skip(length.saturating_sub(max)).collect()
}

/// The ISO 3166-1 code of the buyer's country, which for Greece and for Northern Ireland is another
/// than that of its VAT numbers.
fn country(partner: &Partner) -> String {
    let code = partner.country.clone().unwrap_or_default().to_ascii_uppercase();
    match code.as_str() {
        "EL" => "GR".to_owned(),
        "XI" => "GB".to_owned(),
        _ => code,
    }
}
