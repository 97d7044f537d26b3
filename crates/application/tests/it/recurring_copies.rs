//! What an invoice takes over of the one that a recurring invoice copies, and what not.

use racun_catalog::{Customer, CustomerInput, Tax, TaxInput, TaxRateInput};
use racun_documents::calculation::{Discount, DiscountKind, SummaryTax};
use racun_documents::recurrence::RecurringInput;
use racun_documents::{Document, PartyPatch, RevenueRecognition, TextDefaults};
use racun_kernel::Patch;
use racun_sales::documents::{
    self, Creation, CustomTotals, CustomerRequest, DocumentRequest, Edit, LineRequest,
    LineTaxRequest,
};
use racun_store::Context;
use time::macros::{date, datetime};

use crate::fixture::{Shop, decimal, line, request};
use crate::recurring::monthly;

#[tokio::test]
async fn the_copy_has_the_days_dates_and_rates_and_no_payments() {
    let shop = Shop::open().await;
    let customer = CustomerRequest {
        party: PartyPatch {
            name: Patch::Value("Bor d.o.o.".to_owned()),
            buyer_reference: Patch::Value("04011000-1234512345-06".to_owned()),
            ..PartyPatch::default()
        },
        save_customer: None,
    };
    let mut lines = vec![line("Najem", "2", "100")];
    lines[0].discounts = vec![Discount { value: decimal("10"), kind: DiscountKind::Percent }];
    let template = DocumentRequest {
        customer: Patch::Value(customer),
        date: Some(date!(2026 - 10 - 05)),
        date_service: Patch::Value(date!(2026 - 10 - 01)),
        date_service_to: Patch::Value(date!(2026 - 10 - 31)),
        texts: noted("Za najem"),
        reference: Patch::Value("PO-7".to_owned()),
        ..request(lines)
    };
    let template = shop.create(template).await.unwrap();
    rename_customer(&shop, &template, "Bor in sin d.o.o.").await;
    let input = RecurringInput {
        payment_terms_days: Patch::Value(8),
        ..monthly(template.id, date!(2026 - 11 - 05))
    };
    shop.recurring(input).await.unwrap();
    shop.run(shop.stamp.now()).await;
    let made = shop.made().await.remove(0);
    let content = &made.content;
    assert_eq!(content.date_due, Some(date!(2026 - 11 - 13)));
    assert_eq!(content.date_service, Some(date!(2026 - 11 - 01)));
    assert_eq!(content.date_service_to, Some(date!(2026 - 11 - 30)));
    assert_eq!(content.texts, template.content.texts);
    assert_eq!(content.reference, None);
    let customer = content.customer.as_ref().unwrap();
    assert_eq!(customer.name.as_deref(), Some("Bor in sin d.o.o."));
    assert_eq!(customer.buyer_reference.as_deref(), Some("04011000-1234512345-06"));
    assert_eq!(content.customer_id, template.content.customer_id);
    assert_eq!(made.amounts, template.amounts);
    assert_eq!(made.amounts.total_with_tax, decimal("219.6"));
    assert_ne!(content.lines[0].id, template.content.lines[0].id);
    assert_eq!(shop.counts().await[0], 1, "no customer is saved again");
}

fn noted(note: &str) -> TextDefaults {
    TextDefaults { note: Patch::Value(note.to_owned()), ..TextDefaults::default() }
}

