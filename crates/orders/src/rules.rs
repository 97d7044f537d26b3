//! When an order is processed by itself, and what is made of it.

use racun_kernel::PaymentType;
use racun_store::Actor;
use time::{Duration, OffsetDateTime};

use crate::error::{OrderError, OrderRefusal};
use crate::integration::{Integration, Trigger};
use crate::order::{Order, PaymentStatus, Status};

/// What is made of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// Nothing: it has what it should have.
    Nothing,
    /// An estimate, until the money comes.
    Estimate,
    /// An invoice; paid so, or not yet paid.
    Invoice {
        /// How it is paid.
        paid: Option<PaymentType>,
    },
    /// Another invoice in the place of the one that it has, which is voided.
    Reissue {
        /// How it is paid.
        paid: Option<PaymentType>,
    },
    /// The payment of its invoice, which was made before the money came.
    Payment {
        /// How it is paid.
        paid: PaymentType,
    },
}

/// After how many minutes an order that failed is tried again, and after how many more if it fails
/// again.
const RETRIES: [i64; 5] = [5, 30, 3 * 60, 12 * 60, 24 * 60];

impl Order {
    /// What processing makes of it now, by the rules of `integration`. An order that was processed
    /// and did not change has what it should have, so processing again makes nothing.
    ///
    /// # Errors
    /// [`OrderRefusal::Cancelled`], [`OrderRefusal::InTrash`].
    pub fn making(&self, integration: &Integration) -> Result<Making, OrderError> {
        if self.deleted_at.is_some() {
            return Err(OrderRefusal::InTrash.into());
        }
        if self.status == Status::Cancelled {
            return Err(OrderRefusal::Cancelled.into());
        }
        let paid = self.paid_by(integration);
        if self.invoice_id.is_some() {
            return Ok(match (self.items_changed_after_processing, paid) {
                (true, paid) => Making::Reissue { paid },
                (false, Some(paid)) if self.lacks_payment() => Making::Payment { paid },
                (false, _) => Making::Nothing,
            });
        }
        let waits_for_money = paid.is_none()
            && self.payment_type(integration) == PaymentType::BankTransfer
            && !integration.issue_invoice_for_bank;
        Ok(match (waits_for_money, &self.estimate_id) {
            (false, _) => Making::Invoice { paid },
            (true, None) => Making::Estimate,
            (true, Some(_)) if self.items_changed_after_processing => Making::Estimate,
            (true, Some(_)) => Making::Nothing,
        })
    }

    /// How it was paid; `None` where it is not paid in full.
    fn paid_by(&self, integration: &Integration) -> Option<PaymentType> {
        self.is_paid().then(|| self.payment_type(integration))
    }

    fn payment_type(&self, integration: &Integration) -> PaymentType {
        let words = [&self.content.payment_method, &self.content.payment_gateway];
        let known = words.into_iter().flatten().find_map(|words| payment_type(words));
        known.or(integration.default_payment_type).unwrap_or(PaymentType::Other)
    }

    /// Says from when on it is processed by itself; a time that was said before stays.
    pub(crate) fn schedule(&mut self, integration: &Integration, actor: &Actor) {
        self.process_after = self.due(integration, actor.now());
    }

    fn due(&self, integration: &Integration, now: OffsetDateTime) -> Option<OffsetDateTime> {
        if !self.wants_processing(integration) {
            return None;
        }
        // When one that failed is tried again was said when it failed.
        let delay = Duration::seconds(i64::from(integration.auto_process_delay_seconds));
        let new = Some(now + delay).filter(|_| self.status != Status::Failed);
        self.process_after.or(new)
    }

    /// When it is tried again, which failed at `now`.
    pub(crate) fn retry(
        &self,
        integration: &Integration,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let place = usize::try_from(self.failures.saturating_sub(1)).unwrap_or(usize::MAX);
        let wait = RETRIES.get(place).filter(|_| self.wants_processing(integration));
        wait.map(|minutes| now + Duration::minutes(*minutes))
    }

    /// Whether the rules of `integration` have it processed by itself as it is now.
    #[must_use]
    pub fn wants_processing(&self, integration: &Integration) -> bool {
        let is_on = integration.is_active && integration.deleted_at.is_none();
        if !is_on || self.deleted_at.is_some() || self.status == Status::Cancelled {
            return false;
        }
        match self.has_document() {
            true => self.is_to_be_made_again(integration),
            false => integration.auto_process && self.has_met(integration.auto_process_on),
        }
    }

    /// Whether it has an invoice or an estimate.
    pub(crate) const fn has_document(&self) -> bool {
        self.invoice_id.is_some() || self.estimate_id.is_some()
    }

    /// Whether its invoice lacks the money that the shop took.
    fn lacks_payment(&self) -> bool {
        self.is_paid() && self.invoice_id.is_some() && self.paid_invoice_id != self.invoice_id
    }

    fn has_met(&self, trigger: Trigger) -> bool {
        match trigger {
            Trigger::Created => true,
            Trigger::Paid => self.is_paid(),
            Trigger::Fulfilled => self.facts.fulfilled_at.is_some(),
        }
    }

    fn is_to_be_made_again(&self, integration: &Integration) -> bool {
        let is_changed = self.items_changed_after_processing && integration.auto_reissue_on_update;
        let lacks_invoice = self.invoice_id.is_none() && self.estimate_id.is_some();
        let is_finished = integration.issue_invoice_on_complete && self.is_complete();
        // What was given back is corrected by hand: which lines were is not known.
        let is_given_back = self.content.payment_status == PaymentStatus::Refunded;
        let is_unpaid = self.lacks_payment()
            && !self.items_changed_after_processing
            && integration.auto_process;
        (is_changed && !is_given_back) || (lacks_invoice && is_finished) || is_unpaid
    }
}

/// How money moved by what shops call a method or a gateway; `None` where that does not say.
#[must_use]
pub fn payment_type(words: &str) -> Option<PaymentType> {
    let words = words.to_lowercase();
    let words: Vec<&str> =
        words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let says = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if says(&["cod", "cash"]) {
        Some(PaymentType::Cash)
    } else if says(&["paypal", "wallet", "klarna", "googlepay", "applepay"]) {
        Some(PaymentType::OnlineWallet)
    } else if says(&["bacs", "bank", "wire", "transfer", "sepa"]) {
        Some(PaymentType::BankTransfer)
    } else if says(&["cheque", "check"]) {
        Some(PaymentType::Check)
    } else if says(&["gift", "voucher", "coupon"]) {
        Some(PaymentType::Coupon)
    } else if says(&["card", "stripe", "visa", "mastercard"]) || words == ["shopify", "payments"] {
        Some(PaymentType::Card)
    } else {
        None
    }
}
