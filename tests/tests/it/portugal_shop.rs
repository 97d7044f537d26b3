//! A shop in Lisbon on its way through a random month: it sells at the rates of all regions and at
//! none, is paid, gives back, voids, and recovers invoices from forms.

use std::collections::BTreeMap;

use racun_kernel::Decimal;
use racun_tests::{Client, Random};
use serde_json::{Value, json};

/// The rates of a region: three, and none.
type Rates = [u8; 4];

const MAINLAND: Rates = [23, 13, 6, 0];

/// The rates that a document may have: the mainland's as often as those of the Azores and of
/// Madeira together.
const REGIONS: [Rates; 4] = [MAINLAND, MAINLAND, [16, 9, 4, 0], [22, 12, 4, 0]];

/// Codes of why no tax is charged, and the law's words.
const EXEMPTIONS: [(&str, &str); 5] = [
    ("M01", "Artigo 16.º, n.º 6 do CIVA"),
    ("M07", "Isento artigo 9.º do CIVA"),
    ("M10", "IVA – regime de isenção"),
    ("M40", "IVA - autoliquidação"),
    ("M99", "Não sujeito ou não tributado"),
];

/// A shop on its way through the month.
pub struct Shop {
    pub api: Client,
    random: Random,
    /// Invoices that stand, and were not given back.
    invoices: Vec<Value>,
    /// Invoices that were paid, with a receipt.
    paid: Vec<Value>,
    /// Payments whose receipts were voided.
    voided: Vec<Value>,
    /// The numbers of estimates and delivery notes that were invoiced, and the invoices' ids.
    pub invoiced: Vec<(String, String)>,
    /// How many forms were filled in by hand.
    forms: u64,
}

impl Shop {
    /// The shop before its first sale; it has series, one of them for recovered invoices.
    pub fn new(api: Client, random: Random) -> Self {
        Self {
            api,
            random,
            invoices: Vec::new(),
            paid: Vec::new(),
            voided: Vec::new(),
            invoiced: Vec::new(),
            forms: 0,
        }
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let count = u64::try_from(choices.len()).expect("few");
        choices[usize::try_from(self.random.below(count)).expect("few")]
    }

    /// Does something that shops do.
    pub async fn step(&mut self) {
        match self.random.below(16) {
            0..=4 => {
                let more = self.sale();
                let sold = self.sell(more).await;
                self.invoices.push(sold);
            }
            5 => {
                let estimate = self.sale();
                self.api.create("/estimates", &estimate).await;
            }
            6 => {
                let note = self.sale();
                let note = self.api.create("/delivery-notes", &note).await;
                if self.random.below(3) == 0 {
                    self.void("/delivery-notes", &note).await;
                }
            }
            7 | 8 => self.pay().await,
            9 => self.give_back().await,
            10 => {
                let Some(sold) = self.take(|_| true) else { return };
                self.void("/invoices", &sold).await;
            }
            11 => self.void_receipt().await,
            12 => self.void_paid().await,
            13 => self.invoice_what_was_agreed().await,
            14 => self.sell_in_advance().await,
            _ => self.recover().await,
        }
    }

    pub async fn sell(&self, more: Value) -> Value {
        let mut body = json!({"items": [{"name": "Pão", "price": 1, "taxes": [{"rate": 6}]}]});
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        self.api.create("/invoices", &body).await
    }

    /// What any document may say.
    fn sale(&mut self) -> Value {
        let rates = self.one_of(&REGIONS);
        self.sale_at(rates)
    }

    /// The same in the region of `rates`.
    fn sale_at(&mut self, rates: Rates) -> Value {
        let items: Vec<Value> = (0..=self.random.below(4)).map(|_| self.line(rates)).collect();
        let mut body = json!({ "items": items });
        if self.random.below(2) == 0 {
            let name = self.one_of(&["Ana São João", "Žiga Čuk & filhos", "Bor <Lda>"]);
            body["customer"] = json!({"name": name, "country_code": "PT", "address": "Rua 2"});
        }
        if self.random.below(3) == 0 {
            let rate = self.one_of(&["0.8637", "0.8645", "0.91", "1.07"]);
            let rate: Value = serde_json::from_str(rate).expect("a number");
            body["currency_code"] = json!("USD");
            body["exchange_rate"] = json!({ "rate": rate });
        }
        body
    }

