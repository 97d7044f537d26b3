//! Integrations: sources of orders, and the rules by which their orders become documents.

use std::collections::BTreeMap;

use racun_kernel::id::{EntityId, OrderIntegrationId};
use racun_kernel::{CannotOpen, Issue, Issues, Metadata, Patch, PaymentType, Reseal, Tenant, text};
use racun_store::{Actor, Decision, Event, Field, Unique};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::check::{Check, MAX_TEXT_CHARS};
use crate::error::{OrderError, OrderRefusal};
use crate::events::order_integration as events;
use crate::opening::{Consent, Opening};
use crate::order::SourceKind;
use crate::sync::OrderSync;
use crate::told::{Seen, Told};

/// Integrations that an entity may have; deleted ones do not count.
pub const MAX_INTEGRATIONS: usize = 100;
/// The longest wait before an order is processed by itself: 30 days.
pub const MAX_DELAY_SECONDS: u32 = 30 * 24 * 60 * 60;
const MAX_ID_CHARS: usize = 64;
/// Characters of a secret that a shop gave out.
const MAX_SECRET_CHARS: usize = 255;

/// What of an order lets it be processed by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// That it is there.
    Created,
    /// That it is paid.
    #[default]
    Paid,
    /// That it is on its way.
    Fulfilled,
}

impl Trigger {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Created, Self::Paid, Self::Fulfilled];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Paid => "paid",
            Self::Fulfilled => "fulfilled",
        }
    }
}

/// A source of orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integration {
    /// Its id.
    pub id: OrderIntegrationId,
    /// Whose.
    pub entity_id: EntityId,
    /// Its name, for people.
    pub name: String,
    /// The platform.
    pub source: SourceKind,
    /// Whether it takes orders and processes them.
    pub is_active: bool,
    /// Whether orders are processed by themselves.
    pub auto_process: bool,
    /// When they are.
    pub auto_process_on: Trigger,
    /// How long they wait after that.
    pub auto_process_delay_seconds: u32,
    /// Whether the document is made again when an order changes after it was processed.
    pub auto_reissue_on_update: bool,
    /// How a paid order was paid, where its own method does not say.
    pub default_payment_type: Option<PaymentType>,
    /// Whether an invoice is mailed to the customer.
    pub send_invoice_email: bool,
    /// Whether an estimate is.
    pub send_estimate_email: bool,
    /// Whether such a mail has the PDF.
    pub attach_pdf_to_email: bool,
    /// Whether an unpaid order by bank transfer gets an invoice at once, and no estimate.
    pub issue_invoice_for_bank: bool,
    /// Whether an order with an estimate gets its invoice when it is paid and fulfilled.
    pub issue_invoice_on_complete: bool,
    /// Language of the documents.
    pub locale: Option<String>,
    /// The business unit that issues them.
    pub business_unit_id: Option<String>,
    /// The premise that fiscalizes them.
    pub business_premise_id: Option<String>,
    /// The device that does.
    pub electronic_device_id: Option<String>,
    /// The shop's address at the platform, once it is known.
    pub shop_domain: Option<String>,
    /// What the platform lets us do.
    pub scopes: Option<String>,
    /// The secret that the shop's webhooks are signed with, sealed.
    pub webhook_secret: Option<String>,
    /// What opens the shop's orders at its platform, sealed.
    #[serde(default)]
    pub access_token: Option<String>,
    /// Since when the shop posts its orders here because this server had it do so.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub webhooks_at: Option<OffsetDateTime>,
    /// The consent that opened its shop last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<Consent>,
    /// By which of the platform's events its shop took this server's application out.
    #[serde(default, skip_serializing_if = "Seen::is_empty")]
    pub ended_by: Seen,
    /// How far the reading of its earlier orders came, where a job reads them.
    #[serde(default)]
    pub sync: Option<OrderSync>,
    /// What the caller attached.
    pub metadata: Metadata,
    /// Since when it is deleted.
    #[serde(with = "time::serde::rfc3339::option")]
    pub deleted_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where integrations are kept. The hidden field `live_of` is the entity of those that are not
    /// deleted: by it a unit holds all that count. A webhook names its integration alone, so the
    /// hidden field `hook` finds it in any entity.
    pub static INTEGRATIONS: Integration = "order_integrations";
    |integration|
    id: integration.id,
    tenant: Tenant::entity(integration.entity_id),
    trashed: integration.deleted_at.is_some(),
    fields: {
        Field::id() => integration.id,
        Field::text("name").searched() => integration.name,
        Field::text("source") => integration.source.name(),
        Field::bool("is_active") => integration.is_active,
        Field::text("shop_domain").searched() => integration.shop_domain,
        Field::map("metadata") => integration.metadata,
        Field::instant("created_at") => integration.created_at,
        Field::instant("updated_at") => integration.updated_at,
        Field::instant("deleted_at") => integration.deleted_at,
        Field::text("live_of").indexed().hidden()
            => Some(integration.entity_id).filter(|_| integration.deleted_at.is_none()),
        Field::text("hook").unique(Unique::Everywhere).hidden()
            => Some(integration.id).filter(|_| integration.deleted_at.is_none()),
    }
}

