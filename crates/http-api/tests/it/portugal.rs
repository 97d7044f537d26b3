//! Certified invoicing in Portugal, over the interface.

use std::sync::Arc;

use racun_application::Services;
use racun_kernel::Tenant;
use racun_kernel::id::EntityId;
use racun_portugal::chain::{Broken, verify};
use racun_portugal::{Link, PT_SETTINGS, Portugal, PtSettings, read_qr};
use serde_json::{Value, json};
use time::macros::date;

use crate::harness::{Answer, Api, Who, text};
use crate::portugal_office::{Office, key};

/// Whether the chain of a whole series holds with the program's public key.
pub fn verified<'a>(links: impl IntoIterator<Item = &'a Link>) -> Result<(), Broken> {
    let key = key();
    verify(links, &|text, signature| key.public().verifies(text, signature))
}

/// A shop in Lisbon.
pub struct Shop {
    pub api: Api,
    pub owner: Who,
    pub office: Arc<Office>,
    pub services: Services,
}

impl Shop {
    pub async fn bare() -> Self {
        Self::with(|services| services).await
    }

    /// One whose services are those that `change` answers.
    pub async fn with(change: impl FnOnce(Services) -> Services) -> Self {
        let office = Arc::<Office>::default();
        let given: Arc<dyn Portugal> = Arc::<Office>::clone(&office);
        let mut kept = None;
        let api = Api::with(|services| {
            let services = change(Services { portugal: Some(given), ..services });
            kept = Some(services.clone());
            services
        })
        .await;
        let owner = api.owner("ana@example.com").await;
        Self { api, owner, office, services: kept.unwrap() }.in_new("sandbox").await
    }

    /// The same owner, in a new shop of this environment.
    pub async fn in_new(self, environment: &str) -> Self {
        let wanted = json!({
            "name": "Loja", "country": "Portugal", "environment": environment,
            "tax_number": "501442600", "company_number": "501442600", "phone": "+351 210000000",
            "email": "loja@example.com", "address": "Rua 1", "city": "Lisboa", "state": "Lisboa",
            "post_code": "1000-001", "starting_capital": 5000,
            "settings": {"pt": {
                "operator_first_name": "Ana", "operator_last_name": "Silva",
                "operator_tax_number": "123456789",
            }},
        });
        let entity = self.post("/entities", wanted).await.with(201).json();
        let owner = self.owner.in_entity(&text(&entity["id"]));
        Self { owner, ..self }
    }

    /// With a series for invoices and one for credit notes.
    pub async fn open() -> Self {
        let shop = Self::bare().await;
        for (kind, code) in [("invoice", "2026A"), ("credit_note", "2026A")] {
            shop.series(json!({"document_type": kind, "series_code": code})).await.with(201);
        }
        shop.office.asked();
        shop
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.api.post(path, &self.owner, body).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.api.get(path, &self.owner).await
    }

    pub async fn series(&self, more: Value) -> Answer {
        let body = merged(json!({"start_date": "2026-01-01"}), more);
        self.post("/fiscalization/pt/atcud-series", body).await
    }

    pub async fn sell(&self, more: Value) -> Answer {
        self.post("/invoices", invoice(more)).await
    }

    pub async fn sold(&self, more: Value) -> Value {
        self.sell(more).await.with(201).json()
    }

    pub async fn void(&self, sold: &Value, body: Value) -> Answer {
        self.post(&format!("/invoices/{}/void", text(&sold["id"])), body).await
    }
}

