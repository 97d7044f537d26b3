//! The account of an entity at the processor, and what is done by itself with what it takes.

use racun_kernel::id::EntityId;
use racun_kernel::{Decimal, Environment, Issue, Issues, Patch, Tenant, text};
use racun_store::{Field, Unique};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{CardRefusal, ConnectedAccount};

/// Characters that the note of automatic invoices may hold.
pub const MAX_DEFAULT_NOTE_CHARS: usize = 500;
/// Decimals that a rate of tax may have.
const MAX_RATE_DECIMALS: u8 = 4;

/// What of a processor makes an invoice by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AutoInvoiceEvent {
    /// A payment was taken.
    #[serde(rename = "payment_intent.succeeded")]
    PaymentSucceeded,
    /// An invoice of the processor was paid.
    #[serde(rename = "invoice.paid")]
    InvoicePaid,
}

/// What becomes of what an account takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentAppSettings {
    /// Whether invoices are made by themselves.
    pub auto_invoice_enabled: bool,
    /// Of what, each once.
    pub auto_invoice_events: Vec<AutoInvoiceEvent>,
    /// The note of such an invoice.
    pub default_note: Option<String>,
    /// The tax in what was taken, in percent; `None` for the one that the entity's lines have.
    pub default_tax_rate: Option<Decimal>,
}

impl Default for PaymentAppSettings {
    fn default() -> Self {
        Self {
            auto_invoice_enabled: false,
            auto_invoice_events: vec![AutoInvoiceEvent::PaymentSucceeded],
            default_note: None,
            default_tax_rate: None,
        }
    }
}

/// What a caller changes of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PaymentAppInput {
    /// Whether invoices are made by themselves.
    pub auto_invoice_enabled: Option<bool>,
    /// Of what.
    pub auto_invoice_events: Option<Vec<AutoInvoiceEvent>>,
    /// The note of such an invoice.
    pub default_note: Patch<String>,
    /// The tax in what was taken.
    pub default_tax_rate: Patch<Decimal>,
}

/// The account of an entity, one at most, with its settings. They outlive the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentApp {
    /// The entity, and the record's id.
    pub entity_id: EntityId,
    /// The entity's environment: an account takes money in one of them.
    pub environment: Environment,
    /// The account; none before one was connected and after it was given up.
    pub account: Option<ConnectedAccount>,
    /// Since when it is connected.
    #[serde(with = "time::serde::rfc3339::option")]
    pub connected_at: Option<OffsetDateTime>,
    /// The processor's event that ended the last one, so that its repeat does not end the next.
    pub ended_by: Option<String>,
    /// What becomes of what the account takes.
    pub settings: PaymentAppSettings,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl PaymentApp {
    /// That of an entity that never had an account.
    #[must_use]
    pub fn none(entity_id: EntityId, environment: Environment, now: OffsetDateTime) -> Self {
        Self {
            entity_id,
            environment,
            account: None,
            connected_at: None,
            ended_by: None,
            settings: PaymentAppSettings::default(),
            created_at: now,
            updated_at: now,
        }
    }

    /// The text by which the entity of an account is found: one account serves one entity.
    #[must_use]
    pub fn key_of(environment: Environment, account: &str) -> String {
        format!("{}:{account}", environment.name())
    }

    fn account_key(&self) -> Option<String> {
        self.account.as_ref().map(|account| Self::key_of(self.environment, &account.id))
    }

    /// The same with `account`; one that it has already stays since when it is.
    ///
    /// # Errors
    /// [`CardRefusal::OtherAccount`] where it has another one, unless `force` replaces that.
    pub fn connected(
        mut self,
        account: ConnectedAccount,
        force: bool,
        now: OffsetDateTime,
    ) -> Result<Self, CardRefusal> {
        match &self.account {
            Some(own) if *own == account => return Ok(self),
            Some(own) if own.id != account.id && !force => return Err(CardRefusal::OtherAccount),
            Some(own) if own.id == account.id => {}
            Some(_) | None => self.connected_at = Some(now),
        }
        (self.account, self.updated_at) = (Some(account), now);
        Ok(self)
    }

    /// The same without an account, which the processor's event `by` ended, if one did.
    #[must_use]
    pub fn disconnected(self, by: Option<String>, now: OffsetDateTime) -> Self {
        let ended_by = by.or_else(|| self.ended_by.clone());
        Self { account: None, connected_at: None, ended_by, updated_at: now, ..self }
    }

    /// The same with what `input` says of its settings; what says nothing new changes nothing.
    ///
    /// # Errors
    /// What is wrong with it, by path.
    pub fn changed(self, input: PaymentAppInput, now: OffsetDateTime) -> Result<Self, Issues> {
        let mut issues = Issues::default();
        let mut after = self.settings.clone();
        after.auto_invoice_enabled =
            input.auto_invoice_enabled.unwrap_or(after.auto_invoice_enabled);
        if let Some(mut events) = input.auto_invoice_events {
            events.sort_unstable();
            events.dedup();
            after.auto_invoice_events = events;
        }
        let note = input.default_note.value().map(String::as_str);
        text::check_field(&mut issues, "default_note", note, MAX_DEFAULT_NOTE_CHARS);
        input.default_note.map(|note| note.trim().to_owned()).apply(&mut after.default_note);
        after.default_note = after.default_note.filter(|note| !note.is_empty());
        if let Patch::Value(rate) = &input.default_tax_rate
            && let Err(issue) = check_rate(rate)
        {
            issues.push(issue.at("default_tax_rate"));
        }
        input.default_tax_rate.apply(&mut after.default_tax_rate);
        issues.into_result(())?;
        if after == self.settings {
            return Ok(self);
        }
        Ok(Self { settings: after, updated_at: now, ..self })
    }

    /// Whether what `event` tells of makes an invoice by itself.
    #[must_use]
    pub fn invoices(&self, event: AutoInvoiceEvent) -> bool {
        let settings = &self.settings;
        settings.auto_invoice_enabled && settings.auto_invoice_events.contains(&event)
    }
}