/// What a caller says of an integration. A new one needs `name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntegrationInput {
    /// See [`Integration::name`]; so all below.
    pub name: Patch<String>,
    /// `manual` when missing; it stays.
    pub source: Patch<SourceKind>,
    /// True when missing.
    pub is_active: Patch<bool>,
    /// False when missing.
    pub auto_process: Patch<bool>,
    /// `paid` when missing.
    pub auto_process_on: Patch<Trigger>,
    /// 0 when missing, at most [`MAX_DELAY_SECONDS`].
    pub auto_process_delay_seconds: Patch<u32>,
    /// False when missing.
    pub auto_reissue_on_update: Patch<bool>,
    /// Not one that settles by another document.
    pub default_payment_type: Patch<PaymentType>,
    /// False when missing.
    pub send_invoice_email: Patch<bool>,
    /// False when missing.
    pub send_estimate_email: Patch<bool>,
    /// False when missing.
    pub attach_pdf_to_email: Patch<bool>,
    /// False when missing.
    pub issue_invoice_for_bank: Patch<bool>,
    /// False when missing.
    pub issue_invoice_on_complete: Patch<bool>,
    /// One of the 18 locales.
    pub locale: Patch<String>,
    /// A business unit of the entity.
    pub business_unit_id: Patch<String>,
    /// A premise of the entity.
    pub business_premise_id: Patch<String>,
    /// A device of that premise.
    pub electronic_device_id: Patch<String>,
    /// The shop's address at the platform.
    pub shop_domain: Patch<String>,
    /// The secret of the shop's webhooks, sealed already.
    pub webhook_secret: Patch<String>,
    /// What opens the shop's orders at its platform, sealed already.
    pub access_token: Patch<String>,
    /// Replaces all that was attached.
    pub metadata: Patch<BTreeMap<String, String>>,
}

impl IntegrationInput {
    /// The new integration that this describes, beside `present` others, and what happened.
    ///
    /// # Errors
    /// All that is wrong, by path; [`OrderRefusal::TooMany`].
    pub fn into_integration(
        self,
        present: usize,
        actor: &Actor,
    ) -> Result<(Integration, Vec<Event>), OrderError> {
        let mut integration = Integration {
            id: actor.stamp().id(),
            entity_id: actor.entity_id(),
            name: String::new(),
            source: self.source.value().copied().unwrap_or_default(),
            is_active: true,
            auto_process: false,
            auto_process_on: Trigger::default(),
            auto_process_delay_seconds: 0,
            auto_reissue_on_update: false,
            default_payment_type: None,
            send_invoice_email: false,
            send_estimate_email: false,
            attach_pdf_to_email: false,
            issue_invoice_for_bank: false,
            issue_invoice_on_complete: false,
            locale: None,
            business_unit_id: None,
            business_premise_id: None,
            electronic_device_id: None,
            shop_domain: None,
            scopes: None,
            webhook_secret: None,
            access_token: None,
            webhooks_at: None,
            consent: None,
            ended_by: Seen::default(),
            sync: None,
            metadata: Metadata::default(),
            deleted_at: None,
            created_at: actor.now(),
            updated_at: actor.now(),
        };
        self.apply(&mut integration)?;
        if present >= MAX_INTEGRATIONS {
            return Err(OrderRefusal::TooMany.into());
        }
        let events = vec![actor.event(events::CREATED, integration.id)];
        Ok((integration, events))
    }

