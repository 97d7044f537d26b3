//! A receipt, as it is frozen when it is issued and as it is sent.

use racun_kernel::{Decimal, PaymentType, tax_number};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::macros::format_description;

use crate::message::{amount_text, cents, time_text};
use crate::protective_code::CodedFacts;
use crate::tax::Figures;
use crate::{Authority, Buyer, Means, PlaceOfIssue, ProtectiveCode, Sale, Signer, SigningFailed};

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
    pub place: PlaceOfIssue,
    /// `BrOznRac`.
    pub number: i64,
    /// `Pdv`: one entry per rate.
    pub vat: Vec<TaxLine>,
    /// `Pnp`: the consumption tax, one entry per rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumption: Vec<TaxLine>,
    /// `IznosOslobPdv`: exempt.
    pub exempt: Option<Decimal>,
    /// `IznosMarza`: what of `untaxed` is taxed by its margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Decimal>,
    /// `IznosNePodlOpor`: not subject to tax.
    pub untaxed: Option<Decimal>,
    /// `IznosUkupno`.
    pub total: Decimal,
    /// `NacinPlac`.
    pub means: PaymentMeans,
    /// `OibOper`.
    pub operator_oib: String,
    /// `ZastKod`: the ZKI.
    pub zki: ProtectiveCode,
    /// How it was made.
    pub zki_algorithm: ZkiAlgorithm,
    /// Serial number of the certificate whose key made it, decimal.
    pub zki_certificate: String,
    /// `ParagonBrRac`: the number of the form of a bound book that it was written on while the
    /// device did not work (NN 89/2025, article 22).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragon: Option<String>,
    /// `OibPrimateljaRacuna`: the buyer's, for a business that pays in cash or by card.
    pub buyer_oib: Option<String>,
}

/// `NapojnicaZahtjev`: the tips on a receipt. A later message on the same receipt replaces the
/// earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tip {
    /// The receipt as it was fiscalized. Tips are no part of its total.
    pub receipt: Receipt,
    /// `NakDost` of the message by which CIS took the receipt.
    pub late: bool,
    /// `iznosNapojnice`: all tips on the receipt together.
    pub amount: Decimal,
    /// `nacinPlacanjaNapojnice`.
    pub means: PaymentMeans,
}

/// `PromijeniPodatkeRacunaZahtjev`: a receipt as it was fiscalized, and how it is paid instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The receipt with its original means, however often it was changed.
    pub receipt: Receipt,
    /// `NakDost` of the message by which CIS took the receipt: it wants to hear the same again.
    #[serde(default)]
    pub late: bool,
    /// `PromijenjeniNacinPlac`.
    pub means: PaymentMeans,
    /// `PromijenjeniOibPrimateljaRacuna`; `None` is sent as an empty element.
    pub buyer_oib: Option<String>,
}

/// What a receipt is issued from.
#[derive(Debug, Clone)]
pub struct IssueArguments<'a> {
    /// What the document says.
    pub sale: &'a Sale,
    /// `fina.payment_type` of the request.
    pub payment_type: Option<Means>,
    /// The taxpayer's OIB.
    pub oib: String,
    /// Whether the taxpayer is in the VAT system.
    pub in_vat_system: bool,
    /// Where it is issued.
    pub place: PlaceOfIssue,
    /// Its number in the sequence of that place.
    pub number: i64,
    /// When it is issued.
    pub issued_at: OffsetDateTime,
    /// The OIB of who issues it.
    pub operator_oib: String,
    /// Serial number of the certificate whose key signs, decimal.
    pub certificate: String,
    /// Number of the form of a bound book that it was written on.
    pub paragon: Option<String>,
}

impl PaymentMeans {
    /// How a receipt is paid: as `chosen` says, else as the payments `made` say, else by bank
    /// transfer.
    ///
    /// Means of one code count once, so two cards are a card; several codes are `O`.
    #[must_use]
    pub fn of(chosen: Option<Means>, made: &[PaymentType]) -> Self {
        if let Some(chosen) = chosen {
            return chosen.into();
        }
        let mut codes = made.iter().map(|kind| Self::from(*kind));
        let Some(first) = codes.next() else { return Self::T };
        if codes.all(|code| code == first) { first } else { Self::O }
    }

    /// The means of this code that the interface shows by default.
    #[must_use]
    pub const fn shown(self) -> Means {
        match self {
            Self::G => Means::Cash,
            Self::K => Means::Card,
            Self::T => Means::BankTransfer,
            Self::O => Means::Other,
        }
    }

    /// Whether the buyer's OIB goes with it: a business that pays in cash or by card gets a
    /// fiscalized receipt in the place of an electronic invoice (NN 89/2025, articles 15(6) and
    /// 39).
    const fn names_buyer(self) -> bool {
        match self {
            Self::G | Self::K => true,
            Self::T | Self::O => false,
        }
    }
}

