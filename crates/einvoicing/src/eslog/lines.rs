//! Lines, totals and the VAT breakdown.

use en16931::Invoice;
use en16931::invoice::{InvoiceLine, LineAllowanceCharge};
use racun_kernel::Decimal;

use super::segments::{Segments, split};
use crate::facts::{Facts, Line};
use crate::model::Model;

/// Allowances and charges of the whole (BG-20, BG-21), and lines (BG-25).
pub fn lines(xml: &mut Segments, facts: &Facts, model: &Model) {
    whole(xml, &model.invoice);
    for (term, place) in model.invoice.lines.iter().zip(&model.places) {
        let tax = match facts.lines.get(*place) {
            Some(Line::Priced(line)) => line.taxes.first().map(|tax| tax.amount.clone()),
            _ => None,
        };
        xml.group("G_SG26", |xml| line(xml, term, &tax.unwrap_or_else(Decimal::zero)));
    }
    xml.group("S_UNS", |xml| xml.leaf("D_0081", "D"));
}

fn whole(xml: &mut Segments, invoice: &Invoice) {
    let allowances = invoice.allowances.iter().map(|one| ("A", one));
    for (kind, one) in allowances.chain(invoice.charges.iter().map(|one| ("C", one))) {
        xml.group("G_SG16", |xml| {
            xml.group("S_ALC", |xml| {
                xml.leaf("D_5463", kind);
                if let Some(reason) = &one.reason {
                    xml.group("C_C552", |xml| xml.leaf("D_1230", reason));
                }
            });
            xml.group("G_SG20", |xml| xml.money("204", one.amount));
            xml.group("G_SG22", |xml| xml.tax(one.vat.category.as_str(), one.vat.rate));
        });
    }
}

fn line(xml: &mut Segments, line: &InvoiceLine, tax: &Decimal) {
    xml.group("S_LIN", |xml| xml.leaf("D_1082", &line.id));
    described(xml, "F", line.item.name.as_deref());
    described(xml, "A", line.item.description.as_deref());
    xml.group("S_QTY", |xml| {
        xml.group("C_C186", |xml| {
            xml.leaf("D_6063", "47");
            xml.leaf("D_6060", line.quantity);
            xml.leaf("D_6411", &line.unit_code);
        });
    });
    xml.text("GEN", None, line.note.as_deref());
    xml.group("G_SG27", |xml| xml.money("203", line.net_amount));
    xml.group("G_SG29", |xml| {
        xml.group("S_PRI", |xml| {
            xml.group("C_C509", |xml| {
                xml.leaf("D_5125", "AAA");
                xml.leaf("D_5118", line.price.net_price);
                xml.some("D_5284", line.price.base_quantity);
                xml.some("D_6411", line.price.base_quantity_code.as_ref());
            });
        });
    });
    xml.group("G_SG34", |xml| {
        xml.tax(line.vat.category.as_str(), line.vat.rate);
        xml.money("125", line.net_amount);
        xml.money("124", tax);
    });
    let allowances = line.allowances.iter().map(|one| ("A", "1", one));
    for (kind, percent, one) in allowances.chain(line.charges.iter().map(|one| ("C", "2", one))) {
        xml.group("G_SG39", |xml| allowance(xml, kind, percent, one));
    }
}

/// `S_IMD`: name (F) or description (A), in two parts of 256 characters a segment.
fn described(xml: &mut Segments, kind: &str, text: Option<&str>) {
    for parts in split(text.unwrap_or_default(), 256).chunks(2) {
        xml.group("S_IMD", |xml| {
            xml.leaf("D_7077", kind);
            xml.group("C_C273", |xml| xml.parts("D_7008", parts));
        });
    }
}

fn allowance(xml: &mut Segments, kind: &str, percent: &str, one: &LineAllowanceCharge) {
    xml.group("S_ALC", |xml| {
        xml.leaf("D_5463", kind);
        xml.group("C_C552", |xml| {
            xml.some("D_1230", one.reason.as_ref());
            xml.some("D_5189", one.reason_code.as_ref());
        });
    });
    if let Some(rate) = one.percentage {
        xml.group("G_SG41", |xml| {
            xml.group("S_PCD", |xml| {
                xml.group("C_C501", |xml| {
                    xml.leaf("D_5245", percent);
                    xml.leaf("D_5482", rate);
                });
            });
        });
    }
    xml.group("G_SG42", |xml| xml.money("204", one.amount));
    if let Some(base) = one.base_amount {
        xml.group("G_SG42", |xml| xml.money("25", base));
    }
}

/// BG-22 and BG-23.
pub fn totals(xml: &mut Segments, invoice: &Invoice) {
    let totals = &invoice.totals;
    for (qualifier, amount) in [
        ("79", Some(totals.line_total)),
        ("260", totals.allowance_total),
        ("259", totals.charge_total),
        ("389", Some(totals.taxable_total)),
        ("176", totals.vat_total),
        ("388", Some(totals.gross_total)),
        ("113", totals.paid),
        ("366", totals.rounding),
        ("9", Some(totals.due)),
        ("2", totals.vat_total_accounting),
    ] {
        if let Some(amount) = amount {
            xml.group("G_SG50", |xml| xml.money(qualifier, amount));
        }
    }
    for group in &invoice.vat_breakdown {
        xml.group("G_SG52", |xml| {
            xml.tax(group.category.as_str(), group.rate);
            xml.money("125", group.taxable_amount);
            xml.money("124", group.tax_amount);
        });
    }
}
