//! What a year of 100,000 documents takes as SAF-T: seconds, and memory at its peak.
//!
//! Run with `cargo bench -p racun-portugal`. The same facts written as Rust prints them are the
//! baseline. Fails where the file takes more than six times as long, or memory grows with the
//! documents.
#![expect(clippy::unwrap_used, reason = "a measurement ends where it cannot go on")]

use std::fs;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use racun_kernel::Decimal;
use racun_portugal::saft::{
    Address, Company, Customer, Encoding, Header, Product, ProductKind, SaftDocument, SaftFile,
    SaftLine, SaftTax, Software, State, Survey,
};
use racun_portugal::{Code, Hash, Level, Number, Origin, Region, Status};
use time::macros::date;

const DOCUMENTS: u32 = 100_000;
const CUSTOMERS: u32 = 5_000;
const PRODUCTS: u32 = 1_000;
/// What the file may take more of the peak than the baseline, in KiB.
const ROOM: u64 = 16 * 1024;

/// Counts what is written, and keeps nothing.
struct Sink(u64);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += u64::try_from(bytes.len()).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn header() -> Header {
    Header {
        company: Company {
            nif: "508025338".to_owned(),
            name: "Exemplo, Lda.".to_owned(),
            address: Address { post_code: Some("7000-500".to_owned()), ..Address::default() },
            ..Company::default()
        },
        from: date!(2026 - 01 - 01),
        to: date!(2026 - 12 - 31),
        created_on: date!(2027 - 01 - 02),
        software: Software {
            maker_tax_number: "SI12345678".to_owned(),
            certificate: 9999,
            name: "Racun".to_owned(),
            maker: "Exemplo".to_owned(),
            version: "1".to_owned(),
        },
    }
}

/// The `n`th document: three lines.
fn document(n: u32) -> SaftDocument {
    let line = |place: u32| SaftLine {
        product_code: format!("P{}", (n + place) % PRODUCTS),
        product_description: "Café em grão 1 kg".to_owned(),
        description: "Café em grão 1 kg, torra média".to_owned(),
        quantity: Decimal::from(2),
        unit: "un".to_owned(),
        unit_price: Decimal::new(1250, 2),
        supplied_on: date!(2026 - 05 - 05),
        amount: Decimal::new(2500, 2),
        discount: None,
        orders: Vec::new(),
        rectifies: Vec::new(),
        tax: SaftTax::Vat {
            region: Region::Mainland,
            level: Level::Nor,
            percent: Decimal::from(23),
            exemption: None,
        },
    };
    let entered = "2026-05-05T10:00:00".parse().unwrap();
    let number: Number = format!("FT 2026A/{}", n + 1).parse().unwrap();
    SaftDocument {
        code: Code::Ft,
        atcud: format!("AAJFB7NT-{}", n + 1).parse().ok(),
        number,
        state: State {
            status: Status::Normal,
            since: entered,
            reason: None,
            by: "usr_ana".to_owned(),
        },
        origin: Origin::Program,
        hash: Hash::of(&[7; 128]).unwrap(),
        hash_control: "1".to_owned(),
        date: date!(2026 - 05 - 05),
        entered_at: entered,
        by: "usr_ana".to_owned(),
        customer_id: format!("cus_{}", n % CUSTOMERS),
        shipping: None,
        lines: (0..3).map(line).collect(),
        tax: Decimal::new(1725, 2),
        net: Decimal::new(7500, 2),
        gross: Decimal::new(9225, 2),
        currency: None,
        payments: Vec::new(),
        withheld: Vec::new(),
    }
}

/// The most memory that the process ever had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)).map_or(0, |text| text.parse().unwrap())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let done = work();
    (done, began.elapsed())
}

/// The facts as Rust prints them.
fn baseline() -> u64 {
    let mut sink = Sink(0);
    (0..DOCUMENTS).for_each(|n| write!(sink, "{:?}", document(n)).unwrap());
    sink.0
}

fn file(encoding: Encoding) -> u64 {
    let mut survey = Survey::default();
    (0..DOCUMENTS).for_each(|n| survey.document(&document(n)).unwrap());
    let mut file = SaftFile::begin(Sink(0), encoding, &header(), survey).unwrap();
    for n in 0..CUSTOMERS {
        let name = Some("Padaria São João, Lda.".to_owned());
        let own = Customer { id: format!("cus_{n}"), name, ..Customer::default() };
        file.customer(&own).unwrap();
    }
    for n in 0..PRODUCTS {
        let (code, description) = (format!("P{n}"), "Café em grão 1 kg".to_owned());
        file.product(&Product { kind: ProductKind::Goods, code, description }).unwrap();
    }
    (0..DOCUMENTS).for_each(|n| file.document(&document(n)).unwrap());
    file.finish().unwrap().0
}

fn main() {
    let (bytes, facts) =
        timed(|| (0..DOCUMENTS).map(document).map(|own| own.lines.len()).sum::<usize>());
    println!("facts of {DOCUMENTS} documents alone: {facts:?} ({bytes} lines)");
    let (bytes, base) = timed(baseline);
    let before = peak();
    println!("baseline: {base:?}, {} MB, peak {} MiB", bytes / 1_000_000, before / 1024);
    for encoding in [Encoding::Windows1252, Encoding::Utf8] {
        let (bytes, time) = timed(|| file(encoding));
        let after = peak();
        let ratio = time.as_millis() * 100 / base.as_millis().max(1);
        println!(
            "SAF-T in {}: {time:?}, {} MB, {ratio} % of the baseline, peak {} MiB",
            encoding.name(),
            bytes / 1_000_000,
            after / 1024
        );
        assert!(ratio < 600, "{ratio} % of the baseline");
        assert!(after - before < ROOM, "{} KiB more than the baseline", after - before);
    }
}