    fn line(&mut self, rates: Rates) -> Value {
        let rate = self.one_of(&rates);
        let mut tax = json!({ "rate": rate });
        if rate == 0 {
            let (code, reason) = self.one_of(&EXEMPTIONS);
            tax["pt_exemption_code"] = json!(code);
            tax["pt_exemption_reason"] = json!(reason);
        }
        let price = format!("{}.{:02}", self.random.below(40), self.random.below(100));
        let price: Value = serde_json::from_str(&price).expect("a number");
        let mut line = json!({
            "name": self.one_of(&["Pão", "Café", "Livro «ž»", "Chá & bolo"]),
            "quantity": self.random.below(5) + 1, "price": price, "taxes": [tax],
        });
        if self.random.below(3) == 0 {
            line["discounts"] = json!([{"value": self.one_of(&[10, 33, 50])}]);
        }
        line
    }

    /// Receives some money, or all that is left, on an earlier invoice, or with a new one.
    async fn pay(&mut self) {
        if self.random.below(2) == 0 {
            let mut more = self.sale_at(MAINLAND);
            let line = json!({"name": "Saco", "price": 1, "taxes": [{"rate": 23}]});
            more["items"].as_array_mut().expect("lines").push(line);
            more["payments"] = match self.random.below(2) {
                0 => json!([{"type": "cash"}]),
                _ => json!([{"type": "cash", "amount": 0.01}, {"type": "debit_card"}]),
            };
            self.sell(more).await;
            return;
        }
        let Some(sold) = self.take(|_| true) else { return };
        let due = sold["total_due"].clone();
        if !is_zero(&due) {
            let body = json!({"invoice_id": sold["id"], "type": "bank_transfer", "amount": due});
            self.api.create("/payments", &body).await;
            self.paid.push(sold);
        }
    }

    /// Voids an invoice that was paid, which takes its receipt first.
    async fn void_paid(&mut self) {
        let Some(sold) = self.paid.pop() else { return };
        let payments = self.api.all("/payments").await;
        let receipt = |own: &Value| own["invoice_id"] == sold["id"] && own["pt"].is_object();
        if let Some(payment) = payments.into_iter().find(receipt) {
            let path = format!("/invoices/{}/void", text(&sold, "id"));
            let refused = self.api.post(&path, &json!({"reason": "Erro"})).await.expect(422);
            assert_eq!(refused["cause"]["code"], "pt_receipt_holds");
            self.api.delete(&format!("/payments/{}", text(&payment, "id"))).await;
            self.voided.push(payment);
        }
        self.void("/invoices", &sold).await;
    }

    /// Invoices an estimate and a delivery note that were just made.
    async fn invoice_what_was_agreed(&mut self) {
        let mut body = self.sale();
        for own in ["customer", "currency_code", "exchange_rate"] {
            body.as_object_mut().expect("an object").remove(own);
        }
        let estimate = self.api.create("/estimates", &body).await;
        let note = self.api.create("/delivery-notes", &body).await;
        body["linked_documents"] = json!([estimate["id"], note["id"]]);
        let sold = self.sell(body).await;
        let pair = |own| (text(own, "number").to_owned(), text(&sold, "id").to_owned());
        self.invoiced.extend([&estimate, &note].map(pair));
        self.invoices.push(sold);
    }

