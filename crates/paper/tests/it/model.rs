//! What is on a document, and what is not.

use proptest::prelude::*;
use racun_documents::{
    Content, Document, DocumentKind, FiscalRecord, Fiscalization, Party, PtOperatorSnapshot,
    PtRecord, TitleType,
};
use racun_kernel::{Authority, BankAccount, Decimal, Environment};
use racun_paper::{
    CodeKind, ColumnKey, Display, Language, Paper, ReceiptTexts, Row, Source, State, Symbol,
    Template, Upn, modules,
};
use racun_store::testing::stamp;
use time::macros::{date, datetime};

use crate::sample::{
    cash, content, decimal, draft, fiscal_record, invoice, issued, line, look, paid, paper, source,
    voided,
};

fn states(paper: &Paper) -> Vec<State> {
    paper.banners.iter().map(|banner| banner.state).collect()
}

fn kinds(paper: &Paper) -> Vec<CodeKind> {
    let codes = paper.payment.iter().flat_map(|payment| &payment.codes);
    codes.map(|code| code.kind).collect()
}

fn fact<'a>(paper: &'a Paper, key: &str) -> Option<&'a str> {
    let payment = paper.payment.iter().flat_map(|payment| &payment.facts);
    let mut facts = paper.facts.iter().chain(payment);
    facts.find(|fact| fact.key == key).map(|fact| fact.text.as_str())
}

fn total<'a>(paper: &'a Paper, key: &str) -> Option<&'a str> {
    paper.totals.iter().find(|total| total.key == key).map(|total| total.text.as_str())
}

/// The lines of the customer's address.
fn address(country: Option<&str>, code: Option<&str>) -> Vec<String> {
    let mut content = content();
    let customer = content.customer.as_mut().expect("a customer");
    customer.country = country.map(str::to_owned);
    customer.country_code = code.map(str::to_owned);
    content.issuer.country = Some("Slovenia".to_owned());
    paper(&made(DocumentKind::Invoice, content)).customer.expect("a customer").address
}

#[test]
fn another_country_is_in_the_address_by_its_name_or_its_code() {
    for (country, code, shown) in [
        (Some("Austria"), None, Some("Austria")),
        (Some("Austria"), Some("AT"), Some("Austria")),
        (None, Some("AT"), Some("AT")),
        (Some("slovenia"), None, None),
        (Some("Slovenija"), Some("SI"), None),
        (None, None, None),
    ] {
        let address = address(country, code);
        assert_eq!(address.get(2).map(String::as_str), shown, "{address:?}");
    }
}

#[test]
fn what_is_printed_adds_up_when_a_cent_was_added_to_the_tax() {
    let mut document = made(DocumentKind::Invoice, content());
    let cent = decimal("0.01");
    document.amounts.rounding_correction = Some(cent.clone());
    document.amounts.taxes[0].tax.amount += &cent;
    document.amounts.total_with_tax += &cent;
    let paper = paper(&issued(document));
    let keys: Vec<&str> = paper.totals.iter().map(|total| total.key).collect();
    assert_eq!(keys, ["subtotal", "tax", "total_with_tax", "total_due"]);
    let texts: Vec<String> =
        paper.totals.iter().map(|total| total.text.replace('\u{a0}', " ")).collect();
    assert_eq!(texts, ["100,00 €", "22,01 €", "122,01 €", "122,01 €"]);
}

fn made(kind: DocumentKind, content: Content) -> Document {
    draft(kind, content, vec![line("Svetovanje", "2", "50", "22")])
}