    /// Accepts a name.
    ///
    /// # Errors
    /// What is wrong with it, at `name`.
    pub fn check_name(name: &str) -> Result<(), Issues> {
        let mut check = Check::default();
        check.name("name", Patch::Value(name.to_owned()), &mut String::new(), MAX_TEXT_CHARS);
        check.0.into_result(())
    }

    fn apply(self, to: &mut Integration) -> Result<(), Issues> {
        let mut check = Check::default();
        check.name("name", self.name, &mut to.name, MAX_TEXT_CHARS);
        if self.source.value().is_some_and(|source| *source != to.source) {
            let message = "the source stays as it is; make another integration";
            check.0.push(Issue::new("immutable", message).at("source"));
        }
        for (sent, kept) in [
            (self.auto_process, &mut to.auto_process),
            (self.auto_reissue_on_update, &mut to.auto_reissue_on_update),
            (self.send_invoice_email, &mut to.send_invoice_email),
            (self.send_estimate_email, &mut to.send_estimate_email),
            (self.attach_pdf_to_email, &mut to.attach_pdf_to_email),
            (self.issue_invoice_for_bank, &mut to.issue_invoice_for_bank),
            (self.issue_invoice_on_complete, &mut to.issue_invoice_on_complete),
        ] {
            sent.apply_or(kept, false);
        }
        self.is_active.apply_or(&mut to.is_active, true);
        self.auto_process_on.apply_or(&mut to.auto_process_on, Trigger::default());
        self.auto_process_delay_seconds.apply_or(&mut to.auto_process_delay_seconds, 0);
        if to.auto_process_delay_seconds > MAX_DELAY_SECONDS {
            let message = format!("at most {MAX_DELAY_SECONDS} seconds, which are 30 days");
            check.0.push(Issue::new("out_of_range", message).at("auto_process_delay_seconds"));
        }
        self.default_payment_type.apply(&mut to.default_payment_type);
        if to.default_payment_type.is_some_and(PaymentType::is_settlement) {
            let message = "a credit note or an advance is no way to pay an order; take another";
            check.0.push(Issue::new("invalid_value", message).at("default_payment_type"));
        }
        for (field, sent, kept, max) in [
            ("locale", self.locale, &mut to.locale, MAX_ID_CHARS),
            ("business_unit_id", self.business_unit_id, &mut to.business_unit_id, MAX_ID_CHARS),
            (
                "business_premise_id",
                self.business_premise_id,
                &mut to.business_premise_id,
                MAX_ID_CHARS,
            ),
            (
                "electronic_device_id",
                self.electronic_device_id,
                &mut to.electronic_device_id,
                MAX_ID_CHARS,
            ),
            ("shop_domain", self.shop_domain, &mut to.shop_domain, MAX_TEXT_CHARS),
        ] {
            check.text(field, sent, kept, max);
        }
        if to.locale.as_deref().is_some_and(|locale| !text::LOCALES.contains(&locale)) {
            let message = format!("no such locale; there are {}", text::LOCALES.join(", "));
            check.0.push(Issue::new("unknown_locale", message).at("locale"));
        }
        self.webhook_secret.apply(&mut to.webhook_secret);
        self.access_token.apply(&mut to.access_token);
        check.metadata(self.metadata, &mut to.metadata);
        check.0.into_result(())
    }
}

impl Integration {
    /// Takes over what `input` says; what leaves it as it was changes nothing.
    ///
    /// # Errors
    /// [`OrderError::NotFound`] when it is deleted; all that is wrong with the input, by path.
    pub fn update(
        self,
        input: IntegrationInput,
        actor: &Actor,
    ) -> Result<Decision<Self>, OrderError> {
        self.must_be_there()?;
        let mut after = self.clone();
        input.apply(&mut after)?;
        if after == self {
            return Ok(Decision::Unchanged(self));
        }
        after.updated_at = actor.now();
        let events = vec![actor.event(events::UPDATED, after.id)];
        Ok(Decision::changed(after, events))
    }

