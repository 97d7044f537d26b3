//! Documents of a small company in October 2026, certified as they are issued.

use std::collections::BTreeMap;

use racun_kernel::{Currency, Decimal};
use racun_portugal::saft::{
    Address, Company, Customer, Header, LineReference, Product, ProductKind, SaftCurrency,
    SaftDocument, SaftLine, SaftPayment, SaftReceipt, SaftTax, Settled, Shipping, Software, State,
    Withheld,
};
use racun_portugal::{
    Certified, ChainHead, Fresh, Level, Mechanism, Origin, ProgramKey, PtSeries, Purpose, Region,
    Status, WallTime, rate_on,
};
use time::Date;

use crate::series::series;
use crate::world::{date, decimal};

pub fn header() -> Header {
    Header {
        company: Company {
            nif: "508025338".to_owned(),
            registration: Some("Évora 508025338".to_owned()),
            name: "Exemplo & Filhos, Lda.".to_owned(),
            business_name: Some("Exemplo".to_owned()),
            address: Address {
                detail: Some("Rua da Conceição 12".to_owned()),
                city: Some("Évora".to_owned()),
                post_code: Some("7000-500".to_owned()),
                region: None,
                country: Some("PT".to_owned()),
            },
            telephone: Some("+351 266 000 000".to_owned()),
            email: Some("ola@exemplo.pt".to_owned()),
            website: Some("https://exemplo.pt".to_owned()),
        },
        from: date("2026-10-01"),
        to: date("2026-10-31"),
        created_on: date("2026-11-02"),
        software: Software {
            maker_tax_number: "SI12345678".to_owned(),
            certificate: 9999,
            name: "Racun".to_owned(),
            maker: "Exemplo d.o.o.".to_owned(),
            version: "1.0".to_owned(),
        },
    }
}

pub fn customer(id: &str, name: &str) -> Customer {
    Customer {
        id: id.to_owned(),
        tax_number: Some("PT504030108".to_owned()),
        name: Some(name.to_owned()),
        address: Address { city: Some("Lisboa".to_owned()), ..Address::default() },
        telephone: None,
        email: Some("a@example.pt".to_owned()),
    }
}

pub fn product(code: &str, description: &str) -> Product {
    Product {
        kind: ProductKind::Service,
        code: code.to_owned(),
        description: description.to_owned(),
    }
}

/// What is charged on a line: the mainland's rate of a level, or nothing.
pub fn vat(level: Level) -> SaftTax {
    let percent = rate_on(Region::Mainland, level, date("2026-10-01"));
    let exemption =
        percent.is_none().then(|| ("M07".to_owned(), "Isento artigo 9.º do CIVA".to_owned()));
    let percent = percent.unwrap_or_else(Decimal::zero);
    SaftTax::Vat { region: Region::Mainland, level, percent, exemption }
}

/// A line of `quantity` pieces for `price` each.
pub fn line(product: &str, quantity: i64, price: &Decimal, tax: SaftTax) -> SaftLine {
    let quantity = Decimal::from(quantity);
    SaftLine {
        product_code: product.to_owned(),
        product_description: format!("Artigo {product}"),
        description: "Café & bolo".to_owned(),
        amount: Currency::EUR.round(&(&quantity * price)),
        quantity,
        unit: "un".to_owned(),
        unit_price: price.clone(),
        supplied_on: date("2026-10-01"),
        discount: None,
        orders: Vec::new(),
        rectifies: Vec::new(),
        tax,
    }
}

/// A document with its lines, certified by no series yet.
fn bare(purpose: Purpose, day: Date, own: Certified, lines: Vec<SaftLine>) -> SaftDocument {
    let net: Decimal = lines.iter().map(|line| &line.amount).sum();
    let taxes = lines.iter().map(|line| &line.amount * &line.tax.percent().percent());
    let tax = Currency::EUR.round(&taxes.fold(Decimal::zero(), |sum, tax| &sum + &tax));
    SaftDocument {
        code: purpose.code(),
        atcud: Some(own.atcud),
        state: State {
            status: Status::Normal,
            since: own.entered_at,
            reason: None,
            by: "usr_ana".to_owned(),
        },
        origin: Origin::Program,
        hash: own.hash,
        hash_control: own.hash_control.to_string(),
        number: own.number,
        date: day,
        entered_at: own.entered_at,
        by: "usr_ana".to_owned(),
        customer_id: "cus_1".to_owned(),
        shipping: None,
        lines,
        gross: &net + &tax,
        net,
        tax,
        currency: None,
        payments: Vec::new(),
        withheld: Vec::new(),
    }
}

/// All series of a company, and the last document of each.
pub struct SeriesChains<'a> {
    key: &'a dyn ProgramKey,
    heads: BTreeMap<Purpose, ChainHead>,
}

impl<'a> SeriesChains<'a> {
    pub fn new(key: &'a dyn ProgramKey) -> Self {
        Self { key, heads: BTreeMap::new() }
    }

    fn series(purpose: Purpose) -> PtSeries {
        PtSeries { document_type: purpose, ..series() }
    }

    fn certify(&mut self, purpose: Purpose, day: Date, total: &Decimal) -> Certified {
        let head = self.heads.get(&purpose);
        let wall: WallTime = format!("{day}T10:00:00").parse().unwrap();
        let fresh = Fresh { date: day, wall, total: total.clone(), form: None };
        let sequence = head.map_or(1, |head| head.sequence + 1);
        let series = Self::series(purpose);
        let (own, next) = series.certify(head, sequence, &fresh, self.key).unwrap();
        self.heads.insert(purpose, next);
        own
    }

