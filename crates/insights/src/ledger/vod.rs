//! The open format VOD.
//!
//! Source: schema `VOD.xsd` of Opal d.o.o., about 2018. It does not say how a credit note is
//! signed: its postings change sides here.

use super::{Ledger, PROGRAM, Posting, Role, Side, country, partner_code, supplied_on};
use crate::facts::{Findings, Partner, Said, Sale, Sold, SoldKind};
use crate::xml::Xml;

const SPECIAL: Said = (
    "special_rate",
    "the format has no kind of posting for 5 percent: it stands as the reduced rate",
);
/// Characters of a document's number.
const NUMBER: usize = 15;
/// Characters of the number by which the authority knows it.
const FISCAL_NUMBER: usize = 62;

pub(super) fn write(ledger: &Ledger<'_>, version: &str) -> String {
    let mut xml = Xml::new();
    ledger.say(&mut xml);
    xml.findings("look at", &special(ledger));
    xml.within("Prenos", |xml| {
        xml.within("Glava", |xml| {
            xml.text("Program", PROGRAM);
            xml.short("Program_verzija", version, 20);
            xml.text("Program_avtor", PROGRAM);
            xml.text("Verzija_xml", "0.1");
        });
        xml.within("Telo", |xml| {
            for (sold, postings) in &ledger.documents {
                xml.within("Dokument", |xml| document(xml, sold, postings));
            }
        });
    });
    xml.finish()
}

/// Documents with a rate that the format has no kind of posting for.
fn special(ledger: &Ledger<'_>) -> Findings {
    let mut found = Findings::default();
    for (sold, postings) in &ledger.documents {
        if postings.iter().any(|one| one.role == Role::Special) {
            found.note(SPECIAL, &sold.id, &sold.number);
        }
    }
    found
}

fn document(xml: &mut Xml, sold: &Sold, postings: &[Posting]) {
    let is_credit = sold.kind == SoldKind::CreditNote;
    xml.text("Dokument", if is_credit { "Izdani_dobropis" } else { "Izdani_racun" });
    let market = match sold.sale {
        Sale::Domestic => "Domac",
        Sale::UnionBusiness | Sale::UnionConsumer => "EU",
        Sale::Abroad => "Tretji_svet",
    };
    xml.text("Trg", market);
    xml.text("Stevilka_dokumenta", &last(&sold.number, NUMBER));
    let is_long = sold.number.chars().count() > NUMBER;
    let whole = sold.fiscal_number.as_deref().or(is_long.then_some(&*sold.number));
    xml.short("FURS_stevilka", whole.unwrap_or_default(), FISCAL_NUMBER);
    xml.date("Datum_dokumenta", sold.date);
    let supplied = supplied_on(sold);
    xml.date("Datum_dur", supplied);
    xml.within("Obracunsko_obdobje", |xml| {
        xml.text("Mesec", &u8::from(supplied.month()).to_string());
        xml.text("Leto", &supplied.year().to_string());
    });
    let what = if is_credit { "Dobropis" } else { "Racun" };
    xml.short("Opis_dokumenta", &format!("{what} {}", sold.number), 80);
    xml.date("Datum_zapadlosti", sold.due.unwrap_or(sold.date));
    if let Some(partner) = &sold.partner {
        xml.within("Partner", |xml| buyer(xml, partner, &partner_code(sold, 10)));
    }
    xml.amount("Znesek_dokumenta", &sold.gross);
    for posting in postings {
        xml.within("Knjizba", |xml| {
            xml.text("Vrsta_knjizbe", kind(posting.role));
            xml.text("Vrsta_dokumenta", "IR");
            xml.text("Konto", &posting.account);
            xml.amount(side(posting.side), &posting.amount);
            if let Some(base) = &posting.base {
                xml.amount("Osnova", base);
            }
        });
    }
}

pub(super) const fn side(side: Side) -> &'static str {
    match side {
        Side::Debit => "Debet",
        Side::Credit => "Kredit",
    }
}

/// The last characters of a number, in which documents differ.
fn last(number: &str, max: usize) -> String {
    let length = number.chars().count();
    number.chars().skip(length.saturating_sub(max)).collect()
}

fn buyer(xml: &mut Xml, partner: &Partner, code: &str) {
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    xml.text("Sifra", code);
    xml.short("Naziv1", &of(&partner.name), 40);
    xml.short("Naslov", &of(&partner.address), 40);
    xml.short("Postna_stevilka", &of(&partner.post_code), 12);
    xml.short("Kraj", &of(&partner.city), 35);
    xml.short("Drzava", &country(partner), 2);
    let status = if partner.is_business { "Davcni_zavezanec" } else { "Nedavcni_zavezanec" };
    xml.text("DDV_status", status);
    if let Some(number) = partner.union_number() {
        let whole = format!("{}{}", number.state, number.number);
        xml.text("Identifikacijska_stevilka", &whole);
        xml.text("Davcna_stevilka", &number.number);
    }
}

const fn kind(role: Role) -> &'static str {
    match role {
        Role::Receivable => "Znesek_z_ddv",
        Role::Full => "Osnova_splosna_stopnja",
        Role::Reduced | Role::Special => "Osnova_znizana_stopnja",
        Role::Exempt => "Oproscen_promet_brez_pravice_do_odbitka",
        Role::ReverseCharge => "Osnova_za_samoobdav_SI",
        Role::UnionGoods => "Oproscen_promet_dobave_v_EU",
        Role::UnionServices => "Oproscen_promet_storitev_EU",
        Role::AbroadGoods => "Oproscen_promet_izvoz_blaga",
        Role::AbroadServices => "Neobdavcen_promet_s_pravico_do_odbitka",
        Role::FullTax => "DDV_splosna_stopnja",
        Role::ReducedTax | Role::SpecialTax => "DDV_znizana_stopnja",
        Role::Rounding => "Ne_gre_v_knjigo",
    }
}
