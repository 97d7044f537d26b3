//! The content of a document's report to a tax authority: operator, means of payment, amounts.

use racun_documents::{Document, DocumentKind};
use racun_fiscal::{Authority, FiscalSettings, Means, Message, ReportContent, fina};
use racun_fiscalization::{FinaRequest, FiscalRequest, FursRequest};
use racun_kernel::{OperatorIdentity, Person, Principal, Role, Scope};
use racun_sales::documents::{Creation, DocumentRequest};
use racun_settlement::PaymentType::{self, BankTransfer, Card, Cash, Check, DebitCard};

use crate::fiscal::{in_croatia, in_slovenia, stamp_on};
use crate::fixture::{Shop, decimal, issues, line, request};
use crate::office::{
    Fiscalizing, OPERATORS, fina as said_to_fina, fiscal, paid, record, worth_100,
};
use crate::takings::on_sqlite;

/// A right to sell, of a person or of a key.
#[expect(clippy::disallowed_methods, reason = "a test lets itself in")]
fn scope_of(shop: &Shop, person: Option<Person>) -> Scope {
    let principal = match &person {
        Some(person) => Principal::User(person.user_id),
        None => Principal::EntityKey(shop.stamp.id()),
    };
    let environment = shop.scope.environment();
    let scope =
        Scope::grant(shop.scope.account(), shop.entity.id, environment, principal, Role::Editor);
    match person {
        Some(person) => scope.used_by(person),
        None => scope,
    }
}

#[tokio::test]
async fn the_operator_is_the_requests_the_persons_or_the_entitys() {
    for authority in [Authority::Furs, Authority::Fina] {
        let mut own = Fiscalizing::open(authority, on_sqlite(), stamp_on(false)).await;
        let [of_request, of_person] = match authority {
            Authority::Furs => ["12345678", "87654321"],
            Authority::Fina => ["12345678903", "69435151530"],
        };
        let known = OperatorIdentity {
            number: Some(of_person.to_owned()),
            label: Some("Oseba".to_owned()),
        };
        let person = Person {
            user_id: own.shop.stamp.id(),
            name: None,
            email: "ana@klas.example".to_owned(),
            furs: Some(known.clone()),
            fina: Some(known),
        };
        let said = |number: &str, label: &str| {
            let (number, label) = (Some(number.to_owned()), Some(label.to_owned()));
            FiscalRequest {
                furs: FursRequest {
                    operator_tax_number: number.clone(),
                    operator_label: label.clone(),
                    ..FursRequest::default()
                },
                fina: FinaRequest {
                    operator_oib: number,
                    operator_label: label,
                    ..FinaRequest::default()
                },
                ..Default::default()
            }
        };
        let of_entity = OPERATORS[usize::from(authority == Authority::Fina)];
        for (person, request, number, label) in [
            (Some(person.clone()), said(of_request, "Zahteva"), of_request, "Zahteva"),
            (Some(person), FiscalRequest::default(), of_person, "Oseba"),
            (None, said(of_request, "Zahteva"), of_request, "Zahteva"),
            (None, FiscalRequest::default(), of_entity, "Ana"),
        ] {
            own.shop.scope = scope_of(&own.shop, person);
            let sold = own.sell(&[Cash], request).await.unwrap();
            let record = record(&sold);
            assert_eq!(record.operator_number.as_deref(), Some(number));
            assert_eq!(record.operator_label.as_deref(), Some(label));
        }
        let settings =
            FiscalSettings { operator_number: None, operator_label: None, ..own.settings() };
        own.store_settings(&settings).await;
        let found = issues(own.sell(&[Cash], FiscalRequest::default()).await.unwrap_err());
        let field = authority.number_field();
        assert!(found[0].contains(&format!("{}.{field}", authority.name())), "{found:?}");
        let found = issues(own.sell(&[Cash], said("123", "x")).await.unwrap_err());
        assert!(found[0].contains(field), "{found:?}");
    }
    let own = in_slovenia().await;
    let settings = FiscalSettings {
        operator_number: None,
        foreign_operator: true,
        operator_label: Some("Tujec".to_owned()),
        ..own.settings()
    };
    own.store_settings(&settings).await;
    let sold = own.invoice().await;
    assert_eq!(record(&sold).operator_number, None);
    assert_eq!(record(&sold).operator_label.as_deref(), Some("Tujec"));
    let heard = own.office.heard();
    let Message::FursInvoice { invoice, .. } = &heard[0].message else { panic!() };
    assert_eq!(invoice.operator, racun_fiscal::furs::Operator::Foreign);
}

