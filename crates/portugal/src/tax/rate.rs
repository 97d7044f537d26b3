//! Regions of VAT, and the rates that each has when.

use racun_kernel::Decimal;
use racun_kernel::calendar::parse_date;
use serde::{Deserialize, Serialize};
use time::Date;

/// One rate a line: region, level, percent, the first and the last day; `-` where neither is known.
///
/// Source: GOBL, `regimes/pt` (Apache-2.0); Código do IVA, article 18, numbers 1 and 3.
const TABLE: &str = include_str!("../tax_rates.tsv");

/// A region with rates of its own: `TaxCountryRegion` of SAF-T.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Region {
    /// The mainland.
    #[serde(rename = "PT")]
    Mainland,
    /// The Azores.
    #[serde(rename = "PT-AC")]
    Azores,
    /// Madeira.
    #[serde(rename = "PT-MA")]
    Madeira,
}

impl Region {
    /// All of them, in the order in which the QR code has them.
    pub const ALL: [Self; 3] = [Self::Mainland, Self::Azores, Self::Madeira];

    /// Its code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Mainland => "PT",
            Self::Azores => "PT-AC",
            Self::Madeira => "PT-MA",
        }
    }

    /// The region with this code.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|region| region.code() == code)
    }

    /// The zone of its clocks.
    #[must_use]
    pub const fn zone(self) -> &'static str {
        match self {
            Self::Mainland => "Europe/Lisbon",
            Self::Azores => "Atlantic/Azores",
            Self::Madeira => "Atlantic/Madeira",
        }
    }

    /// Its code in ISO 3166-2, where it is a region of Portugal with rates of its own.
    #[must_use]
    pub const fn subdivision(self) -> Option<&'static str> {
        match self {
            Self::Mainland => None,
            Self::Azores => Some("PT-20"),
            Self::Madeira => Some("PT-30"),
        }
    }

    /// Where a post code is: 9000 to 9499 in Madeira, 9500 to 9999 in the Azores.
    #[must_use]
    pub fn of_post_code(post_code: &str) -> Option<Self> {
        let digits: String = post_code.trim().chars().take(4).collect();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match digits.parse().unwrap_or(0) {
            1000..=8999 => Some(Self::Mainland),
            9000..=9499 => Some(Self::Madeira),
            9500..=9999 => Some(Self::Azores),
            _ => None,
        }
    }
}

/// Which rate of its region a line has: `TaxCode` of SAF-T.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// The reduced rate.
    Red,
    /// The intermediate rate.
    Int,
    /// The normal rate.
    Nor,
    /// Exempt.
    Ise,
    /// A rate that is none of the region's: of a margin scheme, or of another country.
    Out,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Red, Self::Int, Self::Nor, Self::Ise, Self::Out];

    /// Its code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Red => "RED",
            Self::Int => "INT",
            Self::Nor => "NOR",
            Self::Ise => "ISE",
            Self::Out => "OUT",
        }
    }

    /// The level with this code.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.code() == code)
    }

    /// What tables of taxes call it.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Red => "Taxa reduzida",
            Self::Int => "Taxa intermédia",
            Self::Nor => "Taxa normal",
            Self::Ise => "Isento",
            Self::Out => "Outra taxa",
        }
    }

    /// The level of `percent` in `region` on `day`.
    #[must_use]
    pub fn of(region: Region, percent: &Decimal, day: Date) -> Self {
        if percent.is_zero() {
            return Self::Ise;
        }
        let own = |level: &Self| rate_on(region, *level, day).is_some_and(|rate| rate == *percent);
        [Self::Nor, Self::Int, Self::Red].into_iter().find(own).unwrap_or(Self::Out)
    }
}

/// The rate of `level` in `region` on `day`, in percent; `None` where there is none.
#[must_use]
pub fn rate_on(region: Region, level: Level, day: Date) -> Option<Decimal> {
    TABLE.lines().find_map(|line| {
        let mut parts = line.split('\t');
        let is_own = parts.next() == Some(region.code()) && parts.next() == Some(level.code());
        let percent = parts.next()?;
        let since = parts.next().and_then(|text| parse_date(text).ok());
        let until = parts.next().and_then(|text| parse_date(text).ok());
        let holds = since.is_none_or(|since| since <= day) && until.is_none_or(|end| day <= end);
        (is_own && holds).then(|| percent.parse().ok()).flatten()
    })
}

/// The region whose rates the `percents` of a document are, all of them.
///
/// A sale is taxed where the seller is established, unless the goods or services are supplied in
/// another region; 22 % then tells Madeira from the mainland. `home` wins when it has them all;
/// `None` when no region does.
#[must_use]
pub fn region_of(percents: &[&Decimal], home: Region, day: Date) -> Option<Region> {
    let has_all = |region: &Region| {
        percents.iter().all(|percent| Level::of(*region, percent, day) != Level::Out)
    };
    [home].into_iter().chain(Region::ALL).find(has_all)
}