    /// Issues a document of these lines.
    pub fn issue(&mut self, purpose: Purpose, day: u8, lines: Vec<SaftLine>) -> SaftDocument {
        let day = date(&format!("2026-10-{day:02}"));
        // The total is signed, so it comes first.
        let unsigned = Certified {
            number: Self::series(purpose).number(1),
            atcud: "AAJFB7NT-1".parse().unwrap(),
            entered_at: "2026-10-01T10:00:00".parse().unwrap(),
            hash: racun_portugal::Hash::of(&[0; 128]).unwrap(),
            hash_control: racun_portugal::HashControl::Own(1),
        };
        let draft = bare(purpose, day, unsigned, lines);
        let own = self.certify(purpose, day, &draft.gross);
        bare(purpose, day, own, draft.lines)
    }

    /// Receives `amount` for the document `number`.
    pub fn receive(&mut self, day: u8, number: &str, amount: &Decimal) -> SaftReceipt {
        let day = date(&format!("2026-10-{day:02}"));
        let head = self.heads.get(&Purpose::Payment);
        let wall: WallTime = format!("{day}T10:00:00").parse().unwrap();
        let sequence = head.map_or(1, |head| head.sequence + 1);
        let (own, next) = Self::series(Purpose::Payment).receipt(head, sequence, wall).unwrap();
        self.heads.insert(Purpose::Payment, next);
        SaftReceipt {
            code: Purpose::Payment.code(),
            number: own.number,
            atcud: Some(own.atcud),
            state: State {
                status: Status::Normal,
                since: own.entered_at,
                reason: None,
                by: "usr_ana".to_owned(),
            },
            origin: Origin::Program,
            date: day,
            entered_at: own.entered_at,
            by: "usr_ana".to_owned(),
            customer_id: "cus_1".to_owned(),
            payments: vec![SaftPayment {
                mechanism: Mechanism::Tb,
                amount: amount.clone(),
                date: day,
            }],
            lines: vec![Settled {
                number: number.to_owned(),
                date: day,
                amount: amount.clone(),
                is_credit_note: false,
                tax: None,
            }],
            tax: Decimal::zero(),
            net: amount.clone(),
            gross: amount.clone(),
        }
    }
}

/// Voids a document.
pub fn voided(document: SaftDocument) -> SaftDocument {
    let reason = Some("Erro no cliente".to_owned());
    SaftDocument { state: State { status: Status::Voided, reason, ..document.state }, ..document }
}

/// A month of everything: what each part of the file can hold.
pub fn month(key: &dyn ProgramKey) -> (Vec<SaftDocument>, Vec<SaftReceipt>) {
    let mut chains = SeriesChains::new(key);
    let price = decimal("91.27");
    let all = [Level::Nor, Level::Int, Level::Red, Level::Ise];
    let each = all.map(|level| line("P1", 3, &price, vat(level)));
    let mut invoice = chains.issue(Purpose::Invoice, 2, each.to_vec());
    invoice.currency = Some(SaftCurrency {
        code: "USD".to_owned(),
        amount: decimal("1050"),
        rate: decimal("0.8692"),
    });
    invoice.payments = vec![SaftPayment {
        mechanism: Mechanism::Nu,
        amount: decimal("10"),
        date: date("2026-10-02"),
    }];
    invoice.withheld = vec![Withheld {
        kind: "IRC",
        description: "Retenção na fonte".to_owned(),
        amount: decimal("25.5"),
    }];
    invoice.lines[0].discount = Some(decimal("5"));
    invoice.lines[0].orders =
        vec![LineReference { number: "NE 2026A/1".to_owned(), date: Some(date("2026-10-01")) }];
    let void =
        voided(chains.issue(Purpose::Invoice, 3, vec![line("P2", 1, &price, vat(Level::Nor))]));
    let advance = chains.issue(Purpose::Invoice, 4, vec![line("ADV", 1, &price, vat(Level::Nor))]);
    let mut given_back = line("P1", 1, &price, vat(Level::Nor));
    given_back.rectifies = vec![(invoice.number.to_string(), "Devolução".to_owned())];
    let credit = chains.issue(Purpose::CreditNote, 5, vec![given_back]);
    let not_subject = SaftTax::NotSubject {
        region: Region::Azores,
        code: "M99".to_owned(),
        reason: "Não sujeito ou não tributado".to_owned(),
    };
    let mut delivery =
        chains.issue(Purpose::DeliveryNote, 6, vec![line("P3", 7, &decimal("0"), not_subject)]);
    delivery.shipping = Some(Shipping {
        from: Some(header().company.address),
        to: Some(Address { city: Some("Porto".to_owned()), ..Address::default() }),
        starts_at: "2026-10-06T12:00:00".parse().unwrap(),
        transport_code: Some("123".to_owned()),
    });
    let void_delivery = voided(chains.issue(
        Purpose::DeliveryNote,
        7,
        vec![line("P3", 5, &price, vat(Level::Red))],
    ));
    let estimate =
        chains.issue(Purpose::Estimate, 8, vec![line("P1", 10, &price, vat(Level::Nor))]);
    let mut taken =
        chains.issue(Purpose::Estimate, 9, vec![line("P1", 1, &price, vat(Level::Nor))]);
    taken.state.status = Status::Invoiced;
    let paid = chains.receive(10, invoice.number.as_str(), &decimal("100"));
    let mut settled = chains.receive(11, credit.number.as_str(), &decimal("20"));
    settled.lines[0].is_credit_note = true;
    let documents = vec![invoice, void, advance, credit, delivery, void_delivery, estimate, taken];
    (documents, vec![paid, settled])
}