#[tokio::test]
async fn croatia_hears_how_it_is_paid_and_only_of_today() {
    use fina::PaymentMeans::{G, K, O, T};
    let own = in_croatia().await;
    let cases: [(&[PaymentType], Option<Means>, fina::PaymentMeans, &str); 8] = [
        (&[], None, T, "bank_transfer"),
        (&[Cash], None, G, "cash"),
        (&[Card, DebitCard], None, K, "card"),
        (&[Cash, Card], None, O, "other"),
        (&[Check], None, O, "other"),
        (&[], Some(Means::Cash), G, "cash"),
        (&[Cash], Some(Means::OnlineWallet), O, "online_wallet"),
        (&[BankTransfer], None, T, "bank_transfer"),
    ];
    for (kinds, payment_type, means, name) in cases {
        let said = FinaRequest { payment_type, ..FinaRequest::default() };
        let sold = own.sell(kinds, said_to_fina(said)).await.unwrap();
        let heard = own.office.heard();
        let ReportContent::Fina(sent) = heard[0].content() else { panic!() };
        assert_eq!((sent.means, record(&sold).payment_type.as_deref()), (means, Some(name)));
    }
}

#[tokio::test]
async fn amounts_are_reported_by_rate_and_what_has_none_apart() {
    let own = in_slovenia().await;
    let taxed = |rate: &str| {
        let mut line = line("Kruh", "1", "100");
        line.taxes.as_mut().unwrap()[0].rate = Some(decimal(rate));
        line
    };
    let mut untaxed = line("Kavcija", "1", "7");
    untaxed.taxes = Some(Vec::new());
    let lines = vec![taxed("22"), taxed("9.5"), taxed("22"), taxed("0"), untaxed];
    let kind = DocumentKind::Invoice;
    own.make(kind, request(lines), Creation::default(), &own.shop.stamp).await.unwrap();
    let heard = own.office.heard();
    let ReportContent::Furs(sent) = heard[0].content() else { panic!() };
    let vat: Vec<_> =
        sent.taxes.vat.iter().map(|tax| (tax.rate.clone(), tax.base.clone())).collect();
    assert_eq!(vat.len(), 2, "{vat:?}");
    assert!(vat.contains(&(decimal("22"), decimal("200"))), "{vat:?}");
    assert_eq!(sent.taxes.exempt, Some(decimal("100")));
    assert_eq!(sent.taxes.untaxed, Some(decimal("7")));
    assert_eq!(sent.total, decimal("460.5"));
    // The sandbox has no rate of it.
    let foreign = DocumentRequest { currency_code: Some("ILS".to_owned()), ..worth_100() };
    let sold = own.make(kind, foreign, Creation::default(), &own.shop.stamp).await;
    assert!(issues(sold.unwrap_err())[0].contains("exchange_rate"));
}

#[tokio::test]
async fn a_refusal_keeps_all_that_the_authority_says_until_it_is_taken() {
    for authority in [Authority::Furs, Authority::Fina] {
        let stamp = stamp_on(false);
        let own = Fiscalizing::open(authority, on_sqlite(), stamp.clone()).await;
        let text = "Račun sadrži restriktivne greške: 179, 180.";
        own.office.then_refuses_with(&[("s013", text), ("s005", "OIB")]);
        let sold = own.invoice().await;
        let codes = |document: &Document| -> Vec<String> {
            fiscal(document).errors.iter().map(|error| error.code.clone()).collect()
        };
        // Only CIS lists numbers in its text.
        let expected: &[&str] = match authority {
            Authority::Furs => &["s013", "s005"],
            Authority::Fina => &["s013", "179", "180", "s005"],
        };
        assert_eq!(codes(&sold), expected);
        assert_eq!(fiscal(&sold).errors[0].message, text);
        assert_eq!(fiscal(&sold).error.as_deref(), Some("s013"));
        let done = own.fiscalize(&sold, Default::default(), &stamp).await.unwrap();
        assert_eq!(codes(&done), [""; 0]);
    }
}

#[tokio::test]
async fn documents_that_cis_does_not_take_are_refused_without_a_number() {
    let own = in_croatia().await;
    let stamp = own.shop.stamp.clone();
    let sell = async |price: &str, kinds: &[PaymentType], payment_type: Option<Means>| {
        let said = FinaRequest { payment_type, ..FinaRequest::default() };
        let creation =
            Creation { payments: paid(kinds), fiscal: said_to_fina(said), ..Creation::default() };
        let request = request(vec![line("Auto", "1", price)]);
        own.make(DocumentKind::Invoice, request, creation, &stamp).await
    };
    for (price, kinds, chosen, path) in [
        ("8196.73", &[Cash][..], None, "payments"),
        ("8196.73", &[Card], None, "payments"),
        ("8196.73", &[], Some(Means::Cash), "fina.payment_type"),
        ("122950.83", &[], None, "payments"),
    ] {
        let refused = issues(sell(price, kinds, chosen).await.unwrap_err());
        let [issue] = &refused[..] else { panic!("{refused:?}") };
        assert!(issue.contains(path) && issue.contains("check 16"), "{issue}");
    }
    assert!(own.series().await.is_empty() && own.office.heard().is_empty());
    sell("8196.72", &[Cash], None).await.unwrap();
    sell("122950.82", &[], None).await.unwrap();
}
