//! The texts that are sent to FURS.
//!
//! The payload of the JSON form and the root element of the XML form name the same fields in the
//! same order: technical specification 3.2, chapters 4 and 6, and its two schemas.

use racun_kernel::SalesBook;
use racun_kernel::calendar::format_date;
use time::OffsetDateTime;
use time::macros::format_description;

use super::{
    BookInvoice, Invoice, MovableKind, Operator, Premise, PremiseKind, RealEstate, SoftwareMaker,
    TaxBreakdown, TaxLine,
};
use crate::message::{FieldValue, Fields, time_text};
use crate::{Authority, Correction, Header, Numbering};

/// The attribute `Id` of the XML form's root element, which a signature refers to.
pub const ELEMENT_ID: &str = "data";

impl Invoice {
    /// The payload of an `InvoiceRequest`, to be signed as a JWS. `subsequent` says that the
    /// invoice was handed out without an EOR.
    #[must_use]
    pub fn json(&self, header: &Header, subsequent: bool) -> String {
        Fields::default().fields("InvoiceRequest", self.request(header, subsequent)).json()
    }

    /// The element `InvoiceRequest` without its signature, in canonical form within an envelope
    /// that binds the prefixes `soapenv` and `fu` and no other.
    #[must_use]
    pub fn xml(&self, header: &Header, subsequent: bool) -> String {
        root("InvoiceRequest", &self.request(header, subsequent))
    }

    fn request(&self, header: &Header, subsequent: bool) -> Fields {
        Fields::default().fields("Header", head(header)).fields("Invoice", self.fields(subsequent))
    }

    fn fields(&self, subsequent: bool) -> Fields {
        let structure = match self.place.numbering {
            Numbering::PerPremise => "C",
            Numbering::PerDevice => "B",
        };
        let place = (self.place.premise.as_str(), self.place.device.as_str());
        let fields = Fields::default()
            .whole("TaxNumber", &self.tax_number)
            .text("IssueDateTime", local_text(self.issued_at))
            .text("NumberingStructure", structure)
            .fields("InvoiceIdentifier", identifier(place, self.number))
            .with_some("CustomerVATNumber", self.customer_vat_number.clone().map(FieldValue::Text))
            .amount("InvoiceAmount", &self.total)
            .amount("PaymentAmount", &self.payment)
            .with(
                "TaxesPerSeller",
                FieldValue::Repeated(vec![FieldValue::Fields(self.taxes.fields())]),
            );
        let fields = match &self.operator {
            Operator::TaxNumber(number) => fields.whole("OperatorTaxNumber", number),
            Operator::Foreign => fields.with("ForeignOperator", FieldValue::Flag(true)),
        };
        fields
            .text("ProtectedID", self.zoi.to_string())
            .with_some("SubsequentSubmit", subsequent.then_some(FieldValue::Flag(true)))
            .repeated("ReferenceInvoice", self.references.iter().filter_map(reference))
            .repeated("ReferenceSalesBook", self.references.iter().filter_map(reference_form))
            .with_some("SpecialNotes", self.special_notes.clone().map(FieldValue::Text))
    }
}

impl BookInvoice {
    /// The payload of an `InvoiceRequest`, to be signed as a JWS.
    #[must_use]
    pub fn json(&self, header: &Header) -> String {
        Fields::default().fields("InvoiceRequest", self.request(header)).json()
    }

    /// The element `InvoiceRequest` without its signature, in canonical form within an envelope
    /// that binds the prefixes `soapenv` and `fu` and no other.
    #[must_use]
    pub fn xml(&self, header: &Header) -> String {
        root("InvoiceRequest", &self.request(header))
    }

    fn request(&self, header: &Header) -> Fields {
        Fields::default().fields("Header", head(header)).fields("SalesBookInvoice", self.fields())
    }

    fn fields(&self) -> Fields {
        Fields::default()
            .whole("TaxNumber", &self.tax_number)
            .text("IssueDate", format_date(self.issued_on))
            .fields("SalesBookIdentifier", form(&self.book))
            .text("BusinessPremiseID", self.premise.as_str())
            .with_some("CustomerVATNumber", self.customer_vat_number.clone().map(FieldValue::Text))
            .amount("InvoiceAmount", &self.total)
            .amount("PaymentAmount", &self.payment)
            .with(
                "TaxesPerSeller",
                FieldValue::Repeated(vec![FieldValue::Fields(self.taxes.fields())]),
            )
            .repeated("ReferenceSalesBook", self.references.iter().filter_map(reference_form))
            .repeated("ReferenceInvoice", self.references.iter().filter_map(reference))
    }
}

