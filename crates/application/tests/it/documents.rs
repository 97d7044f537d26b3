//! Documents made of the catalogue's records and the entity's settings.

use racun_catalog::{
    CUSTOMERS, Customer, CustomerInput, ITEMS, Item, ItemInput, ItemRules, TaxInput, TaxRateInput,
};
use racun_documents::{
    Document, DocumentError, PartyPatch, TextDefaults, TransactionType, Version,
};
use racun_kernel::Patch;
use racun_records::get_document;
use racun_sales::Error;
use racun_sales::documents::{
    self, CategoryAssignment, Creation, CustomTotals, CustomerRequest, DocumentRequest, Edit,
    LineRequest, LineTaxRequest,
};
use racun_store::{Context, StoreError};
use serde_json::json;
use time::macros::{date, datetime};

use crate::fixture::{Shop, decimal, issues, line, request, said};

fn named(name: &str) -> CustomerRequest {
    let party = PartyPatch { name: Patch::Value(name.to_owned()), ..PartyPatch::default() };
    CustomerRequest { party, save_customer: None }
}

async fn item(shop: &Shop, input: ItemInput) -> Item {
    let rules = ItemRules { max_taxes_per_item: 1, today: date!(2026 - 11 - 20) };
    racun_catalog::create_item(shop.cx(), input, &rules).await.unwrap()
}

#[tokio::test]
async fn a_line_takes_from_its_item_what_it_does_not_say() {
    let shop = Shop::open().await;
    let input = ItemInput {
        name: Patch::Value("Kruh".to_owned()),
        price: Patch::Value(decimal("3.20")),
        unit: Patch::Value("kos".to_owned()),
        ..ItemInput::default()
    };
    let bread = item(&shop, input).await;
    let of_item = LineRequest {
        item_id: Some(bread.id.to_string()),
        quantity: Some(decimal("2")),
        ..LineRequest::default()
    };
    let dearer = LineRequest { gross_price: Some(decimal("5")), ..of_item.clone() };
    let invoice = shop.create(request(vec![of_item, dearer])).await.unwrap();
    let [first, second] = &invoice.content.lines[..] else { panic!("two lines") };
    assert_eq!((first.name.as_str(), first.unit.as_deref()), ("Kruh", Some("kos")));
    assert_eq!(first.total, decimal("6.40"));
    // No tax was said, neither by the line nor by the item: the entity's default holds.
    assert_eq!(first.taxes[0].rate, decimal("22"));
    assert_eq!(first.item_id, Some(bread.id));
    assert_eq!((&second.price, second.total_with_tax.clone()), (&None, decimal("10")));
}

#[tokio::test]
async fn an_empty_list_of_taxes_means_untaxed() {
    let shop = Shop::open().await;
    let untaxed = LineRequest { taxes: Some(Vec::new()), ..line("Poštnina", "1", "5") };
    let default = LineRequest { taxes: None, ..line("Poštnina", "1", "5") };
    let invoice = shop.create(request(vec![untaxed, default])).await.unwrap();
    assert_eq!(invoice.content.lines[0].total_with_tax, decimal("5"));
    assert_eq!(invoice.content.lines[1].total_with_tax, decimal("6.10"));
}

#[tokio::test]
async fn a_taxs_rate_is_that_of_the_documents_date() {
    let shop = Shop::open().await;
    let rate = |rate, valid_from| TaxRateInput { rate: decimal(rate), valid_from };
    let input = TaxInput {
        tax_rates: Patch::Value(vec![
            rate("8.5", None),
            rate("9.5", Some(datetime!(2026-07-01 0:00 UTC))),
        ]),
        classification: Patch::Value("znižana".to_owned()),
        ..TaxInput::default()
    };
    let tax = racun_catalog::create_tax(shop.cx(), input).await.unwrap();
    let by_id = LineTaxRequest { tax_id: Some(tax.id.to_string()), ..Default::default() };
    let by_name =
        LineTaxRequest { classification: Some("znižana".to_owned()), ..Default::default() };
    for chosen in [by_id, by_name] {
        let taxed = LineRequest { taxes: Some(vec![chosen]), ..line("Kruh", "1", "100") };
        let old =
            DocumentRequest { date: Some(date!(2026 - 06 - 30)), ..request(vec![taxed.clone()]) };
        assert_eq!(shop.create(old).await.unwrap().amounts.total_with_tax, decimal("108.50"));
        let new = shop.create(request(vec![taxed])).await.unwrap();
        assert_eq!(new.amounts.total_with_tax, decimal("109.50"));
        // Moving the date moves the rate, and keeps the line.
        let back = DocumentRequest { date: Some(date!(2026 - 06 - 30)), ..Default::default() };
        let moved = update(&shop, &new, back).await.unwrap();
        assert_eq!(moved.amounts.total_with_tax, decimal("108.50"));
        assert_eq!(moved.content.lines[0].id, new.content.lines[0].id);
    }
}

