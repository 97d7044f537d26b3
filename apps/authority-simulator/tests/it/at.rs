//! AT: series and invoices, asked by the client that Racun has, and the chains of SAF-T.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use racun_authorities::portugal::{PtClient, RsaProgramKey, RsaPublicKey, Services, Token};
use racun_authority_simulator::{
    Fault, Options, Running, SimulatedAuthority, Simulator, Twist, When,
};
use racun_kernel::Decimal;
use racun_portugal::saft::{SaftDocument, SaftLine, SaftTax, State};
use racun_portugal::series_ws::{self, Request, SeriesType};
use racun_portugal::{
    Atcud, Code, Hash, Level, Number, Origin, Patience, ProgramKey as _, Region, SeriesCode,
    Signed, Status, SubUser, Unanswered, ValidationCode, WallTime, invoice_ws, soap,
};
use serde_json::Value;
use time::macros::datetime;
use time::{Date, OffsetDateTime};

use crate::client::{Client, control, start};

const NIF: &str = "508025338";

struct World {
    running: Running,
    client: PtClient,
    key: RsaProgramKey,
}

impl World {
    fn new() -> Self {
        Self::of(start())
    }

    fn of(running: Running) -> Self {
        let services = Services {
            series_url: running.series_url(),
            invoices_url: running.invoices_url(),
            authority_key_pem: running.authority_key_pem().to_owned(),
            ca_pem: Some(running.ca_pem.clone()),
            certificate_pem: None,
            timeout: Duration::from_secs(5),
        };
        let clock = Arc::new(|| OffsetDateTime::from(SystemTime::now()));
        let client = PtClient::new(&services, clock).unwrap();
        let key = RsaProgramKey::from_pem(running.program_key_pem(), 1).unwrap();
        Self { running, client, key }
    }

    fn today(&self) -> Date {
        WallTime::of(self.running.now(), Region::Mainland.zone()).unwrap().date()
    }

    async fn ask(&self, request: &Request) -> series_ws::SeriesReply {
        self.client.series(&user("1"), request, Patience::Interactive).await.unwrap()
    }

    fn register(&self, series: &str, code: Code) -> Request {
        Request::Register {
            series: SeriesCode::new(series).unwrap(),
            kind: SeriesType::Normal,
            code,
            first: 1,
            from: self.today(),
            certificate: 9999,
        }
    }

    /// Sends a body to the service of series as it is, and reads the answer.
    async fn post_series(&self, body: &str) -> series_ws::SeriesReply {
        let authority = RsaPublicKey::from_pem(self.running.authority_key_pem()).unwrap();
        let user = user("1");
        let token = Token::new(&authority, &user.password, self.running.now()).unwrap();
        let message = soap::envelope(&token.header(&user.username), body);
        let client = Client::of(&self.running);
        let head = "Content-Type: text/xml; charset=utf-8\r\n";
        let answer = client.post(&self.running.series_url(), head, message.as_bytes()).await;
        series_ws::SeriesReply::read(&answer.unwrap().text()).unwrap()
    }

    async fn registered(&self, series: &str, code: Code) -> ValidationCode {
        let answer = self.ask(&self.register(series, code)).await;
        assert_eq!(answer.code, 2001, "{}", answer.message);
        answer.series[0].validation.clone()
    }

    /// The document `sequence` of the series 2026A, signed behind `previous`.
    fn invoice(
        &self,
        code: &ValidationCode,
        sequence: i64,
        previous: Option<&Hash>,
    ) -> SaftDocument {
        let number = Number::new(Code::Ft, &SeriesCode::new("2026A").unwrap(), sequence, 0);
        let entered_at = WallTime::of(self.running.now(), Region::Mainland.zone()).unwrap();
        let (net, tax, gross) = (decimal("100"), decimal("23"), decimal("123"));
        let signed =
            Signed { date: self.today(), entered_at, number: &number, total: &gross, previous };
        let line = SaftLine {
            product_code: "P1".to_owned(),
            product_description: "Serviço".to_owned(),
            description: "Serviço".to_owned(),
            quantity: decimal("1"),
            unit: "un".to_owned(),
            unit_price: net.clone(),
            supplied_on: self.today(),
            amount: net.clone(),
            discount: None,
            orders: Vec::new(),
            rectifies: Vec::new(),
            tax: SaftTax::Vat {
                region: Region::Mainland,
                level: Level::Nor,
                percent: decimal("23"),
                exemption: None,
            },
        };
        SaftDocument {
            code: Code::Ft,
            atcud: Some(Atcud::new(code, &number)),
            state: State {
                status: Status::Normal,
                since: entered_at,
                reason: None,
                by: "1".to_owned(),
            },
            origin: Origin::Program,
            hash: signed.sign(&self.key).unwrap(),
            hash_control: self.key.version().to_string(),
            number,
            date: self.today(),
            entered_at,
            by: "1".to_owned(),
            customer_id: "1".to_owned(),
            shipping: None,
            lines: vec![line],
            tax,
            net,
            gross,
            currency: None,
            payments: Vec::new(),
            withheld: Vec::new(),
        }
    }

