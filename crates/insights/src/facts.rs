//! What tax reports are made of: documents, as plain values.

use racun_kernel::vat_number::{VatNumber, compact, prefix_of};
use racun_kernel::{Classification, Decimal};
use time::Date;

/// A document that was issued. Amounts are those of the document, in the currency of the books, and
/// not below zero on a credit note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sold {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: SoldKind,
    /// Its number as written.
    pub number: String,
    /// The number by which the tax authority knows it, where it was reported.
    pub fiscal_number: Option<String>,
    /// Its date.
    pub date: Date,
    /// The day of supply, when it is named.
    pub supplied_on: Option<Date>,
    /// Until when it is to be paid.
    pub due: Option<Date>,
    /// Whether it was declared void.
    pub is_voided: bool,
    /// The kind of sale.
    pub sale: Sale,
    /// Who bought.
    pub partner: Option<Partner>,
    /// Its taxes.
    pub parts: Vec<TaxPart>,
    /// With tax.
    pub gross: Decimal,
    /// Whether the amounts are known in the currency of the books.
    pub is_converted: bool,
}

/// What was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoldKind {
    /// An invoice.
    Invoice,
    /// A credit note.
    CreditNote,
    /// An advance invoice.
    Advance,
}

/// Between which sides something was sold or bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sale {
    /// Both in one country.
    Domestic,
    /// A business in another member state.
    UnionBusiness,
    /// A consumer in another member state.
    UnionConsumer,
    /// Anybody outside the Union.
    Abroad,
}

impl Sale {
    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Domestic => "domestic",
            Self::UnionBusiness => "intra_eu_b2b",
            Self::UnionConsumer => "intra_eu_b2c",
            Self::Abroad => "third_country",
        }
    }
}

/// The other side of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partner {
    /// By which the entity's own records know it.
    pub code: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Street and house.
    pub address: Option<String>,
    /// Post code.
    pub post_code: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Two letters.
    pub country: Option<String>,
    /// Its tax number as written.
    pub tax_number: Option<String>,
    /// Whether it is a business.
    pub is_business: bool,
}

/// What of a document bears one rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxPart {
    /// Percent.
    pub rate: Decimal,
    /// Before tax.
    pub base: Decimal,
    /// The tax that the document charges.
    pub tax: Decimal,
    /// Whether the buyer owes the tax.
    pub reverse_charge: bool,
    /// Whether it is taxed by its margin, so that no tax is stated.
    pub is_margin: bool,
    /// What of the base is goods.
    pub goods: Decimal,
    /// What of the base is services.
    pub services: Decimal,
    /// How much of the tax the buyer may deduct, in percent; of purchases.
    pub deductible: Decimal,
}

impl TaxPart {
    /// A part of which nothing but its sums is known.
    #[must_use]
    pub fn of(rate: Decimal, base: Decimal, tax: Decimal) -> Self {
        Self {
            rate,
            base,
            tax,
            reverse_charge: false,
            is_margin: false,
            goods: Decimal::zero(),
            services: Decimal::zero(),
            deductible: Decimal::from(100),
        }
    }

    /// The part, its base divided as `lines` are, each what it sells and what it comes to before
    /// tax. What their sum misses the base by, as sums that were rounded one by one do, goes to the
    /// last of goods, services and unknown that there are, so that the three come to the base.
    #[must_use]
    pub fn sold_as<'a>(
        mut self,
        lines: impl IntoIterator<Item = (Option<Classification>, &'a Decimal)>,
    ) -> Self {
        let (mut goods, mut services) = (Decimal::zero(), Decimal::zero());
        let mut is_partly_unknown = false;
        let mut has_services = false;
        let mut has_goods = false;
        for (what, total) in lines {
            match what {
                Some(Classification::Product) => {
                    goods += total;
                    has_goods = true;
                }
                Some(Classification::Service) => {
                    services += total;
                    has_services = true;
                }
                Some(Classification::Advance) | None => is_partly_unknown = true,
            }
        }
        let missing = &(&self.base - &goods) - &services;
        match (is_partly_unknown, has_services, has_goods) {
            (false, true, _) => services += &missing,
            (false, false, true) => goods += &missing,
            (true, ..) | (false, false, false) => {}
        }
        self.goods = goods;
        self.services = services;
        self
    }

