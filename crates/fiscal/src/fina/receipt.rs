//! A receipt, as it is frozen when it is issued and as it is sent.

use racun_kernel::Decimal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Mark, Place};

/// `NacinPlac`: how a receipt is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PaymentMeans {
    /// Cash.
    G,
    /// Card.
    K,
    /// Bank transfer.
    T,
    /// Anything else, and several at once.
    O,
}

/// Hash of the signature that a ZKI is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZkiAlgorithm {
    /// SHA-256.
    RsaSha256,
}

/// A tax by rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxLine {
    /// Percent.
    pub rate: Decimal,
    /// What is taxed.
    pub base: Decimal,
    /// The tax.
    pub amount: Decimal,
}

/// A receipt to CIS: signs are those of the message, so a credit note is negative.
///
/// It never changes once it is issued; repetitions send the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The taxpayer's OIB.
    pub oib: String,
    /// `USustPdv`: whether the taxpayer is in the VAT system.
    pub in_vat_system: bool,
    /// `DatVrijeme`: to the second, with the offset of Europe/Zagreb.
    #[serde(with = "time::serde::rfc3339")]
    pub issued_at: OffsetDateTime,
    /// Premise, device, and what its number is of.
    pub place: Place,
    /// `BrOznRac`.
    pub number: i64,
    /// `Pdv`: one entry per rate.
    pub vat: Vec<TaxLine>,
    /// `IznosOslobPdv`: exempt.
    pub exempt: Option<Decimal>,
    /// `IznosNePodlOpor`: not subject to tax.
    pub untaxed: Option<Decimal>,
    /// `IznosUkupno`.
    pub total: Decimal,
    /// `NacinPlac`.
    pub means: PaymentMeans,
    /// `OibOper`.
    pub operator_oib: String,
    /// `ZastKod`: the ZKI.
    pub zki: Mark,
    /// How it was made.
    pub zki_algorithm: ZkiAlgorithm,
    /// Serial number of the certificate whose key made it, decimal.
    pub zki_certificate: String,
    /// `OibPrimateljaRacuna`: the buyer's, for a business that pays in cash or by card.
    pub buyer_oib: Option<String>,
}

/// `PromijeniPodatkeRacunaZahtjev`: a receipt as it was fiscalized, and how it is paid instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The receipt with its original means, however often it was changed.
    pub receipt: Receipt,
    /// `PromijenjeniNacinPlac`.
    pub means: PaymentMeans,
    /// `PromijenjeniOibPrimateljaRacuna`; `None` is sent as an empty element.
    pub buyer_oib: Option<String>,
}
