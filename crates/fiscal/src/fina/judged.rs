//! Which change of a receipt's payments CIS has to hear of.

use racun_kernel::PaymentType;

use super::PaymentMeans;

/// The change to report to CIS for a receipt that it holds as paid by `told`, when the means of its
/// payments, which were `before`, become `after`; `None` when that is no news to it.
///
/// All payments are judged together, in whichever way one came or went. A receipt may hold other
/// means than its payments say, because they were chosen or nothing was paid yet: a code
/// that stays, or becomes the one reported before, is no change. When the last payment goes, the
/// receipt is one to be paid by bank transfer, as it would be issued.
///
/// Source: NN 89/2025, article 7 (the means are part of a receipt), and technical specification 2.7
/// (`promijeniPodatkeRacuna`).
#[must_use]
pub fn news(
    told: PaymentMeans,
    before: &[PaymentType],
    after: &[PaymentType],
) -> Option<PaymentMeans> {
    let was = if before.is_empty() { told } else { PaymentMeans::of(None, before) };
    let becomes = PaymentMeans::of(None, after);
    (becomes != was && becomes != told).then_some(becomes)
}

#[cfg(test)]
mod tests {
    use racun_kernel::PaymentType::{Advance, BankTransfer, Card, Cash, Check, CreditCard};

    use super::PaymentMeans::{G, K, O, T};
    use super::news;

    #[test]
    fn payments_at_cis_are_compared_with_all_before_and_after() {
        for (told, before, after, expected) in [
            // One payment becomes another.
            (G, &[Cash][..], &[Card][..], Some(K)),
            (K, &[Card], &[CreditCard], None),
            (K, &[Card], &[Cash], Some(G)),
            // Several are other means, and one of them alone is its own again.
            (G, &[Cash], &[Cash, Card], Some(O)),
            (G, &[Cash], &[Cash, Cash], None),
            (O, &[Cash, Card], &[Cash], Some(G)),
            (O, &[Cash, Card], &[Check, Card], None),
            (O, &[Advance, Cash], &[Cash], Some(G)),
            // The first payment of a receipt that was told as a transfer, and the last that goes.
            (T, &[], &[BankTransfer], None),
            (T, &[], &[Cash], Some(G)),
            (G, &[Cash], &[], Some(T)),
            (T, &[BankTransfer], &[], None),
            // What was chosen when it was issued.
            (G, &[], &[Cash], None),
            (G, &[], &[BankTransfer], Some(T)),
            (G, &[Card], &[CreditCard], None),
            (G, &[Card], &[Cash], None),
            (G, &[Card], &[Check], Some(O)),
        ] {
            assert_eq!(news(told, before, after), expected, "{told:?} {before:?} {after:?}");
        }
    }
}
