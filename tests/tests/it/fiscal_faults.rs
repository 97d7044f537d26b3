//! Everything that can go wrong on the way to a tax authority and back: the document is issued with
//! its number and mark while the fault lasts, nothing forged is believed, and when the fault is
//! over the authority has every document.

use std::collections::BTreeSet;
use std::time::Duration;

use racun_authority_simulator::{Fault, Filter, Page, Refused, Twist, When};
use racun_fiscal::Authority;
use racun_tests::{
    Account, Answer, Data, Offices, Profile, Racun, Retries, StoreKind, Taxpayer, Transport, fiscal,
};
use serde_json::{Value, json};

/// Longer than an attempt whose answer never comes, the wait after it, and the worker's own.
const DELIVERY: Duration = Duration::from_secs(90);

/// Longer than one cell takes, so that the worker does not send what the cell is about to send.
const RETRIES: Retries = Retries { initial: 10, max: 10 };

/// All that can go wrong with an exchange.
const FAULTS: [Fault; 37] = [
    Fault::Refuse,
    Fault::Reset,
    Fault::TlsFailure,
    Fault::WrongCertificate,
    Fault::ResetAfterRead,
    Fault::LoseAnswer,
    Fault::Cut(1),
    Fault::Cut(64),
    Fault::Cut(1_024),
    Fault::WrongLength,
    Fault::Huge(11_000_000),
    Fault::Page(Page::ServerError),
    Fault::Page(Page::BadGateway),
    Fault::Page(Page::NotFound),
    Fault::Page(Page::Redirect),
    Fault::Page(Page::Html),
    Fault::Page(Page::Empty),
    Fault::Twist(Twist::BadSignature),
    Fault::Twist(Twist::Unsigned),
    Fault::Twist(Twist::AlgNone),
    Fault::Twist(Twist::UntrustedSigner),
    Fault::Twist(Twist::ExpiredSigner),
    Fault::Twist(Twist::OtherSigner),
    Fault::Twist(Twist::Wrapped),
    Fault::Twist(Twist::WrongMessageId),
    Fault::Twist(Twist::MissingFields),
    Fault::Twist(Twist::ExtraFields),
    Fault::Twist(Twist::Both),
    Fault::Twist(Twist::WrongNamespace),
    Fault::Twist(Twist::Doctype),
    Fault::Twist(Twist::BillionLaughs),
    Fault::Twist(Twist::Attributes),
    Fault::Delay(20_000),
    Fault::Drip(1_000),
    Fault::Endless,
    Fault::Stall,
    Fault::Hang,
];

/// Faults that the log reports as an answer of another party than the authority.
const FORGERIES: [Twist; 6] = [
    Twist::BadSignature,
    Twist::Unsigned,
    Twist::AlgNone,
    Twist::UntrustedSigner,
    Twist::OtherSigner,
    Twist::WrongMessageId,
];

/// What the text of a refusal begins with that a test asked for.
const PLANNED: &str = "text of";

/// A server, the authority that it tells, and an account.
struct Trial {
    racun: Racun,
    offices: Offices,
    account: Account,
    authority: Authority,
}

/// A document whose number and mark are kept, and the taxpayer whose it is.
struct Kept {
    own: Taxpayer,
    name: String,
    invoice: Value,
}

impl Trial {
    async fn open(authority: Authority, transport: Transport) -> Self {
        let offices = Offices::open();
        let settings = offices.settings(transport, RETRIES);
        let data = Data::fresh(StoreKind::Embedded);
        let racun = Racun::start_with(Profile::Debug, data, settings).await;
        let account = Account::sign_up(&racun).await;
        Self { racun, offices, account, authority }
    }

    async fn taxpayer(&self) -> Taxpayer {
        Taxpayer::open(&self.account, &self.offices, self.authority).await
    }

    async fn break_down(&self, fault: &Fault) {
        self.offices.break_down(self.authority, fault).await;
    }

    async fn mend(&self) {
        self.offices.mend(self.authority).await;
    }

