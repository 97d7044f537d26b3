use racun_mail::{DocumentWords, Values, Wording, fill};

const DOCUMENTS: [DocumentWords; 5] = [
    DocumentWords::Invoice,
    DocumentWords::Estimate,
    DocumentWords::CreditNote,
    DocumentWords::AdvanceInvoice,
    DocumentWords::DeliveryNote,
];

#[test]
fn every_language_says_what_it_is_about() {
    let others = [
        (Wording::Reminder, "{invoice_list}"),
        (Wording::PasswordReset, "{link}"),
        (Wording::Verification, "{link}"),
        (Wording::Invitation, "{link}"),
        (Wording::Export, "{link}"),
    ];
    let documents = DOCUMENTS.map(|kind| (Wording::Document(kind), "{invoice_link}"));
    for locale in ["sl-SI", "hr", "de-DE", "en-US"] {
        for (wording, variable) in documents.iter().chain(&others) {
            let words = wording.words(locale);
            assert!(words.body.contains(variable), "{wording:?} {locale}");
            assert!(!words.subject.is_empty() && words.subject.len() < 100);
        }
    }
    assert_eq!(Wording::Reminder.words("fi-FI"), Wording::Reminder.words("en-US"));
    assert_ne!(Wording::Reminder.words("sl-SI"), Wording::Reminder.words("hr-HR"));
}

#[test]
fn built_in_texts_use_known_variables_only() {
    let mut values = Values::default();
    for name in [
        "entity_name",
        "document_number",
        "document_date",
        "document_due_date",
        "document_valid_until",
        "document_total",
        "document_currency",
        "customer_name",
        "invoice_link",
        "invoice_list",
        "total_amount",
        "overdue_count",
        "payment_instructions",
        "link",
        "product",
    ] {
        values.set(name, Some("x"));
    }
    let all = DOCUMENTS.map(Wording::Document).into_iter().chain([
        Wording::Reminder,
        Wording::PasswordReset,
        Wording::Verification,
        Wording::Invitation,
        Wording::Export,
    ]);
    for wording in all {
        for locale in ["sl", "hr", "de", "en"] {
            let words = wording.words(locale);
            let filled = fill(words.subject, &values) + &fill(words.body, &values);
            assert!(!filled.contains('{'), "{wording:?} {locale}: {filled}");
        }
    }
}
