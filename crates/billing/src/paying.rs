//! How a subscription is paid: its card, what it owes, and the credit of months that came to less
//! than nothing.

use racun_kernel::id::UsageMonthId;
use time::OffsetDateTime;

use crate::{
    CardOnFile, Charge, Due, Happening, Payer, PaymentProvider, PendingCheckout, Status,
    Subscription, total,
};

/// Pages of the card processor that may be open at once for a subscription.
const MOST_CHECKOUTS: usize = 5;

impl Subscription {
    /// Who pays by card; `None` where no card is on file.
    #[must_use]
    pub fn payer(&self) -> Option<Payer> {
        let (customer, card) = (self.customer.clone()?, self.card.as_ref()?);
        Some(Payer { customer, payment_method: card.payment_method.clone() })
    }

    /// Whether anything of it has a price.
    #[must_use]
    pub fn costs(&self) -> bool {
        let has_price =
            self.add_ons.iter().any(|one| one.quantity > 0 && one.add_on.price_cents > 0);
        !self.plan.is_free() || has_price || self.store_charge(&self.usage).is_some()
    }

    /// The same for the processor's customer `customer`; one that it has already stays.
    #[must_use]
    pub fn known_as(mut self, customer: &str, now: OffsetDateTime) -> Self {
        if self.customer.is_none() {
            self.customer = Some(customer.to_owned());
            self.updated_at = now;
        }
        self
    }

    /// The same with `card`, which pays from now on what has a price.
    #[must_use]
    pub fn with_card(mut self, card: CardOnFile, now: OffsetDateTime) -> Self {
        self.card = Some(card);
        if self.payment_provider.is_some() {
            self.payment_provider = Some(PaymentProvider::CardProcessor);
        }
        self.updated_at = now;
        self
    }

    /// The same with a page that is open; of too many, the oldest goes.
    #[must_use]
    pub fn with_checkout(mut self, checkout: PendingCheckout, now: OffsetDateTime) -> Self {
        let extra = (self.checkouts.len() + 1).saturating_sub(MOST_CHECKOUTS);
        self.checkouts.drain(..extra);
        self.checkouts.push(checkout);
        self.updated_at = now;
        self
    }

    /// The same without the page `key`, and that page; `None` where it is not open.
    #[must_use]
    pub fn without_checkout(mut self, key: &str) -> (Self, Option<PendingCheckout>) {
        let place = self.checkouts.iter().position(|known| known.key == key);
        let found = place.map(|place| self.checkouts.remove(place));
        (self, found)
    }

    /// Notes that an attempt to collect `bill` was declined. A subscription that costs something
    /// is past due until all is paid, and expires when its month ends before that.
    #[must_use]
    pub fn bill_declined(
        mut self,
        bill: UsageMonthId,
        now: OffsetDateTime,
    ) -> (Self, Option<Happening>) {
        if !self.owes.contains(&bill) {
            self.owes.push(bill);
        }
        if self.status == Status::Active && self.costs() {
            self.status = Status::PastDue;
        }
        self.updated_at = now;
        (self, Some(Happening::PaymentFailed))
    }

    /// Notes that `bill` is paid.
    #[must_use]
    pub fn bill_paid(mut self, bill: UsageMonthId, now: OffsetDateTime) -> Self {
        self.owes.retain(|owed| *owed != bill);
        if self.status == Status::PastDue && self.owes.is_empty() {
            self.status = Status::Active;
            self.updated_at = now;
        }
        self
    }

    /// Notes that `bill` is not collected by itself: its `cents` are a line of the next bill.
    #[must_use]
    pub fn bill_carried(mut self, bill: UsageMonthId, cents: i64, now: OffsetDateTime) -> Self {
        self.carried_cents = self.carried_cents.saturating_add(cents);
        self.updated_at = now;
        self.bill_paid(bill, now)
    }

    /// Reckons `charges` up with the credit that there is.
    pub(crate) fn reckon(&mut self, charges: &[Charge]) -> Due {
        let before = self.credit_cents;
        let left = total(charges).saturating_sub(before);
        self.credit_cents = left.saturating_neg().max(0);
        Due {
            credit_used_cents: before - self.credit_cents,
            cents: left.max(0),
            is_by_card: left > 0 && self.payer().is_some() && self.is_paid_by_card(),
        }
    }

    /// Whether bills are collected by card: not where it is paid from account to account.
    fn is_paid_by_card(&self) -> bool {
        self.payment_provider.is_none_or(|provider| provider == PaymentProvider::CardProcessor)
    }

    /// What a payment from account to account has to name.
    #[must_use]
    pub fn bank_reference(&self) -> Option<String> {
        let by_bank = self.payment_provider == Some(PaymentProvider::Bank);
        by_bank.then(|| self.id.ulid().to_string())
    }
}