async fn update(
    shop: &Shop,
    document: &Document,
    request: DocumentRequest,
) -> Result<Document, Error> {
    let (store, edit) = (&*shop.store, Edit::default());
    documents::update(
        Context::new(store, &shop.scope, &shop.stamp),
        &shop.entity,
        document.id,
        request,
        edit,
    )
    .await
}

#[tokio::test]
async fn texts_come_from_the_request_the_unit_or_the_entity() {
    let shop = Shop::open()
        .await
        .with_settings(json!({
            "default_invoice_note": "Hvala",
            "document_footer": "Noga",
            "tax_clause_defaults": { "domestic": "DDV je obračunan" },
            "translations": {
                "default_invoice_note": { "sl-SI": "Hvala lepa", "de-DE": "Danke" },
                "document_footer": { "de-DE": "Fuß" },
            },
        }))
        .await;
    let unit = racun_catalog::BusinessUnitInput {
        name: Patch::Value("Trgovina".to_owned()),
        settings: Patch::Value(
            json!({ "default_invoice_note": "Pridite spet" }).as_object().unwrap().clone(),
        ),
        ..Default::default()
    };
    let unit = racun_catalog::create_business_unit(shop.cx(), unit).await.unwrap();
    let lines = || vec![line("Kruh", "1", "3")];
    let made = shop.create(request(lines())).await.unwrap();
    let german = |text: &str| Some([("de-DE".to_owned(), text.to_owned())].into());
    let translations = &made.content.translations;
    assert_eq!((&translations.note, &translations.footer), (&german("Danke"), &german("Fuß")));
    // What is said in another's place is not what was translated.
    let other = TextDefaults { note: Patch::Value("Drugo".to_owned()), ..Default::default() };
    let other = DocumentRequest { texts: other, ..DocumentRequest::default() };
    let changed = update(&shop, &made, other).await.unwrap().content;
    assert_eq!((changed.translations.note, changed.texts.footer.as_deref()), (None, Some("Noga")));
    assert_eq!(changed.translations.footer, german("Fuß"));
    let plain = made.content.texts;
    assert_eq!(plain.note.as_deref(), Some("Hvala lepa"));
    assert_eq!(plain.footer.as_deref(), Some("Noga"));
    assert_eq!(plain.tax_clause.as_deref(), Some("DDV je obračunan"));
    assert_eq!(plain.signature, None);
    let in_unit =
        DocumentRequest { business_unit_id: Patch::Value(unit.id.to_string()), ..request(lines()) };
    let in_unit = shop.create(in_unit).await.unwrap();
    assert_eq!(in_unit.content.texts.note.as_deref(), Some("Pridite spet"));
    assert_eq!(in_unit.content.texts.footer.as_deref(), Some("Noga"));
    assert_eq!(in_unit.content.translations.note, None, "a unit has one text");
    assert_eq!(in_unit.number(), "2026-1-00001");
    let none = TextDefaults { note: Patch::Value(String::new()), ..Default::default() };
    let without = shop.create(DocumentRequest { texts: none, ..request(lines()) }).await.unwrap();
    assert_eq!(without.content.texts.note, None);
    assert_eq!(without.content.translations.note, None);
}

#[tokio::test]
async fn a_new_customer_is_kept_in_the_catalogue_unless_refused() {
    let shop = Shop::open().await;
    let with = |customer| DocumentRequest {
        customer: Patch::Value(customer),
        ..request(vec![line("Kruh", "1", "3")])
    };
    let kept = shop.create(with(named("Novak"))).await.unwrap();
    let id = kept.content.customer_id.unwrap().to_string();
    let tenant = shop.scope.tenant();
    let customer: Customer = shop.store.get(&CUSTOMERS, &tenant, &id).await.unwrap().unwrap();
    assert_eq!(customer.name, "Novak");
    let apart = CustomerRequest { save_customer: Some(false), ..named("Kovač") };
    let apart = shop.create(with(apart)).await.unwrap();
    assert_eq!(apart.content.customer_id, None);
    assert_eq!(apart.content.customer.unwrap().name.as_deref(), Some("Kovač"));
    assert_eq!(shop.counts().await, [1, 0, 2]);
}

