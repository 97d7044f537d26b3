//! CIS: what it takes, what it refuses, and how it answers.

use racun_authorities::SignerName;
use racun_authority_simulator::{Filter, Running, WantedTaxpayer};
use racun_fiscal::Authority;
use time::Duration;

use crate::client::{Client, OIB, Response, start, taxpayer};
use crate::messages::*;
use crate::xmlsec;

/// The code of a refusal, verified.
fn refusal(running: &Running, response: &Response) -> String {
    assert_eq!(response.status, 500);
    let text = response.text();
    verify_document(running, &text, SignerName::CIS_TEST);
    assert_eq!(tag(&text, "tns:Jir"), None);
    tag(&text, "tns:SifraGreske").unwrap().to_owned()
}

fn program(running: &Running) -> Program<'_> {
    Program::new(running, &taxpayer(running, Authority::Fina))
}

#[tokio::test]
async fn a_receipt_gets_a_jir_and_repeated_another_one() {
    let running = start();
    let program = program(&running);
    let mut jirs = Vec::new();
    for late in [false, true] {
        let receipt = Receipt { late, ..Receipt::new(running.now(), 1) };
        let response = program.fina("racuni", &receipt.element("RacunZahtjev")).await.unwrap();
        assert_eq!(response.status, 200);
        let text = response.text();
        assert!(xmlsec::verifies(&running, &text, FINA, "RacunOdgovor"), "{text}");
        verify_document(&running, &text, SignerName::CIS_TEST);
        assert_eq!(tag(&text, "tns:IdPoruke"), Some(MESSAGE_ID));
        assert_eq!(tag(&text, "tns:DatumVrijeme").unwrap().len(), 19);
        jirs.push(tag(&text, "tns:Jir").unwrap().to_owned());
    }
    assert_ne!(jirs[0], jirs[1]);
    let taken = running.taken(&Filter::default());
    assert_eq!(taken.iter().map(|taken| taken.late).collect::<Vec<_>>(), [false, true]);
    assert_eq!(taken.iter().filter_map(|taken| taken.id.clone()).collect::<Vec<_>>(), jirs);
}

#[tokio::test]
async fn a_change_is_taken_on_the_day_of_the_receipt_and_of_the_same_data_only() {
    let running = start();
    let program = program(&running);
    // Noon in Zagreb, so that no midnight is near.
    running.set_now(time::macros::datetime!(2026-11-20 11:00 UTC));
    let issued = running.now();
    let receipt = |number, total: &str, more: &str| Receipt {
        total: total.to_owned(),
        more: more.to_owned(),
        ..Receipt::new(issued, number)
    };
    let change = |number, total: &str, buyer: &str| {
        let more = format!(
            "<tns:PromijenjeniNacinPlac>K</tns:PromijenjeniNacinPlac>\
             <tns:PromijenjeniOibPrimateljaRacuna>{buyer}</tns:PromijenjeniOibPrimateljaRacuna>"
        );
        receipt(number, total, &more).element("PromijeniPodatkeRacunaZahtjev")
    };
    let operation = "promijeniPodatkeRacuna";
    let send = |element: String| {
        let program = &program;
        async move { program.fina(operation, &element).await.unwrap() }
    };
    assert_eq!(refusal(&running, &send(change(1, "125.00", "")).await), "s012");
    let first = receipt(1, "125.00", "").element("RacunZahtjev");
    assert_eq!(program.fina("racuni", &first).await.unwrap().status, 200);
    assert_eq!(refusal(&running, &send(change(1, "125.01", "")).await), "s012");
    assert_eq!(refusal(&running, &send(change(2, "125.00", "")).await), "s012");
    for buyer in ["", OIB] {
        let response = send(change(1, "125.00", buyer)).await;
        assert_eq!(response.status, 200);
        let text = response.text();
        assert!(xmlsec::verifies(&running, &text, FINA, "PromijeniPodatkeRacunaOdgovor"));
        assert_eq!(tag(&text, "tns:SifraPoruke"), Some("p005"));
    }
    // 23:59:59 in Zagreb, and a moment later.
    running.set_now(time::macros::datetime!(2026-11-20 22:59:50 UTC));
    assert_eq!(send(change(1, "125.00", "")).await.status, 200);
    running.set_now(time::macros::datetime!(2026-11-20 23:00:01 UTC));
    assert_eq!(refusal(&running, &send(change(1, "125.00", "")).await), "s011");
}

