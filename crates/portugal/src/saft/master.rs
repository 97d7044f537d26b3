//! The elements of the header and of master rows.

use std::collections::BTreeSet;

use super::check::refuse;
use super::survey::TaxKey;
use super::xml::Xml;
use super::{Address, Customer, Header, Product, SaftError};
use crate::{CONSUMER_NAME, Region, UNKNOWN, buyer_number, is_nif};

/// The namespace of the file.
const NAMESPACE: &str = "urn:OECD:StandardAuditFile-Tax:PT_1.04_01";

/// Countries, as the schema has them.
const COUNTRIES: &str = "\
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO \
    BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ \
    DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP \
    GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG \
    KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML \
    MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE \
    PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL \
    SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM \
    US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

pub(super) fn write_header(xml: &mut Xml, header: &Header) -> Result<(), SaftError> {
    let Header { company, software, from, to, created_on } = header;
    if !is_nif(&company.nif) {
        return refuse("Header", "TaxRegistrationNumber", "is no number of a taxpayer");
    }
    if from.year() != to.year() || from > to {
        return refuse("Header", "EndDate", "is not in the year of StartDate, or before it");
    }
    let post_code = company.address.post_code.as_deref().unwrap_or_default().trim();
    if !is_post_code(post_code) {
        return refuse("Header", "PostalCode", "is not NNNN-NNN");
    }
    let encoding = xml.encoding.name();
    xml.text.push_str(&format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n"));
    xml.text.push_str(&format!("<AuditFile xmlns=\"{NAMESPACE}\"><Header>"));
    xml.plain("AuditFileVersion", "1.04_01");
    let registration = company.registration.as_deref().filter(|text| is_registration(text));
    xml.line("CompanyID", registration.unwrap_or(&company.nif), 50, &company.nif);
    xml.plain("TaxRegistrationNumber", &company.nif);
    xml.plain("TaxAccountingBasis", "F");
    xml.line("CompanyName", &company.name, 100, UNKNOWN);
    xml.some_line("BusinessName", company.business_name.as_deref(), 60);
    xml.within("CompanyAddress", |xml| {
        write_lines(xml, &company.address);
        xml.plain("PostalCode", post_code);
        xml.some_line("Region", company.address.region.as_deref(), 50);
        xml.plain("Country", Region::Mainland.code());
    });
    xml.plain("FiscalYear", &from.year().to_string());
    xml.date("StartDate", *from);
    xml.date("EndDate", *to);
    xml.plain("CurrencyCode", "EUR");
    xml.date("DateCreated", *created_on);
    xml.plain("TaxEntity", "Global");
    xml.line("ProductCompanyTaxID", &software.maker_tax_number, 30, UNKNOWN);
    xml.plain("SoftwareCertificateNumber", &software.certificate.to_string());
    let bare = |text: &str| text.replace('/', " ");
    let (name, maker) = (bare(&software.name), bare(&software.maker));
    let maker = if maker.trim().is_empty() { UNKNOWN } else { maker.trim() };
    xml.line("ProductID", &format!("{}/{maker}", name.trim()), 255, UNKNOWN);
    xml.line("ProductVersion", &software.version, 30, UNKNOWN);
    xml.some_line("Telephone", company.telephone.as_deref(), 20);
    xml.some_line("Email", company.email.as_deref(), 254);
    xml.some_line("Website", company.website.as_deref(), 60);
    xml.text.push_str("</Header>\n<MasterFiles>");
    Ok(())
}

/// `NNNN-NNN`.
fn is_post_code(text: &str) -> bool {
    let signs = text.bytes().enumerate();
    let mut fits = signs.map(|(n, byte)| if n == 4 { byte == b'-' } else { byte.is_ascii_digit() });
    text.len() == 8 && fits.all(|fits| fits)
}

/// Where a company is registered, a blank, and digits.
fn is_registration(text: &str) -> bool {
    let parts = text.trim().rsplit_once(' ');
    parts.is_some_and(|(place, number)| {
        !place.trim().is_empty()
            && !text.contains('^')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/')
    })
}

fn write_lines(xml: &mut Xml, address: &Address) {
    xml.line("AddressDetail", address.detail.as_deref().unwrap_or_default(), 210, UNKNOWN);
    xml.line("City", address.city.as_deref().unwrap_or_default(), 50, UNKNOWN);
}

pub(super) fn write_address(xml: &mut Xml, name: &str, address: &Address) {
    xml.within(name, |xml| {
        write_lines(xml, address);
        xml.line("PostalCode", address.post_code.as_deref().unwrap_or_default(), 20, UNKNOWN);
        xml.some_line("Region", address.region.as_deref(), 50);
        xml.plain("Country", country(address.country.as_deref()).unwrap_or(UNKNOWN));
    });
}

/// The code of a country that the schema has: GR for the EL and GB for the UK of tax numbers.
fn country(code: Option<&str>) -> Option<&'static str> {
    let code = code?.trim().to_ascii_uppercase();
    let wanted = match code.as_str() {
        "EL" => "GR",
        "UK" | "XI" => "GB",
        other => other,
    };
    COUNTRIES.split(' ').find(|known| *known == wanted)
}

pub(super) fn write_customer(xml: &mut Xml, customer: &Customer) {
    xml.within("Customer", |xml| {
        xml.line("CustomerID", &customer.id, 30, UNKNOWN);
        xml.plain("AccountID", UNKNOWN);
        xml.line("CustomerTaxID", buyer_number(customer.tax_number.as_deref()), 30, UNKNOWN);
        xml.line("CompanyName", customer.name.as_deref().unwrap_or_default(), 100, CONSUMER_NAME);
        write_address(xml, "BillingAddress", &customer.address);
        xml.some_line("Telephone", customer.telephone.as_deref(), 20);
        xml.some_line("Email", customer.email.as_deref(), 254);
        xml.plain("SelfBillingIndicator", "0");
    });
    xml.text.push('\n');
}

pub(super) fn write_product(xml: &mut Xml, product: &Product) {
    xml.within("Product", |xml| {
        xml.plain("ProductType", product.kind.letter());
        xml.line("ProductCode", &product.code, 60, UNKNOWN);
        write_description(xml, "ProductDescription", &product.description);
        xml.line("ProductNumberCode", &product.code, 60, UNKNOWN);
    });
    xml.text.push('\n');
}

/// A description, of two characters at least.
pub(super) fn write_description(xml: &mut Xml, name: &str, description: &str) {
    let line = xml.encoding.line(description, 200);
    let is_short = line.chars().count() < 2;
    xml.line(name, if is_short { "" } else { &line }, 200, UNKNOWN);
}

pub(super) fn write_taxes(xml: &mut Xml, taxes: &BTreeSet<TaxKey>) {
    if taxes.is_empty() {
        return;
    }
    xml.within("TaxTable", |xml| {
        for tax in taxes {
            xml.within("TaxTableEntry", |xml| match tax {
                TaxKey::Vat(region, level, percent) => {
                    xml.plain("TaxType", "IVA");
                    xml.plain("TaxCountryRegion", region.code());
                    xml.plain("TaxCode", level.code());
                    xml.line("Description", level.description(), 255, UNKNOWN);
                    xml.figure("TaxPercentage", percent);
                }
                TaxKey::NotSubject(region) => {
                    xml.plain("TaxType", "NS");
                    xml.plain("TaxCountryRegion", region.code());
                    xml.plain("TaxCode", "NS");
                    xml.line("Description", "Não sujeito", 255, UNKNOWN);
                    xml.plain("TaxPercentage", "0.00");
                }
            });
        }
    });
}
