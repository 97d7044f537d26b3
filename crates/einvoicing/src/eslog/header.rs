//! Document, texts, references, parties and payment.

use en16931::Invoice;
use en16931::invoice::{Party as Term, PaymentMeans};

use super::segments::{Segments, split};
use crate::facts::{Account, Facts};

/// The specification, which e-SLOG names in a text of its own, and the process.
const SPECIFICATION: &str = "urn:cen.eu:en16931:2017";
const PROCESS: &str = "P1";

/// All that comes before the lines.
pub fn header(xml: &mut Segments, facts: &Facts, invoice: &Invoice) {
    let number = invoice.number.as_deref().unwrap_or_default();
    message(xml, number);
    xml.group("S_BGM", |xml| {
        let code = invoice.type_code.as_ref().map_or("", |code| code.as_str());
        xml.group("C_C002", |xml| xml.leaf("D_1001", code));
        xml.group("C_C106", |xml| xml.leaf("D_1004", number));
    });
    days(xml, invoice);
    texts(xml, invoice);
    references(xml, invoice);
    party(xml, "SE", &invoice.seller, facts.accounts.first().map(|account| ("RB", account)));
    let account = facts.customer.as_ref().and_then(|customer| customer.account.as_ref());
    party(xml, "BY", &invoice.buyer, account.map(|account| ("BB", account)));
    currency(xml, "2", invoice.currency.as_ref().map(|code| code.as_str()));
    currency(xml, "6", invoice.vat_accounting_currency.as_ref().map(|code| code.as_str()));
    payment(xml, invoice);
}

/// The message: its own reference has 14 characters at most, of which the last are kept.
fn message(xml: &mut Segments, number: &str) {
    let signs: Vec<char> = number.chars().collect();
    let reference: String = signs[signs.len().saturating_sub(14)..].iter().collect();
    xml.group("S_UNH", |xml| {
        xml.leaf("D_0062", reference.trim());
        xml.group("C_S009", |xml| {
            xml.leaf("D_0065", "INVOIC");
            xml.leaf("D_0052", "D");
            xml.leaf("D_0054", "01B");
            xml.leaf("D_0051", "UN");
        });
    });
}

/// BT-2, BT-72, BT-73 and BT-74.
fn days(xml: &mut Segments, invoice: &Invoice) {
    xml.day("137", invoice.issue_date);
    xml.day("35", invoice.delivery.as_ref().and_then(|delivery| delivery.date));
    let period = invoice.invoicing_period.as_ref();
    xml.day("167", period.and_then(|period| period.start));
    xml.day("168", period.and_then(|period| period.end));
}

/// BT-24 with BT-23, BT-22, BT-121 with BT-120, BT-20.
fn texts(xml: &mut Segments, invoice: &Invoice) {
    xml.text("DOC", Some(PROCESS), Some(SPECIFICATION));
    for note in &invoice.notes {
        xml.text("GEN", None, note.note.as_deref());
    }
    for group in &invoice.vat_breakdown {
        let code = group.exemption_reason_code.as_ref().map(|code| code.as_str());
        xml.text("AGM", code, group.exemption_reason.as_deref());
    }
    xml.text("PMD", None, invoice.number.as_deref());
    xml.text("AAB", None, invoice.payment_terms.as_deref());
}

/// BT-83; the buyer's reference, which in Slovenia is its order; BT-16; BT-25 with BT-26.
fn references(xml: &mut Segments, invoice: &Invoice) {
    let payment = invoice.payment.as_ref();
    if let Some(reference) = payment.and_then(|one| one.remittance_information.as_ref()) {
        let bare: String = reference.chars().filter(|sign| !sign.is_whitespace()).collect();
        xml.group("G_SG1", |xml| xml.reference("PQ", bare));
    }
    if let Some(reference) = &invoice.buyer_reference {
        xml.group("G_SG1", |xml| xml.reference("ON", reference));
    }
    if let Some(note) = &invoice.despatch_advice_reference {
        xml.group("G_SG1", |xml| xml.reference("DQ", note.as_str()));
    }
    for earlier in &invoice.preceding_invoices {
        xml.group("G_SG1", |xml| {
            xml.reference("OI", earlier.reference.as_str());
            xml.day("384", earlier.issue_date);
        });
    }
}

