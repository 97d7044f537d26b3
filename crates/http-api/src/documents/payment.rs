//! Payments that a document is made with.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use racun_settlement::NewPayment;
use serde::Deserialize;
use utoipa::ToSchema;

use super::scalar::Day;
use crate::body::{Convert, names};
use crate::openapi::nullable_number;

names! {
    /// How money moved.
    PaymentTypeBody as PaymentType of racun_settlement::PaymentType {
        Cash, BankTransfer, Card, CreditCard, DebitCard, Check, OnlineWallet, Coupon, Other,
        CreditNote, Advance
    }
}

/// A payment of the document that is made. It takes no other properties.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CreateDocumentPayment)]
pub struct PaymentInputBody {
    /// How much, above zero; what is left to pay when absent.
    #[schema(schema_with = nullable_number)]
    amount: Option<Decimal>,
    /// How.
    r#type: PaymentTypeBody,
    /// The day on which it was received, `YYYY-MM-DD`; today in the entity's zone when absent.
    #[schema(value_type = Option<String>)]
    date: Option<Day>,
    /// The caller's tag.
    tag: Option<String>,
    /// The payer's or bank's reference.
    reference: Option<String>,
    /// The caller's note.
    note: Option<String>,
    /// Up to 50 properties of at most 250 characters.
    metadata: Option<BTreeMap<String, String>>,
}

impl Convert<NewPayment> for PaymentInputBody {
    fn convert(self) -> NewPayment {
        NewPayment {
            amount: self.amount,
            date: self.date.map(|day| day.0),
            tag: self.tag,
            reference: self.reference,
            note: self.note,
            metadata: self.metadata.unwrap_or_default(),
            ..NewPayment::new(self.r#type.convert())
        }
    }
}
