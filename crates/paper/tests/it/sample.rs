//! Documents for tests.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use racun_documents::calculation::CalculationMode;
use racun_documents::{
    Content, CreationSource, Document, DocumentKind, EInvoiceOptions, FiscalRecord, Issued,
    LineTaxDetail, NewDocument, NewLine, Party, SettledTotals, Stage, Texts, TitleType,
    TransactionType, Translations, Voided,
};
use racun_kernel::id::EntityId;
use racun_kernel::{BankAccount, Currency, Decimal, Environment, Metadata};
use racun_paper::{Hub3, Language, Look, Paper, PaymentMade, ReceiptTexts, Source, Upn};
use racun_store::testing::stamp;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};
use ulid::Ulid;

pub const TODAY: Date = date!(2026 - 11 - 20);
const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

pub fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

pub fn line(name: &str, quantity: &str, price: &str, rate: &str) -> NewLine {
    let tax = LineTaxDetail {
        tax_id: None,
        rate: decimal(rate),
        classification: None,
        reverse_charge: false,
        amount: Decimal::zero(),
        is_deductible: None,
        deductible_percentage: None,
        pt_exemption_code: None,
        pt_exemption_reason: None,
    };
    NewLine {
        name: Some(name.to_owned()),
        quantity: Some(decimal(quantity)),
        price: Some(decimal(price)),
        taxes: vec![tax],
        ..NewLine::default()
    }
}

pub fn content() -> Content {
    let account = BankAccount {
        iban: Some("SI56192001234567892".to_owned()),
        bank_name: Some("Deželna banka".to_owned()),
        ..BankAccount::default()
    };
    Content {
        date: TODAY,
        date_due: Some(date!(2026 - 12 - 20)),
        date_valid_till: None,
        title_type: TitleType::default(),
        hide_prices: false,
        date_service: None,
        date_service_to: None,
        issuer: Party {
            name: Some("Pekarna Klas d.o.o.".to_owned()),
            address: Some("Slovenska 1".to_owned()),
            post_code: Some("1000".to_owned()),
            city: Some("Ljubljana".to_owned()),
            country_code: Some("SI".to_owned()),
            tax_number: Some("SI12345679".to_owned()),
            bank_account: Some(account),
            ..Party::default()
        },
        customer_id: None,
        customer: Some(Party {
            name: Some("Čebelica Žan".to_owned()),
            address: Some("Pot 2".to_owned()),
            post_code: Some("2000".to_owned()),
            city: Some("Maribor".to_owned()),
            country_code: Some("SI".to_owned()),
            ..Party::default()
        }),
        business_unit_id: None,
        business_unit: None,
        texts: Texts::default(),
        translations: Translations::default(),
        currency: Currency::EUR,
        exchange_rate: None,
        transaction_type: TransactionType::Domestic,
        vies: None,
        reference: None,
        metadata: Metadata::default(),
        e_invoices: EInvoiceOptions::default(),
        lines: Vec::new(),
    }
}

pub fn draft(kind: DocumentKind, content: Content, lines: Vec<NewLine>) -> Document {
    let new = NewDocument {
        kind,
        entity_id: EntityId::new(Ulid::from_parts(1, 1)),
        source: CreationSource::Api,
        mode: CalculationMode::default(),
        content,
        lines,
        expected_total_with_tax: None,
        given: None,
        today: TODAY,
    };
    Document::draft(new, &stamp(NOW)).unwrap()
}

/// The draft under a number.
pub fn issued(mut document: Document) -> Document {
    document.stage = Stage::Issued(Issued {
        number: "2026-00018".to_owned(),
        series: "invoice".to_owned(),
        sequence: 18,
        at: NOW,
    });
    document
}

pub fn voided(document: Document) -> Document {
    document.void(Voided { at: NOW, reason: None, has_original_document: None }).unwrap()
}

pub fn paid(document: Document, amount: &str) -> Document {
    let totals = SettledTotals {
        paid: decimal(amount),
        applied: Decimal::zero(),
        credited: Decimal::zero(),
    };
    document.settled(totals, &stamp(NOW))
}

/// A plain invoice: 2 × 50 and 22 %.
pub fn invoice() -> Document {
    let lines = vec![line("Svetovanje", "2", "50", "22")];
    issued(draft(DocumentKind::Invoice, content(), lines))
}

/// What a fiscalized receipt has.
pub fn fiscal_record() -> FiscalRecord {
    FiscalRecord {
        premise: "P1".to_owned(),
        device: Some("D1".to_owned()),
        number: 18,
        issued_at: datetime!(2026-11-20 11:02:03 +1),
        mark: "a".repeat(32),
        confirmations: vec!["eor-1".to_owned(), "eor-2".to_owned()],
        qr: "1".repeat(60),
        operator_number: Some("12345678".to_owned()),
        operator_label: Some("Miha".to_owned()),
        environment: Environment::Live,
        message_id: String::new(),
        is_late: false,
        special_notes: None,
        payment_type: None,
        book: None,
        paragon: None,
    }
}

/// A look with all codes on.
pub fn look() -> Look {
    let (upn, hub3) = (Some(Upn::default()), Some(Hub3::default()));
    Look { upn, epc: true, hub3, ..Look::default() }
}

pub fn source<'a>(document: &'a Document, language: &str) -> Source<'a> {
    let language = Language::from_code(language).unwrap();
    Source {
        document,
        look: look(),
        language,
        locale: language,
        receipt: ReceiptTexts::default(),
        logo: None,
        signature: None,
        payments: &[],
        linked: &[],
        today: TODAY,
        is_preview: false,
    }
}

pub fn paper(document: &Document) -> Paper {
    Paper::of(&source(document, "sl"))
}

pub fn cash(amount: &str) -> PaymentMade {
    PaymentMade { date: TODAY, method: "cash".to_owned(), amount: decimal(amount), reference: None }
}