/// BG-4 and BG-7, with the account that they pay to or from.
fn party(xml: &mut Segments, role: &str, party: &Term, account: Option<(&str, &Account)>) {
    xml.group("G_SG2", |xml| {
        address(xml, role, party);
        if let Some((role, account)) = account {
            let holder: String = party.name.iter().flat_map(|name| name.chars().take(35)).collect();
            bank(xml, role, account, holder.trim());
        }
        if let Some(number) = &party.legal_registration {
            xml.group("G_SG3", |xml| xml.reference("0199", number.content()));
        }
        if let Some(vat) = &party.vat_identifier {
            xml.group("G_SG3", |xml| xml.reference("VA", vat));
        }
        if let Some(tax) = party.vat_identifier.as_ref().or(party.tax_registration.as_ref()) {
            xml.group("G_SG3", |xml| xml.reference("AHP", tax));
        }
        contact(xml, party);
    });
}

fn address(xml: &mut Segments, role: &str, party: &Term) {
    let own = &party.address;
    xml.group("S_NAD", |xml| {
        xml.leaf("D_3035", role);
        if let Some(name) = &party.name {
            xml.group("C_C080", |xml| xml.leaf("D_3036", name));
        }
        let lines = street(own.line1.as_deref(), own.line2.as_deref());
        if !lines.is_empty() {
            xml.group("C_C059", |xml| xml.parts("D_3042", &lines));
        }
        xml.some("D_3164", own.city.as_ref());
        if let Some(region) = &own.subdivision {
            xml.group("C_C819", |xml| xml.leaf("D_3228", region));
        }
        xml.some("D_3251", own.post_code.as_ref());
        xml.some("D_3207", own.country.as_ref());
    });
}

/// The lines of an address in parts of 35 characters, of which there is room for four.
pub fn street(line1: Option<&str>, line2: Option<&str>) -> Vec<String> {
    [line1, line2].into_iter().flatten().flat_map(|line| split(line, 35)).collect()
}

fn bank(xml: &mut Segments, role: &str, account: &Account, holder: &str) {
    let number: String = account.number.chars().filter(|sign| !sign.is_whitespace()).collect();
    xml.group("S_FII", |xml| {
        xml.leaf("D_3035", role);
        xml.group("C_C078", |xml| {
            xml.leaf("D_3194", number.to_ascii_uppercase());
            xml.leaf("D_3192", holder);
        });
        if let Some(bic) = &account.bic {
            xml.group("C_C088", |xml| xml.leaf("D_3433", bic));
        }
    });
}

fn contact(xml: &mut Segments, party: &Term) {
    let own = &party.contact;
    let ways = [("TE", own.phone.as_ref()), ("EM", own.email.as_ref())];
    if own.name.is_none() && ways.iter().all(|(_, way)| way.is_none()) {
        return;
    }
    xml.group("G_SG5", |xml| {
        xml.group("S_CTA", |xml| {
            xml.leaf("D_3139", "IC");
            if let Some(name) = &own.name {
                xml.group("C_C056", |xml| xml.leaf("D_3412", name));
            }
        });
        for (kind, way) in ways {
            let Some(way) = way else { continue };
            xml.group("S_COM", |xml| {
                xml.group("C_C076", |xml| {
                    xml.leaf("D_3148", way);
                    xml.leaf("D_3155", kind);
                });
            });
        }
    });
}

fn currency(xml: &mut Segments, role: &str, code: Option<&str>) {
    let Some(code) = code else { return };
    xml.group("G_SG7", |xml| {
        xml.group("S_CUX", |xml| {
            xml.group("C_C504", |xml| {
                xml.leaf("D_6347", role);
                xml.leaf("D_6345", code);
            });
        });
    });
}

/// BT-9 and BT-81. e-SLOG knows a transfer, code 30, and no SEPA transfer of its own.
fn payment(xml: &mut Segments, invoice: &Invoice) {
    let payment = invoice.payment.as_ref();
    let is_transfer = payment
        .is_some_and(|payment| matches!(payment.means, Some(PaymentMeans::CreditTransfer(_))));
    let code = payment.and_then(|payment| payment.means_code.as_ref());
    xml.group("G_SG8", |xml| {
        xml.group("S_PAT", |xml| xml.leaf("D_4279", "1"));
        xml.day("13", invoice.due_date);
        if let Some(code) = code {
            let code = if is_transfer { "30" } else { code.as_str() };
            xml.group("S_PAI", |xml| xml.group("C_C534", |xml| xml.leaf("D_4461", code)));
        }
    });
}