pub fn merged(mut body: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

pub fn invoice(more: Value) -> Value {
    merged(json!({"items": [{"name": "Pão", "price": 100, "taxes": [{"rate": 23}]}]}), more)
}

/// The reason of a refusal.
pub fn code(answer: &Answer) -> String {
    text(&answer.json()["cause"]["code"])
}

#[actix_web::test]
async fn documents_are_numbered_signed_and_coded_in_a_chain() {
    let shop = Shop::open().await;
    let mut links = Vec::new();
    for n in 1..=3 {
        let customer = json!({"name": "Bor", "tax_number": "PT504030108", "country_code": "PT"});
        let sold = shop
            .sold(json!({"customer": customer, "items": [
                {"name": "Pão", "price": n, "taxes": [{"rate": 23}]},
                {"name": "Livro", "price": 10, "taxes": [{"rate": 6}]},
            ]}))
            .await;
        let pt = &sold["pt"];
        assert_eq!(sold["number"], format!("FT 2026A/{n}"));
        assert_eq!(pt["atcud"], format!("{}-{n}", text(&pt["validation_code"])));
        assert_eq!((&pt["document_code"], &pt["sequential_number"]), (&json!("FT"), &json!(n)));
        assert_eq!((&pt["hash_control"], &pt["certificate_number"]), (&json!("1"), &json!(9999)));
        assert_eq!((&pt["manual"], &pt["region"]), (&json!(false), &json!("PT")));
        assert_eq!(pt["operator"]["last_name"], "Silva");
        assert_eq!(pt["system_entry_date"], "2026-11-20T08:00:00");
        let hash = text(&pt["hash"]);
        let printed: String =
            [0, 10, 20, 30].iter().map(|at| char::from(hash.as_bytes()[*at])).collect();
        assert_eq!(pt["hash_excerpt"], printed);
        let payload = text(&pt["qr_payload"]);
        let fields = read_qr(&payload).unwrap();
        let field = |key: &str| fields.get(key).cloned().unwrap_or_default();
        assert_eq!(field("A"), "501442600");
        assert_eq!((field("B"), field("C")), ("504030108".to_owned(), "PT".to_owned()));
        assert_eq!((field("G"), field("H")), (text(&sold["number"]), text(&pt["atcud"])));
        assert_eq!(
            (field("I1"), field("I3"), field("I4")),
            ("PT".into(), "10.00".into(), "0.60".into())
        );
        assert_eq!((field("Q"), field("R")), (printed, "9999".to_owned()));
        let total: racun_kernel::Decimal = sold["total_with_tax"].to_string().parse().unwrap();
        assert_eq!(field("O").parse::<racun_kernel::Decimal>().unwrap(), total);
        links.push(Link {
            date: date!(2026 - 11 - 20),
            entered_at: text(&pt["system_entry_date"]).parse().unwrap(),
            number: text(&sold["number"]).parse().unwrap(),
            total,
            hash: hash.parse().unwrap(),
        });
    }
    assert_eq!(verified(&links), Ok(()));
}

#[actix_web::test]
async fn dates_of_a_series_do_not_run_back_and_none_lies_ahead() {
    let shop = Shop::open().await;
    shop.sold(json!({"date": "2026-11-18"})).await;
    let back = shop.sell(json!({"date": "2026-11-17"})).await.with(422);
    assert_eq!(back.issue(), ("[\"date\"]".into(), "date_not_in_order".into()));
    let ahead = shop.sell(json!({"date": "2026-11-21"})).await.with(422);
    assert_eq!(ahead.issue(), ("[\"date\"]".into(), "date_in_future".into()));
    let before = shop.series(json!({
        "document_type": "estimate", "series_code": "E", "start_date": "2026-11-19",
    }));
    before.await.with(201);
    let early = shop.post("/estimates", invoice(json!({"date": "2026-11-18"}))).await.with(422);
    assert_eq!(early.issue(), ("[\"date\"]".into(), "date_before_series".into()));
    assert_eq!(shop.sold(json!({})).await["number"], "FT 2026A/2", "refusals take no number");
}

#[actix_web::test]
async fn what_a_certified_program_refuses_names_its_field() {
    let shop = Shop::open().await;
    let line = |more: Value| {
        let line = merged(json!({"name": "Pão", "price": 10, "taxes": [{"rate": 23}]}), more);
        json!({"items": [line]})
    };
    for (body, path, expected) in [
        (json!({"is_draft": true}), "[\"is_draft\"]", "not_in_portugal"),
        (line(json!({"taxes": []})), "[\"items\",0,\"taxes\"]", "not_in_portugal"),
        (line(json!({"quantity": -1})), "[\"items\",0,\"quantity\"]", "not_in_portugal"),
        (
            line(json!({"taxes": [{"rate": 22}, {"rate": 6}]})),
            "[\"items\",0,\"taxes\"]",
            "too_many",
        ),
        (
            line(json!({"taxes": [{"rate": 25}]})),
            "[\"items\",0,\"taxes\",0,\"rate\"]",
            "unknown_tax_rate",
        ),
        (
            line(json!({"taxes": [{"rate": 0}]})),
            "[\"items\",0,\"taxes\",0,\"pt_exemption_code\"]",
            "required",
        ),
        (
            json!({"pt": {"operator_tax_number": "123456780"}}),
            "[\"pt\",\"operator_tax_number\"]",
            "invalid_value",
        ),
        (json!({"pt": {"manual_series_code": "V"}}), "[\"pt\",\"manual\"]", "required"),
        (json!({"pt": {"series_id": "x"}}), "[\"pt\",\"series_id\"]", "invalid_id"),
        (
            json!({"pt": {"series_id": "pt_series_01kaj9g3w0000000000000000a"}}),
            "[\"pt\",\"series_id\"]",
            "not_found",
        ),
    ] {
        let refused = shop.sell(body.clone()).await.with(422);
        assert_eq!(refused.issue(), (path.to_owned(), expected.to_owned()), "{body}");
    }
    let exempt = json!({
        "rate": 0, "pt_exemption_code": "M07",
        "pt_exemption_reason": "Isento artigo 9.º do CIVA",
    });
    let sold = shop.sold(line(json!({"taxes": [exempt]}))).await;
    assert_eq!(sold["number"], "FT 2026A/1");
    assert!(text(&sold["pt"]["qr_payload"]).contains("*I2:10.00*"));
    let edit = shop
        .api
        .patch(&format!("/invoices/{}", text(&sold["id"])), &shop.owner, json!({"note": "x"}))
        .await;
    edit.with(422);
    shop.api.delete(&format!("/documents/{}", text(&sold["id"])), &shop.owner).await.with(422);
}

#[actix_web::test]
async fn an_unnamed_operator_issues_nothing() {
    let shop = Shop::open().await;
    let path = format!("/entities/{}", shop.owner.entity());
    let none = json!({"settings": {"pt": {"operator_last_name": null}}});
    shop.api.patch(&path, &shop.owner, none).await.with(200);
    let refused = shop.sell(json!({})).await.with(422);
    assert_eq!(refused.issue(), ("[\"pt\",\"operator_first_name\"]".into(), "required".into()));
    let own = json!({
        "operator_first_name": "Eva", "operator_last_name": "Costa",
        "operator_tax_number": "123456789",
    });
    shop.api.put("/users/me/settings/pt", &shop.owner, own).await.with(200);
    let sold = shop.sold(json!({})).await;
    assert_eq!(sold["pt"]["operator"]["first_name"], "Eva");
    let named = json!({"pt": {"account_first_name": "Rui"}});
    assert_eq!(shop.sold(named).await["pt"]["operator"]["first_name"], "Rui");
}

#[actix_web::test]
async fn a_document_is_voided_with_a_reason_or_credited_and_never_both() {
    let shop = Shop::open().await;
    let (first, second) = (shop.sold(json!({})).await, shop.sold(json!({})).await);
    let bare = shop.void(&first, json!({})).await.with(422);
    assert_eq!(bare.issue(), ("[\"reason\"]".into(), "required".into()));
    let long = shop.void(&first, json!({"reason": "x".repeat(51)})).await.with(422);
    assert_eq!(long.issue(), ("[\"reason\"]".into(), "too_long".into()));
    let gone = json!({"reason": "Erro", "has_original_document": false});
    assert_eq!(code(&shop.void(&first, gone).await.with(422)), "pt_original_gone");
    let voided = shop.void(&first, json!({"reason": "Erro"})).await.with(200).json();
    assert_eq!(voided["pt"], first["pt"], "what was signed stays");
    let credit = |of: &Value| {
        let body = json!({"linked_documents": [text(&of["id"])]});
        shop.post("/credit-notes", invoice(body))
    };
    credit(&first).await.with(422);
    let alone = shop.post("/credit-notes", invoice(json!({}))).await.with(422);
    assert_eq!(alone.issue(), ("[\"linked_documents\"]".into(), "required".into()));
    let note = credit(&second).await.with(201).json();
    assert_eq!(
        (&note["number"], &note["pt"]["document_code"]),
        (&json!("NC 2026A/1"), &json!("NC"))
    );
    assert_eq!(
        code(&shop.void(&second, json!({"reason": "Erro"})).await.with(422)),
        "document_credited"
    );
}

#[actix_web::test]
async fn a_paid_invoice_may_be_a_fatura_recibo() {
    let shop = Shop::open().await;
    let series = json!({"document_type": "invoice_receipt", "series_code": "R"});
    let series = shop.series(series).await.with(201).json();
    let pt = json!({"series_id": series["id"]});
    let unpaid = shop.sell(json!({"pt": pt})).await.with(422);
    assert_eq!(code(&unpaid), "pt_not_paid");
    let sold = shop.sold(json!({"pt": pt, "payments": [{"type": "cash"}]})).await;
    assert_eq!((&sold["number"], &sold["pt"]["document_code"]), (&json!("FR R/1"), &json!("FR")));
}

#[actix_web::test]
async fn a_form_is_recovered_once_in_a_series_of_its_own() {
    let shop = Shop::open().await;
    let form = |number: i64| {
        let pt =
            json!({"manual": true, "manual_series_code": "V", "manual_sequential_number": number});
        json!({"pt": pt, "date": "2026-11-10"})
    };
    assert_eq!(code(&shop.sell(form(23)).await.with(422)), "pt_series_missing");
    let series = json!({"document_type": "invoice", "series_code": "M", "is_manual": true});
    shop.series(series).await.with(201);
    let sold = shop.sold(form(23)).await;
    assert_eq!(
        (&sold["number"], &sold["pt"]["hash_control"]),
        (&json!("FT M/1"), &json!("1-FTM V/23"))
    );
    assert_eq!((&sold["pt"]["manual"], &sold["pt"]["form"]["number"]), (&json!(true), &json!(23)));
    assert_eq!(code(&shop.sell(form(23)).await.with(409)), "pt_form_recovered");
    shop.void(&sold, json!({"reason": "Erro"})).await.with(200);
    assert_eq!(shop.sold(form(23)).await["number"], "FT M/2", "the form of a voided document");
}

#[actix_web::test]
async fn a_sub_user_is_kept_and_the_password_never_answered() {
    let shop = Shop::bare().await;
    let path = "/fiscalization/pt/settings";
    let put = async |body: Value| shop.api.put(path, &shop.owner, body).await;
    let other = put(json!({"username": "508025338/1"})).await.with(422);
    assert_eq!(other.issue(), ("[\"username\"]".into(), "invalid_value".into()));
    let kept = put(json!({"username": "501442600/1", "password": "segredo"})).await.with(200);
    assert!(!kept.text.contains("segredo"));
    let id: EntityId = shop.owner.entity().parse().unwrap();
    let (tenant, ids) = (Tenant::entity(id), [id.to_string()]);
    let rows = shop.services.store.find(&PT_SETTINGS, &tenant, &ids).await.unwrap();
    assert!(!rows[0].body.contains("segredo"), "{}", rows[0].body);
    let stored: PtSettings = rows[0].read(&PT_SETTINGS).unwrap();
    let user = stored.sub_user(shop.services.vault.as_deref().unwrap()).unwrap().unwrap();
    assert_eq!((user.username.as_str(), user.password.as_str()), ("501442600/1", "segredo"));
    let kept = kept.json();
    assert_eq!(
        (&kept["has_password"], &kept["communicate_invoices"]),
        (&json!(true), &json!(false))
    );
    let again = put(json!({"username": "501442600/2"})).await.with(200).json();
    assert_eq!(again["has_password"], false, "another user has another password");
    assert_eq!(shop.get(path).await.with(200).json(), again);
}