#[test]
fn codes_ask_for_what_is_due_and_only_where_something_is() {
    let open = paper(&paid(invoice(), "22"));
    assert_eq!(kinds(&open), [CodeKind::UpnQr, CodeKind::EpcQr]);
    let upn = &open.payment.as_ref().unwrap().codes[0];
    let payload = String::from_utf8_lossy(&upn.payload).into_owned();
    assert!(payload.contains("\n00000010000\n"), "100 of 122 are due: {payload}");
    assert!(payload.contains("\nSI002026-00018\n"), "{payload}");
    assert_eq!(upn.symbol, Symbol::Qr { version: Some(15), eci: Some(4) });
    assert_eq!(modules(upn.symbol, &upn.payload).unwrap().width, 77);
    assert_eq!(upn.width_mm, (30, 36));
    assert_eq!(fact(&open, "reference"), Some("SI00 2026-00018"));
    let dollars = Content { currency: "USD".parse().unwrap(), ..content() };
    let mut without_account = content();
    without_account.issuer.bank_account = None;
    let proforma = Content { title_type: TitleType::ProformaInvoice, ..content() };
    for (document, codes) in [
        (paid(invoice(), "122"), 0),
        (voided(invoice()), 0),
        (made(DocumentKind::Invoice, content()), 0),
        (issued(made(DocumentKind::CreditNote, content())), 0),
        (issued(made(DocumentKind::DeliveryNote, content())), 0),
        (issued(made(DocumentKind::Estimate, content())), 0),
        (issued(made(DocumentKind::Estimate, proforma)), 2),
        (issued(made(DocumentKind::Invoice, dollars)), 0),
        (issued(made(DocumentKind::Invoice, without_account)), 0),
    ] {
        assert_eq!(kinds(&paper(&document)).len(), codes, "{:?}", document.id.kind());
    }
    let draft = made(DocumentKind::Invoice, content());
    let preview = Paper::of(&Source { is_preview: true, ..source(&draft, "sl") });
    assert_eq!(kinds(&preview).len(), 2, "a preview shows what is going to be there");
}

#[test]
fn a_reference_that_checks_is_in_the_code_and_another_text_is_none() {
    let with = |reference: &str| {
        let content = Content { reference: Some(reference.to_owned()), ..content() };
        let paper = paper(&issued(made(DocumentKind::Invoice, content)));
        String::from_utf8_lossy(&paper.payment.unwrap().codes[0].payload).into_owned()
    };
    assert!(with("SI12 2026000018").contains("\nSI122026000018\n"));
    assert!(with("RF18 5390 0754 7034").contains("\nRF18539007547034\n"));
    let other = with("PO-4711");
    assert!(other.contains("\nSI99\n") && other.contains("PO-4711 "), "{other}");
}

#[test]
fn croatian_accounts_have_hub3_by_the_model_of_the_settings() {
    let mut content = content();
    content.issuer.bank_account = Some(BankAccount {
        iban: Some("HR1723600001101234565".to_owned()),
        ..BankAccount::default()
    });
    let document = issued(made(DocumentKind::Invoice, content));
    let mut source = source(&document, "hr");
    source.look.epc = false;
    for (model, reference) in [
        ("HR00", "HR00\n2026-00018"),
        ("HR01", "HR01\n2026-000182"),
        ("HR10", "HR10\n20265-000183"),
        ("HR02", "HR00\n2026-00018"),
        ("HR99", "HR99\n"),
    ] {
        source.look.hub3.as_mut().unwrap().reference_model = model.to_owned();
        let paper = Paper::of(&source);
        assert_eq!(kinds(&paper), [CodeKind::Hub3]);
        let said = fact(&paper, "reference").map(|text| text.replace(' ', "\n"));
        assert_eq!(said.as_deref(), Some(reference.trim_end()), "{model}");
        let payload = paper.payment.unwrap().codes.remove(0).payload;
        let payload = String::from_utf8(payload).unwrap();
        let expected = format!("\n{reference}\nOTHR\nRačun 2026-00018");
        assert!(payload.contains(&expected), "{model}: {payload}");
    }
}