#[tokio::test]
async fn older_operations_have_codes_of_their_own() {
    let running = start();
    let program = program(&running);
    let issued = running.now();
    let receipt = |more: &str| Receipt { more: more.to_owned(), ..Receipt::new(issued, 1) };
    let means = receipt("<tns:PromijenjeniNacinPlac>K</tns:PromijenjeniNacinPlac>");
    let means = means.element("PromijeniNacPlacZahtjev");
    let tip = receipt(
        "<tns:Napojnica><tns:iznosNapojnice>2.00</tns:iznosNapojnice><tns:nacinPlacanjaNapojnice>G\
         </tns:nacinPlacanjaNapojnice></tns:Napojnica>",
    );
    let tip = tip.element("NapojnicaZahtjev");
    let send = |operation, element: &str| {
        let (program, element) = (&program, element.to_owned());
        async move { program.fina(operation, &element).await.unwrap() }
    };
    assert_eq!(refusal(&running, &send("promijeniNacPlac", &means).await), "s008");
    assert_eq!(refusal(&running, &send("napojnica", &tip).await), "s010");
    let check = receipt("").element("ProvjeraZahtjev");
    let checked = send("provjera", &check).await.text();
    assert_eq!(tag(&checked, "tns:SifraGreske"), Some("v100"));
    assert!(xmlsec::verifies(&running, &checked, FINA, "ProvjeraOdgovor"), "{checked}");
    // Remarks of the analysis: reserved text, and a number of seven digits; and what is
    // restrictive.
    let odd = Receipt {
        number: "1234567".to_owned(),
        total: "12500.00".to_owned(),
        more: "<tns:SpecNamj>x</tns:SpecNamj>".to_owned(),
        ..Receipt::new(issued, 1)
    };
    let checked = send("provjera", &odd.element("ProvjeraZahtjev")).await.text();
    for code in ["v106", "v141", "v168"] {
        assert!(
            checked.contains(&format!("<tns:SifraGreske>{code}</tns:SifraGreske>")),
            "{checked}"
        );
    }
    assert!(running.taken(&Filter::default()).is_empty(), "a check is not kept");
    send("racuni", &receipt("").element("RacunZahtjev")).await;
    let code = |response: Response| tag(&response.text(), "tns:SifraPoruke").unwrap().to_owned();
    assert_eq!(code(send("promijeniNacPlac", &means).await), "p001");
    assert_eq!(code(send("napojnica", &tip).await), "p002");
    running.set_now(running.now() + Duration::days(4));
    assert_eq!(refusal(&running, &send("promijeniNacPlac", &means).await), "s007");
    assert_eq!(refusal(&running, &send("napojnica", &tip).await), "s009");
}

#[tokio::test]
async fn messages_outside_the_schema_are_s001() {
    let running = start();
    let program = program(&running);
    let good = Receipt::new(running.now(), 1).element("RacunZahtjev");
    let upper = MESSAGE_ID.to_uppercase();
    let table: &[(&str, &str)] = &[
        (MESSAGE_ID, &upper),
        ("<tns:USustPdv>false</tns:USustPdv>", ""),
        ("<tns:NacinPlac>G<", "<tns:NacinPlac>C<"),
        ("125.00", "125.0"),
        ("125.00", "125,00"),
        ("<tns:OznNapUr>1<", "<tns:OznNapUr>A<"),
        ("<tns:BrOznRac>1<", "<tns:BrOznRac>01<"),
        ("</tns:Racun>", "<tns:Foo>1</tns:Foo></tns:Racun>"),
        ("</tns:Racun>", "<tns:OibPrimateljaRacuna></tns:OibPrimateljaRacuna></tns:Racun>"),
        ("<tns:IznosUkupno>", "<tns:Pdv></tns:Pdv><tns:IznosUkupno>"),
        ("<tns:Oib>", "<tns:Oib a=\"1\">"),
        ("<tns:Racun>", "<tns:Racun>text"),
        (
            "<tns:OznSlijed>N</tns:OznSlijed><tns:BrRac>",
            "<tns:BrRac><tns:OznSlijed>N</tns:OznSlijed>",
        ),
    ];
    for (from, to) in table {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        let response = program.fina("racuni", &bad).await.unwrap();
        assert_eq!(refusal(&running, &response), "s001", "{from} as {to}");
    }
    assert_eq!(program.fina("racuni", &good).await.unwrap().status, 200);
}

