//! The postings of Vasco: `Prenos`, with a `Knjizba` for each posting.
//!
//! Source: the fields of the open-source writer `python-accounting-vasco`. No schema was at hand.

use super::vod::side;
use super::{Ledger, Posting, Role, country, partner_code, supplied_on};
use crate::facts::{Partner, Sold};
use crate::xml::Xml;

/// The sign of the journal.
const JOURNAL: &str = "IR";

pub(super) fn write(ledger: &Ledger<'_>) -> String {
    let mut xml = Xml::new();
    ledger.say(&mut xml);
    xml.within("Prenos", |xml| {
        for (sold, postings) in &ledger.documents {
            for posting in postings {
                xml.within("Knjizba", |xml| line(xml, sold, posting, postings));
            }
        }
    });
    xml.finish()
}

fn line(xml: &mut Xml, sold: &Sold, posting: &Posting, all: &[Posting]) {
    let supplied = supplied_on(sold);
    xml.text("Simbol", JOURNAL);
    xml.short("Dokument", &sold.number, 30);
    xml.date("Datum_knjizenja", sold.date);
    xml.text("Obracunsko_obdobje", &u8::from(supplied.month()).to_string());
    xml.date("Datum_dokumenta", sold.date);
    xml.short("Opis_dokumenta", &sold.number, 80);
    xml.text("Konto", &posting.account);
    if let Some(partner) = &sold.partner {
        xml.within("Partner", |xml| buyer(xml, partner, &partner_code(sold, 10)));
    }
    xml.date("Rok_placila", sold.due.unwrap_or(sold.date));
    xml.amount(side(posting.side), &posting.amount);
    // The receivable bears the taxes of the document.
    if posting.role == Role::Receivable {
        xml.within("Ir", |xml| {
            xml.date("Datum_za_ddv", supplied);
            for other in all {
                let Some(kind) = kind(other.role) else { continue };
                let sign = if other.side == posting.side { -1 } else { 1 };
                let credit = if posting.side == super::Side::Credit { -sign } else { sign };
                let factor = racun_kernel::Decimal::from(credit);
                let taxed = tax_of(other.role).and_then(|role| {
                    all.iter().find(|one| one.role == role && one.side == other.side)
                });
                let tax = taxed.map_or_else(racun_kernel::Decimal::zero, |one| one.amount.clone());
                xml.within("Ddv", |xml| {
                    xml.text("Vrsta_ddv", kind);
                    xml.amount("Osnova", &(&other.amount * &factor));
                    xml.amount("Znesek", &(&tax * &factor));
                });
            }
        });
    }
    xml.short("Veza", &sold.number, 30);
}

fn buyer(xml: &mut Xml, partner: &Partner, code: &str) {
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    xml.text("Sifra", code);
    xml.short("Naziv1", &of(&partner.name), 40);
    let behind: String = of(&partner.name).chars().skip(40).collect();
    xml.short("Naziv2", &behind, 40);
    xml.short("Naslov", &of(&partner.address), 40);
    let town = [of(&partner.post_code), of(&partner.city)].join(" ");
    xml.short("Posta", &town, 40);
    if let Some(country) = numeric(&country(partner)) {
        xml.text("Drzava", country);
    }
    if let Some(number) = partner.union_number() {
        let whole = format!("{}{}", number.state, number.number);
        xml.text("Identifikacijska_stevilka", &whole);
        xml.text("Davcna_stevilka", &number.number);
    }
}

/// The kind of VAT of revenue.
const fn kind(role: Role) -> Option<&'static str> {
    Some(match role {
        Role::Full => "ddv_visja_promet_znotraj_SLO",
        Role::Reduced => "ddv_nizja_promet_znotraj_SLO",
        Role::Special => "ddv_posebna_nizja_promet_znotraj_SLO",
        Role::Exempt | Role::ReverseCharge => "oproscen_promet_brez_pravice_do_odbitka",
        Role::UnionGoods => "oproscen_promet_dobave_v_EU",
        Role::UnionServices => "oproscen_promet_dobave_storitev_v_EU",
        Role::AbroadGoods => "oproscen_promet_izvoz_blaga",
        Role::AbroadServices => "ne_gre_v_knjigo",
        Role::Receivable | Role::FullTax | Role::ReducedTax | Role::SpecialTax | Role::Rounding => {
            return None;
        }
    })
}

const fn tax_of(role: Role) -> Option<Role> {
    match role {
        Role::Full => Some(Role::FullTax),
        Role::Reduced => Some(Role::ReducedTax),
        Role::Special => Some(Role::SpecialTax),
        _ => None,
    }
}

/// Codes of ISO 3166-1: two letters and three digits, of Europe and of where else Slovenia trades.
const COUNTRIES: [(&str, &str); 42] = [
    ("AL", "008"),
    ("AT", "040"),
    ("AU", "036"),
    ("BA", "070"),
    ("BE", "056"),
    ("BG", "100"),
    ("CA", "124"),
    ("CH", "756"),
    ("CN", "156"),
    ("CY", "196"),
    ("CZ", "203"),
    ("DE", "276"),
    ("DK", "208"),
    ("EE", "233"),
    ("ES", "724"),
    ("FI", "246"),
    ("FR", "250"),
    ("GB", "826"),
    ("GR", "300"),
    ("HR", "191"),
    ("HU", "348"),
    ("IE", "372"),
    ("IS", "352"),
    ("IT", "380"),
    ("JP", "392"),
    ("LI", "438"),
    ("LT", "440"),
    ("LU", "442"),
    ("LV", "428"),
    ("ME", "499"),
    ("MK", "807"),
    ("MT", "470"),
    ("NL", "528"),
    ("NO", "578"),
    ("PL", "616"),
    ("PT", "620"),
    ("RO", "642"),
    ("RS", "688"),
    ("SE", "752"),
    ("SI", "705"),
    ("SK", "703"),
    ("US", "840"),
];

fn numeric(country: &str) -> Option<&'static str> {
    let known = COUNTRIES.iter().find(|(letters, _)| *letters == country);
    known.map(|(_, digits)| *digits)
}