#[test]
fn the_whole_slip_says_what_its_code_says() {
    let document = invoice();
    let mut source = source(&document, "sl");
    source.look.upn = Some(Upn { display: Display::FullSlip, ..Upn::default() });
    let paper = Paper::of(&source);
    let slip = &paper.payment.as_ref().unwrap().codes[0].slip;
    let texts: Vec<&str> = slip.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Čebelica Žan\nPot 2\n2000 Maribor",
            "OTHR",
            "Račun 2026-00018",
            "20.12.2026",
            "***122,00",
            "SI56 1920 0123 4567 892",
            "SI00 2026-00018",
            "Pekarna Klas d.o.o.\nSlovenska 1\n1000 Ljubljana",
        ]
    );
}

#[test]
fn documents_that_it_refers_to_are_named() {
    let document = invoice();
    let named = |numbers: &[&str]| {
        let linked: Vec<String> = numbers.iter().map(|number| (*number).to_owned()).collect();
        let paper = Paper::of(&Source { linked: &linked, ..source(&document, "sl") });
        fact(&paper, "linked_document").map(str::to_owned)
    };
    assert_eq!(named(&[]), None);
    assert_eq!(named(&["DOB-3", "\u{202e} ", "2026-7"]).as_deref(), Some("DOB-3, 2026-7"));
}

#[test]
fn where_a_document_stands_is_said_at_its_head() {
    assert!(states(&paper(&invoice())).is_empty());
    assert_eq!(states(&paper(&made(DocumentKind::Invoice, content()))), [State::Draft]);
    assert_eq!(states(&paper(&voided(invoice()))), [State::Void]);
    assert_eq!(states(&paper(&paid(invoice(), "122"))), [State::Paid]);
    let document = invoice();
    let late = Source { today: date!(2026 - 12 - 21), ..source(&document, "sl") };
    assert_eq!(states(&Paper::of(&late)), [State::Overdue]);
    let until = Content { date_valid_till: Some(date!(2026 - 12 - 01)), ..content() };
    let estimate = issued(made(DocumentKind::Estimate, until));
    let late = Source { today: date!(2026 - 12 - 02), ..source(&estimate, "sl") };
    assert_eq!(states(&Paper::of(&late)), [State::Expired]);
    let at = stamp(datetime!(2026-11-20 10:00 UTC));
    let accepted = estimate.accept(date!(2026 - 11 - 20), &at).unwrap();
    assert_eq!(states(&paper(&accepted)), [State::Accepted]);
    let paper = paper(&made(DocumentKind::Invoice, content()));
    assert_eq!((paper.number, paper.banners[0].text.as_str()), (None, "Osnutek"));
}

#[test]
fn a_delivery_note_that_hides_prices_says_no_amount() {
    let hidden = Content { hide_prices: true, ..content() };
    let paper = paper(&issued(made(DocumentKind::DeliveryNote, hidden)));
    let columns: Vec<ColumnKey> = paper.lines.columns.iter().map(|column| column.key).collect();
    assert_eq!(columns, [ColumnKey::Position, ColumnKey::Name, ColumnKey::Quantity]);
    assert!(paper.totals.is_empty() && paper.taxes.is_none() && paper.carried_label.is_none());
    assert!(paper.texts().iter().all(|text| !text.contains('€')), "{:?}", paper.texts());
}

#[test]
fn credit_is_below_zero_where_the_settings_want_it() {
    let credit = issued(made(DocumentKind::CreditNote, content()));
    assert_eq!(total(&paper(&credit), "total_with_tax"), Some("122,00\u{a0}€"));
    let mut source = source(&credit, "sl");
    source.look.negative_credit = true;
    let paper = Paper::of(&source);
    assert_eq!(total(&paper, "total_with_tax"), Some("-122,00\u{a0}€"));
    let Row::Cells { cells, .. } = &paper.lines.rows[0] else { panic!("no line") };
    assert!(cells.contains(&"-100,00".to_owned()), "{cells:?}");
}