    /// What of the base is neither goods nor services, as far as is known.
    #[must_use]
    pub fn unknown(&self) -> Decimal {
        &(&self.base - &self.goods) - &self.services
    }

    /// Whether a tax is charged by its rate.
    #[must_use]
    pub fn is_taxed(&self) -> bool {
        !self.reverse_charge && self.rate.is_positive()
    }
}

/// A document of somebody else that was entered in the books. Amounts as of [`Sold`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bought {
    /// Its id.
    pub id: String,
    /// The supplier's number of it; the entity's own when it is missing.
    pub number: Option<String>,
    /// The supplier's date of it.
    pub date: Date,
    /// When it came in; its date when that is not known.
    pub received_on: Option<Date>,
    /// Whether it was declared void.
    pub is_voided: bool,
    /// The kind of purchase.
    pub purchase: Sale,
    /// Who sold.
    pub partner: Partner,
    /// Its taxes.
    pub parts: Vec<TaxPart>,
    /// Whether the amounts are known in the currency of the books.
    pub is_converted: bool,
}

impl Bought {
    /// The day by which it belongs to a period: that of its receipt.
    #[must_use]
    pub fn booked_on(&self) -> Date {
        self.received_on.unwrap_or(self.date)
    }
}

/// A VAT number in two parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnionNumber {
    /// The prefix of the state: `EL` for Greece, `XI` for Northern Ireland.
    pub state: String,
    /// What stands behind it.
    pub number: String,
    /// Whether form and check digits are those of the state.
    pub can_be: bool,
}

impl Partner {
    /// Its number in the Union, when it has one that forms take: letters and digits, `+` and `*`,
    /// at most 25 of them (business rules of FURS on P6DS and P7DS).
    #[must_use]
    pub fn union_number(&self) -> Option<UnionNumber> {
        const MOST: usize = 25;
        let written = self.tax_number.as_deref()?;
        let country = self.country.as_deref();
        if let Ok(number) = VatNumber::read(country, written) {
            let (state, number) = (number.state().to_owned(), number.number().to_owned());
            return Some(UnionNumber { state, number, can_be: true });
        }
        let (state, whole) = (prefix_of(country?)?, compact(written));
        let other_name = if state == "EL" { "GR" } else { state };
        let bare = whole.strip_prefix(state).or_else(|| whole.strip_prefix(other_name));
        let number = bare.unwrap_or(&whole);
        let fits = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '+' | '*');
        let is_taken = (1..=MOST).contains(&number.len()) && number.chars().all(fits);
        is_taken.then(|| UnionNumber {
            state: state.to_owned(),
            number: number.to_owned(),
            can_be: false,
        })
    }

    /// Name and seat in one line: `Kupec d.o.o., Cesta 1, 1000 Ljubljana`.
    #[must_use]
    pub fn line(&self) -> String {
        let filled = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let town = [filled(&self.post_code), filled(&self.city)];
        let town = town.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let town = Some(town).filter(|town| !town.is_empty());
        let parts = [filled(&self.name), filled(&self.address), town];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// What a report has to say of some documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// For programs.
    pub code: &'static str,
    /// For people: what is odd and what to do.
    pub message: &'static str,
    /// The documents, in the order in which they stand in the report.
    pub documents: Vec<Named>,
}

/// A document by which a finding names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its number.
    pub number: String,
}

/// What is found, each sort once with all its documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Notes that `message` is to be said of the report as a whole.
    pub(crate) fn say(&mut self, (code, message): Said) {
        self.0.push(Finding { code, message, documents: Vec::new() });
    }

    /// Notes that `message` is to be said of a document, once; documents come one after the other.
    pub(crate) fn note(&mut self, (code, message): Said, id: &str, number: &str) {
        let named = Named { id: id.to_owned(), number: number.to_owned() };
        match self.0.iter_mut().find(|finding| finding.code == code) {
            Some(finding) if finding.documents.last() == Some(&named) => {}
            Some(finding) => finding.documents.push(named),
            None => self.0.push(Finding { code, message, documents: vec![named] }),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter()
    }

    /// Whether nothing was found.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Code and message of a finding.
pub type Said = (&'static str, &'static str);