impl TaxBreakdown {
    fn fields(&self) -> Fields {
        let line = |line: &TaxLine| {
            Fields::default()
                .amount("TaxRate", &line.rate)
                .amount("TaxableAmount", &line.base)
                .amount("TaxAmount", &line.amount)
        };
        Fields::default()
            .repeated("VAT", self.vat.iter().map(line))
            .some_amount("ExemptVATTaxableAmount", self.exempt.as_ref())
            .some_amount("ReverseVATTaxableAmount", self.reverse_charge.as_ref())
            .some_amount("NontaxableAmount", self.untaxed.as_ref())
            .some_amount("SpecialTaxRulesAmount", self.margin.as_ref())
    }
}

impl Premise {
    /// The payload of a `BusinessPremiseRequest`, to be signed as a JWS.
    #[must_use]
    pub fn json(&self, header: &Header) -> String {
        Fields::default().fields("BusinessPremiseRequest", self.request(header)).json()
    }

    /// The element `BusinessPremiseRequest` without its signature, in canonical form within an
    /// envelope that binds the prefixes `soapenv` and `fu` and no other.
    #[must_use]
    pub fn xml(&self, header: &Header) -> String {
        root("BusinessPremiseRequest", &self.request(header))
    }

    fn request(&self, header: &Header) -> Fields {
        Fields::default().fields("Header", head(header)).fields("BusinessPremise", self.fields())
    }

    fn fields(&self) -> Fields {
        let kind = match &self.kind {
            PremiseKind::RealEstate(place) => {
                Fields::default().fields("RealEstateBP", place.fields())
            }
            PremiseKind::Movable(kind) => Fields::default().text("PremiseType", kind.letter()),
        };
        let maker = match &self.software_maker {
            SoftwareMaker::TaxNumber(number) => Fields::default().whole("TaxNumber", number),
            SoftwareMaker::Foreign(title) => Fields::default().text("NameForeign", title.as_str()),
        };
        Fields::default()
            .whole("TaxNumber", &self.tax_number)
            .text("BusinessPremiseID", self.name.as_str())
            .fields("BPIdentifier", kind)
            .text("ValidityDate", format_date(self.valid_from))
            .with_some("ClosingTag", self.is_closing.then(|| FieldValue::Text("Z".to_owned())))
            .repeated("SoftwareSupplier", [maker])
    }
}

impl RealEstate {
    fn fields(&self) -> Fields {
        let property = Fields::default()
            .whole("CadastralNumber", &self.cadastral_number)
            .whole("BuildingNumber", &self.building_number)
            .whole("BuildingSectionNumber", &self.building_section);
        let additional = self.house_number_additional.clone().map(FieldValue::Text);
        let address = Fields::default()
            .text("Street", self.street.as_str())
            .text("HouseNumber", self.house_number.as_str())
            .with_some("HouseNumberAdditional", additional)
            .text("Community", self.community.as_str())
            .text("City", self.city.as_str())
            .text("PostalCode", self.postal_code.as_str());
        Fields::default().fields("PropertyID", property).fields("Address", address)
    }
}

impl MovableKind {
    const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
        }
    }
}

fn root(name: &str, request: &Fields) -> String {
    let start = format!(
        "fu:{name} xmlns:fu=\"http://www.fu.gov.si/\" \
         xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" Id=\"{ELEMENT_ID}\""
    );
    request.xml(&start, &format!("fu:{name}"), "fu")
}

fn head(header: &Header) -> Fields {
    Fields::default()
        .text("MessageID", header.message_id.to_string())
        .text("DateTime", local_text(Authority::Furs.local(header.sent_at)))
}

fn identifier((premise, device): (&str, &str), number: i64) -> Fields {
    Fields::default()
        .text("BusinessPremiseID", premise)
        .text("ElectronicDeviceID", device)
        .text("InvoiceNumber", number.to_string())
}

fn form(book: &SalesBook) -> Fields {
    Fields::default()
        .text("InvoiceNumber", book.invoice_number.as_str())
        .text("SetNumber", book.set_number.as_str())
        .text("SerialNumber", book.serial_number.as_str())
}

fn reference(corrected: &Correction) -> Option<Fields> {
    let Correction::Invoice(corrected) = corrected else { return None };
    let place = (corrected.premise.as_str(), corrected.device.as_str());
    let issued_at = local_text(Authority::Furs.local(corrected.issued_at));
    Some(
        Fields::default()
            .fields("ReferenceInvoiceIdentifier", identifier(place, corrected.number))
            .text("ReferenceInvoiceIssueDateTime", issued_at),
    )
}

fn reference_form(corrected: &Correction) -> Option<Fields> {
    let Correction::Form(corrected) = corrected else { return None };
    Some(
        Fields::default()
            .fields("ReferenceSalesBookIdentifier", form(&corrected.book))
            .text("ReferenceSalesBookIssueDate", format_date(corrected.issued_on)),
    )
}

/// The wall clock of Slovenia, without an offset.
fn local_text(local: OffsetDateTime) -> String {
    time_text(local, format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]"))
}