#[test]
fn payments_are_shown_as_the_settings_say() {
    let document = paid(invoice(), "22");
    let payments = [cash("22")];
    let shown = Source { payments: &payments, ..source(&document, "sl") };
    let paper = Paper::of(&shown);
    assert_eq!(total(&paper, "total_due"), Some("100,00\u{a0}€"));
    assert!(paper.texts().contains(&"Gotovina"));
    let mut hidden = Source { payments: &payments, ..source(&document, "sl") };
    hidden.look.shows_payments = false;
    let paper = Paper::of(&hidden);
    assert!(paper.payments.is_none() && total(&paper, "total_due").is_none());
    assert_eq!(kinds(&paper).len(), 2, "it is owed nevertheless");
}

#[test]
fn a_receipt_says_what_the_settings_have_for_receipts() {
    let mut content = content();
    content.texts.note = Some("Miza 5".to_owned());
    content.texts.footer = Some("Noga".to_owned());
    content.texts.signature = Some("Ana".to_owned());
    let document = issued(made(DocumentKind::Invoice, content));
    let text = |text: &str| Some(text.to_owned());
    let receipt = ReceiptTexts { note: text("Hvala"), footer: text("Nasvidenje"), signature: None };
    let of = |template, receipt: &ReceiptTexts| {
        let mut source = Source { receipt: receipt.clone(), ..source(&document, "sl") };
        source.look.template = template;
        let paper = Paper::of(&source);
        let signature = paper.signature.and_then(|signature| signature.text);
        [paper.notes.into_iter().next().map(|note| note.text), paper.footer, signature]
    };
    let own = [text("Miza 5"), text("Noga"), text("Ana")];
    assert_eq!(of(Template::Modern, &receipt), own);
    assert_eq!(of(Template::Receipt80, &ReceiptTexts::default()), own);
    let on_a_roll = [text("Miza 5\nHvala"), text("Nasvidenje"), text("Ana")];
    assert_eq!(of(Template::Receipt58, &receipt), on_a_roll);
    let receipt = ReceiptTexts { note: text(" \u{202e}"), footer: None, signature: text("Bor") };
    let on_a_roll = [text("Miza 5"), text("Noga"), text("Bor")];
    assert_eq!(of(Template::Receipt80, &receipt), on_a_roll, "a blank text is none");
}

#[test]
fn variables_in_texts_of_the_issuer_stand_for_what_the_document_says() {
    let filled = |footer: &str| {
        let mut content = content();
        content.texts.footer = Some(footer.to_owned());
        content.customer.as_mut().unwrap().name = Some("{iban}\u{202e}".to_owned());
        paper(&issued(made(DocumentKind::Invoice, content))).footer.unwrap_or_default()
    };
    let plain = |text: String| text.replace('\u{a0}', " ");
    for (footer, said) in [
        ("{entity_name}, {entity_tax_number}", "Pekarna Klas d.o.o., SI12345679"),
        ("{document_number} {document_date}", "2026-00018 20. 11. 2026"),
        ("{document_total} {document_currency}", "122,00 EUR"),
        ("{customer_name} {iban}", "{iban} SI56 1920 0123 4567 892"),
        ("{{entity_city}} {no_such} {", "{Ljubljana} {no_such} {"),
        ("[{entity_email}{unit_name}]", "[]"),
        ("{entity_email}", ""),
    ] {
        assert_eq!(plain(filled(footer)), said, "{footer}");
    }
    assert_eq!(filled(&"{".repeat(500)), "{".repeat(500));
    let mut hidden = Content { hide_prices: true, ..content() };
    hidden.texts.footer = Some("[{document_total}]".to_owned());
    let paper = paper(&issued(made(DocumentKind::DeliveryNote, hidden)));
    assert_eq!(paper.footer.as_deref(), Some("[]"), "hidden prices are in no text");
}

#[test]
fn reverse_charge_is_said_in_the_language_of_the_document() {
    let mut line = line("Beratung", "1", "100", "0");
    line.taxes[0].reverse_charge = true;
    let document = issued(draft(DocumentKind::Invoice, content(), vec![line]));
    let paper = Paper::of(&source(&document, "de"));
    assert_eq!(paper.clauses, ["Steuerschuldnerschaft des Leistungsempfängers"]);
    assert_eq!((paper.language, paper.locale), ("de", "de-DE"));
}

