//! The stages of a document and what each transition allows, changes and leaves behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use racun_documents::number_format::{FormatKind, NumberFormat};
use racun_documents::{
    Content, CreationSource, Document, DocumentError, DocumentId, DocumentKind, GivenTotals, Line,
    LineTaxDetail, NewDocument, NewLine, NumberFormats, Numbering, Party, PaymentChange, Refused,
    Revision, Stage, Voided,
};
use racun_kernel::id::EntityId;
use racun_kernel::{Currency, Decimal, ExchangeRate, Person, Stamp, Tenant};
use racun_store::Record;
use racun_store::testing::stamp;
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};
use ulid::Ulid;

const TODAY: Date = date!(2026 - 11 - 20);
const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn entity() -> EntityId {
    EntityId::new(Ulid::from_parts(1, 1))
}

fn line(name: &str, quantity: &str, price: &str, rate: &str) -> NewLine {
    NewLine {
        name: Some(name.to_owned()),
        quantity: Some(decimal(quantity)),
        price: Some(decimal(price)),
        taxes: vec![LineTaxDetail::at(decimal(rate))],
        ..NewLine::default()
    }
}

/// What a plain document says.
pub fn content() -> Content {
    let issuer = Party { name: Some("Pekarna Klas d.o.o.".to_owned()), ..Party::default() };
    let content = Content::new(TODAY, issuer, Currency::EUR);
    Content { date_due: Some(date!(2026 - 12 - 20)), ..content }
}

fn new(kind: DocumentKind) -> NewDocument {
    let lines = vec![line("Svetovanje", "40", "150", "22"), line("Licenca", "1", "2500", "22")];
    NewDocument::new(kind, entity(), content(), lines)
}

fn formats() -> NumberFormats {
    NumberFormats {
        main: NumberFormat::parse("{yyyy}-{nnnnn}", FormatKind::Main).unwrap(),
        unit: NumberFormat::parse("{yyyy}-{u}-{nnnnn}", FormatKind::Unit).unwrap(),
        start: 1,
    }
}

fn numbering(document: &Document) -> Numbering {
    let kind = document.id.kind();
    Numbering::of(kind, document.tenant(), document.content.date, &formats(), None)
}

fn issued(kind: DocumentKind, stamp: &Stamp) -> Document {
    let draft = Document::draft(new(kind), stamp).unwrap();
    let numbering = numbering(&draft);
    draft.issue(&numbering, 7, None, TODAY, stamp).unwrap()
}

fn revision(document: &Document) -> Revision {
    Revision {
        content: document.content.clone(),
        lines: None,
        may_edit_issued: true,
        today: TODAY,
        editor: None,
        change_reason: None,
    }
}

fn issues(result: Result<impl std::fmt::Debug, DocumentError>) -> Vec<String> {
    match result.unwrap_err() {
        DocumentError::Invalid(issues) => issues.iter().map(ToString::to_string).collect(),
        other => panic!("expected issues, got {other:?}"),
    }
}

#[test]
fn a_draft_has_totals_but_no_number() {
    let draft = Document::draft(new(DocumentKind::Invoice), &stamp(NOW)).unwrap();
    assert!(draft.number().starts_with("draft-"));
    assert_eq!(draft.amounts.total, decimal("8500"));
    assert_eq!(draft.amounts.total_with_tax, decimal("10370"));
    assert_eq!(draft.content.lines[0].total_with_tax, decimal("7320"));
    assert_eq!(draft.content.lines[0].taxes[0].amount, decimal("1320"));
    assert!(draft.content.lines[0].id.starts_with("inv_item_"));
    assert!(!draft.paid_in_full());
}

