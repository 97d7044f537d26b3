//! Accounts at the card processor, and what they took, in bodies.

use racun_card_payments::{
    AutoInvoiceEvent, Charge, ChargeState, Consent, PaymentApp, PaymentAppInput, amount_of,
};
use racun_kernel::{Decimal, Environment, Issue, Issues, Patch};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::body::{Convert, names};
use crate::schema::{nullable_number, number};

names! {
    /// The environment that an account is connected in.
    AppEnvironmentBody as PaymentAppEnvironment of Environment { Live, Sandbox }
}

names! {
    /// What became of money.
    ChargeStatusBody as CardPaymentStatus of ChargeState {
        Waiting, Recorded, Failed, Declined
    }
}

/// What of the processor makes an invoice by itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = AutoInvoiceEvent)]
pub(crate) enum AutoInvoiceEventBody {
    /// A payment was taken.
    #[serde(rename = "payment_intent.succeeded")]
    PaymentIntentSucceeded,
    /// An invoice of the processor was paid.
    #[serde(rename = "invoice.paid")]
    InvoicePaid,
}

impl Convert<AutoInvoiceEventBody> for AutoInvoiceEvent {
    fn convert(self) -> AutoInvoiceEventBody {
        match self {
            Self::PaymentSucceeded => AutoInvoiceEventBody::PaymentIntentSucceeded,
            Self::InvoicePaid => AutoInvoiceEventBody::InvoicePaid,
        }
    }
}

impl Convert<AutoInvoiceEvent> for AutoInvoiceEventBody {
    fn convert(self) -> AutoInvoiceEvent {
        match self {
            Self::PaymentIntentSucceeded => AutoInvoiceEvent::PaymentSucceeded,
            Self::InvoicePaid => AutoInvoiceEvent::InvoicePaid,
        }
    }
}

/// Where the account is to be connected.
#[derive(Debug, Default, Deserialize, ToSchema, Validate)]
#[schema(as = AuthorizePaymentApp)]
pub(crate) struct AuthorizeBody {
    /// The environment of the entity that it is for; `live` when absent, and to a key its own.
    pub environment: Option<AppEnvironmentBody>,
}

/// Where a seller consents.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentAppConsent)]
pub(crate) struct AuthorizedBody {
    /// The page of the card processor.
    pub redirect_url: String,
    /// What connects the account, once the seller came back.
    pub state: String,
}

/// An account whose owner consented.
#[derive(Debug, Serialize)]
pub(crate) struct ConsentBody {
    /// What connects it.
    pub state: String,
    /// The processor's id of it.
    account_id: String,
    /// What the processor calls it.
    account_name: Option<String>,
    /// Until when it can be connected.
    expires_at: String,
}

impl ConsentBody {
    pub(crate) fn of(consent: Consent, state: String) -> Self {
        Self {
            state,
            account_id: consent.account.id,
            account_name: consent.account.name,
            expires_at: consent.until.convert(),
        }
    }
}

/// Which entity takes the account.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = ConnectPaymentApp)]
pub(crate) struct ConnectBody {
    /// As `/payment-app/authorize` answered it.
    #[validate(length(max = 2048))]
    #[schema(max_length = 2048)]
    state: Option<String>,
    /// The entity.
    #[validate(length(max = 36))]
    #[schema(max_length = 36)]
    entity_id: Option<String>,
    /// Whether the account takes the place of another one, and comes from another entity; false
    /// when absent.
    force: Option<bool>,
}

impl ConnectBody {
    /// The state and the entity, which have to be there, and whether others give way.
    ///
    /// # Errors
    /// What is missing.
    pub(crate) fn named(self) -> Result<(String, String, bool), Issues> {
        let mut issues = Issues::default();
        let mut named = |field, sent: Option<String>| {
            if sent.is_none() {
                issues.push(Issue::new("required", "is required").at(field));
            }
            sent.unwrap_or_default()
        };
        let (state, entity) = (named("state", self.state), named("entity_id", self.entity_id));
        issues.into_result((state, entity, self.force.unwrap_or(false)))
    }
}

