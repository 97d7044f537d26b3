//! The import of postings of Minimax: `miniMAXUvozKnjigovodstvo`.
//!
//! Source: the pages of help.minimax.si on this file. Its schema was not at hand. The book of VAT
//! (`DDV`) is not written: Minimax makes it from KIR.

use std::collections::BTreeSet;

use racun_kernel::calendar::format_date;

use super::{Ledger, Posting, Role, Side, country, partner_code, supplied_on};
use crate::facts::Sold;
use crate::xml::Xml;

const NAMESPACE: &str = "http://moj.minimax.si/ip/doc/schemas/miniMAXUvozKnjigovodstvo";

/// The sign of the journal.
const JOURNAL: &str = "IR";

pub(super) fn write(ledger: &Ledger<'_>) -> String {
    let mut xml = Xml::new();
    ledger.say(&mut xml);
    xml.under("miniMAXUvozKnjigovodstvo", NAMESPACE, |xml| {
        xml.within("Stranke", |xml| buyers(xml, ledger));
        xml.within("Temeljnice", |xml| {
            for (sold, postings) in &ledger.documents {
                xml.within("Temeljnica", |xml| entry(xml, sold, postings));
            }
        });
    });
    xml.finish()
}

fn buyers(xml: &mut Xml, ledger: &Ledger<'_>) {
    let mut written = BTreeSet::new();
    for (sold, _) in &ledger.documents {
        let Some(partner) = &sold.partner else { continue };
        let code = partner_code(sold, 10);
        if !written.insert(code.clone()) {
            continue;
        }
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        xml.within("Stranka", |xml| {
            xml.text("Sifra", &code);
            xml.short("Naziv", &of(&partner.name), 100);
            xml.short("Naslov", &of(&partner.address), 50);
            xml.short("KraticaDrzave", &country(partner), 3);
            xml.short("PostnaStevilka", &of(&partner.post_code), 30);
            xml.short("NazivPoste", &of(&partner.city), 250);
            let number = partner.union_number().filter(|_| partner.is_business);
            if let Some(number) = number {
                xml.text("DavcniZavezanec", "D");
                let whole = format!("{}{}", number.state, number.number);
                xml.short("IdentifikacijskaStevilka", &whole, 14);
            }
        });
    }
}

fn entry(xml: &mut Xml, sold: &Sold, postings: &[Posting]) {
    xml.within("GlavaTemeljnice", |xml| {
        xml.text("SifraVrsteTemeljnice", JOURNAL);
        xml.date("DatumTemeljnice", sold.date);
        xml.short("OpisGlaveTemeljnice", &sold.number, 250);
    });
    xml.within("VrsticeTemeljnice", |xml| {
        for posting in postings {
            xml.within("VrsticaTemeljnice", |xml| line(xml, sold, posting));
        }
    });
}

fn line(xml: &mut Xml, sold: &Sold, posting: &Posting) {
    xml.date("DatumKnjizbe", sold.date);
    xml.short("OpisVrsticeTemeljnice", &sold.number, 250);
    xml.text("SifraKonta", &posting.account);
    if posting.role == Role::Receivable && sold.partner.is_some() {
        xml.text("SifraStranke", &partner_code(sold, 10));
        xml.text("DatumZapadlosti", &format_date(sold.due.unwrap_or(sold.date)));
        xml.date("DatumOpravljanja", supplied_on(sold));
        xml.short("VezaZaPlacilo", &sold.number, 50);
    }
    let side = match posting.side {
        Side::Debit => "Breme",
        Side::Credit => "Dobro",
    };
    xml.amount(&format!("ZnesekV{side}VDenarniEnoti"), &posting.amount);
    xml.amount(&format!("ZnesekV{side}VDomaciDenarniEnoti"), &posting.amount);
}
