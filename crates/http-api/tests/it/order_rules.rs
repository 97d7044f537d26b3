//! Rules of integrations, end to end: when orders are processed and where, what happens to money,
//! and what becomes of what is refused.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use racun_access::enter_as_recipient;
use racun_application::Services;
use racun_fiscal::FISCAL_PREMISES;
use racun_kernel::id::{EntityId, OrderId};
use racun_kernel::{Decimal, Patch, Tenant};
use racun_orders::{ORDERS, OrderInput};
use racun_store::{
    Context, Read, Rows, Store, StoreDecorator, StoreError, TransactError, Unit, Writes,
};
use serde_json::{Value, json};

use crate::fiscal_documents::open;
use crate::harness::{Api, text};
use crate::orders::{Desk, SECRET, SHOPIFY, WOO, order};
use crate::taxpayer::Taxpayer;

impl Desk {
    pub(crate) async fn order(&self, id: &Value) -> Value {
        self.get(&format!("/orders/{}", text(id))).await
    }

    async fn invoice(&self, order: &Value) -> Value {
        self.get(&format!("/invoices/{}", text(&order["invoice_id"]))).await
    }

    /// What money came in by payments, less what went back by credit notes.
    pub(crate) async fn money(&self) -> Decimal {
        let payments = self.list("/payments").await;
        let moved = payments.iter().filter(|payment| payment["type"] != "credit_note");
        let signed = moved.map(|payment| {
            let amount = decimal(&payment["amount"]);
            if payment["credit_note_id"].is_null() { amount } else { -&amount }
        });
        signed.collect::<Vec<_>>().iter().sum()
    }

    /// What was invoiced, less what credit notes give back. Voided invoices count only where a
    /// credit note ended them.
    pub(crate) async fn sold(&self) -> Decimal {
        let invoices = self.invoices().await;
        let is_fiscal = |one: &Value| !one["furs"].is_null() || !one["fina"].is_null();
        let counts = |one: &&Value| one["voided_at"].is_null() || is_fiscal(one);
        let invoiced: Decimal = totals(invoices.iter().filter(counts)).iter().sum();
        let notes = self.list("/credit-notes").await;
        let credited: Decimal = totals(notes.iter()).iter().sum();
        &invoiced - &credited
    }
}

pub(crate) fn decimal(value: &Value) -> Decimal {
    value.to_string().parse().unwrap()
}

fn totals<'a>(documents: impl Iterator<Item = &'a Value>) -> Vec<Decimal> {
    documents.map(|document| decimal(&document["total_with_tax"])).collect()
}