#[test]
fn an_issued_document_keeps_who_issued_it() {
    let stamp = stamp(NOW);
    let operator = Person {
        user_id: stamp.id(),
        name: Some("Eva".to_owned()),
        email: "eva@example.com".to_owned(),
        furs: None,
        fina: None,
    };
    let draft = Document::draft(new(DocumentKind::Invoice), &stamp).unwrap();
    assert_eq!(draft.operator, None);
    let numbering = numbering(&draft);
    let invoice = draft.issue(&numbering, 7, Some(operator.clone()), TODAY, &stamp).unwrap();
    let voided = Voided { at: NOW, reason: None, has_original_document: None };
    let voided = invoice.void(voided).unwrap();
    assert_eq!(voided.operator.as_ref(), Some(&operator));
    let mut stored = serde_json::to_value(&voided).unwrap();
    assert_eq!(stored["operator"]["user_id"], operator.user_id.to_string(), "where reports look");
    stored.as_object_mut().unwrap().remove("operator");
    let old: Document = serde_json::from_value(stored).unwrap();
    assert_eq!(old.operator, None, "documents of before have none");
}

#[test]
fn issuing_gives_a_number_once() {
    let stamp = stamp(NOW);
    let invoice = issued(DocumentKind::Invoice, &stamp);
    assert_eq!(invoice.number(), "2026-00007");
    let numbering = numbering(&invoice);
    assert_eq!(numbering.series.key, "invoice/2026");
    assert_eq!(numbering.series.tenant, Tenant::entity(entity()));
    let again = invoice.issue(&numbering, 8, None, TODAY, &stamp);
    assert_eq!(again, Err(DocumentError::Refused(Refused::NotDraft)));
}

#[test]
fn dates_must_fit_together() {
    let check = |change: &dyn Fn(&mut Content), expected: &[&str]| {
        let mut document = new(DocumentKind::Invoice);
        change(&mut document.content);
        let found = issues(Document::draft(document, &stamp(NOW)));
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    };
    check(&|c| c.date = date!(2026 - 11 - 21), &["date: must not be in the future"]);
    check(&|c| c.date_due = Some(date!(2026 - 11 - 19)), &["date_due: must not be before"]);
    check(
        &|c| {
            c.date_service = Some(date!(2026 - 11 - 02));
            c.date_service_to = Some(date!(2026 - 11 - 01));
        },
        &["date_service_to: must not be before"],
    );
}

#[test]
fn every_wrong_line_is_named_by_its_index() {
    let mut document = new(DocumentKind::Invoice);
    document.lines[0].name = None;
    document.lines[1].gross_price = Some(decimal("1"));
    document.lines.push(NewLine { name: Some("Brez cene".to_owned()), ..NewLine::default() });
    let found = issues(Document::draft(document, &stamp(NOW)));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("items[0].name"), "{found:?}");
    assert!(found[1].starts_with("items[1].gross_price"), "{found:?}");
    assert!(found[2].starts_with("items[2].price"), "{found:?}");

    let empty = NewDocument { lines: Vec::new(), ..new(DocumentKind::Invoice) };
    assert!(issues(Document::draft(empty, &stamp(NOW)))[0].starts_with("items: expected 1 to"));
}

#[test]
fn credit_notes_hold_positive_values_only() {
    let mut document = new(DocumentKind::CreditNote);
    document.lines[0].quantity = Some(decimal("-1"));
    assert!(issues(Document::draft(document, &stamp(NOW)))[0].starts_with("items[0].quantity"));
    let mut returned = new(DocumentKind::Invoice);
    returned.lines[0].quantity = Some(decimal("-1"));
    let invoice = Document::draft(returned, &stamp(NOW)).unwrap();
    assert_eq!(invoice.content.lines[0].total, decimal("-150"));
}

#[test]
fn an_update_leaves_a_version_with_the_document_as_it_was() {
    let stamp = stamp(NOW);
    let invoice = issued(DocumentKind::Invoice, &stamp);
    let mut change = revision(&invoice);
    change.content.texts.note = Some("Hvala".to_owned());
    change.lines = Some(vec![line("Svetovanje", "10", "150", "22")]);
    change.change_reason = Some("Napačna količina".to_owned());
    let (after, version) = invoice.clone().update(change, &stamp).unwrap();
    let version = version.unwrap();
    assert_eq!(version.changed_fields, ["note", "items", "total", "total_with_tax"]);
    assert_eq!(version.version, 1);
    assert_eq!(*version.before, invoice);
    assert_eq!(after.number(), invoice.number());
    assert_eq!(after.amounts.total_with_tax, decimal("1830"));
}