#[test]
fn fiscal_marks_and_their_code_are_printed() {
    let record = fiscal_record();
    let at = stamp(datetime!(2026-11-20 10:00 UTC));
    let told = Fiscalization::pending(Authority::Furs, record.clone());
    let paper = paper(&invoice().with_fiscalization(told, &at));
    let texts: Vec<&str> = paper.marks[0].facts.iter().map(|fact| fact.text.as_str()).collect();
    let mark = "a".repeat(32);
    assert_eq!(texts, [mark.as_str(), "eor-2"]);
    assert_eq!(paper.marks[0].code.as_ref().unwrap().payload, "1".repeat(60).as_bytes());
    assert_eq!(fact(&paper, "operator"), Some("Miha"));
    let issued_at = fact(&paper, "issued_at").map(|text| text.replace('\u{a0}', " "));
    assert_eq!(issued_at.as_deref(), Some("20. 11. 2026 11:02:03"));
    assert!(!paper.texts().iter().any(|text| text.contains("12345678")), "no tax number is shown");
    let test = FiscalRecord { environment: Environment::Sandbox, ..record };
    let told = Fiscalization::pending(Authority::Fina, test);
    let croatian = crate::sample::paper(&invoice().with_fiscalization(told, &at));
    assert_eq!(states(&croatian), [State::Test]);
    assert_eq!(croatian.marks[0].facts[1].text, "eor-1", "in Croatia the first counts");
}

/// What a document has by being certified, whose code says `qr`.
fn certified(qr: &str) -> Document {
    let unique = "ATCUD:AAJFB7NT-1";
    let record = PtRecord {
        series_id: "pt_series_01jd6m0000000000000000000c".parse().expect("an id"),
        series_code: "2026A".to_owned(),
        validation_code: "AAJFB7NT".to_owned(),
        atcud: "AAJFB7NT-1".to_owned(),
        number: 1,
        hash: Some("a".repeat(172)),
        hash_control: "1".to_owned(),
        qr: qr.to_owned(),
        printed: vec!["aaaa-Processado por programa".to_owned(), unique.to_owned()],
        certificate: 9999,
        code: "FT".to_owned(),
        entered_at: "2026-11-20T10:00:00".to_owned(),
        region: "PT".to_owned(),
        manual: None,
        operator: PtOperatorSnapshot {
            first_name: "Ana".to_owned(),
            last_name: "Silva".to_owned(),
            tax_number: "123456789".to_owned(),
        },
        source_id: "user".to_owned(),
        references: Vec::new(),
        voided: None,
        report: None,
    };
    Document { pt: Some(Box::new(record)), ..invoice() }
}

#[test]
fn a_certified_document_has_its_unique_code_above_the_qr_code() {
    let qr = "A:501442600*B:999999990*C:PT*D:FT*E:N*F:20261120*G:FT 2026A/1*H:AAJFB7NT-1";
    let unique = "ATCUD:AAJFB7NT-1";
    let paper = paper(&certified(qr));
    let marks = &paper.marks[0];
    assert_eq!((marks.key, marks.on_each_page.as_deref()), ("pt", Some(unique)));
    assert_eq!(marks.sentences.last().map(String::as_str), Some(unique));
    let code = marks.code.as_ref().unwrap();
    assert_eq!((code.payload.as_slice(), code.width_mm.0), (qr.as_bytes(), 30));
    assert!(!paper.texts().iter().any(|text| text.contains("123456789")), "no operator's number");
}

