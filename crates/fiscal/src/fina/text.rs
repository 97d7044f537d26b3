//! The texts that are sent to CIS: exclusive canonical XML, so that what is digested is what is
//! sent.
//!
//! Source: the schema, version 1.9, and the technical specification 2.7, chapter 7.

use time::OffsetDateTime;
use time::macros::format_description;

use super::{Change, PaymentMeans, Receipt, TaxLine, Tip};
use crate::message::{FieldValue, Fields, amount_text, time_text};
use crate::{Authority, Header, Numbering};

impl Receipt {
    /// The element `RacunZahtjev` without its signature; its attribute `Id` is its name. `late`
    /// says that the receipt was handed out without a JIR.
    #[must_use]
    pub fn xml(&self, header: &Header, late: bool) -> String {
        root("RacunZahtjev", header, self.fields(late))
    }

    fn fields(&self, late: bool) -> Fields {
        let sequence = match self.place.numbering {
            Numbering::PerPremise => "P",
            Numbering::PerDevice => "N",
        };
        let number = Fields::default()
            .text("BrOznRac", self.number.to_string())
            .text("OznPosPr", self.place.premise.as_str())
            .text("OznNapUr", self.place.device.as_str());
        let fields = Fields::default()
            .text("Oib", self.oib.as_str())
            .with("USustPdv", FieldValue::Flag(self.in_vat_system))
            .text("DatVrijeme", local_text(self.issued_at))
            .text("OznSlijed", sequence)
            .fields("BrRac", number);
        let vat = Fields::default().repeated("Porez", self.vat.iter().map(tax));
        let fields = if self.vat.is_empty() { fields } else { fields.fields("Pdv", vat) };
        let pnp = Fields::default().repeated("Porez", self.consumption.iter().map(tax));
        let fields = if self.consumption.is_empty() { fields } else { fields.fields("Pnp", pnp) };
        fields
            .some_amount("IznosOslobPdv", self.exempt.as_ref())
            .some_amount("IznosMarza", self.margin.as_ref())
            .some_amount("IznosNePodlOpor", self.untaxed.as_ref())
            .amount("IznosUkupno", &self.total)
            .text("NacinPlac", self.means.code())
            .text("OibOper", self.operator_oib.as_str())
            .text("ZastKod", self.zki.to_string())
            .with("NakDost", FieldValue::Flag(late))
            .with_some("ParagonBrRac", self.paragon.clone().map(FieldValue::Text))
            .with_some("OibPrimateljaRacuna", self.buyer_oib.clone().map(FieldValue::Text))
    }
}

impl Change {
    /// The element `PromijeniPodatkeRacunaZahtjev` without its signature; its attribute `Id` is its
    /// name.
    #[must_use]
    pub fn xml(&self, header: &Header) -> String {
        let fields = self
            .receipt
            .fields(self.late)
            .text("PromijenjeniNacinPlac", self.means.code())
            .text("PromijenjeniOibPrimateljaRacuna", self.buyer_oib.as_deref().unwrap_or_default());
        root("PromijeniPodatkeRacunaZahtjev", header, fields)
    }
}

impl Tip {
    /// The element `NapojnicaZahtjev` without its signature; its attribute `Id` is its name.
    #[must_use]
    pub fn xml(&self, header: &Header) -> String {
        let tip = Fields::default()
            .text("iznosNapojnice", amount_text(&self.amount))
            .text("nacinPlacanjaNapojnice", self.means.code());
        root("NapojnicaZahtjev", header, self.receipt.fields(self.late).fields("Napojnica", tip))
    }
}

impl PaymentMeans {
    /// The code of the schema.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::G => "G",
            Self::K => "K",
            Self::T => "T",
            Self::O => "O",
        }
    }
}

fn tax(line: &TaxLine) -> Fields {
    Fields::default()
        .text("Stopa", amount_text(&line.rate))
        .text("Osnovica", amount_text(&line.base))
        .text("Iznos", amount_text(&line.amount))
}

fn root(name: &str, header: &Header, receipt: Fields) -> String {
    let head = Fields::default()
        .text("IdPoruke", header.message_id.to_string())
        .text("DatumVrijeme", local_text(Authority::Fina.local(header.sent_at)));
    let start =
        format!("tns:{name} xmlns:tns=\"http://www.apis-it.hr/fin/2012/types/f73\" Id=\"{name}\"");
    Fields::default().fields("Zaglavlje", head).fields("Racun", receipt).xml(
        &start,
        &format!("tns:{name}"),
        "tns",
    )
}

/// The wall clock of Croatia, without an offset.
fn local_text(local: OffsetDateTime) -> String {
    time_text(local, format_description!("[day].[month].[year]T[hour]:[minute]:[second]"))
}