impl From<PaymentType> for PaymentMeans {
    /// The code of the schema, version 1.9, which has none for checks. What settles without money
    /// is `O` too.
    fn from(kind: PaymentType) -> Self {
        match kind {
            PaymentType::Cash => Self::G,
            PaymentType::Card | PaymentType::CreditCard | PaymentType::DebitCard => Self::K,
            PaymentType::BankTransfer => Self::T,
            PaymentType::Check
            | PaymentType::OnlineWallet
            | PaymentType::Coupon
            | PaymentType::Other
            | PaymentType::CreditNote
            | PaymentType::Advance => Self::O,
        }
    }
}

impl From<Means> for PaymentMeans {
    /// The code of the schema, version 1.9.
    fn from(means: Means) -> Self {
        match means {
            Means::Cash => Self::G,
            Means::Card => Self::K,
            Means::BankTransfer => Self::T,
            Means::Online | Means::OnlineWallet | Means::Crypto | Means::Coupon | Means::Other => {
                Self::O
            }
        }
    }
}

/// The OIB that is sent of `buyer`: a Croatian business's, when it pays in cash or by card.
///
/// A tax number that is no OIB is left out, because CIS would refuse the receipt for it (s013,
/// 180).
fn buyer_oib(buyer: Option<&Buyer>, means: PaymentMeans) -> Option<String> {
    let buyer = buyer.filter(|buyer| !buyer.is_end_consumer && means.names_buyer())?;
    let is_croatian = buyer.country_code.as_deref() == Some("HR");
    let number = buyer.tax_number.as_deref().filter(|_| is_croatian)?.trim();
    let oib = number.strip_prefix("HR").unwrap_or(number);
    tax_number::is_oib(oib).then(|| oib.to_owned())
}

impl Receipt {
    /// The receipt that says what the sale says, marked with its ZKI.
    ///
    /// Its parts make its total. What a buyer owes the tax of is not subject to tax here: the
    /// schema has no field of its own for it. Neither is what a margin scheme taxes: `IznosMarza`
    /// repeats it and is in no sum (check 166). Who is not in the VAT system states no parts
    /// (checks 142 to 145).
    ///
    /// # Errors
    /// When the key cannot sign.
    pub fn issue(
        arguments: IssueArguments<'_>,
        signer: &dyn Signer,
    ) -> Result<Self, SigningFailed> {
        let IssueArguments { sale, oib, in_vat_system, place, number, operator_oib, .. } =
            arguments;
        let issued_at = Authority::Fina.local(arguments.issued_at);
        let figures = Figures::of(sale);
        let facts = CodedFacts {
            taxpayer: &oib,
            issued_at,
            number: &number.to_string(),
            place: &place,
            total: &figures.total,
        };
        let zki = facts.sign(signer)?;
        let means = PaymentMeans::of(arguments.payment_type, &sale.means);
        let untaxed = figures.without_tax();
        let line = |(rate, base, amount)| TaxLine { rate, base, amount };
        let vat = figures.vat.into_iter().filter(|_| in_vat_system).map(line).collect();
        let consumption = figures.consumption.into_iter().map(line).collect();
        Ok(Self {
            vat,
            consumption,
            exempt: figures.exempt.filter(|_| in_vat_system),
            margin: figures.margin.filter(|_| in_vat_system),
            untaxed: untaxed.filter(|_| in_vat_system),
            total: figures.total,
            means,
            zki,
            zki_algorithm: ZkiAlgorithm::RsaSha256,
            zki_certificate: arguments.certificate,
            paragon: arguments.paragon,
            buyer_oib: buyer_oib(sale.buyer.as_ref(), means),
            oib,
            in_vat_system,
            issued_at,
            place,
            number,
            operator_oib,
        })
    }

    /// The address that the printed QR code holds: by the JIR, or by the ZKI while there is none.
    ///
    /// Source: technical specification 2.7, chapter 2.7. `izn` is the total in cents without
    /// leading zeros.
    #[must_use]
    pub fn qr(&self, jir: Option<&str>) -> String {
        let id = match jir {
            Some(jir) => format!("jir={jir}"),
            None => format!("zki={}", self.zki),
        };
        let form = format_description!("[year][month][day]_[hour][minute]");
        let issued_at = time_text(self.issued_at, form);
        let total = amount_text(&self.total).replace('.', "");
        let (sign, digits) = match total.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", total.as_str()),
        };
        let significant = digits.trim_start_matches('0');
        let cents = if significant.is_empty() { "0" } else { significant };
        format!("https://porezna.gov.hr/rn?{id}&datv={issued_at}&izn={sign}{cents}")
    }

    /// The message that says that this receipt, which CIS took with `late` as `NakDost`, is paid by
    /// `means` instead. `buyer` is the document's, named by the rule of [`Receipt::issue`].
    #[must_use]
    pub fn change(&self, means: PaymentMeans, buyer: Option<&Buyer>, late: bool) -> Change {
        Change { receipt: self.clone(), late, means, buyer_oib: buyer_oib(buyer, means) }
    }

    /// The message that says that tips of `amount` came with this receipt, which CIS took with
    /// `late` as `NakDost`, paid by `means`.
    #[must_use]
    pub fn tip(&self, amount: Decimal, means: PaymentMeans, late: bool) -> Tip {
        Tip { receipt: self.clone(), late, amount: cents(&amount), means }
    }
}
