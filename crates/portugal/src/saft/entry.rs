//! The elements of documents and receipts.

use racun_kernel::Decimal;
use time::Date;

use super::master::{write_address, write_description};
use super::xml::Xml;
use super::{
    SaftCurrency, SaftDocument, SaftLine, SaftPayment, SaftReceipt, SaftTax, Settled, Shipping,
    State,
};
use crate::{Atcud, Class, Exemption, Origin, UNKNOWN, amount_text};

/// Currencies of ISO 4217 that are younger than the schema, which has no place for them: their
/// documents are there in euros alone.
const UNKNOWN_CURRENCIES: [&str; 6] = ["EUR", "SLE", "UYW", "VED", "XCG", "ZWG"];

/// What the parts call what they share.
struct Names {
    element: &'static str,
    number: &'static str,
    status: &'static str,
    since: &'static str,
    date: &'static str,
    kind: &'static str,
}

const fn names(class: Class) -> Names {
    match class {
        Class::Sales | Class::Payments => Names {
            element: "Invoice",
            number: "InvoiceNo",
            status: "InvoiceStatus",
            since: "InvoiceStatusDate",
            date: "InvoiceDate",
            kind: "InvoiceType",
        },
        Class::Movement => Names {
            element: "StockMovement",
            number: "DocumentNumber",
            status: "MovementStatus",
            since: "MovementStatusDate",
            date: "MovementDate",
            kind: "MovementType",
        },
        Class::Working => Names {
            element: "WorkDocument",
            number: "DocumentNumber",
            status: "WorkStatus",
            since: "WorkStatusDate",
            date: "WorkDate",
            kind: "WorkType",
        },
    }
}

pub(super) fn write_document(xml: &mut Xml, document: &SaftDocument) {
    let class = document.code.class();
    let names = names(class);
    xml.text.push('\n');
    xml.within(names.element, |xml| {
        xml.line(names.number, document.number.as_str(), 60, UNKNOWN);
        write_atcud(xml, document.atcud.as_ref());
        write_state(xml, &document.state, document.origin, &names, "SourceBilling");
        xml.plain("Hash", document.hash.as_str());
        xml.line("HashControl", &document.hash_control, 70, "0");
        write_period(xml, document.date);
        xml.date(names.date, document.date);
        xml.plain(names.kind, document.code.text());
        match class {
            Class::Movement => {
                xml.time("SystemEntryDate", document.entered_at);
                xml.line("CustomerID", &document.customer_id, 30, UNKNOWN);
                xml.line("SourceID", &document.by, 30, UNKNOWN);
            }
            Class::Sales | Class::Working | Class::Payments => {
                if class == Class::Sales {
                    write_regimes(xml);
                }
                xml.line("SourceID", &document.by, 30, UNKNOWN);
                xml.time("SystemEntryDate", document.entered_at);
                xml.line("CustomerID", &document.customer_id, 30, UNKNOWN);
            }
        }
        write_shipping(xml, document, class);
        for (place, line) in document.lines.iter().enumerate() {
            write_line(xml, place + 1, line, document, class);
        }
        write_totals(xml, document, class);
    });
}

fn write_atcud(xml: &mut Xml, atcud: Option<&Atcud>) {
    xml.plain("ATCUD", atcud.map_or("0", Atcud::as_str));
}

fn write_state(xml: &mut Xml, state: &State, origin: Origin, names: &Names, source: &str) {
    xml.within("DocumentStatus", |xml| {
        xml.plain(names.status, state.status.letter());
        xml.time(names.since, state.since);
        xml.some_line("Reason", state.reason.as_deref(), 50);
        xml.line("SourceID", &state.by, 30, UNKNOWN);
        xml.plain(source, origin.letter());
    });
}

/// The month.
fn write_period(xml: &mut Xml, date: Date) {
    xml.plain("Period", &u8::from(date.month()).to_string());
}

/// No invoice of Racun is issued by its buyer, under the cash scheme or for the account of others.
fn write_regimes(xml: &mut Xml) {
    xml.within("SpecialRegimes", |xml| {
        xml.plain("SelfBillingIndicator", "0");
        xml.plain("CashVATSchemeIndicator", "0");
        xml.plain("ThirdPartiesBillingIndicator", "0");
    });
}

fn write_shipping(xml: &mut Xml, document: &SaftDocument, class: Class) {
    if matches!(class, Class::Working | Class::Payments) {
        return;
    }
    let shipping = document.shipping.as_ref();
    let mut point = |name: &str, address: Option<&super::Address>| {
        if let Some(address) = address {
            xml.within(name, |xml| write_address(xml, "Address", address));
        }
    };
    point("ShipTo", shipping.and_then(|own| own.to.as_ref()));
    point("ShipFrom", shipping.and_then(|own| own.from.as_ref()));
    let starts_at = shipping.map(|own| own.starts_at);
    if class == Class::Movement {
        xml.time("MovementStartTime", starts_at.unwrap_or(document.entered_at));
        let code = shipping.and_then(|own: &Shipping| own.transport_code.as_deref());
        xml.some_line("ATDocCodeID", code, 200);
    } else if let Some(starts_at) = starts_at {
        xml.time("MovementStartTime", starts_at);
    }
}

