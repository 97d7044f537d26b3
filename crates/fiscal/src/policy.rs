//! Who must fiscalize what, and since when. A change of the law is a new row here.

use racun_kernel::PaymentType;
use time::Date;
use time::macros::date;

use crate::Authority;

/// Which sales are to be fiscalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Those of which any part is paid by other means than a direct transfer from account to
    /// account. "Cash" in the words of the law, which takes cards, checks and vouchers for cash.
    NotByTransfer,
    /// All, however they are paid.
    All,
}

/// A rule of law.
struct Rule {
    authority: Authority,
    /// The first day on which it holds.
    from: Date,
    scope: Scope,
}

/// The newest rule of an authority holds.
///
/// - Slovenia: ZDavPR (Uradni list RS 57/15), article 2(3) and (4); invoices since 2 January 2016.
/// - Croatia: Zakon o fiskalizaciji u prometu gotovinom (NN 133/12), since 2013; Zakon o
///   fiskalizaciji (NN 89/2025), article 2(26), which takes in transfers since 2026.
const RULES: &[Rule] = &[
    Rule { authority: Authority::Furs, from: date!(2016 - 01 - 02), scope: Scope::NotByTransfer },
    Rule { authority: Authority::Fina, from: date!(2013 - 01 - 01), scope: Scope::NotByTransfer },
    Rule { authority: Authority::Fina, from: date!(2026 - 01 - 01), scope: Scope::All },
];

/// Whether a document that is issued `on` a day of the authority's zone may be left unfiscalized.
///
/// `means` are those of its payments that are known; `corrects_fiscalized` says that it corrects a
/// document that was fiscalized, as such a correction is always reported (ZDavPR, article 5).
///
/// What is settled by a credit note or an advance may not: no money moves, but the money behind it
/// may have been cash, and this document does not say. To report more than the law wants is
/// allowed, to report less is not. In Croatia nothing may, including a sale to a business by
/// transfer, for which the law wants an electronic invoice only: the interface allows no skipping
/// there.
///
/// When another means is wanted for a payment of a document that was skipped, the same question is
/// asked of the means as they would be: `false` means that it is to be fiscalized first.
#[must_use]
pub fn may_skip(
    authority: Authority,
    on: Date,
    means: &[PaymentType],
    corrects_fiscalized: bool,
) -> bool {
    let of_authority = RULES.iter().filter(|rule| rule.authority == authority && rule.from <= on);
    match of_authority.max_by_key(|rule| rule.from).map(|rule| rule.scope) {
        None => true,
        Some(Scope::All) => false,
        Some(Scope::NotByTransfer) => {
            !corrects_fiscalized && means.iter().all(|means| *means == PaymentType::BankTransfer)
        }
    }
}
