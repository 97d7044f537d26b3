//! A received e-SLOG 2.0, as the terms of EN 16931.

use en16931::invoice::{
    Code, CreditTransfer, Delivery, DocumentAllowanceCharge, InvoiceLine, InvoiceNote,
    LineAllowanceCharge, LineVat, Party, PaymentInstructions, PaymentMeans, Period,
    PrecedingInvoice, VatBreakdown,
};
use en16931::{
    DocumentKind, DocumentReference, Identifier, Invoice, InvoiceAmount, Percentage, Quantity,
};
use racun_kernel::Decimal;
use roxmltree::{Document, Node};

use super::elements::{child, children, reference, text};
use super::received;
use crate::decimals;
use crate::finding::{Finding, Level};

/// The namespace of e-SLOG 2.0.
pub const NAMESPACE: &str = "urn:eslog:2.00";

/// What a file says, and what of it cannot be read.
pub struct Read {
    /// Its terms.
    pub invoice: Invoice,
    /// What is wrong with it, as far as `received` decides; values that are no amounts or numbers.
    pub found: Vec<Finding>,
}

/// Reads `tree`; `None` when it is no e-SLOG.
pub fn read(tree: &Document<'_>) -> Option<Read> {
    let root = tree.root_element();
    let message =
        if root.tag_name().name() == "M_INVOIC" { root } else { child(root, "M_INVOIC")? };
    let mut reader = Reader(Vec::new());
    let invoice = reader.invoice(message);
    let found = received::findings(message).into_iter().chain(reader.0).collect();
    Some(Read { invoice, found })
}

/// What of a file cannot be read.
struct Reader(Vec<Finding>);