#[tokio::test]
async fn a_catalogue_customer_is_frozen_overridden_and_refreshed() {
    let shop = Shop::open().await;
    let input = CustomerInput {
        name: Patch::Value("Novak".to_owned()),
        city: Patch::Value("Kranj".to_owned()),
        ..CustomerInput::default()
    };
    let customer = racun_catalog::create_customer(shop.cx(), input).await.unwrap();
    let with = |customer_request: Patch<CustomerRequest>| DocumentRequest {
        customer_id: Patch::Value(customer.id.to_string()),
        customer: customer_request,
        ..request(vec![line("Kruh", "1", "3")])
    };
    let plain = shop.create(with(Patch::Absent)).await.unwrap();
    let frozen = plain.content.customer.clone().unwrap();
    assert_eq!((frozen.name.as_deref(), frozen.city.as_deref()), (Some("Novak"), Some("Kranj")));
    let party = PartyPatch { city: Patch::Value("Celje".to_owned()), ..PartyPatch::default() };
    let only_here = CustomerRequest { party: party.clone(), save_customer: None };
    let only_here = shop.create(with(Patch::Value(only_here))).await.unwrap();
    assert_eq!(only_here.content.customer.unwrap().city.as_deref(), Some("Celje"));
    let stored = || async {
        let id = customer.id.to_string();
        let found: Option<Customer> =
            shop.store.get(&CUSTOMERS, &shop.scope.tenant(), &id).await.unwrap();
        found.unwrap().city
    };
    assert_eq!(stored().await.as_deref(), Some("Kranj"));
    let refreshed = CustomerRequest { party, save_customer: Some(true) };
    shop.create(with(Patch::Value(refreshed))).await.unwrap();
    assert_eq!(stored().await.as_deref(), Some("Celje"));
    let again = get_document(shop.cx(), plain.id).await.unwrap();
    assert_eq!(again.content.customer, Some(frozen), "an issued document keeps its snapshot");
}

#[tokio::test]
async fn a_line_can_be_kept_as_an_item() {
    let shop = Shop::open().await;
    let kept = LineRequest { save_item: true, ..line("Potica", "1", "18") };
    let invoice = shop.create(request(vec![kept])).await.unwrap();
    let id = invoice.content.lines[0].item_id.unwrap().to_string();
    let item: Option<Item> = shop.store.get(&ITEMS, &shop.scope.tenant(), &id).await.unwrap();
    assert_eq!(item.unwrap().price, Some(decimal("18")));
}

