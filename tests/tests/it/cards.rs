//! Money by card: on the pages of the simulator that a sandbox has, as a person sees them, and
//! from a processor whose webhooks repeat and come late while the server is killed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use racun_card_simulator::{Options, Payer, Running, Simulator, signature};
use racun_tests::{
    Account, Answer, Client, Data, Profile, Racun, Random, StoreKind, on_both_stores,
};
use serde_json::{Value, json};

on_both_stores! {
    a_shared_invoice_is_paid_on_the_sandboxs_own_page,
    a_plan_is_chosen_with_a_card_on_the_sandboxs_own_page,
    each_payment_is_recorded_once_through_kills_and_repeats,
}

const VISA: &str = "4242 4242 4242 4242";
const MASTERCARD: &str = "5555 5555 5555 4444";
const DECLINED: &str = "4000 0000 0000 0002";
const SECRET: &str = "whsec_of_the_test";
/// Rounds, of which each but the last has a kill in it.
const ROUNDS: usize = 3;
/// Invoices that are paid in a round.
const IN_A_ROUND: usize = 8;
/// Until a webhook was taken, and what it says is done.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a person gets who sends a form on the page at `url`, and is led on.
async fn submit(url: &str, form: &str) -> Answer {
    let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("{url}"));
    let (host, path) = rest.split_once('/').unwrap_or_else(|| panic!("{url}"));
    let client = Client::new(host)
        .with("content-type", "application/x-www-form-urlencoded")
        .with("accept", "text/html");
    client.send("POST", &format!("/{path}"), Some(form.to_owned())).await
}

fn card(number: &str) -> String {
    let number = number.replace(' ', "+");
    format!("number={number}&expiry=12%2F99&cvc=123&name=Jenny&country=SI")
}

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body[field].as_str().unwrap_or_else(|| panic!("{field} is no text in {body}"))
}