/// What sells `quantity` of tea, at 15.25 each.
pub(crate) fn tea(quantity: u32) -> Value {
    let of = |cents: u32| {
        let cents = cents * quantity;
        let text = format!("{}.{:02}", cents / 100, cents % 100);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    json!({
        "total": of(1_250), "total_with_tax": of(1_525),
        "items": [{"name": "Tea", "quantity": quantity, "price": 12.5, "gross_price": 15.25,
                   "total": of(1_250), "total_with_tax": of(1_525), "tax_rate": 22}],
    })
}

pub(crate) fn reissuing() -> Value {
    json!({"auto_process": true, "auto_reissue_on_update": true})
}

#[actix_web::test]
async fn what_refuses_another_invoice_leaves_the_first_in_effect() {
    let desk = Desk::open().await;
    let shop = desk.integration(reissuing()).await;
    let made = desk.post("/orders", order(&shop, json!({}))).await.with(201).json();
    desk.work().await;
    let first = desk.order(&made["id"]).await;
    let mut wrong = tea(1);
    wrong["total_with_tax"] = json!(99);
    desk.patch(&made, wrong).await.with(200);
    desk.work().await;
    let failed = desk.order(&made["id"]).await;
    assert_eq!(
        (&failed["status"], &failed["invoice_id"]),
        (&json!("failed"), &first["invoice_id"])
    );
    assert!(text(&failed["error"]).contains("99"), "{failed}");
    assert!(failed["process_after"].is_string(), "it is tried again");
    let invoice = desk.invoice(&failed).await;
    assert_eq!((&invoice["voided_at"], &invoice["paid_in_full"]), (&Value::Null, &json!(true)));
    assert_eq!(desk.invoices().await.len(), 1);
    desk.patch(&made, tea(1)).await.with(200);
    desk.work().await;
    let mended = desk.order(&made["id"]).await;
    assert_eq!((&mended["status"], &mended["error"]), (&json!("processed"), &Value::Null));
    assert_ne!(mended["invoice_id"], first["invoice_id"]);
    assert_eq!((desk.sold().await.to_string(), desk.money().await.to_string()), both("15.25"));
}

fn both(text: &str) -> (String, String) {
    (text.to_owned(), text.to_owned())
}

impl Desk {
    /// Credits `pieces` of tea on the invoice of `order` by hand, at `place`.
    pub(crate) async fn credit(&self, order: &Value, pieces: u32, place: &Value) {
        let order = self.order(&order["id"]).await;
        let mut note = json!({
            "linked_documents": [order["invoice_id"]], "customer_id": order["customer_id"],
            "items": [{"name": "Tea", "quantity": pieces, "gross_price": 15.25,
                       "taxes": [{"rate": 22}]}],
        });
        note.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
        self.post("/credit-notes", note).await.with(201);
    }
}

/// Changes the order of `desk` many times, some times after credits by hand where there is a
/// `place` for them, and looks at what was sold and paid after each change. Answers the order.
pub(crate) async fn keeps_the_law(desk: &Desk, more: Value, place: Option<&Value>) -> Value {
    let mut rules = reissuing();
    rules.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let shop = desk.integration(rules).await;
    let made = desk.post("/orders", order(&shop, tea(2))).await.with(201).json();
    desk.work().await;
    // A sequence without a pattern (a linear congruence), of which some are no change.
    let (mut seed, mut before): (u32, u32) = (7, 2);
    for _ in 0..12 {
        seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        let quantity = (seed >> 16) % 4 + 1;
        let credited = match (seed >> 20) % 3 {
            1 => 1,
            2 => before,
            _ => 0,
        };
        if let Some(place) = place.filter(|_| quantity != before && credited > 0) {
            desk.credit(&made, credited, place).await;
        }
        before = quantity;
        let changed = desk.patch(&made, tea(quantity)).await.with(200).json();
        desk.work().await;
        let now = desk.order(&made["id"]).await;
        assert_eq!((&now["status"], &now["error"]), (&json!("processed"), &Value::Null), "{now}");
        let total = decimal(&changed["total_with_tax"]);
        assert_eq!((desk.sold().await, desk.money().await), (total.clone(), total), "{quantity}");
        let invoice = desk.invoice(&now).await;
        assert_eq!(
            (&invoice["paid_in_full"], &invoice["creation_source"]),
            (&json!(true), &json!("order"))
        );
    }
    made
}

#[actix_web::test]
async fn of_a_credited_invoice_the_rest_is_given_back_before_it_is_made_again() {
    for (credited, notes) in [(1, 2), (2, 1)] {
        let desk = Desk::open().await;
        let shop = desk.integration(reissuing()).await;
        let made = desk.post("/orders", order(&shop, tea(2))).await.with(201).json();
        desk.work().await;
        let first = desk.order(&made["id"]).await;
        desk.credit(&made, credited, &json!({})).await;
        desk.patch(&made, tea(3)).await.with(200);
        desk.work().await;
        let now = desk.order(&made["id"]).await;
        assert_eq!((&now["status"], &now["error"]), (&json!("processed"), &Value::Null), "{now}");
        assert_ne!(now["invoice_id"], first["invoice_id"]);
        assert_eq!(desk.list("/credit-notes").await.len(), notes);
        assert_eq!((desk.sold().await.to_string(), desk.money().await.to_string()), both("45.75"));
        let old = desk.invoice(&first).await;
        assert_eq!(old["voided_at"], Value::Null, "credit notes took it back: {old}");
    }
}

/// An order of two pieces that is not paid, with 20 of it paid by hand, becomes one of `pieces`;
/// answers its invoice, what that one has, and what is left to give back.
pub(crate) async fn moves(desk: &Desk, more: Value, pieces: u32) -> (Value, String, String) {
    let mut rules = reissuing();
    rules["auto_process_on"] = json!("created");
    rules.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let shop = desk.integration(rules).await;
    let mut unpaid = tea(2);
    (unpaid["payment_status"], unpaid["payment_method"]) = (json!("unpaid"), json!("cod"));
    let made = desk.post("/orders", order(&shop, unpaid)).await.with(201).json();
    desk.work().await;
    let first = desk.order(&made["id"]).await;
    let part = json!({"document_id": first["invoice_id"], "type": "cash", "amount": 20,
        "reference": "B-7"});
    desk.post("/payments", part).await.with(201);
    desk.patch(&made, tea(pieces)).await.with(200);
    desk.work().await;
    let now = desk.order(&made["id"]).await;
    assert_eq!((&now["status"], &now["error"]), (&json!("processed"), &Value::Null), "{now}");
    assert_ne!(now["invoice_id"], first["invoice_id"]);
    assert_eq!(desk.money().await.to_string(), "20", "money counts once");
    let payments = desk.list("/payments").await;
    let its = |payment: &&Value| payment["invoice_id"] == now["invoice_id"];
    let its: Vec<&Value> = payments.iter().filter(its).collect();
    assert_eq!(its.len(), 1, "{payments:?}");
    assert_eq!((&its[0]["type"], &its[0]["reference"]), (&json!("cash"), &json!("B-7")));
    let notes = desk.list("/credit-notes").await;
    let due: Decimal =
        notes.iter().map(|note| decimal(&note["total_due"])).collect::<Vec<_>>().iter().sum();
    let invoice = desk.invoice(&now).await;
    let paid = invoice["total_paid"].to_string();
    (invoice, paid, due.to_string())
}

#[actix_web::test]
async fn what_a_person_recorded_goes_to_the_invoice_that_is_made_again() {
    let desk = Desk::open().await;
    let (invoice, paid, due) = moves(&desk, json!({}), 3).await;
    assert_eq!((paid.as_str(), due.as_str()), ("20", "0"), "{invoice}");
    assert_eq!(desk.sold().await.to_string(), "45.75");
    // What is more than the new total is to be given back.
    let desk = Desk::open().await;
    let (invoice, paid, due) = moves(&desk, json!({}), 1).await;
    assert_eq!((paid.as_str(), due.as_str()), ("15.25", "4.75"), "{invoice}");
    assert_eq!(desk.sold().await.to_string(), "15.25");
    let (desk, rules, _) = fiscal(Taxpayer::slovenian().await).await;
    let (invoice, paid, due) = moves(&desk, rules, 3).await;
    assert_eq!((paid.as_str(), due.as_str()), ("20", "0"), "{invoice}");
    assert_eq!(desk.sold().await.to_string(), "45.75");
}

#[actix_web::test]
async fn net_sold_and_money_are_the_orders_total_whatever_changes() {
    keeps_the_law(&Desk::open().await, json!({}), Some(&json!({}))).await;
}

/// A desk whose documents are fiscalized, the rules of an integration for that, and what other
/// documents say of the place.
pub(crate) async fn fiscal(own: Taxpayer) -> (Desk, Value, Value) {
    let own = open(own).await;
    let premise = own.premise("P2").await;
    let device = own.device(&premise, "7").await;
    let rules = json!({"business_premise_id": premise, "electronic_device_id": device});
    let authority = if own.base.ends_with("furs") { "furs" } else { "fina" };
    let place = json!({authority: {"business_premise_name": "P2", "electronic_device_name": "7"}});
    (Desk { api: own.api, owner: own.owner }, rules, place)
}

#[actix_web::test]
async fn fiscalized_invoices_are_made_again_by_credit_notes_and_money_counts_once() {
    for own in [Taxpayer::slovenian().await, Taxpayer::croatian().await] {
        let (desk, mut rules, place) = fiscal(own).await;
        rules["default_payment_type"] = json!("cash");
        keeps_the_law(&desk, rules, Some(&place)).await;
        let notes = desk.list("/credit-notes").await;
        let voided = desk.invoices().await.iter().filter(|it| !it["voided_at"].is_null()).count();
        assert!(voided > 2 && notes.len() >= voided, "{voided}");
    }
}

#[actix_web::test]
async fn an_order_is_issued_where_its_integration_says() {
    let (desk, rules, _) = fiscal(Taxpayer::slovenian().await).await;
    let unit = desk.post("/business-units", json!({"name": "Kranj"})).await.with(201).json();
    let mut named = rules.clone();
    named["business_unit_id"] = unit["id"].clone();
    let shop = desk.integration(named).await;
    let made = desk.post("/orders", order(&shop, json!({}))).await.with(201).json();
    let done = desk.act(&made, "process").await.with(200).json();
    let invoice = desk.invoice(&done).await;
    let data = &invoice["furs"]["data"];
    assert_eq!(
        (&data["business_premise_name"], &data["electronic_device_name"]),
        (&json!("P2"), &json!("7")),
        "{invoice}"
    );
    assert_eq!(invoice["business_unit_id"], unit["id"]);

    // The order says what is gone, and is tried again when the integration names another place.
    let gone = text(&rules["business_premise_id"]);
    let tenant = Tenant::entity(desk.owner.entity().parse().unwrap());
    let mut unit = desk.api.services.store.unit(tenant);
    let row = unit.hold::<racun_fiscal::BusinessPremise>(&FISCAL_PREMISES, &gone);
    let erased = unit.decide(move |held| {
        let premise = held.one(row)?;
        Ok::<_, StoreError>(((), Writes::default().delete(&premise)))
    });
    erased.await.unwrap();
    desk.api
        .patch(
            &format!("/order-integrations/{}", text(&shop["id"])),
            &desk.owner,
            json!({"auto_process": true}),
        )
        .await
        .with(200);
    let next = order(&shop, json!({"source_id": "2"}));
    let next = desk.post("/orders", next).await.with(201).json();
    desk.work().await;
    let failed = desk.order(&next["id"]).await;
    assert_eq!(failed["status"], "failed");
    assert!(text(&failed["error"]).contains("business_premise_id"), "{failed}");
    let path = format!("/order-integrations/{}", text(&shop["id"]));
    let none = json!({"business_premise_id": null, "electronic_device_id": null});
    desk.api.patch(&path, &desk.owner, none).await.with(200);
    desk.work().await;
    desk.work().await;
    let mended = desk.order(&next["id"]).await;
    assert_eq!((&mended["status"], &mended["error"]), (&json!("processed"), &Value::Null));
}

#[actix_web::test]
async fn an_invoice_of_before_the_money_is_paid_once_when_it_comes() {
    let desk = Desk::open().await;
    let rules = json!({"auto_process": true, "auto_process_on": "created"});
    let shop = desk.integration(rules).await;
    let unpaid = json!({"payment_status": "unpaid", "payment_method": "cod"});
    let made = desk.post("/orders", order(&shop, unpaid)).await.with(201).json();
    desk.work().await;
    let done = desk.order(&made["id"]).await;
    assert_eq!(desk.invoice(&done).await["paid_in_full"], json!(false));
    desk.patch(&made, json!({"payment_status": "paid"})).await.with(200);
    desk.work().await;
    for _ in 0..2 {
        let now = desk.act(&made, "process").await.with(200).json();
        assert_eq!(
            (&now["status"], &now["invoice_id"]),
            (&json!("processed"), &done["invoice_id"])
        );
    }
    let payments = desk.list("/payments").await;
    assert_eq!((payments.len(), &payments[0]["type"]), (1, &json!("cash")));
    assert_eq!(desk.invoice(&done).await["paid_in_full"], json!(true));

    // What a person recorded before is not recorded again.
    let second = json!({"source_id": "2", "payment_status": "unpaid", "payment_method": "cod"});
    let second = desk.post("/orders", order(&shop, second)).await.with(201).json();
    desk.work().await;
    let done = desk.order(&second["id"]).await;
    let part = json!({"document_id": done["invoice_id"], "type": "card", "amount": 30});
    desk.post("/payments", part).await.with(201);
    desk.patch(&second, json!({"payment_status": "paid"})).await.with(200);
    desk.work().await;
    assert_eq!(desk.money().await.to_string(), "68.8");
}

#[actix_web::test]
async fn an_order_waits_for_its_goods_and_the_delay() {
    let mut desk = Desk::open().await;
    let rules = json!({
        "source": "shopify", "webhook_secret": SECRET, "auto_process": true,
        "auto_process_on": "fulfilled", "auto_process_delay_seconds": 600,
    });
    let shop = desk.integration(rules).await;
    let hook = async |desk: &Desk, body: &str| {
        desk.hook(&shop["id"], "shopify", "orders/updated", body, SECRET).await.with(204);
    };
    hook(&desk, SHOPIFY).await;
    desk.work().await;
    let mut sent: Value = serde_json::from_str(SHOPIFY).unwrap();
    sent["fulfillment_status"] = "fulfilled".into();
    // Platforms tell seconds: this one is of the same.
    hook(&desk, &sent.to_string()).await;
    hook(&desk, SHOPIFY).await;
    let waits = desk.orders().await.remove(0);
    assert_eq!((&waits["status"], &waits["complete"]), (&json!("pending"), &json!(true)));
    desk.work().await;
    assert!(desk.invoices().await.is_empty());
    desk.api.pass(601);
    desk.owner = desk.api.log_in("ana@example.com").await.in_entity(desk.owner.entity());
    desk.work().await;
    let done = desk.orders().await.remove(0);
    assert_eq!((&done["status"], &done["error"]), (&json!("processed"), &Value::Null));
    assert_eq!(desk.invoices().await.len(), 1);
}

#[actix_web::test]
async fn an_estimate_becomes_an_invoice_when_the_order_is_complete() {
    let desk = Desk::open().await;
    let rules = json!({
        "source": "woocommerce", "webhook_secret": SECRET, "auto_process": true,
        "auto_process_on": "created", "issue_invoice_on_complete": true,
    });
    let shop = desk.integration(rules).await;
    let hook = async |topic: &str, seconds: u32, change: Value| {
        let mut body: Value = serde_json::from_str(WOO).unwrap();
        body["date_modified_gmt"] = format!("2026-11-20T09:00:{seconds:02}").into();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let body = body.to_string();
        desk.hook(&shop["id"], "woocommerce", topic, &body, SECRET).await.with(204);
        desk.work().await;
        desk.orders().await
    };
    let estimated = hook("order.created", 0, json!({})).await.remove(0);
    assert!(estimated["estimate_id"].is_string() && estimated["invoice_id"].is_null());
    let gone = hook("order.deleted", 0, json!({})).await;
    assert!(gone.is_empty());
    let back = hook("order.restored", 0, json!({})).await.remove(0);
    assert_eq!((&back["id"], &back["deleted_at"]), (&estimated["id"], &Value::Null));
    let paid = json!({"status": "processing", "date_paid_gmt": "2026-11-21T08:00:00"});
    let paid = hook("order.updated", 1, paid).await.remove(0);
    assert_eq!(paid["invoice_id"], Value::Null, "it is not on its way yet");
    let complete = json!({"status": "completed", "date_paid_gmt": "2026-11-21T08:00:00",
        "date_completed_gmt": "2026-11-22T08:00:00"});
    let done = hook("order.updated", 2, complete).await.remove(0);
    assert_eq!(done["error"], Value::Null, "{done}");
    assert_eq!(desk.invoice(&done).await["paid_in_full"], json!(true));
}

/// What happens between two steps.
type Meanwhile = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A store in which something else happens, once, before the next unit that holds an order.
struct Between {
    store: Arc<dyn Store>,
    meanwhile: Mutex<Option<Meanwhile>>,
}

#[async_trait]
impl StoreDecorator for Between {
    fn inner(&self) -> &dyn Store {
        &*self.store
    }

    async fn read_all(&self, reads: &[Read]) -> Vec<Rows> {
        self.store.read_all(reads).await
    }

    async fn transact(&self, unit: Unit) -> Result<(), TransactError> {
        let is_its = unit.loads.iter().any(|load| load.table().name == ORDERS.name);
        let meanwhile = self.meanwhile.lock().unwrap().take_if(|_| is_its);
        if let Some(meanwhile) = meanwhile {
            meanwhile().await;
        }
        self.store.transact(unit).await
    }
}

#[actix_web::test]
async fn an_order_that_was_mended_during_the_run_has_not_failed() {
    let mut kept = None;
    let api = Api::with(|services| {
        let between =
            Arc::new(Between { store: Arc::clone(&services.store), meanwhile: Mutex::default() });
        kept = Some(Arc::clone(&between));
        Services { store: between, ..services }
    })
    .await;
    let (between, owner) = (kept.unwrap(), api.owner("ana@example.com").await);
    let desk = Desk { api, owner };
    let shop = desk.integration(json!({})).await;
    let wrong = order(&shop, json!({"total_with_tax": 99}));
    let made = desk.post("/orders", wrong).await.with(201).json();
    let (store, services) = (Arc::clone(&between.store), desk.api.services.clone());
    let id: OrderId = text(&made["id"]).parse().unwrap();
    let entity: EntityId = desk.owner.entity().parse().unwrap();
    let mend: Meanwhile = Box::new(move || {
        Box::pin(async move {
            let (scope, _) = enter_as_recipient(&*store, entity).await.unwrap().unwrap();
            let stamp = services.stamp();
            let right = OrderInput {
                total_with_tax: Patch::Value("34.4".parse().unwrap()),
                ..OrderInput::default()
            };
            let cx = Context::new(&*store, &scope, &stamp);
            racun_shop::orders::update(cx, id, right).await.unwrap();
        })
    });
    *between.meanwhile.lock().unwrap() = Some(mend);
    let done = desk.act(&made, "process").await.with(200).json();
    assert_eq!((&done["status"], &done["error"]), (&json!("processed"), &Value::Null));
    assert!(between.meanwhile.lock().unwrap().is_none());
}