#[test]
fn the_id_of_a_line_finds_its_document() {
    let document = issued(DocumentKind::DeliveryNote, &stamp(NOW));
    let lines = document.content.lines.iter().map(Line::again);
    let added = line("Added a day later", "1", "2", "22");
    let revision = Revision { lines: Some(lines.chain([added]).collect()), ..revision(&document) };
    let (document, _) = document.update(revision, &stamp(NOW + time::Duration::DAY)).unwrap();
    for line in &document.content.lines {
        let (first, last) = DocumentId::of_line(&line.id).unwrap();
        assert!((first..=last).contains(&document.id), "{} of {}", line.id, document.id);
    }
    let mut ids: Vec<_> = document.content.lines.iter().map(|line| &line.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), document.content.lines.len());
    assert_eq!(DocumentId::of_line(&document.id.to_string()), None);
}

#[test]
fn an_update_that_changes_nothing_leaves_no_version() {
    let stamp = stamp(NOW);
    let invoice = issued(DocumentKind::Invoice, &stamp);
    let (after, version) = invoice.clone().update(revision(&invoice), &stamp).unwrap();
    assert_eq!((after, version), (invoice, None));
}

#[test]
fn the_year_of_an_issued_document_stays() {
    let stamp = stamp(NOW);
    let invoice = issued(DocumentKind::Invoice, &stamp);
    let mut change = revision(&invoice);
    change.content.date = date!(2025 - 12 - 31);
    assert!(issues(invoice.update(change, &stamp))[0].starts_with("date: the number"));
    let draft = Document::draft(new(DocumentKind::Invoice), &stamp).unwrap();
    let mut change = revision(&draft);
    change.content.date = date!(2025 - 12 - 31);
    assert!(draft.update(change, &stamp).is_ok());
}