    /// Opens its shop again, as its owner consented to: it takes orders by the rules that it has,
    /// also one that was deleted, for another one would take the shop's orders a second time.
    /// `present` are those that are not deleted.
    ///
    /// # Errors
    /// [`OrderRefusal::TooMany`] when it is deleted, and there are as many as there may be.
    pub fn opened(
        self,
        opening: Opening,
        present: usize,
        actor: &Actor,
    ) -> Result<Decision<Self>, OrderError> {
        let is_deleted = self.deleted_at.is_some();
        if is_deleted && present >= MAX_INTEGRATIONS {
            return Err(OrderRefusal::TooMany.into());
        }
        let kind = if is_deleted { events::CREATED } else { events::UPDATED };
        let events = vec![actor.event(kind, self.id)];
        let after = Self {
            is_active: true,
            shop_domain: Some(opening.shop_domain),
            access_token: Some(opening.access_token),
            webhook_secret: Some(opening.webhook_secret),
            scopes: opening.scopes,
            webhooks_at: None,
            consent: Some(opening.consent),
            deleted_at: None,
            updated_at: actor.now(),
            ..self
        };
        Ok(Decision::changed(after, events))
    }

    /// Whether the consent `id` made it, or opened it last.
    #[must_use]
    pub fn is_by(&self, id: OrderIntegrationId) -> bool {
        self.id == id || self.consent.is_some_and(|consent| consent.id == id)
    }

    /// Notes that the shop took this server's application out, as `told`: it takes no more orders,
    /// until somebody makes it active again, and nothing opens the shop. What was told before, or
    /// happened before the last consent, changes nothing.
    pub fn uninstalled(self, told: &Told, actor: &Actor) -> Decision<Self> {
        let consent = self.consent.map(|consent| consent.at);
        let is_late = told.at.zip(consent).is_some_and(|(at, consent)| at < consent);
        if self.deleted_at.is_some() || is_late || self.ended_by.has(told.id.as_deref()) {
            return Decision::Unchanged(self);
        }
        let after = Self {
            is_active: false,
            access_token: None,
            webhooks_at: None,
            ended_by: self.ended_by.clone().with(told.id.as_deref()),
            ..self.clone()
        };
        if after == self {
            return Decision::Unchanged(self);
        }
        let events = vec![actor.event(events::UPDATED, self.id)];
        Decision::changed(Self { updated_at: actor.now(), ..after }, events)
    }

    /// Deletes it: it takes no more orders, and those that it has stay.
    ///
    /// # Errors
    /// [`OrderError::NotFound`] when it is deleted already.
    pub fn delete(mut self, actor: &Actor) -> Result<Decision<Self>, OrderError> {
        self.must_be_there()?;
        self.deleted_at = Some(actor.now());
        self.updated_at = actor.now();
        self.webhook_secret = None;
        self.access_token = None;
        let events = vec![actor.event(events::DELETED, self.id)];
        Ok(Decision::changed(self, events))
    }

    /// Whose the secrets of an entity's integrations are, for the vault.
    #[must_use]
    pub fn secret_owner(entity: EntityId) -> String {
        format!("order_integrations/{entity}")
    }

    /// The same with its secret sealed again.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        let owner = Self::secret_owner(self.entity_id);
        let again = |sealed: String| reseal(&owner, &sealed);
        let webhook_secret = self.webhook_secret.map(again).transpose()?;
        let access_token = self.access_token.map(again).transpose()?;
        Ok(Self { webhook_secret, access_token, ..self })
    }

    /// The same without secrets that cannot be opened: its webhooks are refused and its shop is not
    /// asked until others are set.
    #[must_use]
    pub fn without_sealed(self) -> Self {
        Self { webhook_secret: None, access_token: None, ..self }
    }

    /// The same, whose earlier orders were read so far.
    #[must_use]
    pub fn synced(self, sync: OrderSync, now: OffsetDateTime) -> Self {
        Self { sync: Some(sync), updated_at: now, ..self }
    }

    /// The same, whose shop was told at `now` to post its orders.
    #[must_use]
    pub fn subscribed(self, now: OffsetDateTime) -> Self {
        Self { webhooks_at: Some(now), updated_at: now, ..self }
    }

    fn must_be_there(&self) -> Result<(), OrderError> {
        match self.deleted_at {
            None => Ok(()),
            Some(_) => Err(OrderError::NotFound { id: self.id.to_string() }),
        }
    }
}

/// Whether `secret` may be that of a shop's webhooks.
///
/// # Errors
/// `too_long`, `required`.
pub fn check_secret(secret: &str) -> Result<(), Issue> {
    if secret.trim().is_empty() {
        return Err(Issue::new("required", "the secret must not be blank"));
    }
    text::check(secret, MAX_SECRET_CHARS)
}
