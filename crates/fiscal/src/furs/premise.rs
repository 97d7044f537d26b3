//! A business premise, as it is reported.

use serde::{Deserialize, Serialize};
use time::Date;

/// What is movable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MovableKind {
    /// A movable object: a vehicle, a stand.
    A,
    /// An object at a permanent place: a market stall, a kiosk.
    B,
    /// A single device where there is no other premise: a web shop.
    C,
}

/// Where a building is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealEstate {
    /// Cadastral community: at most four digits.
    pub cadastral_number: String,
    /// Building: at most five digits.
    pub building_number: String,
    /// Section of the building: at most four digits.
    pub building_section: String,
    /// 1 to 100 characters.
    pub street: String,
    /// 1 to 10 characters.
    pub house_number: String,
    /// 1 to 10 characters.
    pub house_number_additional: Option<String>,
    /// 1 to 100 characters.
    pub community: String,
    /// 1 to 100 characters.
    pub city: String,
    /// Four digits.
    pub postal_code: String,
}

/// What a premise is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PremiseKind {
    /// In a building.
    RealEstate(Box<RealEstate>),
    /// Not in one.
    Movable(MovableKind),
}

/// A premise to FURS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Premise {
    /// The taxpayer's tax number: eight digits.
    pub tax_number: String,
    /// `BusinessPremiseID`: 1 to 20 letters and digits.
    pub name: String,
    /// What it is.
    pub kind: PremiseKind,
    /// `ValidityDate`: from when it holds.
    #[serde(with = "racun_kernel::calendar::date")]
    pub valid_from: Date,
    /// `ClosingTag`: closed for good.
    pub is_closing: bool,
    /// `SoftwareSupplier`: who made the software that issues there.
    pub software_maker: SoftwareMaker,
}

/// Who made the software, or looks after it.
///
/// Source: XSD of FURS, `SoftwareSupplier`: the tax number of who is established in Slovenia, else
/// title and address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoftwareMaker {
    /// Established in Slovenia: eight digits.
    TaxNumber(String),
    /// Not established there: name and address, 1 to 1,000 characters.
    Foreign(String),
}

impl Default for SoftwareMaker {
    /// Who made Racun: many, who have no seat.
    fn default() -> Self {
        let racun = "Racun, open-source software under the Apache License 2.0, made by its \
                     contributors, who have no common seat";
        Self::Foreign(racun.to_owned())
    }
}