fn write_line(
    xml: &mut Xml,
    number: usize,
    line: &SaftLine,
    document: &SaftDocument,
    class: Class,
) {
    xml.within("Line", |xml| {
        xml.plain("LineNumber", &number.to_string());
        for order in &line.orders {
            xml.within("OrderReferences", |xml| {
                xml.some_line("OriginatingON", Some(&order.number), 60);
                if let Some(date) = order.date {
                    xml.date("OrderDate", date);
                }
            });
        }
        xml.line("ProductCode", &line.product_code, 60, UNKNOWN);
        write_description(xml, "ProductDescription", &line.product_description);
        xml.plain("Quantity", &line.quantity.to_string());
        xml.line("UnitOfMeasure", &line.unit, 20, "un");
        xml.figure("UnitPrice", &line.unit_price);
        if class != Class::Movement {
            xml.date("TaxPointDate", line.supplied_on);
            for (reference, reason) in &line.rectifies {
                xml.within("References", |xml| {
                    xml.some_line("Reference", Some(reference), 60);
                    xml.some_line("Reason", Some(reason), 50);
                });
            }
        }
        let fallback = &line.product_description;
        let said = if line.description.trim().is_empty() { fallback } else { &line.description };
        xml.line("Description", said, 200, UNKNOWN);
        let side = if document.code.is_debit() { "DebitAmount" } else { "CreditAmount" };
        xml.figure(side, &line.amount);
        write_tax(xml, &line.tax);
        if let Some(discount) = line.discount.as_ref().filter(|amount| !amount.is_zero()) {
            xml.figure("SettlementAmount", discount);
        }
    });
}

fn write_tax(xml: &mut Xml, tax: &SaftTax) {
    let (kind, region, code) = match tax {
        SaftTax::Vat { region, level, .. } => ("IVA", region, level.code()),
        SaftTax::NotSubject { region, .. } => ("NS", region, "NS"),
    };
    xml.within("Tax", |xml| {
        xml.plain("TaxType", kind);
        xml.plain("TaxCountryRegion", region.code());
        xml.plain("TaxCode", code);
        xml.figure("TaxPercentage", &tax.percent());
    });
    if let Some((code, reason)) = tax.exemption() {
        // The law's own words stand for a reason that is too short to be one.
        let line = xml.encoding.line(reason, 60);
        let law = Exemption::find(code).map_or(UNKNOWN, |own| own.reason);
        let reason = if line.chars().count() < 6 { law } else { &line };
        xml.line("TaxExemptionReason", reason, 60, UNKNOWN);
        xml.plain("TaxExemptionCode", code);
    }
}

fn write_sums(xml: &mut Xml, tax: &Decimal, net: &Decimal, gross: &Decimal) {
    xml.plain("TaxPayable", &amount_text(tax));
    xml.plain("NetTotal", &amount_text(net));
    xml.plain("GrossTotal", &amount_text(gross));
}

fn write_totals(xml: &mut Xml, document: &SaftDocument, class: Class) {
    xml.within("DocumentTotals", |xml| {
        write_sums(xml, &document.tax, &document.net, &document.gross);
        write_currency(xml, document.currency.as_ref());
        if class == Class::Sales {
            document.payments.iter().for_each(|payment| write_payment(xml, "Payment", payment));
        }
    });
    if class != Class::Sales {
        return;
    }
    for withheld in &document.withheld {
        xml.within("WithholdingTax", |xml| {
            xml.plain("WithholdingTaxType", withheld.kind);
            xml.some_line("WithholdingTaxDescription", Some(&withheld.description), 60);
            xml.plain("WithholdingTaxAmount", &amount_text(&withheld.amount));
        });
    }
}

fn write_currency(xml: &mut Xml, currency: Option<&SaftCurrency>) {
    let known = |own: &&SaftCurrency| !UNKNOWN_CURRENCIES.contains(&own.code.as_str());
    if let Some(currency) = currency.filter(known) {
        xml.within("Currency", |xml| {
            xml.plain("CurrencyCode", &currency.code);
            xml.figure("CurrencyAmount", &currency.amount);
            xml.plain("ExchangeRate", &currency.rate.to_string());
        });
    }
}

fn write_payment(xml: &mut Xml, name: &str, payment: &SaftPayment) {
    xml.within(name, |xml| {
        xml.plain("PaymentMechanism", payment.mechanism.code());
        xml.plain("PaymentAmount", &amount_text(&payment.amount));
        xml.date("PaymentDate", payment.date);
    });
}

pub(super) fn write_receipt(xml: &mut Xml, receipt: &SaftReceipt) {
    let names =
        Names { status: "PaymentStatus", since: "PaymentStatusDate", ..names(Class::Payments) };
    xml.text.push('\n');
    xml.within("Payment", |xml| {
        xml.line("PaymentRefNo", receipt.number.as_str(), 60, UNKNOWN);
        write_atcud(xml, receipt.atcud.as_ref());
        write_period(xml, receipt.date);
        xml.date("TransactionDate", receipt.date);
        xml.plain("PaymentType", receipt.code.text());
        write_state(xml, &receipt.state, receipt.origin, &names, "SourcePayment");
        receipt.payments.iter().for_each(|payment| write_payment(xml, "PaymentMethod", payment));
        xml.line("SourceID", &receipt.by, 30, UNKNOWN);
        xml.time("SystemEntryDate", receipt.entered_at);
        xml.line("CustomerID", &receipt.customer_id, 30, UNKNOWN);
        for (place, line) in receipt.lines.iter().enumerate() {
            write_settled(xml, place + 1, line);
        }
        xml.within("DocumentTotals", |xml| {
            write_sums(xml, &receipt.tax, &receipt.net, &receipt.gross);
        });
    });
}

fn write_settled(xml: &mut Xml, number: usize, line: &Settled) {
    xml.within("Line", |xml| {
        xml.plain("LineNumber", &number.to_string());
        xml.within("SourceDocumentID", |xml| {
            xml.line("OriginatingON", &line.number, 60, UNKNOWN);
            xml.date("InvoiceDate", line.date);
        });
        let side = if line.is_credit_note { "DebitAmount" } else { "CreditAmount" };
        xml.figure(side, &line.amount);
        if let Some(tax) = &line.tax {
            write_tax(xml, tax);
        }
    });
}
