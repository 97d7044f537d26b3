//! A day with the client that progenitor writes.

use std::cell::Cell;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

progenitor::generate_api!(spec = "openapi.json", interface = Builder, tags = Merged);

/// A client that says who asks, and in which entity.
fn client(address: &str, token: &str, entity: &str) -> Result<Client, Box<dyn std::error::Error>> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::try_from(format!("Bearer {token}"))?);
    if !entity.is_empty() {
        headers.insert("x-entity-id", HeaderValue::try_from(entity)?);
    }
    let http = reqwest::Client::builder().default_headers(headers).build()?;
    Ok(Client::new_with_client(address, http))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("say where the server is")?;
    let calls = Cell::new(0);
    // Sends a request, which has to succeed.
    macro_rules! call {
        ($request:expr) => {{
            calls.set(calls.get() + 1);
            $request.send().await?.into_inner()
        }};
    }
    let (email, password) = ("progenitor@example.com", "change me 1");
    let anonymous = client(&address, "nobody", "")?;
    call!(anonymous.sign_up().body(types::SignUp::builder().email(email).password(password)));
    let me = types::LogIn::builder().email(email).password(password);
    let token = call!(anonymous.log_in().body(me)).id;
    let user = client(&address, &token, "")?;
    assert_eq!(call!(user.get_me()).email, email);
    let ana = types::NewEntity::builder()
        .name("Ana s.p.")
        .country("Slovenia")
        .environment(Some(types::Environment::Sandbox));
    let entity = call!(user.create_entity().body(ana)).id;
    assert_eq!(call!(user.get_entity().id(&entity)).name, "Ana s.p.");
    let key =
        types::NewAccountKey::builder().name("k").environment(types::Environment::Sandbox);
    let key = call!(user.create_account_key().body(key)).id;
    let api = client(&address, &key, &entity)?;
    let bor = types::CreateCustomer::builder().name("Bor d.o.o.");
    let customer = call!(api.create_customer().body(bor)).id;
    assert_eq!(call!(api.get_customer().id(&customer)).name, "Bor d.o.o.");
    let change = types::CustomerInput::builder().city(Some("Celje".to_owned()));
    call!(api.update_customer().id(&customer).body(change));
    assert_eq!(call!(api.list_customers().limit(5)).data.len(), 1);
    let item = types::CreateItem::builder().name("Consulting").price(Some(50.0));
    let item = call!(api.create_item().body(item)).id;
    let line: types::CreateDocumentItem =
        types::CreateDocumentItem::builder().item_id(Some(item)).quantity(Some(2.0)).try_into()?;
    let sale = types::CreateInvoice::builder().customer_id(Some(customer)).items(vec![line]);
    let invoice = call!(api.create_invoice().body(sale));
    assert_eq!(invoice.total, 100.0);
    assert_eq!(call!(api.get_invoice().id(&invoice.id)).id, invoice.id);
    let note = types::UpdateInvoice::builder().note(Some("n".to_owned()));
    call!(api.update_invoice().id(&invoice.id).body(note));
    let unpaid = call!(api.list_invoices().query(r#"{"paid_in_full": false}"#));
    assert_eq!(unpaid.pagination.total, 1);
    let cash = types::CreatePayment::builder()
        .type_(types::PaymentType::Cash)
        .amount(22.0)
        .document_id(Some(invoice.id.clone()));
    call!(api.create_payment().body(cash));
    assert_eq!(call!(api.list_payments()).data[0].type_, "cash");
    let tea: types::CreateDocumentItem = types::CreateDocumentItem::builder()
        .name(Some("Tea".to_owned()))
        .price(Some(2.0))
        .try_into()?;
    let estimate = types::CreateEstimate::builder().items(vec![tea.clone()]);
    let estimate = call!(api.create_estimate().body(estimate)).id;
    assert_eq!(call!(api.get_estimate().id(&estimate)).id, estimate);
    let draft = types::CreateInvoice::builder().items(vec![tea]).is_draft(Some(true));
    let draft = call!(api.create_invoice().body(draft)).id;
    assert_eq!(call!(api.get_invoice().id(&draft)).is_draft, true);
    let empty = types::CreateInvoice::builder().items(Vec::new());
    calls.set(calls.get() + 1);
    match api.create_invoice().body(empty).send().await {
        Err(progenitor::progenitor_client::Error::ErrorResponse(refused)) => {
            assert_eq!(refused.status().as_u16(), 422);
        }
        other => return Err(format!("an invoice without lines, {draft}: {other:?}").into()),
    }
    assert!(calls.get() >= 20, "only {} calls", calls.get());
    println!("progenitor: {} calls", calls.get());
    Ok(())
}
