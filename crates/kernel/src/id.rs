//! Prefixed ids, and the one registry of their kinds.
//!
//! The registry is here so that no domain crate depends on another to name its things.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ulid::Ulid;

/// What an id names: its prefix tells kinds apart on the wire.
pub trait Kind: 'static {
    /// The text before the ULID, underscore included, as in `inv_`.
    const PREFIX: &'static str;

    /// The kind's name in the registry: `BusinessUnit`.
    const NAME: &'static str = "Record";
}

/// Identifier of a `K`: its prefix and a lower-case ULID, as in `inv_01jb2…`.
///
/// Made only from a ULID that the caller supplies, so a test decides every id.
pub struct Id<K>(Ulid, PhantomData<fn() -> K>);

/// The text is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an id that starts with {expected}")]
pub struct InvalidId {
    /// The prefix that an id of this kind has.
    pub expected: &'static str,
}

impl<K> Id<K> {
    /// The id made of `ulid`.
    #[must_use]
    pub const fn new(ulid: Ulid) -> Self {
        Self(ulid, PhantomData)
    }

    /// The part of the id that is not its prefix.
    #[must_use]
    pub const fn ulid(&self) -> Ulid {
        self.0
    }
}

impl<K: Kind> FromStr for Id<K> {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        parse_ulid(text, K::PREFIX).map(Self::new)
    }
}

/// Reads the ULID behind `prefix`, for ids whose kind is known only at run time.
///
/// # Errors
/// When `text` does not start with `prefix`, or what follows is not a ULID in lower case.
pub fn parse_ulid(text: &str, prefix: &'static str) -> Result<Ulid, InvalidId> {
    let invalid = InvalidId { expected: prefix };
    let Some(rest) = text.strip_prefix(prefix) else { return Err(invalid) };
    if rest.len() != 26 || rest.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(invalid);
    }
    Ulid::from_string(rest).map_err(|_| invalid)
}

/// The text of an id made of `prefix` and `ulid`.
#[must_use]
pub fn format_ulid(prefix: &str, ulid: Ulid) -> String {
    let mut text = String::with_capacity(prefix.len() + 26);
    text.push_str(prefix);
    text.push_str(&ulid.to_string().to_ascii_lowercase());
    text
}

impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_ulid(K::PREFIX, self.0))
    }
}

impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Id<K> {}

impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K> Eq for Id<K> {}

impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $id:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        pub enum $kind {}
        impl Kind for $kind {
            const PREFIX: &'static str = $prefix;
            const NAME: &'static str = stringify!($kind);
        }
        #[doc = concat!("Id of kind `", $prefix, "`.")]
        pub type $id = Id<$kind>;
    )*

        /// Prefixes of all kinds, with the names of the kinds. Documents have kinds of their own.
        pub const KINDS: &[(&str, &str)] = &[$(($prefix, stringify!($kind))),*];
    };
}