    async fn send(&self, body: &str) -> Result<invoice_ws::InvoiceReply, Unanswered> {
        self.client.invoice(&user("1"), body, Patience::Interactive).await
    }
}

fn user(number: &str) -> SubUser {
    SubUser { username: format!("{NIF}/{number}"), password: "segredo".to_owned() }
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

const PARTIES: invoice_ws::Parties<'static> =
    invoice_ws::Parties { issuer: NIF, certificate: 9999, buyer: None, buyer_country: None };

#[tokio::test]
async fn a_series_is_registered_once_found_and_ended() {
    let world = World::new();
    let code = world.registered("2026A", Code::Ft).await;
    assert_eq!(code.as_str().len(), 8);
    let again = world.ask(&world.register("2026a", Code::Ft)).await;
    assert_eq!((again.code, again.meaning()), (4001, series_ws::Meaning::Known));
    world.registered("2026A", Code::Nc).await;
    let consult = Request::Consult {
        series: Some(SeriesCode::new("2026A").unwrap()),
        code: Some(Code::Ft),
        state: None,
    };
    let found = world.ask(&consult).await;
    let [own] = found.series.as_slice() else { panic!("{found:?}") };
    assert_eq!((own.validation.as_str(), own.last), (code.as_str(), None));
    let finalise = |validation: &ValidationCode, last: i64| Request::Finalise {
        series: SeriesCode::new("2026A").unwrap(),
        code: Code::Ft,
        validation: validation.clone(),
        last,
        justification: None,
    };
    let other = ValidationCode::new("AAAAAAAA").unwrap();
    assert_eq!(world.ask(&finalise(&other, 3)).await.code, 4005, "another code");
    assert_eq!(world.ask(&finalise(&code, 0)).await.code, 4047);
    let ended = world.ask(&finalise(&code, 3)).await;
    assert_eq!((ended.code, ended.series[0].last), (2004, Some(3)));
    assert_eq!(world.ask(&finalise(&code, 3)).await.code, 4005, "it is closed");
    let known = world.running.series();
    assert_eq!(known.iter().map(|own| own.state.as_str()).collect::<Vec<_>>(), ["F", "A"]);
}

#[tokio::test]
async fn a_series_in_which_nothing_was_reported_is_annulled() {
    let world = World::new();
    let code = world.registered("2026A", Code::Ft).await;
    let annul = Request::Annul {
        series: SeriesCode::new("2026A").unwrap(),
        code: Code::Ft,
        validation: code.clone(),
    };
    let invoice = world.invoice(&code, 1, None);
    assert_eq!(world.send(&invoice_ws::register(&invoice, &PARTIES)).await.unwrap().code, 0);
    assert_eq!(world.ask(&annul).await.code, 4004);
    let code = world.registered("2026B", Code::Or).await;
    let annul = Request::Annul {
        series: SeriesCode::new("2026B").unwrap(),
        code: Code::Or,
        validation: code,
    };
    assert_eq!(world.ask(&annul).await.code, 2003);
    world.registered("2026B", Code::Or).await;
}

#[tokio::test]
async fn what_is_wrong_with_a_series_has_its_code() {
    let world = World::new();
    let yesterday = match world.register("2026A", Code::Ft) {
        Request::Register { series, kind, code, first, from, certificate } => Request::Register {
            series,
            kind,
            code,
            first,
            from: from.previous_day().unwrap(),
            certificate,
        },
        other => other,
    };
    assert_eq!(world.ask(&yesterday).await.code, 4049);
    world
        .running
        .add_fault(
            Fault::Code("5000".to_owned(), "Erro técnico".to_owned()),
            When {
                authority: Some(SimulatedAuthority::At),
                operation: Some("series".into()),
                times: Some(1),
                ..When::default()
            },
        )
        .unwrap();
    let failed = world.ask(&world.register("2026A", Code::Ft)).await;
    assert_eq!(
        (failed.meaning(), failed.message.as_str()),
        (series_ws::Meaning::Failed, "Erro técnico")
    );
    let codes: Vec<String> =
        world.running.refused_by_at().into_iter().map(|refused| refused.code).collect();
    assert_eq!(codes, ["4049", "5000"]);
    world.registered("2026A", Code::Ft).await;
}

#[tokio::test]
async fn requests_about_series_that_the_schema_refuses_register_nothing() {
    let world = World::new();
    world.running.set_now(datetime!(2026-11-22 10:00 UTC));
    let file = include_str!("../../../../tests/vectors/portugal/series_ws_samples.json");
    let file: Value = serde_json::from_str(file).unwrap();
    let sample = |sample: &Value| {
        let text = |name: &str| sample[name].as_str().unwrap().to_owned();
        (text("id"), text("body"))
    };
    let mut codes = Vec::new();
    for (id, body) in file["invalid"].as_array().unwrap().iter().map(sample) {
        let refused = world.post_series(&body).await;
        assert_eq!(refused.meaning(), series_ws::Meaning::Wrong, "{id}: {}", refused.message);
        codes.push((id, refused.code));
    }
    let codes: Vec<(&str, u16)> = codes.iter().map(|(id, code)| (id.as_str(), *code)).collect();
    let expected =
        [("serie-36", 4000), ("tipo", 4000), ("seq0", 4003), ("cert5", 4000), ("meio", 4000)];
    assert_eq!(codes, expected);
    assert!(world.running.series().is_empty());
    for (id, body) in file["valid"].as_array().unwrap().iter().map(sample) {
        if id.starts_with("registar") {
            let taken = world.post_series(&body).await;
            assert_eq!(taken.code, 2001, "{id}: {}", taken.message);
        }
    }
    assert_eq!(world.running.series().len(), 2);
}

#[tokio::test]
async fn an_invoice_is_reported_once_and_its_voiding_too() {
    let world = World::new();
    let code = world.registered("2026A", Code::Ft).await;
    let mut invoice = world.invoice(&code, 1, None);
    let body = invoice_ws::register(&invoice, &PARTIES);
    for _ in 0..2 {
        let answer = world.send(&body).await.unwrap();
        assert_eq!(answer.meaning(), invoice_ws::Meaning::Done, "{}", answer.message);
    }
    let [reported] = &world.running.reported()[..] else {
        panic!("{:?}", world.running.reported())
    };
    assert_eq!((reported.times, reported.status.as_str()), (2, "N"));
    assert_eq!(reported.excerpt, invoice.hash.excerpt());
    invoice.state.status = Status::Voided;
    let voided = world.send(&invoice_ws::change_status(&invoice, &PARTIES)).await.unwrap();
    assert_eq!(voided.code, 0);
    assert_eq!(world.running.reported()[0].status, "A");
    let unknown = world.invoice(&code, 2, None);
    let unknown = world.send(&invoice_ws::change_status(&unknown, &PARTIES)).await.unwrap();
    assert_eq!(unknown.meaning(), invoice_ws::Meaning::Wrong);
}

#[tokio::test]
async fn reports_that_cannot_be_right_are_refused() {
    let world = World::new();
    let code = world.registered("2026A", Code::Ft).await;
    let good = world.invoice(&code, 1, None);
    let other = ValidationCode::new("AAAAAAAA").unwrap();
    let mut off = good.clone();
    off.tax = decimal("40");
    off.gross = decimal("140");
    let mut ahead = good.clone();
    ahead.date = ahead.date.next_day().unwrap();
    let foreign = invoice_ws::Parties { issuer: "504030108", ..PARTIES };
    let wrong_buyer =
        invoice_ws::Parties { buyer: Some("123456780"), buyer_country: Some("PT"), ..PARTIES };
    for (why, body) in [
        ("another code", invoice_ws::register(&world.invoice(&other, 1, None), &PARTIES)),
        ("taxes that do not come of the lines", invoice_ws::register(&off, &PARTIES)),
        ("dated ahead", invoice_ws::register(&ahead, &PARTIES)),
        ("of another issuer", invoice_ws::register(&good, &foreign)),
        ("to a number that is none", invoice_ws::register(&good, &wrong_buyer)),
        (
            "not as the schema says",
            invoice_ws::register(&good, &PARTIES).replace("TaxEntity", "Tax"),
        ),
    ] {
        let answer = world.send(&body).await.unwrap();
        assert_eq!(answer.meaning(), invoice_ws::Meaning::Wrong, "{why}: {}", answer.message);
    }
    assert!(world.running.reported().is_empty());
    assert_eq!(world.running.refused_by_at().len(), 6);
}

#[tokio::test]
async fn who_calls_is_proved_by_the_header() {
    let world = World::new();
    let code = world.registered("2026A", Code::Ft).await;
    let body = invoice_ws::register(&world.invoice(&code, 1, None), &PARTIES);
    world.running.set_password(&format!("{NIF}/2"), "another one");
    let denied = world.client.invoice(&user("2"), &body, Patience::Interactive).await.unwrap();
    assert_eq!((denied.code, denied.meaning()), (33, invoice_ws::Meaning::Denied));
    let register = world.register("2026B", Code::Ft);
    let refused = world.client.series(&user("2"), &register, Patience::Interactive).await;
    assert!(refused.unwrap_err().reason.contains("password"));
    let nobody = SubUser { username: NIF.to_owned(), password: "x".to_owned() };
    let denied = world.client.invoice(&nobody, &body, Patience::Interactive).await.unwrap();
    assert_eq!(denied.code, 3);
    world.running.set_now(world.running.now() + Duration::from_secs(3_600));
    let late = world.send(&body).await.unwrap();
    assert_eq!((late.code, late.meaning()), (4, invoice_ws::Meaning::Denied));
}

#[tokio::test]
async fn no_answer_and_no_readable_answer_are_told_apart_from_refusals() {
    let world = World::new();
    let code = world.registered("2026A", Code::Ft).await;
    let body = invoice_ws::register(&world.invoice(&code, 1, None), &PARTIES);
    for fault in [
        Fault::LoseAnswer,
        Fault::Twist(Twist::MissingFields),
        Fault::Twist(Twist::WrongNamespace),
        Fault::Twist(Twist::Doctype),
    ] {
        let once =
            When { authority: Some(SimulatedAuthority::At), times: Some(1), ..When::default() };
        world.running.add_fault(fault.clone(), once).unwrap();
        let unanswered = world.send(&body).await.unwrap_err();
        assert!(!unanswered.reason.is_empty(), "{fault:?}");
    }
    assert_eq!(world.send(&body).await.unwrap().code, 0);
    assert_eq!(world.running.reported()[0].times, 5, "each was taken, and repeats do no harm");
}

#[tokio::test]
async fn a_sandbox_that_outlives_the_simulator_goes_on() {
    let forgetful = Options { is_forgetful: true, ..Options::default() };
    let world = World::of(Simulator::start(&forgetful).unwrap());
    let code = ValidationCode::new("AAJFB7NT").unwrap();
    let invoice = world.invoice(&code, 7, None);
    assert_eq!(world.send(&invoice_ws::register(&invoice, &PARTIES)).await.unwrap().code, 0);
    let finalise = Request::Finalise {
        series: SeriesCode::new("2026A").unwrap(),
        code: Code::Ft,
        validation: code,
        last: 7,
        justification: None,
    };
    assert_eq!(world.ask(&finalise).await.code, 2004);
}

#[tokio::test]
async fn the_chains_of_a_file_are_checked_with_the_public_key() {
    let world = World::new();
    let file = include_bytes!("../../../../tests/vectors/portugal/samples/saft_2026_10_own.xml");
    let broken = world.running.check_saft(file).unwrap();
    assert!(!broken.faults.is_empty(), "it was signed by another program");
    let pem = include_str!("../../../../tests/vectors/portugal/keys/test_a_public.pem");
    assert_eq!(control(&world.running, "PUT", "/program-key", pem).await.status, 200);
    let checked = world.running.check_saft(file).unwrap();
    assert_eq!(checked.faults, Vec::<String>::new());
    assert!(checked.series.len() > 2, "{checked:?}");
    let text: String = file.iter().map(|byte| char::from(*byte)).collect();
    let body = text.replacen("<GrossTotal>", "<GrossTotal>1", 1).replace("windows-1252", "utf-8");
    let told = control(&world.running, "POST", "/saf-t", &body).await;
    assert_eq!(told.json()["faults"].as_array().unwrap().len(), 1, "{}", told.text());
    assert_eq!(control(&world.running, "POST", "/saf-t", "<a").await.status, 400);
    assert_eq!(control(&world.running, "PUT", "/program-key", "none").await.status, 400);
}