    /// One fault, in a premise of its own: with all that the authority is asked for.
    async fn cell(&self, place: usize, fault: &Fault) -> Kept {
        let (own, premise) = (self.taxpayer().await, format!("P{place}"));
        let name = format!("{fault:?}");
        println!("{:?} {premise}: {name}", self.authority);
        let change = match self.authority {
            Authority::Furs => {
                self.premise_meets(&own, &premise, fault).await;
                None
            }
            Authority::Fina => {
                own.place(&premise, &["1"]).await;
                Some(own.sell(&premise, "1").await)
            }
        };
        self.break_down(fault).await;
        let sold = own.sell(&premise, "1").await;
        let first = check_waits(&own, &sold, &name);
        assert_eq!(fiscal(&sold)["data"]["subsequent_submit"], false, "{name}");
        let again = own.fiscalize(&sold).await;
        let second = check_waits(&own, &again, &name);
        assert_ne!(first, second, "{name}: each message has an id of its own");
        assert_eq!(fiscal(&again)["data"]["subsequent_submit"], true, "{name}");
        check_same(&own, &sold, &again, &name);
        if let Some(receipt) = change {
            self.change_meets(&own, &receipt, &name).await;
        }
        if let Fault::Twist(twist) = fault
            && FORGERIES.contains(twist)
        {
            self.logs_a_forgery(&second, &name).await;
        }
        self.mend().await;
        Kept { own, name, invoice: sold }
    }

    /// A premise is not open while FURS is broken, and its name stays free.
    async fn premise_meets(&self, own: &Taxpayer, premise: &str, fault: &Fault) {
        self.break_down(fault).await;
        let answer = own.open_premise(premise).await;
        answer.expect(503);
        assert_eq!(answer.cause(), "furs_unreachable", "{fault:?}: {}", answer.text);
        assert_eq!(own.api.read(&own.path("/premises")).await, json!([]), "{fault:?}");
        self.mend().await;
        own.place(premise, &["1"]).await;
    }

    /// A payment's type stays while CIS is broken; afterwards the same change goes through.
    async fn change_meets(&self, own: &Taxpayer, receipt: &Value, name: &str) {
        assert_eq!(fiscal(receipt)["status"], "success", "{name}: {receipt}");
        let payment = payment_of(own, receipt).await;
        let path = format!("/payments/{}", payment["id"].as_str().expect("an id"));
        let change = async |kind: &str| own.api.patch(&path, &json!({ "type": kind })).await;
        let answer = change("card").await;
        answer.expect(503);
        assert_eq!(answer.cause(), "fina_unreachable", "{name}: {}", answer.text);
        assert_eq!(own.api.read(&path).await, payment, "{name}: the payment is untouched");
        let attempt =
            fiscal(&own.read(receipt).await)["data"]["payment_change_unconfirmed"].clone();
        assert_eq!((&attempt["from"], &attempt["to"]), (&json!("cash"), &json!("card")), "{name}");
        let other = change("bank_transfer").await;
        other.expect(409);
        assert_eq!(other.cause(), "fina_payment_change_unconfirmed", "{name}");
        self.mend().await;
        assert_eq!(change("card").await.expect(200)["type"], "card", "{name}");
        let changed = own.read(receipt).await;
        let attempt = &fiscal(&changed)["data"]["payment_change_unconfirmed"];
        assert_eq!(*attempt, Value::Null, "{name}");
    }