#[tokio::test]
async fn certificates_and_signatures_are_refused_each_with_its_code() {
    let running = start();
    let program = program(&running);
    let now = running.now();
    let good = Receipt::new(now, 1).element("RacunZahtjev");

    let elsewhere = start();
    let mut foreign = WantedTaxpayer::new(Authority::Furs, "12345678", "x");
    let of_furs = Program::new(&running, &elsewhere.issue(&foreign).unwrap());
    assert_eq!(refusal(&running, &of_furs.fina("racuni", &good).await.unwrap()), "s002");

    foreign = WantedTaxpayer { valid_days: -1, ..WantedTaxpayer::new(Authority::Fina, OIB, "x") };
    let expired = Program::new(&running, &running.issue(&foreign).unwrap());
    assert_eq!(refusal(&running, &expired.fina("racuni", &good).await.unwrap()), "s002");

    let nameless = WantedTaxpayer::new(Authority::Fina, "", "x");
    let nameless = Program::new(&running, &running.issue(&nameless).unwrap());
    assert_eq!(refusal(&running, &nameless.fina("racuni", &good).await.unwrap()), "s003");

    let signed = program.signed_for_fina(&good);
    let tampered = signed.replace("125.00", "124.00");
    assert_eq!(refusal(&running, &program.fina_raw("racuni", &tampered).await.unwrap()), "s004");
    let unsigned = format!(
        "{}{}",
        signed.split("<Signature").next().unwrap(),
        signed.split("</Signature>").nth(1).unwrap()
    );
    assert_eq!(refusal(&running, &program.fina_raw("racuni", &unsigned).await.unwrap()), "s004");
    let sha_1 = signed.replace("2001/04/xmldsig-more#rsa-sha256", "2000/09/xmldsig#rsa-sha1");
    assert_eq!(refusal(&running, &program.fina_raw("racuni", &sha_1).await.unwrap()), "s004");

    let other = Receipt { oib: "12345678903".to_owned(), ..Receipt::new(now, 1) };
    let response = program.fina("racuni", &other.element("RacunZahtjev")).await.unwrap();
    assert_eq!(refusal(&running, &response), "s005");
    assert!(running.taken(&Filter::default()).is_empty());
    assert_eq!(program.fina_raw("racuni", &signed).await.unwrap().status, 200);
}

#[tokio::test]
async fn restrictive_errors_are_s013_with_their_numbers() {
    let running = start();
    let program = program(&running);
    let now = running.now();
    let buyer = |oib: &str| format!("<tns:OibPrimateljaRacuna>{oib}</tns:OibPrimateljaRacuna>");
    let table = [
        (Receipt { number: "0".to_owned(), ..Receipt::new(now, 1) }, "178"),
        (Receipt::new(now - Duration::days(31), 1), "176"),
        (Receipt::new(now + Duration::hours(3), 1), "177"),
        (Receipt { more: buyer("12345678901"), ..Receipt::new(now, 1) }, "180"),
        (Receipt { more: buyer(OIB), means: "T", ..Receipt::new(now, 1) }, "181"),
        (Receipt { total: "10000.01".to_owned(), ..Receipt::new(now, 1) }, "168"),
    ];
    for (receipt, number) in table {
        let response = program.fina("racuni", &receipt.element("RacunZahtjev")).await.unwrap();
        assert_eq!(refusal(&running, &response), "s013");
        let text = format!("Račun sadrži restriktivne greške: {number}");
        assert_eq!(tag(&response.text(), "tns:PorukaGreske"), Some(&*text));
    }
}

#[tokio::test]
async fn an_echo_comes_back_and_what_is_no_request_is_a_fault() {
    let running = start();
    let program = program(&running);
    let envelope = |body: &str| {
        format!(
            "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{body}\
             </s:Body></s:Envelope>"
        )
    };
    let echo = envelope(&format!(
        "<tns:EchoRequest xmlns:tns=\"{FINA}\">proizvoljan tekst &lt;ć&gt;</tns:EchoRequest>"
    ));
    let response = program.fina_raw("echo", &echo).await.unwrap();
    assert!(response.text().contains(">proizvoljan tekst &lt;ć&gt;</tns:EchoResponse>"));
    for (operation, document) in [
        ("racuni", echo),
        ("echo", envelope("<a/>")),
        ("echo", "no XML".to_owned()),
        ("echo", format!("<!DOCTYPE a>{}", envelope("<a/>"))),
    ] {
        let response = program.fina_raw(operation, &document).await.unwrap();
        assert_eq!(response.status, 500);
        assert!(response.text().contains("<soap:Fault>"), "{}", response.text());
    }
    let client = Client::of(&running);
    let response = client.post(&running.fina_url, JSON, b"{}").await.unwrap();
    assert_eq!(response.status, 415);
}
