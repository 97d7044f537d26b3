//! How long an invoice of five lines and two rates takes, beside the same sums on plain integers.
//!
//! Run with `cargo bench -p racun-documents`. Fails when `calculate` takes 50 µs or more.

use std::hint::black_box;
use std::time::{Duration, Instant};

use racun_documents::calculation::{
    CalculationMode, Discount, DiscountKind, LineInput, LineTax, PricedLine, UnitPrice, calculate,
};
use racun_kernel::{Currency, Decimal};

/// Quantity in thousandths, net price in ten-thousandths, discount and rate in percent.
const LINES: [(i64, i64, i64, i64); 5] = [
    (40_000, 1_500_000, 0, 22),
    (1_000, 25_000_000, 10, 22),
    (2_500, 3_350, 0, 9),
    (12_345, 99_999, 5, 9),
    (3_000, 122_000, 0, 22),
];
const LIMIT: Duration = Duration::from_micros(50);
const BATCHES: u32 = 50;
const CALLS: u32 = 1_000;

fn lines() -> Vec<LineInput> {
    let line = |(quantity, price, discount, rate): (i64, i64, i64, i64)| {
        let value = Decimal::from(discount);
        let discounts = vec![Discount { value, kind: DiscountKind::Percent }];
        LineInput::Priced(PricedLine {
            quantity: Decimal::new(quantity, 3),
            price: UnitPrice::Net(Decimal::new(price, 4)),
            discounts: if discount == 0 { Vec::new() } else { discounts },
            taxes: vec![LineTax { tax_id: None, rate: Decimal::from(rate), reverse_charge: false }],
        })
    };
    LINES.into_iter().map(line).collect()
}

/// Half up, for what is not negative.
const fn divide(n: i128, d: i128) -> i128 {
    (2 * n + d) / (2 * d)
}

/// Net, gross, discount, and tax at 22 and at 9 percent, in cents.
fn in_cents(lines: &[(i64, i64, i64, i64); 5]) -> [i128; 5] {
    let [mut net, mut gross, mut discounts, mut high, mut low] = [0; 5];
    for (quantity, price, discount, rate) in lines {
        // Ten-millionths, times a hundred for the percentage.
        let subtotal = i128::from(*quantity) * i128::from(*price) * 100;
        let discount = subtotal / 100 * i128::from(*discount);
        let total = divide(subtotal - discount, 10_000_000);
        let tax = divide(total * i128::from(*rate), 100);
        net += total;
        gross += total + tax;
        discounts += divide(discount, 10_000_000);
        *(if *rate == 22 { &mut high } else { &mut low }) += tax;
    }
    [net, gross, discounts, high, low]
}

/// The best of many batches, per call: what the work costs when nothing else runs.
fn time<T>(mut work: impl FnMut() -> T) -> Duration {
    let batch = |_| {
        let start = Instant::now();
        for _ in 0..CALLS {
            black_box(work());
        }
        start.elapsed() / CALLS
    };
    (0..BATCHES).map(batch).min().unwrap_or_default()
}

fn main() {
    let lines = lines();
    let run = || {
        calculate(black_box(&lines), CalculationMode::B2bStandard, Currency::EUR, None)
            .expect("the invoice is valid")
    };
    let result = run();
    let cents = in_cents(&LINES).map(|cents| i64::try_from(cents).expect("small sums"));
    let figures = [
        &result.total,
        &result.total_with_tax,
        &result.total_discount,
        &result.taxes[0].amount,
        &result.taxes[1].amount,
    ];
    assert_eq!(figures.map(Clone::clone), cents.map(|cents| Decimal::new(cents, 2)));

    let exact = time(run);
    let integers = time(|| in_cents(black_box(&LINES)));
    let ratio = exact.as_nanos() / integers.as_nanos().max(1);
    println!("calculate, 5 lines, 2 rates: {exact:?}");
    println!("plain i128 cents:            {integers:?}");
    println!("ratio:                       {ratio}");
    assert!(exact < LIMIT, "calculate takes {exact:?}, the limit is {LIMIT:?}");
}