#[test]
fn what_each_stage_refuses() {
    let stamp = stamp(NOW);
    let void = || Voided { at: NOW, reason: None, has_original_document: None };
    let draft = || Document::draft(new(DocumentKind::Invoice), &stamp).unwrap();
    let invoice = || issued(DocumentKind::Invoice, &stamp);
    let voided = || invoice().void(void()).unwrap();
    let refused = |result: Result<Document, DocumentError>| match result.unwrap_err() {
        DocumentError::Refused(refused) => refused.code(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(draft().void(void())), "document_is_draft");
    assert_eq!(refused(voided().void(void())), "document_voided");
    assert_eq!(refused(invoice().delete(&stamp)), "document_not_draft");
    assert_eq!(refused(voided().delete(&stamp)), "document_not_draft");
    assert_eq!(
        refused(issued(DocumentKind::Estimate, &stamp).void(void())),
        "document_not_voidable"
    );
    let edit = |document: Document, may_edit_issued| {
        let revision = Revision { may_edit_issued, ..revision(&document) };
        document.update(revision, &stamp).map(|(document, _)| document)
    };
    assert_eq!(refused(edit(voided(), true)), "document_voided");
    assert_eq!(refused(edit(invoice(), false)), "document_not_editable");
    assert!(edit(draft(), false).is_ok());
    let deleted = draft().delete(&stamp).unwrap();
    let numbering = numbering(&deleted);
    assert_eq!(refused(deleted.issue(&numbering, 1, None, TODAY, &stamp)), "document_not_draft");
    assert!(matches!(voided().stage, Stage::Voided(issued, _) if issued.sequence == 7));
}

#[test]
fn an_unconfirmed_change_of_a_payment_is_stored_and_holds_the_invoice() {
    let stamp = stamp(NOW);
    let invoice = issued(DocumentKind::Invoice, &stamp);
    let plain = serde_json::to_value(&invoice).unwrap();
    // Rows that were stored before there was such a thing are read, and new ones are no longer.
    assert_eq!(plain.get("payment_change_unconfirmed"), None);
    assert_eq!(serde_json::from_value::<Document>(plain).unwrap(), invoice);
    let change = PaymentChange {
        payment_id: Some(stamp.id()),
        from: "cash".to_owned(),
        to: "card".to_owned(),
        attempted_at: NOW,
        attempt: "1".to_owned(),
        reported: Vec::new(),
        lease_until: None,
    };
    let waiting = invoice.clone().with_payment_change(Some(change));
    let read: Document = serde_json::from_value(serde_json::to_value(&waiting).unwrap()).unwrap();
    assert_eq!(read, waiting);
    let void = || Voided { at: NOW, reason: None, has_original_document: None };
    let refused = waiting.clone().void(void()).unwrap_err();
    assert_eq!(refused, Refused::PaymentChangeUnconfirmed.into());
    assert_eq!(waiting.with_payment_change(None), invoice);
    assert!(invoice.void(void()).is_ok());
}

#[test]
fn custom_totals_are_kept_when_they_agree() {
    let given = |total: &str, with_tax: &str| NewDocument {
        source: CreationSource::Custom,
        given: Some(GivenTotals {
            total: decimal(total),
            total_with_tax: decimal(with_tax),
            total_discount: Decimal::zero(),
            taxes: Vec::new(),
        }),
        ..new(DocumentKind::Invoice)
    };
    let custom = Document::draft(given("100", "100.02"), &stamp(NOW)).unwrap();
    assert_eq!(custom.amounts.total_with_tax, decimal("100.02"));
    let refused = issues(Document::draft(given("100", "100.03"), &stamp(NOW)));
    assert!(refused[0].starts_with("total_with_tax: total and taxes come to 100"), "{refused:?}");
}

#[test]
fn totals_are_converted_at_the_given_rate() {
    let mut document = new(DocumentKind::Invoice);
    document.content.currency = "USD".parse().unwrap();
    document.content.exchange_rate = Some(ExchangeRate {
        rate: decimal("0.9273"),
        source: "ECB".to_owned(),
        date: TODAY,
        quote_currency: Currency::EUR,
    });
    let invoice = Document::draft(document, &stamp(NOW)).unwrap();
    assert_eq!(invoice.amounts.total_converted, Some(decimal("7882.05")));
    assert_eq!(invoice.amounts.total_with_tax_converted, Some(decimal("9616.10")));
    assert_eq!(invoice.amounts.taxes[0].amount_converted, Some(decimal("1734.05")));
    assert_eq!(invoice.content.lines[1].total_converted, Some(decimal("2318.25")));
}

#[test]
fn a_document_reads_back_as_stored_and_declares_each_field() {
    let invoice = issued(DocumentKind::Invoice, &stamp(NOW));
    let body = serde_json::to_string(&invoice).unwrap();
    assert_eq!(serde_json::from_str::<Document>(&body).unwrap(), invoice);
    assert_eq!(invoice.values().len(), invoice.table().fields.len());
    assert_eq!(invoice.value("number"), "2026-00007".into());
    assert_eq!(invoice.value("issuer.name"), "Pekarna Klas d.o.o.".into());
}

#[test]
fn an_ids_prefix_tells_the_kind() {
    for kind in DocumentKind::ALL {
        let id = DocumentId::new(kind, Ulid::from_parts(5, 5));
        assert_eq!(id.to_string().parse::<DocumentId>().unwrap().kind(), kind);
        assert!(id.to_string().len() <= 36);
        for other in DocumentKind::ALL {
            let read = DocumentId::of_kind(other, &id.to_string()).ok();
            assert_eq!(read, Some(id).filter(|_| other == kind), "{id} as {other:?}");
        }
    }
    assert!("item_01jb2000000000000000000000".parse::<DocumentId>().is_err());
}