    /// The log says that the answer to `message_id` is not the authority's.
    async fn logs_a_forgery(&self, message_id: &str, name: &str) {
        let is_it = |line: &str| {
            line.contains(message_id) && line.contains("an answer is not the authority's")
        };
        for _ in 0..1_000 {
            if self.racun.log().lines().any(is_it) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{name}: nothing in the log about {message_id}");
    }

    /// All faults, one after the other, and then the delivery of all that they held up.
    async fn all_faults(&self) {
        let mut kept = Vec::new();
        for (place, fault) in FAULTS.iter().enumerate() {
            kept.push(self.cell(place, fault).await);
        }
        for (place, Kept { own, name, invoice }) in kept.iter().enumerate() {
            own.all_settled(DELIVERY).await;
            let confirmed = own.read(invoice).await;
            self.check_confirmed(own, &format!("P{place}"), invoice, &confirmed, name);
        }
        self.check_gaps();
    }

    /// The authority has the document as it was issued, at last in a message that says it is late.
    fn check_confirmed(
        &self,
        own: &Taxpayer,
        premise: &str,
        issued: &Value,
        confirmed: &Value,
        name: &str,
    ) {
        let said = fiscal(confirmed);
        assert_eq!((&said["status"], &said["error"]), (&json!("success"), &Value::Null), "{name}");
        check_same(own, issued, confirmed, name);
        let number = said["data"]["invoice_number"].to_string();
        let taken = self.offices.invoices(own.authority, premise);
        let taken: Vec<_> =
            taken.into_iter().filter(|one| one.number.as_ref() == Some(&number)).collect();
        let ids: BTreeSet<&str> = taken.iter().map(|one| &*one.message_id).collect();
        assert_eq!(ids.len(), taken.len(), "{name}: each message has an id of its own");
        let mark = own.mark(issued);
        for one in &taken {
            assert_eq!(one.mark.as_ref(), Some(&mark), "{name}: {one:?}");
            assert_eq!(one.issued_at, taken[0].issued_at, "{name}");
            assert_eq!(one.amount.as_deref(), Some("12.20"), "{name}");
        }
        let shown = own.confirmation(confirmed);
        let last = taken.iter().find(|one| one.id == shown);
        let last = last.unwrap_or_else(|| panic!("{name}: {shown:?} is in none of {taken:?}"));
        assert!(last.late && last.fault.is_none(), "{name}: {last:?}");
        assert_eq!(said["data"]["subsequent_submit"], true, "{name}");
    }

    /// No number is missing in any premise, and none belongs to two documents.
    fn check_gaps(&self) {
        for gaps in self.offices.of(self.authority).gaps(&Filter::default()) {
            assert!(gaps.missing.is_empty() && gaps.doubled.is_empty(), "{gaps:?}");
            assert_eq!(gaps.first, "1", "{gaps:?}");
        }
    }

    /// A refusal with one of `codes` fails the message, which is sent again only on request. A
    /// refusal with one of `passing`, or with an unknown code, is temporary: it is sent again.
    async fn codes(&self, codes: &[&str], passing: &[&str]) {
        let own = self.taxpayer().await;
        own.place("Q1", &["1"]).await;
        let mut failed = Vec::new();
        for code in codes {
            let sold = self.refused(&own, code).await;
            let said = fiscal(&sold);
            assert_eq!((&said["status"], &said["error"]), (&json!("failed"), &json!(code)));
            assert_eq!(own.confirmation(&sold), None);
            failed.push(sold);
        }
        // Codes that pass are sent again; until then those that do not must have stayed as they
        // are.
        let mut waits = Vec::new();
        for code in passing {
            let sold = self.refused(&own, code).await;
            assert_eq!(fiscal(&sold)["error"], *code);
            check_waits(&own, &sold, code);
            waits.push(sold);
        }
        own.all_settled(DELIVERY).await;
        for invoice in &waits {
            let confirmed = own.read(invoice).await;
            self.check_confirmed(&own, "Q1", invoice, &confirmed, "a code that passes");
        }
        let refused = self.offices.of(self.authority).refused();
        for (code, invoice) in codes.iter().zip(&failed) {
            assert_eq!(own.read(invoice).await, *invoice, "{code}: nothing happened to it");
            let times = refused.iter().filter(|one| one.code == *code).count();
            assert_eq!(times, 1, "{code}: it was sent once");
            let again = own.fiscalize(invoice).await;
            self.check_confirmed(&own, "Q1", invoice, &again, code);
        }
        self.check_gaps();
    }

    fn refuse_once(&self, code: &str) {
        let fault = Fault::Code(code.to_owned(), format!("{PLANNED} {code}"));
        let once = When { times: Some(1), ..When::default() };
        self.offices.plan(self.authority, fault, once);
    }

    /// Refused with each of these codes, a premise is not open, and its name stays free.
    async fn premise_codes(&self, codes: &[(&str, u16)]) {
        let own = self.taxpayer().await;
        for (code, status) in codes {
            self.refuse_once(code);
            check_provider_error(&own.open_premise("M1").await, *status, code);
            assert_eq!(own.api.read(&own.path("/premises")).await, json!([]), "{code}");
        }
        own.open_premise("M1").await.expect(201);
    }

    /// Refused with each of these codes, a payment keeps its type, and may be changed later.
    async fn change_codes(&self, codes: &[(&str, u16)]) {
        let own = self.taxpayer().await;
        own.place("M1", &["1"]).await;
        let payment = payment_of(&own, &own.sell("M1", "1").await).await;
        let path = format!("/payments/{}", payment["id"].as_str().expect("an id"));
        for (code, status) in codes {
            self.refuse_once(code);
            let answer = own.api.patch(&path, &json!({ "type": "card" })).await;
            check_provider_error(&answer, *status, code);
            assert_eq!(own.api.read(&path).await, payment, "{code}");
        }
        let changed = own.api.patch(&path, &json!({ "type": "card" })).await.expect(200);
        assert_eq!(changed["type"], "card");
    }

    /// An invoice that the authority refuses with `code`.
    async fn refused(&self, own: &Taxpayer, code: &str) -> Value {
        self.refuse_once(code);
        let sold = own.sell("Q1", "1").await;
        self.mend().await;
        sold
    }

    /// A revoked certificate is not tried again; what waits is signed with the next one.
    async fn certificates(&self, code: &str) {
        let own = self.taxpayer().await;
        own.place("C1", &["1"]).await;
        let office = self.offices.of(self.authority);
        let revoked = own.certify(&self.offices).await;
        self.break_down(&Fault::Page(Page::ServerError)).await;
        let waits = own.sell("C1", "1").await;
        check_waits(&own, &waits, "waiting");
        self.mend().await;
        office.revoke(&revoked);
        let failed = own.sell("C1", "1").await;
        assert_eq!(
            (&fiscal(&failed)["status"], &fiscal(&failed)["error"]),
            (&json!("failed"), &json!(code))
        );
        let serial = own.certify(&self.offices).await;
        own.all_settled(DELIVERY).await;
        let again = own.fiscalize(&failed).await;
        let waited = own.read(&waits).await;
        for (issued, confirmed) in [(&waits, &waited), (&failed, &again)] {
            self.check_confirmed(&own, "C1", issued, confirmed, "rotation");
        }
        for taken in self.offices.invoices(self.authority, "C1") {
            assert_eq!(taken.certificate, serial, "{taken:?}");
        }
        let refused = office.refused();
        let is_it = |one: &&Refused| one.code == code && !one.text.starts_with(PLANNED);
        assert_eq!(refused.iter().filter(is_it).count(), 1, "it was tried once: {refused:?}");
    }
}

/// The document waits for the authority: answered while the fault lasts, numbered and marked, not
/// confirmed. Answers the id of its last message.
fn check_waits(own: &Taxpayer, invoice: &Value, name: &str) -> String {
    let said = fiscal(invoice);
    assert_eq!(said["status"], "pending", "{name}: {said}");
    assert_eq!(own.confirmation(invoice), None, "{name}: {said}");
    assert!(said["data"]["invoice_number"].is_u64(), "{name}: {said}");
    assert_eq!(own.mark(invoice).len(), 32, "{name}: {said}");
    said["data"]["message_id"].as_str().expect("an id").to_owned()
}

/// What was given at the issue stays: number, mark, and all amounts.
fn check_same(own: &Taxpayer, issued: &Value, later: &Value, name: &str) {
    for field in ["id", "number", "date", "total_with_tax", "created_at"] {
        assert_eq!(issued[field], later[field], "{name}: {field}");
    }
    assert_eq!(own.mark(issued), own.mark(later), "{name}");
}

/// The answer tells the authority's code and text.
fn check_provider_error(answer: &Answer, status: u16, code: &str) {
    let cause = &answer.expect(status)["cause"];
    assert_eq!(cause["code"], "fiscalization_provider_error", "{}", answer.text);
    assert_eq!(cause["provider_code"], code, "{}", answer.text);
    assert_eq!(cause["provider_message"], format!("{PLANNED} {code}"), "{}", answer.text);
}

async fn payment_of(own: &Taxpayer, invoice: &Value) -> Value {
    let payments = own.api.all("/payments").await;
    let is_its = |payment: &&Value| {
        payment["document_id"] == invoice["id"] || payment["invoice_id"] == invoice["id"]
    };
    payments.iter().find(is_its).unwrap_or_else(|| panic!("no payment of {invoice}")).clone()
}

const FURS_CODES: [&str; 8] = ["S001", "S002", "S003", "S004", "S005", "S006", "S007", "S008"];
const FINA_CODES: [&str; 6] = ["s001", "s002", "s003", "s004", "s005", "s013"];

/// Each way to an authority at the same time as the others, for it waits more than it computes.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_leaves_a_document_that_is_delivered_when_it_is_over() {
    let ways = [
        (Authority::Furs, Transport::Soap),
        (Authority::Furs, Transport::Json),
        (Authority::Fina, Transport::Soap),
    ];
    let all = ways.map(|(authority, transport)| {
        tokio::spawn(async move { Trial::open(authority, transport).await.all_faults().await })
    });
    for way in all {
        way.await.expect("no way fails");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_of_furs_ends_as_its_code_says() {
    let trial = Trial::open(Authority::Furs, Transport::Json).await;
    trial.codes(&FURS_CODES, &["S100", "S999"]).await;
    trial.premise_codes(&[("S005", 422), ("S001", 500), ("S100", 503), ("S999", 503)]).await;
    trial.certificates("S007").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_of_cis_ends_as_its_code_says() {
    let trial = Trial::open(Authority::Fina, Transport::Soap).await;
    trial.codes(&FINA_CODES, &["s006", "s999"]).await;
    let table = [("s005", 422), ("s001", 500), ("s004", 500), ("s006", 503), ("s999", 503)];
    trial.change_codes(&table).await;
    trial.certificates("s002").await;
}
