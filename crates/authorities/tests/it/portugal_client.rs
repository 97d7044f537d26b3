//! The client of the authority of Portugal, on a connection that asks who the caller is.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use racun_authorities::portugal::{PtClient, Services};
use racun_portugal::series_ws::Request;
use racun_portugal::{Patience, SeriesCode, SubUser, invoice_ws, soap};
use time::OffsetDateTime;

use crate::portugal_key::{pem, read};
use crate::server::{Reaction, Received, Server};
use crate::support::{FURS, furs_key, text};

/// Answers as the authority does: with a series, or that the invoice is taken.
fn answer(request: &Received) -> Reaction {
    let body = if request.head.starts_with("POST /series ") {
        let samples = read("series_ws_samples.json");
        let mut valid = samples["valid"].as_array().unwrap().iter();
        text(valid.find(|own| own["id"] == "resposta-2001").unwrap(), "body").to_owned()
    } else {
        format!(
            "<ns:RegisterInvoiceResponse xmlns:ns=\"{}\"><ns:Response><ns:CodigoResposta>0\
             </ns:CodigoResposta></ns:Response></ns:RegisterInvoiceResponse>",
            invoice_ws::NAMESPACE
        )
    };
    Reaction::Answer { status: "200 OK", kind: "text/xml", body: soap::envelope("", &body) }
}

/// A client of `server` that shows `certificate_pem`.
fn client(server: &Server, certificate_pem: Option<String>) -> PtClient {
    let certificate = |name: &str| text(&FURS["keys"][name], "cert_pem");
    let services = Services {
        series_url: server.url() + "/series",
        invoices_url: server.url() + "/invoices",
        authority_key_pem: pem("at_ws_test_public"),
        ca_pem: Some(certificate("mock_root").to_owned() + certificate("mock_sigov_ca")),
        certificate_pem,
        timeout: Duration::from_secs(5),
    };
    PtClient::new(&services, Arc::new(|| OffsetDateTime::from(SystemTime::now()))).unwrap()
}

#[tokio::test]
async fn both_services_are_shown_the_certificate_of_the_programs_maker_where_there_is_one() {
    let maker = &FURS["keys"]["pub_a"];
    let whole = text(maker, "cert_pem").to_owned() + text(maker, "private_key_pkcs8_pem");
    let user = SubUser { username: "508025338/1".to_owned(), password: "segredo".to_owned() };
    let series = Some(SeriesCode::new("2026A").unwrap());
    let consult = Request::Consult { series, code: None, state: None };
    for (pem, shown) in [(None, None), (Some(whole), Some(furs_key("pub_a").certificate))] {
        let server = Server::start(answer).await;
        let client = client(&server, pem);
        let known = client.series(&user, &consult, Patience::Interactive).await.unwrap();
        assert_eq!(known.series[0].validation.as_str(), "AAJFB7NT");
        let taken = client.invoice(&user, "<body/>", Patience::Background).await.unwrap();
        assert_eq!(taken.code, 0);
        let received = server.received();
        assert_eq!(received.len(), 2);
        for request in received {
            assert_eq!(request.certificate, shown, "{}", request.head);
        }
    }
}