async fn rename_customer(shop: &Shop, template: &Document, name: &str) {
    let input = CustomerInput { name: Patch::Value(name.to_owned()), ..CustomerInput::default() };
    let id = template.content.customer_id.unwrap();
    let (store, stamp) = (&*shop.store, &shop.stamp);
    racun_catalog::update_customer(Context::new(store, &shop.scope, stamp), id, input)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_customer_that_is_gone_is_copied_as_it_was() {
    let shop = Shop::open().await;
    let customer = CustomerRequest {
        party: PartyPatch { name: Patch::Value("Bor".to_owned()), ..PartyPatch::default() },
        save_customer: None,
    };
    let template = DocumentRequest {
        customer: Patch::Value(customer),
        ..request(vec![line("Najem", "1", "100")])
    };
    let template = shop.create(template).await.unwrap();
    let id = template.content.customer_id.unwrap();
    let (store, stamp) = (&*shop.store, &shop.stamp);
    racun_catalog::trash::<Customer>(Context::new(store, &shop.scope, stamp), id).await.unwrap();
    shop.monthly(&template, date!(2026 - 11 - 20)).await;
    assert_eq!(shop.run(shop.stamp.now()).await.done, 1);
    let made = shop.made().await.remove(0);
    assert_eq!(made.content.customer, template.content.customer);
    assert_eq!(made.content.customer_id, None);
}

#[tokio::test]
async fn a_changed_template_is_copied_as_it_is_on_the_day() {
    let shop = Shop::open().await;
    let template = shop.template().await;
    shop.monthly(&template, date!(2026 - 11 - 20)).await;
    let dearer = request(vec![line("Najem", "1", "120")]);
    let (store, scope, entity, stamp) = (&*shop.store, &shop.scope, &shop.entity, &shop.stamp);
    documents::update(
        Context::new(store, scope, stamp),
        entity,
        template.id,
        dearer,
        Edit::default(),
    )
    .await
    .unwrap();
    shop.run(shop.stamp.now()).await;
    assert_eq!(shop.made().await[0].amounts.total, decimal("120"));
}

/// A tax of 22 %, and 25 % from 2027 on.
async fn rising_tax(shop: &Shop) -> Tax {
    let rate = |rate: &str, valid_from| TaxRateInput { rate: decimal(rate), valid_from };
    let rates = vec![rate("22", None), rate("25", Some(datetime!(2027-01-01 00:00 UTC)))];
    let input = TaxInput { tax_rates: Patch::Value(rates), ..TaxInput::default() };
    let (store, stamp) = (&*shop.store, &shop.stamp);
    racun_catalog::create_tax(Context::new(store, &shop.scope, stamp), input).await.unwrap()
}

fn taxed(tax: &Tax) -> LineRequest {
    let tax = LineTaxRequest { tax_id: Some(tax.id.to_string()), ..LineTaxRequest::default() };
    LineRequest { taxes: Some(vec![tax]), ..line("Najem", "1", "100") }
}

#[tokio::test]
async fn a_tax_has_the_rate_of_the_runs_day() {
    let shop = Shop::open().await;
    let template = shop.create(request(vec![taxed(&rising_tax(&shop).await)])).await.unwrap();
    shop.monthly(&template, date!(2026 - 12 - 10)).await;
    assert_eq!(shop.run(datetime!(2027-01-10 10:00 UTC)).await.done, 2);
    let made = shop.made().await;
    let totals: Vec<_> = made.iter().map(|one| one.amounts.total_with_tax.clone()).collect();
    assert_eq!(totals, [decimal("122"), decimal("125")]);
    assert_eq!(made[1].content.lines[0].taxes[0].tax_id, template.content.lines[0].taxes[0].tax_id);
}

#[tokio::test]
async fn a_tax_that_is_gone_is_named_and_no_invoice_is_made() {
    let shop = Shop::open().await;
    let tax = rising_tax(&shop).await;
    let lines = vec![line("Kava", "1", "2"), taxed(&tax)];
    let template = shop.create(request(lines)).await.unwrap();
    let rent = shop.monthly(&template, date!(2026 - 11 - 20)).await;
    let (store, stamp) = (&*shop.store, &shop.stamp);
    racun_catalog::trash::<Tax>(Context::new(store, &shop.scope, stamp), tax.id).await.unwrap();
    let report = shop.run(shop.stamp.now()).await;
    assert_eq!((report.done, report.failed()), (0, 1));
    let failed = racun_sales::recurring::get(Context::new(store, &shop.scope, stamp), rent.id)
        .await
        .unwrap();
    let error = failed.last_error.unwrap();
    assert!(error.contains("items[1].taxes[0].tax_id"), "{error}");
}

#[tokio::test]
async fn totals_that_were_given_are_given_again() {
    let shop = Shop::open().await;
    let custom = CustomTotals {
        total: decimal("10"),
        total_with_tax: decimal("12.21"),
        total_discount: None,
        taxes: vec![SummaryTax {
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
    let template = shop.make(request(vec![given]), creation).await.unwrap();
    shop.monthly(&template, date!(2026 - 11 - 20)).await;
    shop.run(shop.stamp.now()).await;
    let made = shop.made().await.remove(0);
    assert_eq!(made.amounts, template.amounts);
    assert_eq!(made.content.lines[0].total_with_tax, decimal("12.21"));
}

#[tokio::test]
async fn revenue_is_earned_in_the_runs_own_period() {
    let shop = Shop::open().await;
    let recognition = RevenueRecognition {
        method: None,
        date_from: Some(date!(2026 - 11 - 01)),
        date_to: Some(date!(2026 - 11 - 30)),
    };
    let line = LineRequest { revenue_recognition: Some(recognition), ..line("Najem", "1", "100") };
    let template = shop.create(request(vec![line])).await.unwrap();
    shop.monthly(&template, date!(2026 - 12 - 01)).await;
    assert_eq!(shop.run(datetime!(2027-02-01 10:00 UTC)).await.done, 3);
    let earned = |one: &Document| {
        let recognition = one.content.lines[0].revenue_recognition.clone().unwrap();
        (recognition.date_from.unwrap(), recognition.date_to.unwrap())
    };
    let periods: Vec<_> = shop.made().await.iter().map(earned).collect();
    let expected = [
        (date!(2026 - 12 - 01), date!(2026 - 12 - 31)),
        (date!(2027 - 01 - 01), date!(2027 - 01 - 31)),
        (date!(2027 - 02 - 01), date!(2027 - 02 - 28)),
    ];
    assert_eq!(periods, expected);
}