    /// Is paid in advance, of which an invoice often takes some.
    async fn sell_in_advance(&mut self) {
        let line = self.line(MAINLAND);
        let sign = json!({"name": "Sinal", "price": 1.35, "taxes": [{"rate": 23}]});
        let body = json!({"items": [line, sign], "payments": [{"type": "cash"}]});
        let advance = self.api.create("/advance-invoices", &body).await;
        if self.random.below(3) > 0 {
            let count = self.random.below(3);
            let items: Vec<Value> = (0..=count).map(|_| self.line(MAINLAND)).collect();
            self.sell(json!({"items": items, "linked_documents": [advance["id"]]})).await;
        }
    }

    /// Enters an invoice that was written by hand, as when the program could not be used.
    async fn recover(&mut self) {
        self.forms += 1;
        let mut body = self.sale();
        body["pt"] = json!({
            "manual": true, "manual_series_code": "V", "manual_sequential_number": self.forms,
        });
        let sold = self.sell(body).await;
        self.invoices.push(sold);
    }

    /// Gives an earlier invoice back, all of it.
    async fn give_back(&mut self) {
        let Some(sold) = self.take(|sold| !is_zero(&sold["total_with_tax"])) else { return };
        let field = |line: &Value, name: &str| line[name].clone();
        let items = sold["items"].as_array().expect("lines").iter();
        let items: Vec<Value> = items
            .map(|line| {
                let tax = &line["taxes"][0];
                let mut own = json!({ "rate": tax["rate"] });
                for name in ["pt_exemption_code", "pt_exemption_reason"] {
                    if tax[name].is_string() {
                        own[name] = tax[name].clone();
                    }
                }
                json!({
                    "name": field(line, "name"), "quantity": field(line, "quantity"),
                    "price": field(line, "price"), "discounts": field(line, "discounts"),
                    "taxes": [own],
                })
            })
            .collect();
        let mut body = json!({ "items": items, "linked_documents": [sold["id"]] });
        if sold["exchange_rate"].is_object() {
            body["currency_code"] = sold["currency_code"].clone();
            body["exchange_rate"] = json!({ "rate": sold["exchange_rate"]["rate"] });
        }
        self.api.create("/credit-notes", &body).await;
    }

    async fn void(&self, path: &str, document: &Value) {
        let path = format!("{path}/{}/void", text(document, "id"));
        let body = json!({ "reason": "Erro" });
        self.api.json("POST", &path, body.to_string()).await.expect(200);
    }

    async fn void_receipt(&mut self) {
        let paid = self.api.all("/payments").await;
        let receipt = paid.into_iter().find(|payment| payment["pt"].is_object());
        let Some(payment) = receipt else { return };
        self.api.delete(&format!("/payments/{}", text(&payment, "id"))).await;
        self.voided.push(payment);
    }

    /// Takes one of the invoices that stand, if it is as it has to be.
    fn take(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let place = self.invoices.iter().position(fits)?;
        Some(self.invoices.remove(place))
    }

    /// Number, euros and whether it holds of each receipt, of the payments of `sales`.
    pub async fn receipts(&self, sales: &[Value]) -> BTreeMap<String, (Decimal, bool)> {
        let live = self.api.all("/payments").await;
        let live = live.iter().map(|payment| (payment, true));
        let all = live.chain(self.voided.iter().map(|payment| (payment, false)));
        all.filter(|(payment, _)| payment["pt"].is_object())
            .map(|(payment, holds)| {
                let sold = sales.iter().find(|sold| sold["id"] == payment["invoice_id"]);
                let rate = &sold.expect("its invoice")["exchange_rate"]["rate"];
                let amount = decimal(&payment["amount"]);
                let euros = match rate {
                    Value::Null => amount,
                    rate => racun_kernel::Currency::EUR.round(&(&amount * &decimal(rate))),
                };
                (text(&payment["pt"], "number").to_owned(), (euros, holds))
            })
            .collect()
    }
}

/// A field of `value` as text.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

/// A number as it is written.
pub fn decimal(number: &Value) -> Decimal {
    number.to_string().parse().unwrap_or_else(|_| panic!("{number} is no number"))
}

fn is_zero(number: &Value) -> bool {
    decimal(number).is_zero()
}