#[tokio::test]
async fn a_refused_document_leaves_nothing_behind() {
    let shop = Shop::open().await;
    let kept = LineRequest { save_item: true, ..line("Potica", "1", "18") };
    let wrong = DocumentRequest {
        customer: Patch::Value(named("Novak")),
        expected_total_with_tax: Some(decimal("100")),
        ..request(vec![kept])
    };
    let refused = shop.create(wrong).await.unwrap_err();
    assert!(
        matches!(refused, Error::Document(DocumentError::ExpectedTotalMismatch(_))),
        "{refused:?}"
    );
    assert_eq!(shop.counts().await, [0, 0, 0]);
    let invoice = shop.create(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    assert_eq!(invoice.number(), "2026-00001");
}

#[tokio::test]
async fn records_that_a_request_names_must_exist() {
    let shop = Shop::open().await;
    let stranger = Shop::open_on(shop.store.clone(), shop.stamp.clone()).await;
    let input = CustomerInput { name: Patch::Value("Tuj".to_owned()), ..CustomerInput::default() };
    let foreign = racun_catalog::create_customer(
        Context::new(&*shop.store, &stranger.scope, &shop.stamp),
        input,
    )
    .await
    .unwrap();
    let lost = LineRequest {
        item_id: Some("item_01jb2000000000000000000000".to_owned()),
        financial_category_id: Some("x".to_owned()),
        taxes: Some(vec![LineTaxRequest {
            tax_id: Some("tax_x".to_owned()),
            ..Default::default()
        }]),
        ..line("Kruh", "1", "3")
    };
    let wrong = DocumentRequest {
        customer_id: Patch::Value(foreign.id.to_string()),
        business_unit_id: Patch::Value("unit_x".to_owned()),
        currency_code: Some("xxq".to_owned()),
        category_assignments: vec![CategoryAssignment {
            item_index: 7,
            financial_category_id: None,
        }],
        ..request(vec![lost])
    };
    let found = issues(shop.create(wrong).await.unwrap_err());
    let paths: Vec<&str> = found.iter().map(|issue| issue.split(':').next().unwrap()).collect();
    let expected = [
        "customer_id",
        "business_unit_id",
        "currency_code",
        "items[0].item_id",
        "items[0].taxes[0].tax_id",
        "items[0].financial_category_id",
        "category_assignments[0].item_index",
    ];
    assert_eq!(paths, expected, "{found:?}");
}

#[tokio::test]
async fn the_kind_of_sale_and_reverse_charge_follow_the_customer() {
    let shop = Shop::open()
        .await
        .with_settings(json!({ "tax_rules": { "eu": { "auto_reverse_charge": true } } }))
        .await;
    let german = CustomerRequest {
        party: PartyPatch {
            name: Patch::Value("Bäckerei GmbH".to_owned()),
            country_code: Patch::Value("de".to_owned()),
            tax_number: Patch::Value("DE129273398".to_owned()),
            ..PartyPatch::default()
        },
        save_customer: Some(false),
    };
    let abroad = DocumentRequest {
        customer: Patch::Value(german),
        ..request(vec![line("Kruh", "10", "3")])
    };
    let invoice = shop.create(abroad).await.unwrap();
    assert_eq!(invoice.content.transaction_type, TransactionType::IntraEuB2b);
    assert!(invoice.content.vies.as_ref().unwrap().skipped);
    assert_eq!(invoice.amounts.total_with_tax, decimal("30"));
    assert!(invoice.amounts.taxes[0].tax.reverse_charge);
}

#[tokio::test]
async fn custom_totals_and_versions_survive() {
    let shop = Shop::open().await;
    let custom = CustomTotals {
        total: decimal("10"),
        total_with_tax: decimal("12.21"),
        total_discount: None,
        taxes: vec![racun_documents::calculation::SummaryTax {
            tax_id: None,
            rate: decimal("22"),
            reverse_charge: false,
            base: decimal("10"),
            amount: decimal("2.20"),
        }],
    };
    let given = LineRequest {
        total: Some(decimal("10")),
        total_with_tax: Some(decimal("12.21")),
        ..line("Kruh", "1", "10")
    };
    let creation = Creation { custom: Some(custom), ..Creation::default() };
    let invoice = shop.make(request(vec![given]), creation).await.unwrap();
    assert_eq!(invoice.amounts.total_with_tax, decimal("12.21"));
    assert_eq!(invoice.content.lines[0].total_with_tax, decimal("12.21"));
    let note = TextDefaults { note: Patch::Value("Novo".to_owned()), ..Default::default() };
    let changed = DocumentRequest { texts: note, ..DocumentRequest::default() };
    let after = update(&shop, &invoice, changed).await.unwrap();
    assert_eq!(after.amounts, invoice.amounts);
    let fields = |version: Version| version.changed_fields;
    let versions = documents::versions(shop.cx(), invoice.id, fields).await.unwrap();
    assert_eq!(versions.rows, [["note"]]);
    assert!(!versions.has_more);
}

#[tokio::test]
async fn a_deleted_draft_is_gone() {
    let shop = Shop::open().await;
    let draft = shop.draft(request(vec![line("Kruh", "1", "3")])).await.unwrap();
    documents::delete(shop.cx(), draft.id).await.unwrap();
    let not_found = DocumentError::Store(StoreError::NotFound { id: draft.id.to_string() });
    let gone = Err(Error::Document(not_found.clone()));
    let (store, scope) = (&*shop.store, &shop.scope);
    assert_eq!(get_document(shop.cx(), draft.id).await, Err(not_found));
    assert_eq!(documents::delete(Context::new(store, scope, &shop.stamp), draft.id).await, gone);
    let finalized = documents::finalize(
        Context::new(store, scope, &shop.stamp),
        &shop.entity,
        draft.id,
        said(),
    )
    .await;
    assert_eq!(finalized, gone);
}