/// The lengths are those of the examples of AT ("Código QR", 1.0), and those at the limit.
#[test]
fn the_code_of_a_certified_document_has_version_9_at_least() {
    for (length, version) in
        [(1, 9), (116, 9), (141, 9), (180, 9), (181, 10), (209, 10), (452, 17), (700, 21)]
    {
        let code = paper(&certified(&"A".repeat(length))).marks[0].code.clone().unwrap();
        let drawn = modules(code.symbol, &code.payload).unwrap();
        assert_eq!(drawn.width, 17 + 4 * version, "{length} characters");
        assert!(code.width_mm.0 >= 30);
    }
}

#[test]
fn texts_of_others_change_nothing_but_themselves() {
    let evil = "\u{202e}=cmd|' /C calc'!A0\u{1b}@\u{0}<script>#{x}\u{2066}".replace('\0', "");
    let long = "W".repeat(10_000);
    let mut content = content();
    content.customer = Some(Party { name: Some(evil.clone()), ..Party::default() });
    content.texts.note = Some(long.clone());
    let paper = paper(&issued(made(DocumentKind::Invoice, content)));
    let is_harmless = |text: &&str| {
        text.chars().all(|sign| {
            (sign == '\n' || !sign.is_control())
                && !('\u{202a}'..='\u{202e}').contains(&sign)
                && !('\u{2066}'..='\u{2069}').contains(&sign)
        })
    };
    let texts = paper.texts();
    assert!(texts.iter().all(is_harmless), "{texts:?}");
    assert!(texts.contains(&"=cmd|' /C calc'!A0@<script>#{x}"));
    assert!(texts.contains(&long.as_str()), "nothing is cut");
}

#[test]
fn every_language_has_its_own_words_and_no_internal_ids() {
    let document = invoice();
    for language in Language::ALL {
        let mut source = source(&document, language.code());
        source.look = look();
        let paper = Paper::of(&source);
        let id = document.id.to_string();
        let entity = document.entity_id.to_string();
        for text in paper.texts() {
            assert!(!text.contains(&id) && !text.contains(&entity), "{text}");
        }
        assert_eq!(paper.totals.len(), 4, "{}", language.code());
    }
}

proptest! {
    #[test]
    fn amounts_are_those_that_are_stored(
        lines in proptest::collection::vec((1i64..10_000, 0i64..10_000_000, 0usize..4), 1..30),
        paid_cents in 0i64..1_000_000,
    ) {
        let rates = ["22", "9.5", "5", "0"];
        let lines = lines.iter().map(|(quantity, price, rate)| {
            let quantity = Decimal::new(*quantity, 2).to_string();
            line("x", &quantity, &Decimal::new(*price, 2).to_string(), rates[*rate])
        });
        let document = issued(draft(DocumentKind::Invoice, content(), lines.collect()));
        let document = paid(document, &Decimal::new(paid_cents, 2).to_string());
        let paper = Paper::of(&source(&document, "en"));
        let read = |text: &str| decimal(&text.replace(['€', ','], ""));
        let said = |key| total(&paper, key).map(read);
        let amounts = &document.amounts;
        prop_assert_eq!(said("subtotal"), Some(amounts.total.clone()));
        prop_assert_eq!(said("total_with_tax"), Some(amounts.total_with_tax.clone()));
        prop_assert_eq!(said("total_due"), Some(document.total_due()));
        let rows = paper.taxes.iter().flat_map(|table| &table.rows);
        let mut sum = Decimal::zero();
        for row in rows {
            let Row::Cells { cells, .. } = row else { panic!("no cells") };
            sum += &read(&cells[1]);
            sum += &read(&cells[2]);
        }
        prop_assert_eq!(sum, amounts.total_with_tax.clone(), "taxes by rate");
        let Some(Row::Cells { carried, .. }) = paper.lines.rows.last() else { panic!("no line") };
        let carried = carried.as_deref().map(read);
        prop_assert_eq!(carried, Some(amounts.total.clone()), "what is carried over");
        let html = paper.page(&Default::default()).html;
        for key in ["subtotal", "total_with_tax", "total_due"] {
            prop_assert!(html.contains(total(&paper, key).unwrap()));
        }
    }
}