kinds! {
    /// An account: the customer who pays for and owns entities.
    Account, AccountId = "acc_";
    /// A legal entity: the tenant.
    Entity, EntityId = "ent_";
    /// A person who signs in.
    User, UserId = "usr_";
    /// A session token's record.
    Token, TokenId = "tok_";
    /// A PIN, as long as it holds.
    Pin, PinId = "pin_";
    /// An API key's record.
    ApiKey, ApiKeyId = "key_";
    /// A user's place in an entity.
    Membership, MembershipId = "mem_";
    /// An invitation to join an entity.
    Invitation, InvitationId = "einv_";
    /// A customer.
    Customer, CustomerId = "cus_";
    /// A supplier.
    Supplier, SupplierId = "sup_";
    /// A catalogue item.
    Item, ItemId = "item_";
    /// A tax.
    Tax, TaxId = "tax_";
    /// A financial category.
    FinancialCategory, FinancialCategoryId = "fcat_";
    /// A business unit.
    BusinessUnit, BusinessUnitId = "unit_";
    /// A file.
    File, FileId = "file_";
    /// A bank account inside an entity's settings.
    BankAccount, BankAccountId = "ba_";
    /// A payment.
    Payment, PaymentId = "pmt_";
    /// A received supplier invoice.
    Expense, ExpenseId = "exp_";
    /// A link between two documents.
    Relation, RelationId = "rel_";
    /// A schedule that makes invoices.
    RecurringInvoice, RecurringInvoiceId = "rinv_";
    /// One invoice that a schedule made.
    RecurringRun, RecurringRunId = "rrun_";
    /// A table of the point of sale, where guests sit.
    PosTable, PosTableId = "ptbl_";
    /// A tab: a running order at the point of sale.
    PosTab, PosTabId = "ptab_";
    /// A line of a tab.
    PosLine, PosLineId = "line_";
    /// The closing of a day at the point of sale.
    PosClosing, PosClosingId = "pclo_";
    /// A business premise that FURS knows.
    FursPremise, FursPremiseId = "premise_";
    /// An electronic device of such a premise.
    FursDevice, FursDeviceId = "device_";
    /// A business premise that issues documents for CIS.
    FinaPremise, FinaPremiseId = "fina_premise_";
    /// An electronic device of such a premise.
    FinaDevice, FinaDeviceId = "fina_device_";
    /// A series of documents in Portugal, with the code that its ATCUD begin with.
    PtSeries, PtSeriesId = "pt_series_";
    /// An entity's subscription to a plan of a white label.
    Subscription, SubscriptionId = "wsub_";
    /// What was used of a subscription within one month.
    UsageMonth, UsageMonthId = "wuse_";
    /// One version of a document.
    Version, VersionId = "ver_";
    /// An endpoint of an entity that events are posted to.
    Webhook, WebhookId = "wh_";
    /// The same of an account.
    AccountWebhook, AccountWebhookId = "accwh_";
    /// One attempt to post an event to an endpoint.
    WebhookDelivery, WebhookDeliveryId = "whd_";
    /// An entry of the log of what happened.
    Event, EventId = "evt_";
    /// A mail that is sent, or to be sent.
    Mail, MailId = "mail_";
    /// What proves that an address is a user's, for a short time.
    MailToken, MailTokenId = "mtok_";
    /// Something that is to be done after a commit.
    Job, JobId = "job_";
    /// An export that is put together in the background.
    ExportJob, ExportJobId = "expjob_";
    /// An order of a shop.
    Order, OrderId = "ord_";
    /// A source of orders.
    OrderIntegration, OrderIntegrationId = "oint_";
    /// An estimated rate of tax.
    TaxRateEstimate, TaxRateEstimateId = "tre_";
    /// An electronic invoice on its way over the network.
    EInvoiceSubmission, EInvoiceSubmissionId = "einv_sub_";
    /// The revenue of a line that is spread over days.
    RevenueEntry, RevenueEntryId = "rre_";
    /// The cost of an item that is spread over days.
    ExpenseEntry, ExpenseEntryId = "ere_";
    /// A page of the card processor on which a document is paid.
    CardSession, CardSessionId = "csn_";
    /// An account of a user at an identity provider.
    Identity, IdentityId = "idn_";
    /// A request.
    Request, RequestId = "req_";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_as_written() {
        let id = EntityId::new(Ulid::from_parts(1_700_000_000_000, 7));
        assert_eq!(id.to_string().parse::<EntityId>(), Ok(id));
        assert!(id.to_string().starts_with("ent_"));
        assert!(id.to_string().len() <= 36);
    }

    #[test]
    fn other_prefixes_other_lengths_and_capitals_are_refused() {
        let id = EntityId::new(Ulid::from_parts(1, 7)).to_string();
        for text in ["", "ent_", &id.replace("ent_", "usr_"), &id[..29], &id.to_uppercase()] {
            assert_eq!(text.parse::<EntityId>(), Err(InvalidId { expected: "ent_" }), "{text}");
        }
    }
}