fn check_rate(rate: &Decimal) -> Result<(), Issue> {
    if rate.is_negative() || *rate > Decimal::new(100, 0) {
        return Err(Issue::new("out_of_range", "a rate is from 0 to 100 percent"));
    }
    if rate.fits_scale(MAX_RATE_DECIMALS) {
        return Ok(());
    }
    let message = format!("a rate has at most {MAX_RATE_DECIMALS} decimals");
    Err(Issue::new("too_many_decimals", message))
}

racun_store::record! {
    /// Where accounts of entities are kept.
    ///
    /// The hidden field `account_key` names environment and account. It is unique everywhere, so an
    /// account serves one entity, and an event of it finds that entity.
    pub static PAYMENT_APPS: PaymentApp = "payment_apps";
    |app|
    id: app.entity_id,
    tenant: Tenant::entity(app.entity_id),
    fields: {
        Field::id() => app.entity_id,
        Field::text("account_key").unique(Unique::Everywhere).hidden() => app.account_key(),
        Field::instant("created_at") => app.created_at,
        Field::instant("updated_at") => app.updated_at,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-20 08:00 UTC);

    fn app() -> PaymentApp {
        PaymentApp::none(EntityId::new(1_u128.into()), Environment::Sandbox, NOW)
    }

    fn account(id: &str) -> ConnectedAccount {
        ConnectedAccount { id: id.to_owned(), name: None }
    }

    #[test]
    fn another_account_takes_the_place_of_one_by_force_only() {
        let one = app().connected(account("acct_1"), false, NOW).unwrap();
        assert_eq!(one.account_key().as_deref(), Some("sandbox:acct_1"));
        assert_eq!(one.clone().connected(account("acct_1"), false, NOW), Ok(one.clone()));
        let other = one.clone().connected(account("acct_2"), false, NOW);
        assert_eq!(other, Err(CardRefusal::OtherAccount));
        let other = one.connected(account("acct_2"), true, NOW).unwrap();
        assert_eq!(other.account, Some(account("acct_2")));
        let none = other.disconnected(Some("evt_1".to_owned()), NOW);
        assert_eq!((none.account_key(), none.ended_by.as_deref()), (None, Some("evt_1")));
    }

    #[test]
    fn settings_say_all_that_is_wrong_and_keep_events_once() {
        use AutoInvoiceEvent::{InvoicePaid, PaymentSucceeded};
        let input = PaymentAppInput {
            default_note: Patch::Value("x".repeat(501)),
            default_tax_rate: Patch::Value(Decimal::new(10_001, 2)),
            ..PaymentAppInput::default()
        };
        let wrong = app().changed(input, NOW).unwrap_err();
        assert_eq!(wrong.iter().count(), 2, "{wrong:?}");
        let input = PaymentAppInput {
            auto_invoice_enabled: Some(true),
            auto_invoice_events: Some(vec![InvoicePaid, PaymentSucceeded, InvoicePaid]),
            default_note: Patch::Value("  ".to_owned()),
            default_tax_rate: Patch::Value(Decimal::new(22, 0)),
        };
        let changed = app().changed(input.clone(), NOW).unwrap();
        assert_eq!(changed.settings.auto_invoice_events, [PaymentSucceeded, InvoicePaid]);
        assert_eq!(changed.settings.default_note, None);
        assert!(changed.invoices(InvoicePaid));
        let later = NOW + time::Duration::hours(1);
        assert_eq!(changed.clone().changed(input, later), Ok(changed));
    }
}