/// `name`, `name_2` and so on of the element at `path`, put together.
fn parts(node: Node<'_, '_>, path: &[&str], name: &str) -> Option<String> {
    let node = path.iter().try_fold(node, |node, step| child(node, step))?;
    let is_part = |tag: &str| {
        tag.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let all = node.children().filter(|part| is_part(part.tag_name().name()));
    let all: Vec<&str> = all.filter_map(|part| part.text()).map(str::trim).collect();
    let text = all.join(" ");
    (!text.trim().is_empty()).then_some(text)
}

/// A code and a text, of which there is one at least.
type Coded = (Option<String>, Option<String>);

/// The texts of `node` with a qualifier. One that fills all parts of its `S_FTX` goes on in the
/// next one of the same code.
fn texts(node: Node<'_, '_>, qualifier: &str) -> Vec<Coded> {
    let mut found: Vec<Coded> = Vec::new();
    let mut is_full = false;
    let all = children(node, "S_FTX");
    for one in all.filter(|one| text(*one, &["D_4451"]).as_deref() == Some(qualifier)) {
        let code = text(one, &["C_C107", "D_4441"]);
        let part = parts(one, &["C_C108"], "D_4440");
        let goes_on = is_full && found.last().is_some_and(|(known, _)| *known == code);
        match found.last_mut().filter(|_| goes_on) {
            Some((_, whole)) => *whole = joined(whole.take(), part),
            None => found.push((code, part)),
        }
        is_full = text(one, &["C_C108", "D_4440_5"]).is_some();
    }
    found
}

/// Two parts of a text, with a blank between them.
fn joined(head: Option<String>, tail: Option<String>) -> Option<String> {
    [head, tail].into_iter().flatten().reduce(|head, tail| format!("{head} {tail}"))
}

impl Reader {
    fn bad(&mut self, node: Node<'_, '_>, what: &str, value: &str) {
        let message = format!("{}: {value:?} is no {what}", node.tag_name().name());
        let rule = "XSD".to_owned();
        self.0.push(Finding { rule, level: Level::Fatal, path: Vec::new(), message });
    }

    /// A number that the schema allows and an amount has room for.
    fn number(&mut self, node: Node<'_, '_>, path: &[&str]) -> Option<Decimal> {
        let written = text(node, path)?;
        let is_plain = written.bytes().all(|sign| matches!(sign, b'0'..=b'9' | b'.' | b'-'));
        let number = written.parse().ok().filter(|_| is_plain);
        if number.is_none() {
            self.bad(node, "number", &written);
        }
        number
    }

    fn amount(&mut self, node: Node<'_, '_>, path: &[&str]) -> Option<InvoiceAmount> {
        let number = self.number(node, path)?;
        let amount = decimals::amount(&number);
        if amount.is_none() {
            self.bad(node, "amount of two decimals", &number.to_string());
        }
        amount
    }

    /// `S_MOA` with a qualifier, in `node` or in its groups called `group`.
    fn money(
        &mut self,
        node: Node<'_, '_>,
        group: Option<&str>,
        qualifier: &str,
    ) -> Option<InvoiceAmount> {
        let groups: Vec<Node<'_, '_>> = match group {
            Some(name) => children(node, name).collect(),
            None => vec![node],
        };
        let mut all = groups.into_iter().flat_map(|group| children(group, "S_MOA"));
        let is_own =
            |one: &Node<'_, '_>| text(*one, &["C_C516", "D_5025"]).as_deref() == Some(qualifier);
        let own = all.find(is_own)?;
        self.amount(own, &["C_C516", "D_5004"])
    }

    /// `S_DTM` with a qualifier.
    fn day(&mut self, node: Node<'_, '_>, qualifier: &str) -> Option<en16931::Date> {
        let is_own =
            |one: &Node<'_, '_>| text(*one, &["C_C507", "D_2005"]).as_deref() == Some(qualifier);
        let own = children(node, "S_DTM").find(is_own)?;
        let written = text(own, &["C_C507", "D_2380"])?;
        let day = written.get(..10).and_then(|day| en16931::Date::parse(day).ok());
        if day.is_none() {
            self.bad(own, "day", &written);
        }
        day
    }

    /// The percentage of an allowance or a charge, in its group called `group`.
    fn percentage(&mut self, node: Node<'_, '_>, group: &str) -> Option<Percentage> {
        let segment = child(node, group).and_then(|group| child(group, "S_PCD"))?;
        let rate = self.number(segment, &["C_C501", "D_5482"])?;
        decimals::percentage(&rate)
    }

    fn vat(&mut self, node: Node<'_, '_>) -> LineVat {
        let segment = child(node, "S_TAX");
        let category = segment.and_then(|tax| text(tax, &["D_5305"])).unwrap_or_default();
        let rate = segment.and_then(|tax| self.number(tax, &["C_C243", "D_5278"]));
        // e-SLOG states a rate of 0 where EN 16931 has none.
        let rate = rate.filter(|_| category != "O").and_then(|rate| decimals::percentage(&rate));
        LineVat { category: Code::new(category), rate }
    }

    fn invoice(&mut self, message: Node<'_, '_>) -> Invoice {
        let mut invoice = Invoice::default();
        let code = text(message, &["S_BGM", "C_C002", "D_1001"]).unwrap_or_default();
        if matches!(code.as_str(), "81" | "83" | "381" | "396" | "532") {
            invoice.kind = DocumentKind::CreditNote;
        }
        invoice.type_code = Some(Code::new(code));
        invoice.specification_id = texts(message, "DOC").into_iter().find_map(|(_, text)| text);
        invoice.number = text(message, &["S_BGM", "C_C106", "D_1004"]);
        invoice.issue_date = self.day(message, "137");
        let date = self.day(message, "35");
        invoice.delivery = date.map(|_| Delivery { date, ..Delivery::default() });
        let (start, end) = (self.day(message, "167"), self.day(message, "168"));
        invoice.invoicing_period = start.or(end).map(|_| Period { start, end });
        for (_, note) in texts(message, "GEN") {
            invoice.notes.extend(note.map(InvoiceNote::new));
        }
        invoice.payment_terms = texts(message, "AAB").into_iter().find_map(|(_, text)| text);
        let mut payment = PaymentInstructions::default();
        self.references(message, &mut invoice, &mut payment);
        for group in children(message, "G_SG2") {
            self.party(group, &mut invoice, &mut payment);
        }
        self.paid(message, &mut invoice, &mut payment);
        invoice.payment = Some(payment);
        self.amounts(message, &mut invoice);
        invoice
    }

    fn references(
        &mut self,
        message: Node<'_, '_>,
        invoice: &mut Invoice,
        payment: &mut PaymentInstructions,
    ) {
        for group in children(message, "G_SG1") {
            let Some((qualifier, number)) = reference(group) else { continue };
            match qualifier.as_str() {
                "PQ" => payment.remittance_information = Some(number),
                "ON" => invoice.buyer_reference = Some(number),
                "DQ" => invoice.despatch_advice_reference = Some(DocumentReference::new(number)),
                "OI" => invoice.preceding_invoices.push(PrecedingInvoice {
                    reference: DocumentReference::new(number),
                    issue_date: self.day(group, "384"),
                }),
                _ => {}
            }
        }
    }

    fn party(
        &mut self,
        group: Node<'_, '_>,
        invoice: &mut Invoice,
        payment: &mut PaymentInstructions,
    ) {
        let role = text(group, &["S_NAD", "D_3035"]).unwrap_or_default();
        let party = match role.as_str() {
            "SE" => &mut invoice.seller,
            "BY" => &mut invoice.buyer,
            _ => return,
        };
        named(group, party);
        let account = children(group, "S_FII").find_map(|bank| {
            Some(CreditTransfer {
                account_identifier: Some(text(bank, &["C_C078", "D_3194"])?),
                account_name: text(bank, &["C_C078", "D_3192"]),
                provider_identifier: text(bank, &["C_C088", "D_3433"]),
            })
        });
        if let Some(account) = account.filter(|_| role == "SE") {
            payment.means = Some(PaymentMeans::CreditTransfer(vec![account]));
        }
    }

    fn paid(
        &mut self,
        message: Node<'_, '_>,
        invoice: &mut Invoice,
        payment: &mut PaymentInstructions,
    ) {
        for group in children(message, "G_SG7") {
            let code = text(group, &["S_CUX", "C_C504", "D_6345"]).map(Code::new);
            match text(group, &["S_CUX", "C_C504", "D_6347"]).as_deref() {
                Some("2") => invoice.currency = code,
                Some("6") => invoice.vat_accounting_currency = code,
                _ => {}
            }
        }
        for group in children(message, "G_SG8") {
            if let Some(day) = self.day(group, "13") {
                invoice.due_date = Some(day);
            }
            let code = text(group, &["S_PAI", "C_C534", "D_4461"]);
            payment.means_code = code.map(Code::new).or(payment.means_code.take());
        }
    }

    fn amounts(&mut self, message: Node<'_, '_>, invoice: &mut Invoice) {
        for group in children(message, "G_SG16") {
            let kind = text(group, &["S_ALC", "D_5463"]);
            let Some(amount) = self.money(group, Some("G_SG20"), "204") else { continue };
            let tax = child(group, "G_SG22").unwrap_or(group);
            let one = DocumentAllowanceCharge {
                amount,
                base_amount: self.money(group, Some("G_SG20"), "25"),
                percentage: self.percentage(group, "G_SG19"),
                vat: self.vat(tax),
                reason: text(group, &["S_ALC", "C_C552", "D_1230"]),
                reason_code: text(group, &["S_ALC", "C_C552", "D_5189"]).map(Code::new),
            };
            match kind.as_deref() {
                Some("C") => invoice.charges.push(one),
                _ => invoice.allowances.push(one),
            }
        }
        for group in children(message, "G_SG26") {
            let line = self.line(group);
            invoice.lines.push(line);
        }
        let totals = &mut invoice.totals;
        let mut total = |qualifier| self.money(message, Some("G_SG50"), qualifier);
        totals.line_total = total("79").unwrap_or_default();
        totals.allowance_total = total("260");
        totals.charge_total = total("259");
        totals.taxable_total = total("389").unwrap_or_default();
        totals.vat_total = total("176");
        totals.gross_total = total("388").unwrap_or_default();
        totals.paid = total("113");
        totals.rounding = total("366");
        totals.due = total("9").unwrap_or_default();
        totals.vat_total_accounting = total("2");
        // The texts do not say which group they are of: groups without tax take them in order, and
        // the last one where there are no more.
        let (mut reasons, mut last) = (texts(message, "AGM").into_iter(), None);
        for group in children(message, "G_SG52") {
            let vat = self.vat(group);
            let is_taxed = matches!(vat.category.as_str(), "S" | "Z" | "L" | "M");
            if !is_taxed {
                last = reasons.next().or(last);
            }
            let (code, reason) = last.clone().filter(|_| !is_taxed).unwrap_or_default();
            invoice.vat_breakdown.push(VatBreakdown {
                taxable_amount: self.money(group, None, "125").unwrap_or_default(),
                tax_amount: self.money(group, None, "124").unwrap_or_default(),
                category: vat.category,
                rate: vat.rate,
                exemption_reason: reason,
                exemption_reason_code: code.map(Code::new),
            });
        }
    }

    fn line(&mut self, group: Node<'_, '_>) -> InvoiceLine {
        let net = self.money(group, Some("G_SG27"), "203").unwrap_or_default();
        let vat = self.vat(child(group, "G_SG34").unwrap_or(group));
        let id = text(group, &["S_LIN", "D_1082"]).unwrap_or_default();
        let nothing = Quantity::new(rust_decimal::Decimal::ZERO);
        let mut line = InvoiceLine::new(id, "", nothing, "", net, vat.category, vat.rate);
        line.item.name = None;
        for segment in children(group, "S_IMD") {
            let part = parts(segment, &["C_C273"], "D_7008");
            let place = match text(segment, &["D_7077"]).as_deref() {
                Some("F") => &mut line.item.name,
                Some("A") => &mut line.item.description,
                _ => continue,
            };
            *place = joined(place.take(), part);
        }
        if let Some(segment) = child(group, "S_QTY") {
            let quantity = self.number(segment, &["C_C186", "D_6060"]);
            line.quantity =
                quantity.and_then(|one| decimals::quantity(&one)).unwrap_or(line.quantity);
            line.unit_code = Code::new(text(segment, &["C_C186", "D_6411"]).unwrap_or_default());
        }
        line.note = texts(group, "GEN").into_iter().find_map(|(_, text)| text);
        let prices = children(group, "G_SG29").filter_map(|group| child(group, "S_PRI"));
        for price in prices {
            if text(price, &["C_C509", "D_5125"]).as_deref() == Some("AAA") {
                let net = self.number(price, &["C_C509", "D_5118"]);
                let net = net.and_then(|net| decimals::price(&net));
                line.price.net_price = net.unwrap_or(line.price.net_price);
                let base = self.number(price, &["C_C509", "D_5284"]);
                line.price.base_quantity = base.and_then(|base| decimals::quantity(&base));
                let unit = text(price, &["C_C509", "D_6411"]);
                line.price.base_quantity_code = unit.map(Code::new);
            }
        }
        for group in children(group, "G_SG39") {
            let Some(amount) = self.money(group, Some("G_SG42"), "204") else { continue };
            let one = LineAllowanceCharge {
                amount,
                base_amount: self.money(group, Some("G_SG42"), "25"),
                percentage: self.percentage(group, "G_SG41"),
                reason: text(group, &["S_ALC", "C_C552", "D_1230"]),
                reason_code: text(group, &["S_ALC", "C_C552", "D_5189"]).map(Code::new),
            };
            match text(group, &["S_ALC", "D_5463"]).as_deref() {
                Some("C") => line.charges.push(one),
                _ => line.allowances.push(one),
            }
        }
        line
    }
}

/// Name, address, numbers and contact of a party.
fn named(group: Node<'_, '_>, party: &mut Party) {
    if let Some(segment) = child(group, "S_NAD") {
        party.name = parts(segment, &["C_C080"], "D_3036");
        let address = &mut party.address;
        address.line1 = parts(segment, &["C_C059"], "D_3042");
        address.city = text(segment, &["D_3164"]);
        address.subdivision = text(segment, &["C_C819", "D_3228"]);
        address.post_code = text(segment, &["D_3251"]);
        address.country = text(segment, &["D_3207"]).map(Code::new);
    }
    for (qualifier, number) in children(group, "G_SG3").filter_map(reference) {
        match qualifier.as_str() {
            "VA" => party.vat_identifier = Some(number),
            "AHP" => party.tax_registration = Some(number),
            "0199" => party.legal_registration = Some(Identifier::new(number)),
            _ => {}
        }
    }
    // The tax number is stated beside the VAT identifier; it is no other one.
    if party.tax_registration == party.vat_identifier {
        party.tax_registration = None;
    }
    for group in children(group, "G_SG5") {
        party.contact.name =
            text(group, &["S_CTA", "C_C056", "D_3412"]).or(party.contact.name.take());
        for way in children(group, "S_COM") {
            let value = text(way, &["C_C076", "D_3148"]);
            match text(way, &["C_C076", "D_3155"]).as_deref() {
                Some("TE") => party.contact.phone = value,
                Some("EM") => party.contact.email = value,
                _ => {}
            }
        }
    }
}
