//! Taxes beyond VAT by rate: consumption tax, margin schemes, taxpayers outside VAT, and what is
//! left to pay after advances.

use racun_documents::{Document, DocumentKind};
use racun_fiscal::{FiscalSettings, Message, fina, furs};
use racun_kernel::Patch;
use racun_sales::documents::{
    Creation, DocumentRequest, ExchangeRateRequest, LineRequest, LineTaxRequest,
};
use racun_settlement::PaymentType::{BankTransfer, Cash};

use crate::fiscal::{in_croatia, in_slovenia};
use crate::fixture::{Shop, decimal, issues, line, request};
use crate::office::{Fiscalizing, paid};
use crate::settling::linked;

const INVOICE: DocumentKind = DocumentKind::Invoice;
const CREDIT_NOTE: DocumentKind = DocumentKind::CreditNote;

/// A line of `price` with a tax of 22 %.
fn vat(price: &str) -> LineRequest {
    taxed(price, &[("22", None)])
}

/// A line of `price` whose taxes have these rates and classifications.
fn taxed(price: &str, taxes: &[(&str, Option<&str>)]) -> LineRequest {
    let tax = |(rate, classification): &(&str, Option<&str>)| LineTaxRequest {
        rate: Some(decimal(rate)),
        classification: classification.map(str::to_owned),
        ..LineTaxRequest::default()
    };
    let mut line = line("Pivo", "1", price);
    line.taxes = Some(taxes.iter().map(tax).collect());
    line
}

/// Beer with VAT and consumption tax, an exempt line, one under a margin scheme and an untaxed one.
fn mixed() -> DocumentRequest {
    request(vec![
        taxed("100", &[("25", None), ("3", Some("pnp"))]),
        taxed("10", &[("25", None)]),
        taxed("20", &[("0", None)]),
        taxed("30", &[("0", Some("margin"))]),
        taxed("40", &[]),
    ])
}

async fn sold(own: &Fiscalizing, request: DocumentRequest) -> Document {
    let creation = Creation { payments: paid(&[Cash]), ..Creation::default() };
    own.make(DocumentKind::Invoice, request, creation, &own.shop.stamp).await.unwrap()
}

fn receipt(own: &Fiscalizing) -> Box<fina::Receipt> {
    match own.office.heard().pop().unwrap().message {
        Message::FinaReceipt { receipt, .. } => receipt,
        other => panic!("{other:?}"),
    }
}