/// Reads `path` until `is_done`.
async fn wait_for(client: &Client, path: &str, is_done: impl Fn(&Value) -> bool) -> Value {
    let until = Instant::now() + PATIENCE;
    loop {
        let body = client.read(path).await;
        if is_done(&body) {
            return body;
        }
        assert!(Instant::now() < until, "{path}: {body}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The account's key in its entity.
fn key(account: &Account) -> Client {
    account.api.clone().with("x-entity-id", &account.entity)
}

/// Asks for consent: the page on which it is given, and the state that connects the account.
async fn consent_page(account: &Account) -> Value {
    let body = json!({"environment": "sandbox"});
    account.user.post("/payment-app/authorize", &body).await.expect(200)
}

/// Connects the account whose owner consented.
async fn connect(account: &Account, consent: &Value) {
    let body = json!({"state": consent["state"], "entity_id": account.entity});
    let app = account.user.post("/payment-app/connect", &body).await.expect(200);
    assert_eq!(app["connected"], true, "{app}");
}

/// A shared invoice over 12.20: its id, and the path of its page.
async fn shared_invoice(api: &Client) -> (String, String) {
    let tax = json!({"rate": 22});
    let body = json!({"items": [{"name": "Lamp", "price": 10, "taxes": [tax]}]});
    let invoice = api.create("/invoices", &body).await;
    let id = text(&invoice, "id").to_owned();
    let shared = api.post(&format!("/documents/{id}/share"), &json!({})).await.expect(200);
    let page = format!("/invoices/shareable/{}", text(&shared, "shareable_id"));
    (id, page)
}

/// The page on which the invoice at `page` is paid.
async fn checkout(anonymous: &Client, page: &str) -> String {
    let led = anonymous.post(&format!("{page}/pay"), &json!({})).await.expect(200);
    text(&led, "checkout_url").to_owned()
}

async fn a_shared_invoice_is_paid_on_the_sandboxs_own_page(store: StoreKind) {
    let racun = Racun::start(store).await;
    let account = Account::sign_up(&racun).await;
    let (api, anonymous) = (key(&account), racun.client());
    let consent = consent_page(&account).await;
    let back = submit(text(&consent, "redirect_url"), "name=Our+shop&decision=connect").await;
    assert_eq!(back.expect(200)["state"], consent["state"]);
    connect(&account, &consent).await;
    let settings = api.read("/payment-app/settings").await;
    assert_eq!(settings["account_name"], "Our shop");

    let (id, page) = shared_invoice(&api).await;
    let url = checkout(&anonymous, &page).await;
    assert_eq!(checkout(&anonymous, &page).await, url, "one page while the same is due");
    let declined = submit(&url, &card(DECLINED)).await;
    assert!(declined.text.contains("Your card was declined."), "{declined:?}");
    let led_back = submit(&url, &card(VISA)).await;
    assert_eq!(led_back.status, 200, "{led_back:?}");
    let path = format!("/invoices/{id}");
    let paid = wait_for(&api, &path, |invoice| invoice["paid_in_full"] == true).await;
    assert_eq!((&paid["total_paid"], &paid["total_due"]), (&json!(12.2), &json!(0)), "{paid}");
    let payments = api.all("/payments").await;
    assert_eq!(payments.len(), 1, "{payments:?}");
    assert_eq!((&payments[0]["type"], &payments[0]["amount"]), (&json!("card"), &json!(12.2)));
    let refused = anonymous.post(&format!("{page}/pay"), &json!({})).await;
    refused.refused(422, "unprocessable_entity");
    assert_eq!(refused.cause(), "not_payable_by_card");
}

async fn a_plan_is_chosen_with_a_card_on_the_sandboxs_own_page(store: StoreKind) {
    const OPERATOR: &str = "operator-key-of-32-signs-or-more!";
    let settings = vec![("RACUN__BILLING__OPERATOR_KEY".to_owned(), OPERATOR.to_owned())];
    let racun = Racun::start_with(Profile::Debug, Data::fresh(store), settings).await;
    let label = json!({
        "name": "Acme", "hosts": ["acme.example"], "is_default": true, "billing_enabled": true,
        "payment_provider": "card_processor", "default_plan": "free",
        "plans": [
            {"slug": "free", "name": "Free", "base_price_cents": 0, "display_order": 1},
            {"slug": "start", "name": "Start", "base_price_cents": 900, "display_order": 2},
        ],
    });
    let operator = racun.client().bearer(OPERATOR);
    operator.put("/operator/white-labels/acme", &label).await.expect(200);
    let account = Account::sign_up(&racun).await;
    let user = account.user.clone().with("x-entity-id", &account.entity);
    let own = "/white-label-subscriptions";
    let here = format!("http://{}/health/ready", racun.address());
    let choice = json!({"plan_slug": "start", "billing_interval": "monthly",
        "success_url": here, "cancel_url": here});
    let made = user.post(&format!("{own}/checkout"), &choice).await.expect(200);
    let url = text(&made, "checkout_url");
    let declined = submit(url, &card(DECLINED)).await;
    assert!(declined.text.contains("Your card was declined."), "{declined:?}");
    assert_eq!(submit(url, &card(VISA)).await.status, 200);
    let chosen = wait_for(&user, own, |own| own["payment_method"]["has_card"] == true).await;
    assert_eq!(chosen["payment_method"]["last4"], "4242", "{chosen}");
    let chosen = wait_for(&user, own, |own| own["plan"]["slug"] == "start").await;
    assert_eq!(
        (&chosen["status"], &chosen["payment_provider"]),
        (&json!("active"), &json!("card_processor"))
    );
    let back = json!({"return_url": here});
    let portal = user.post(&format!("{own}/portal"), &back).await.expect(200);
    assert_eq!(submit(text(&portal, "portal_url"), &card(MASTERCARD)).await.status, 200);
    wait_for(&user, own, |own| own["payment_method"]["last4"] == "4444").await;
    // Nothing is paid on the page: a month is charged when it ends.
    let bills = user.read(&format!("{own}/bills")).await;
    let bills = bills["data"].as_array().expect("bills");
    assert!(bills.iter().all(|bill| bill["amount_due_cents"] == 0), "{bills:?}");
}

/// A processor whose webhooks the test posts.
struct Processor {
    simulator: Running,
    /// Events that were read.
    told: usize,
}

impl Processor {
    fn start() -> Self {
        let options = Options { webhook_secret: SECRET.to_owned(), ..Options::default() };
        let simulator = Simulator::start(&options).unwrap_or_else(|error| panic!("{error}"));
        Self { simulator, told: 0 }
    }

    /// Settings that name it.
    fn settings(&self) -> Vec<(String, String)> {
        let setting =
            |name: &str, value: &str| (format!("RACUN__STRIPE__{name}"), value.to_owned());
        vec![
            setting("URL", &self.simulator.url),
            setting("SECRET_KEY", "sk_test_of_the_test"),
            setting("WEBHOOK_SECRET", SECRET),
            setting("CLIENT_ID", "ca_1"),
        ]
    }

    /// What it tells that was not read yet.
    fn news(&mut self) -> Vec<String> {
        let events = self.simulator.events();
        let news = events.iter().skip(self.told).map(|event| event.body.clone()).collect();
        self.told = events.len();
        news
    }

    fn pay(&self, url: &str, number: &str) -> Result<String, String> {
        self.simulator.pay(url, &Payer::with(number))
    }
}

/// The time, in seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    i64::try_from(since.as_secs()).expect("a time")
}

/// Posts `body`, signed with `secret` at `time`; no answer is `None`.
async fn post(client: &Client, body: &str, secret: &str, time: i64) -> Option<Answer> {
    let client = client.clone().with("stripe-signature", &signature(secret, time, body));
    client.try_json("POST", "/card-processor/webhook", body).await.ok()
}

/// Posts each of `bodies`; answers those that were not taken, which the processor posts again.
async fn tell(client: Client, bodies: Vec<String>) -> Vec<String> {
    let mut lost = Vec::new();
    for body in bodies {
        let answer = post(&client, &body, SECRET, now()).await;
        match answer.map_or(0, |answer| answer.status) {
            200 => {}
            0 | 503 => lost.push(body),
            status => panic!("{status}: {body}"),
        }
    }
    lost
}

async fn each_payment_is_recorded_once_through_kills_and_repeats(store: StoreKind) {
    let seed = Random::any_seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut processor = Processor::start();
    let data = Data::fresh(store);
    let mut racun = Racun::start_with(Profile::Debug, data, processor.settings()).await;
    let mut account = Account::sign_up(&racun).await;
    let consent = consent_page(&account).await;
    let back = processor.simulator.consent(text(&consent, "redirect_url"), "Our shop");
    let back = back.unwrap_or_else(|error| panic!("{error}"));
    let (_, path) = back.split_once(racun.address()).unwrap_or_else(|| panic!("{back}"));
    racun.client().read(path).await;
    connect(&account, &consent).await;

    let mut invoices = BTreeSet::new();
    for round in 0..ROUNDS {
        let api = key(&account);
        for _ in 0..IN_A_ROUND {
            let (id, page) = shared_invoice(&api).await;
            let url = checkout(&racun.client(), &page).await;
            let declined = processor.pay(&url, DECLINED);
            assert_eq!(declined, Err("Your card was declined.".to_owned()));
            processor.pay(&url, VISA).unwrap_or_else(|error| panic!("{error}"));
            invoices.insert(id);
        }
        let mut bodies = processor.news();
        bodies.extend_from_within(..);
        for n in (1..bodies.len()).rev() {
            let end = u64::try_from(n + 1).expect("a number");
            bodies.swap(n, usize::try_from(random.below(end)).expect("a number"));
        }
        let telling = tokio::spawn(tell(racun.client(), bodies));
        if round + 1 < ROUNDS {
            tokio::time::sleep(Duration::from_millis(random.below(600))).await;
            racun.restart().await;
            account = account.at(&racun);
        }
        let lost = telling.await.expect("it ends");
        println!("{} webhooks of round {round} were lost, and posted again", lost.len());
        assert_eq!(tell(racun.client(), lost).await, Vec::<String>::new());
    }
    refuse_forged(&racun, &processor).await;
    check(&key(&account), &processor, &invoices).await;
    // All of it, once more.
    processor.told = 0;
    assert_eq!(tell(racun.client(), processor.news()).await, Vec::<String>::new());
    check(&key(&account), &processor, &invoices).await;
}

/// What another one signed, or what was signed too long ago or in the future, is refused.
async fn refuse_forged(racun: &Racun, processor: &Processor) {
    let body = processor.simulator.events().pop().expect("an event").body;
    let (client, now) = (racun.client(), now());
    let altered = body.replace("1220", "1");
    // A minute more than what is allowed ahead: the server's clock goes on between the requests.
    for (secret, time) in [("whsec_other", now), (SECRET, now - 301), (SECRET, now + 360)] {
        let refused = post(&client, &body, secret, time).await.expect("an answer");
        refused.refused(401, "unauthorized");
        assert_eq!(refused.cause(), "invalid_signature");
    }
    let stolen = client.clone().with("stripe-signature", &signature(SECRET, now, &body));
    let refused = stolen.json("POST", "/card-processor/webhook", altered).await;
    assert_eq!(refused.cause(), "invalid_signature");
}

/// What the processor took is what is recorded: each payment once, on an invoice of its own.
async fn check(api: &Client, processor: &Processor, invoices: &BTreeSet<String>) {
    let mut taken = processor.simulator.payments();
    taken.retain(|payment| payment.status == "succeeded");
    let taken: BTreeSet<String> = taken.into_iter().map(|payment| payment.id).collect();
    assert_eq!((taken.len(), invoices.len()), (ROUNDS * IN_A_ROUND, ROUNDS * IN_A_ROUND));
    let of = |rows: &[Value], field: &str| -> BTreeSet<String> {
        rows.iter().map(|row| text(row, field).to_owned()).collect()
    };
    let charges = api.all("/payment-app/invoices").await;
    assert!(charges.iter().all(|charge| charge["status"] == "recorded"), "{charges:?}");
    assert_eq!((charges.len(), of(&charges, "id")), (taken.len(), taken.clone()));
    assert_eq!(of(&charges, "document_id"), *invoices);
    let payments = api.all("/payments").await;
    let by_card = |payment: &Value| payment["type"] == "card" && payment["amount"] == json!(12.2);
    assert!(payments.iter().all(by_card), "{payments:?}");
    assert_eq!((payments.len(), of(&payments, "reference")), (taken.len(), taken));
    let paid = api.all("/invoices").await;
    assert_eq!(of(&paid, "id"), *invoices);
    assert!(paid.iter().all(|invoice| invoice["paid_in_full"] == true), "{paid:?}");
}
