//! VAT categories, UNCL 5305, of what was sold.
//!
//! Sources: Directive 2006/112/EC, Articles 44, 138, 146, 194 to 196; the same table as electronic
//! invoices follow.

use crate::facts::{Sale, TaxPart};

/// A VAT category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Taxed by a rate.
    Taxed,
    /// The buyer owes the tax.
    ReverseCharge,
    /// Goods to a business in another member state.
    IntraUnion,
    /// Goods that leave the Union.
    Export,
    /// Outside the scope of the country's VAT.
    OutOfScope,
    /// Exempt, or not known to be anything else; also what is taxed by the margin, of which
    /// documents state no tax.
    Exempt,
}

impl Category {
    /// Its code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Taxed => "S",
            Self::ReverseCharge => "AE",
            Self::IntraUnion => "K",
            Self::Export => "G",
            Self::OutOfScope => "O",
            Self::Exempt => "E",
        }
    }

    /// How `part` of a document of the kind `sale` is divided: its categories, each with its base.
    /// What has no tax has one for goods, one for services and one for what is not known.
    pub(crate) fn of(sale: Sale, part: &TaxPart) -> Vec<(Self, racun_kernel::Decimal)> {
        let whole = |category| vec![(category, part.base.clone())];
        if part.is_taxed() {
            return whole(Self::Taxed);
        }
        let (goods, services) = match sale {
            _ if part.is_margin => return whole(Self::Exempt),
            Sale::UnionBusiness => (Self::IntraUnion, Self::ReverseCharge),
            _ if part.reverse_charge => return whole(Self::ReverseCharge),
            Sale::Abroad => (Self::Export, Self::OutOfScope),
            Sale::Domestic | Sale::UnionConsumer => return whole(Self::Exempt),
        };
        let unknown = if part.reverse_charge { Self::ReverseCharge } else { Self::Exempt };
        let parts = [
            (goods, part.goods.clone()),
            (services, part.services.clone()),
            (unknown, part.unknown()),
        ];
        let filled: Vec<_> = parts.into_iter().filter(|(_, base)| !base.is_zero()).collect();
        if filled.is_empty() { whole(unknown) } else { filled }
    }
}
