//! Invoicing a tab: all of it, some of its lines, or one of several equal shares.
//!
//! The invoice and what becomes of the tab are one commit; crate `application` sees to that.

use racun_kernel::{Decimal, DocumentId, Issue, Issues};
use racun_store::{Actor, Decision};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::choice::LineChoice;
use super::{DeviceId, Tab, TabState};
use crate::check::required;
use crate::error::{PosError, TabRefusal};
use crate::events;
use crate::line::TabLine;
use crate::totals::{MAX_SHARES, TabTotals};

/// An invoice of a tab, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabInvoice {
    /// The invoice.
    pub invoice_id: DocumentId,
    /// What of the tab it is for, with tax; missing when that could not be calculated.
    pub gross: Option<Decimal>,
    /// Which of the equal shares it is for, when the tab is invoiced in shares.
    pub share: Option<u32>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// How much of a tab an invoice is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All that is on it.
    Whole,
    /// Some lines; the rest stays.
    Lines(Vec<LineChoice>),
    /// One of `of` equal shares of all of it.
    Share {
        /// Which one, 1 to `of`.
        number: u32,
        /// How many there are, 2 to [`MAX_SHARES`].
        of: u32,
    },
}

/// Who invoices a tab, and what they saw of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvoiceTerms {
    /// The device that has the claim.
    pub device: Option<DeviceId>,
    /// The version that the caller saw; needed of a tab that is not claimed.
    pub expected_version: Option<i64>,
}

/// The invoice that a part of a tab ended in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoiced {
    /// Its id.
    pub invoice_id: DocumentId,
    /// What the part comes to.
    pub totals: TabTotals,
}

impl Part {
    /// # Errors
    /// A share that there is not, at `share`.
    pub fn check(&self) -> Result<(), Issues> {
        let Self::Share { number, of } = self else { return Ok(()) };
        let mut issues = Issues::default();
        if !(2..=MAX_SHARES).contains(of) {
            let message = format!("a tab is split into 2 to {MAX_SHARES} shares");
            issues.push(Issue::new("out_of_range", message).at("of").at("share"));
        } else if !(1..=*of).contains(number) {
            let message = format!("expected 1 to {of}: which of the shares is invoiced");
            issues.push(Issue::new("out_of_range", message).at("number").at("share"));
        }
        issues.into_result(())
    }

    const fn share(&self) -> Option<u32> {
        match self {
            Self::Share { number, .. } => Some(*number),
            Self::Whole | Self::Lines(_) => None,
        }
    }
}

impl Tab {
    /// The lines that an invoice of `part` is for: of a share all of them, for each is shared.
    ///
    /// # Errors
    /// A tab that has ended; [`TabRefusal::AlreadyClaimed`] while another device has the claim;
    /// [`TabRefusal::NotClaimed`] when no device has it, and no version is expected either; so too
    /// when another device's claim ran out; [`TabRefusal::StaleVersion`];
    /// [`TabRefusal::ShareInvoiced`] and [`TabRefusal::SharesOutstanding`]; lines that are not
    /// there; `required` for a tab without lines.
    pub fn pick(
        &self,
        part: &Part,
        terms: &InvoiceTerms,
        now: OffsetDateTime,
    ) -> Result<Vec<TabLine>, PosError> {
        self.may_be_invoiced(terms, now)?;
        part.check()?;
        self.check_shares(part)?;
        if self.lines.is_empty() {
            let message = "the tab has no lines, so there is nothing to invoice; cancel it";
            return Err(Issues::from(required(message).at("lines")).into());
        }
        match part {
            Part::Whole | Part::Share { .. } => Ok(self.lines.clone()),
            Part::Lines(choices) => Ok(self.chosen(choices)?),
        }
    }