/// An entity's account at the card processor, and what is done with what it takes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentAppSettings)]
pub(crate) struct PaymentAppBody {
    /// The entity.
    entity_id: String,
    /// Whether it has an account.
    connected: bool,
    /// The processor's id of it.
    #[schema(required = true)]
    account_id: Option<String>,
    /// What the processor calls it.
    #[schema(required = true)]
    account_name: Option<String>,
    /// Since when it is connected.
    #[schema(required = true)]
    connected_at: Option<String>,
    /// Whether invoices are made by themselves.
    auto_invoice_enabled: bool,
    /// Of what.
    auto_invoice_events: Vec<AutoInvoiceEventBody>,
    /// The note of such an invoice.
    #[schema(required = true)]
    default_note: Option<String>,
    /// The tax in what was taken, in percent; null for the tax that the entity's lines have.
    #[schema(required = true, schema_with = nullable_number)]
    default_tax_rate: Option<Decimal>,
}

impl Convert<PaymentAppBody> for PaymentApp {
    fn convert(self) -> PaymentAppBody {
        let (account_id, account_name) = match self.account {
            Some(account) => (Some(account.id), account.name),
            None => (None, None),
        };
        PaymentAppBody {
            entity_id: self.entity_id.convert(),
            connected: account_id.is_some(),
            account_id,
            account_name,
            connected_at: self.connected_at.convert(),
            auto_invoice_enabled: self.settings.auto_invoice_enabled,
            auto_invoice_events: self.settings.auto_invoice_events.convert(),
            default_note: self.settings.default_note,
            default_tax_rate: self.settings.default_tax_rate,
        }
    }
}

/// What is changed of the settings.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = PaymentAppSettingsInput)]
pub(crate) struct PaymentAppInputBody {
    /// Whether invoices are made by themselves.
    auto_invoice_enabled: Option<bool>,
    /// Of what: `payment_intent.succeeded`, `invoice.paid`, or both.
    auto_invoice_events: Option<Vec<AutoInvoiceEventBody>>,
    /// The note of such an invoice, at most 500 characters. Null removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    default_note: Patch<String>,
    /// The tax in what was taken, from 0 to 100 percent. Null: the tax that the entity's lines
    /// have by default, if there is one.
    #[serde(default)]
    #[schema(schema_with = nullable_number)]
    default_tax_rate: Patch<Decimal>,
}

impl Convert<PaymentAppInput> for PaymentAppInputBody {
    fn convert(self) -> PaymentAppInput {
        PaymentAppInput {
            auto_invoice_enabled: self.auto_invoice_enabled,
            auto_invoice_events: self.auto_invoice_events.convert(),
            default_note: self.default_note,
            default_tax_rate: self.default_tax_rate,
        }
    }
}

/// What is to be invoiced.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[schema(as = InvoiceCardPayment)]
pub(crate) struct InvoiceObjectBody {
    /// A payment (`pi_…`) or an invoice (`in_…`) of the entity's account.
    pub object_id: String,
    /// The invoice's note, at most 2,000 characters; that of the settings when absent.
    pub note: Option<String>,
}

/// Money that an account took, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CardPayment)]
pub(crate) struct ChargeBody {
    /// The processor's id: `pi_…`, `in_…`.
    id: String,
    /// The account that took it.
    account_id: String,
    /// The invoice that it paid, or that was made of it.
    #[schema(required = true)]
    document_id: Option<String>,
    /// The payment that says it, where it paid an invoice.
    #[schema(required = true)]
    payment_id: Option<String>,
    /// How much.
    #[schema(schema_with = number)]
    amount: Decimal,
    /// In which currency.
    currency_code: String,
    /// What became of it.
    status: ChargeStatusBody,
    /// Why it could not be recorded, or why the card was declined.
    #[schema(required = true)]
    error: Option<String>,
    /// When it was heard of.
    created_at: String,
    /// When it changed last.
    updated_at: String,
}

impl Convert<ChargeBody> for Charge {
    fn convert(self) -> ChargeBody {
        ChargeBody {
            amount: amount_of(self.amount, self.currency),
            id: self.id,
            account_id: self.account,
            document_id: self.document_id.map(|id| id.to_string()),
            payment_id: self.payment_id.convert(),
            currency_code: self.currency.code().to_owned(),
            status: self.state.convert(),
            error: self.error,
            created_at: self.created_at.convert(),
            updated_at: self.updated_at.convert(),
        }
    }
}