fn invoice(own: &Fiscalizing) -> Box<furs::Invoice> {
    match own.office.heard().pop().unwrap().message {
        Message::FursInvoice { invoice, .. } => invoice,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn croatia_hears_of_consumption_tax_and_of_margin_schemes_apart() {
    let own = in_croatia().await;
    let document = sold(&own, mixed()).await;
    assert_eq!(document.amounts.total_with_tax, decimal("230.50"));
    let told = receipt(&own);
    let line = |line: &fina::TaxLine| {
        [line.rate.clone(), line.base.clone(), line.amount.clone()].map(|part| part.to_string())
    };
    assert_eq!(told.vat.iter().map(line).collect::<Vec<_>>(), [["25", "110", "27.5"]]);
    assert_eq!(told.consumption.iter().map(line).collect::<Vec<_>>(), [["3", "100", "3"]]);
    assert_eq!(told.exempt, Some(decimal("20")));
    assert_eq!(told.margin, Some(decimal("30")));
    assert_eq!(told.untaxed, Some(decimal("70")), "its own 40, and what the margin taxes");
    assert_eq!(told.total, decimal("230.50"));
}

#[tokio::test]
async fn slovenia_hears_of_margin_schemes_and_knows_no_consumption_tax() {
    let own = in_slovenia().await;
    let document = request(vec![
        taxed("100", &[("22", None)]),
        taxed("20", &[("0", None)]),
        taxed("30", &[("0", Some("MARGIN"))]),
        taxed("40", &[]),
        taxed("10", &[("3", Some("pnp"))]),
    ]);
    sold(&own, document).await;
    let taxes = invoice(&own).taxes;
    let parts = [taxes.exempt, taxes.margin, taxes.untaxed];
    assert_eq!(parts, ["20", "30", "40"].map(|part| Some(decimal(part))));
    let rates: Vec<_> = taxes.vat.iter().map(|line| line.rate.to_string()).collect();
    assert_eq!(rates, ["22", "3"], "a classification of the taxpayer's own");
}

#[tokio::test]
async fn a_scheme_that_an_authority_refuses_is_refused_with_its_path() {
    let own = in_croatia().await;
    for (line, path) in [
        (taxed("1", &[("25", None), ("3.01", Some("pnp"))]), "items[0].taxes[1].rate"),
        (taxed("1", &[("25", Some("margin"))]), "items[0].taxes[0].rate"),
    ] {
        let creation = Creation { payments: paid(&[Cash]), ..Creation::default() };
        let stamp = &own.shop.stamp;
        let made = own.make(DocumentKind::Invoice, request(vec![line]), creation, stamp).await;
        let found = issues(made.unwrap_err());
        assert!(found.len() == 1 && found[0].contains(path), "{found:?}");
    }
    assert_eq!(own.series().await, [], "a number was taken");
}

#[tokio::test]
async fn an_entity_outside_vat_issues_no_line_with_vat() {
    let croatia = in_croatia().await;
    let settings = FiscalSettings { in_vat_system: false, ..croatia.settings() };
    croatia.store_settings(&settings).await;
    let mut slovenia = in_slovenia().await;
    slovenia.shop.entity.is_tax_subject = false;
    for own in [&croatia, &slovenia] {
        // A classification makes no consumption tax of VAT, and Slovenia has none.
        let refused: &[(&str, Option<&str>)] = match own.shop.entity.country_code.as_deref() {
            Some("HR") => &[("25", None), ("25", Some("pnp")), ("25", Some("margin"))],
            _ => &[("25", None), ("22", Some("pnp")), ("3", Some("pnp")), ("0.5", Some("PNP"))],
        };
        for tax in refused {
            let lines = vec![taxed("10", &[]), taxed("5", &[*tax])];
            let stamp = &own.shop.stamp;
            let creation = Creation { payments: paid(&[Cash]), ..Creation::default() };
            let made = own.make(INVOICE, request(lines), creation, stamp).await;
            let found = issues(made.unwrap_err());
            let at = "items[1].taxes[0].rate";
            assert!(found.len() == 1 && found[0].contains(at), "{tax:?}: {found:?}");
        }
        assert_eq!(own.series().await, [], "a number was taken");
    }
    sold(&slovenia, request(vec![taxed("10", &[])])).await;
    sold(&croatia, request(vec![taxed("10", &[]), taxed("5", &[("3", Some("pnp"))])])).await;
    let told = receipt(&croatia);
    assert_eq!((told.vat.len(), told.consumption.len(), told.untaxed.clone()), (0, 1, None));
}

#[tokio::test]
async fn croatian_consumption_tax_without_reports_goes_up_to_three_percent() {
    let mut shop = Shop::open().await;
    shop.entity.country_code = Some("HR".to_owned());
    shop.entity.is_tax_subject = false;
    let coffee = |rate: &str| request(vec![taxed("100", &[(rate, Some("pnp"))])]);
    for rate in ["25", "3.01"] {
        let refused = shop.issue(INVOICE, coffee(rate), Vec::new()).await.unwrap_err();
        let found = issues(refused);
        assert!(found.len() == 1 && found[0].contains("items[0].taxes[0].rate"), "{found:?}");
    }
    let taxed = shop.issue(INVOICE, coffee("3"), Vec::new()).await.unwrap();
    assert_eq!(taxed.amounts.total_with_tax, decimal("103"));
    assert!(taxed.warnings().iter().all(|issue| issue.code != "unknown_tax_rate"));
    // Within the system it may stand there, and is remarked on.
    shop.entity.is_tax_subject = true;
    let odd = shop.issue(INVOICE, coffee("7"), Vec::new()).await.unwrap();
    assert!(odd.warnings().iter().any(|issue| issue.code == "unknown_tax_rate"));
}

#[tokio::test]
async fn an_entity_outside_vat_adds_no_vat_later() {
    let mut shop = Shop::open().await;
    let within = shop.issue(INVOICE, request(vec![vat("100")]), Vec::new()).await.unwrap();
    shop.entity.is_tax_subject = false;
    let untaxed = || request(vec![taxed("100", &[])]);
    let refused = |made: Result<Document, racun_sales::Error>| {
        let found = issues(made.unwrap_err());
        assert!(found.len() == 1 && found[0].contains("items[0].taxes[0].rate"), "{found:?}");
    };
    let invoice = shop.issue(INVOICE, untaxed(), Vec::new()).await.unwrap();
    refused(shop.patch(&invoice, request(vec![vat("100")])).await);
    shop.patch(&invoice, request(vec![taxed("90", &[])])).await.unwrap();
    // Credit, of nothing and of what bears no tax.
    let note = |to: &[&Document]| linked(request(vec![vat("10")]), to);
    refused(shop.issue(CREDIT_NOTE, note(&[]), Vec::new()).await);
    refused(shop.issue(CREDIT_NOTE, note(&[&invoice]), Vec::new()).await);
    let credit = shop.issue(CREDIT_NOTE, linked(untaxed(), &[]), Vec::new()).await.unwrap();
    refused(shop.patch(&credit, request(vec![vat("10")])).await);
    // What was issued with tax is corrected and credited with it.
    shop.patch(&within, request(vec![vat("90")])).await.unwrap();
    let credit = shop.issue(CREDIT_NOTE, note(&[&within]), Vec::new()).await.unwrap();
    shop.patch(&credit, request(vec![vat("20")])).await.unwrap();
    // The same where the authority's settings say it.
    let croatia = in_croatia().await;
    let settings = FiscalSettings { in_vat_system: false, ..croatia.settings() };
    croatia.store_settings(&settings).await;
    let stamp = &croatia.shop.stamp;
    refused(croatia.make(CREDIT_NOTE, note(&[]), Creation::default(), stamp).await);
}

#[tokio::test]
async fn the_rest_after_settled_advances_is_to_be_paid() {
    let own = in_slovenia().await;
    let stamp = &own.shop.stamp;
    let advance = |amount: &str| request(vec![taxed(amount, &[("22", None)])]);
    let creation = Creation { payments: paid(&[BankTransfer]), ..Creation::default() };
    let kind = DocumentKind::AdvanceInvoice;
    let before = own.make(kind, advance("50"), creation, stamp).await.unwrap();
    assert_eq!(invoice(&own).payment, decimal("61"));
    let last = sold(&own, linked(advance("100"), &[&before])).await;
    assert!(last.amounts.total_paid == decimal("122"));
    let told = invoice(&own);
    assert_eq!((told.total.clone(), told.payment.clone()), (decimal("122"), decimal("61")));
}

#[tokio::test]
async fn a_long_receipt_in_croatia_is_issued_with_a_warning_of_its_rounding() {
    let own = in_croatia().await;
    // Each line of 1.99 bears 0.50 of tax, sixty of them 30.00; 25 % of 119.40 are 29.85.
    let lines = |count: usize| vec![taxed("1.99", &[("25", None)]); count];
    let short = sold(&own, request(lines(30))).await;
    assert!(short.warnings().is_empty(), "{:?}", short.warnings());
    let long = sold(&own, request(lines(60))).await;
    assert_eq!(receipt(&own).vat[0].amount, decimal("30"));
    let found: Vec<_> = long.warnings().iter().map(ToString::to_string).collect();
    assert!(found.len() == 1 && found[0].starts_with("taxes[0].amount: 30"), "{found:?}");
    let beer = vec![taxed("100", &[("25", None), ("3", Some("pnp"))])];
    assert!(sold(&own, request(beer)).await.warnings().is_empty(), "3 % is no rate of VAT");
}

#[tokio::test]
async fn what_cis_adds_up_by_rate_in_euros_is_what_the_rounding_is_compared_with() {
    let own = in_croatia().await;
    let bare = |count: usize| vec![taxed("1.99", &[("25", None)]); count];
    // The entity's own tax has 25 %, too: each row is 0.08 off, CIS hears of one that is 0.16 off.
    let by_default = LineRequest { taxes: None, ..line("Pivo", "1", "1.99") };
    let both = [bare(32), vec![by_default; 32]].concat();
    let document = sold(&own, request(both)).await;
    assert_eq!((document.amounts.taxes.len(), receipt(&own).vat.len()), (2, 1));
    let odd = |document: &Document| -> Vec<String> {
        document.warnings().iter().map(ToString::to_string).collect()
    };
    let found = odd(&document);
    assert!(found.len() == 1 && found[0].starts_with("taxes[0].amount: 32 is"), "{found:?}");

    // Sixty lines are 0.15 off in their own currency, thirty 0.075.
    for (count, rate, is_told) in [(60, "0.5", false), (30, "2", true)] {
        let (source, date, quote_currency) = (None, None, None);
        let exchange = ExchangeRateRequest { rate: decimal(rate), source, date, quote_currency };
        let dollars = DocumentRequest {
            currency_code: Some("USD".to_owned()),
            exchange_rate: Patch::Value(exchange),
            ..request(bare(count))
        };
        let found = odd(&sold(&own, dollars).await);
        assert_eq!(!found.is_empty(), is_told, "{count} at {rate}: {found:?}");
    }
}