    /// The tab after `part` of it was invoiced: ended when nothing is left, else open, and free for
    /// the next claimant.
    ///
    /// # Errors
    /// As [`Tab::pick`].
    pub fn invoice(
        mut self,
        part: &Part,
        invoiced: Invoiced,
        terms: &InvoiceTerms,
        actor: &Actor,
    ) -> Result<Decision<Self>, PosError> {
        let chosen = self.pick(part, terms, actor.now())?;
        let Invoiced { invoice_id, totals } = invoiced;
        self.invoices.push(TabInvoice {
            invoice_id,
            gross: Some(totals.gross.clone()),
            share: part.share(),
            at: actor.now(),
        });
        let is_done = match part {
            Part::Whole => true,
            Part::Lines(_) if chosen == self.lines_by(&chosen) => true,
            Part::Lines(_) => {
                self.take_away(&chosen);
                false
            }
            Part::Share { of, .. } => {
                self.shares = Some(*of);
                let invoiced = self.invoiced_shares().count();
                u32::try_from(invoiced).is_ok_and(|invoiced| invoiced == *of)
            }
        };
        if !is_done {
            self.state = TabState::Open;
            return Ok(self.changed(&[events::pos_tab::INVOICED], actor));
        }
        self.state = TabState::Issued {
            invoice_id,
            issued_at: actor.now(),
            totals: Some(Box::new(totals)),
            invoice_difference: None,
        };
        Ok(self.changed(&[events::pos_tab::ISSUED], actor))
    }

    /// All lines, in the order of `chosen` where that names all of them.
    fn lines_by(&self, chosen: &[TabLine]) -> Vec<TabLine> {
        let mut lines = self.lines.clone();
        lines.sort_by_key(|line| chosen.iter().position(|other| other.line_id == line.line_id));
        lines
    }

    /// The equal shares that are invoiced.
    pub fn invoiced_shares(&self) -> impl Iterator<Item = u32> {
        self.invoices.iter().filter_map(|invoice| invoice.share)
    }

    /// Accepts the device with the claim, even after it ran out, as the tab has not changed since;
    /// else a caller who names the version that they saw.
    fn may_be_invoiced(&self, terms: &InvoiceTerms, now: OffsetDateTime) -> Result<(), PosError> {
        let refuse = |reason| Err(self.clone().refuse(reason));
        let is_claimed = match &self.state {
            TabState::Open => false,
            TabState::Issuing(claim) if terms.device.as_ref() == Some(&claim.device) => true,
            TabState::Issuing(claim) if !claim.is_live(now) => false,
            TabState::Issuing(_) if terms.device.is_none() => {
                let message = "a device has claimed the tab; say which device you are";
                return Err(Issues::from(required(message).at("device_id")).into());
            }
            TabState::Issuing(_) => return refuse(TabRefusal::AlreadyClaimed),
            TabState::Issued { .. } | TabState::Cancelled { .. } => {
                return Err(self.clone().ended());
            }
        };
        match terms.expected_version {
            Some(expected) if expected != self.version => {
                refuse(TabRefusal::StaleVersion { expected })
            }
            None if !is_claimed => refuse(TabRefusal::NotClaimed),
            Some(_) | None => Ok(()),
        }
    }

    fn check_shares(&self, part: &Part) -> Result<(), PosError> {
        let Some(shares) = self.shares else { return Ok(()) };
        match part {
            Part::Share { number, of } if *of == shares => {
                if self.invoiced_shares().any(|invoiced| invoiced == *number) {
                    return Err(self.clone().refuse(TabRefusal::ShareInvoiced { number: *number }));
                }
                Ok(())
            }
            Part::Share { .. } | Part::Whole | Part::Lines(_) => self.must_be_unshared(),
        }
    }

    /// Refuses once a share is invoiced: what the others are shares of stays.
    pub(super) fn must_be_unshared(&self) -> Result<(), PosError> {
        match self.shares {
            None => Ok(()),
            Some(of) => Err(self.clone().refuse(TabRefusal::SharesOutstanding { of })),
        }
    }
}
