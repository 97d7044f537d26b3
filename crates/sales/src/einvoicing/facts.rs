//! From a stored document to the facts of its electronic invoice.

use racun_access::Entity;
use racun_documents::calculation::{Discount as LineDiscount, DiscountKind};
use racun_documents::{
    AppliedAdvance, Document, DocumentKind, Line as DocumentLine, LineKind, LineTaxDetail,
    Party as Side, Stage, TaxAmounts, TransactionType, UnitSnapshot,
};
use racun_einvoicing::{
    Account, Discount, Facts, FactsKind, Line, LineTax, PaidBy, Party, Preceding, Price, Priced,
    Sale, Sells, TaxTotal, Texts, Totals,
};
use racun_kernel::{
    BankAccount, BankAccountType, Classification, Currency, Decimal, PaymentType, UjpRouting,
};
use racun_paper::Language;

/// What of the entity counts for its electronic invoices beside what its documents say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seller {
    /// Whether it charges value added tax.
    pub is_tax_subject: bool,
    /// The currency in which it keeps its books.
    pub currency: Currency,
    /// Whose dates and amounts stand in texts of documents.
    pub language: Language,
}

impl Seller {
    /// What counts of `entity`.
    #[must_use]
    pub fn of(entity: &Entity) -> Self {
        let language = Language::from_code(&entity.locale).unwrap_or(Language::ENGLISH);
        Self { is_tax_subject: entity.is_tax_subject, currency: entity.currency, language }
    }
}

/// What stands around a document and is part of its electronic invoice.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Whose document it is.
    pub seller: Seller,
    /// The documents that it is linked to, and the delivery notes that deliver it. Drafts, voided
    /// ones and kinds that it has no place for are left out.
    pub linked: &'a [Document],
    /// How its payments were made.
    pub paid: &'a [PaymentType],
}

/// The facts of `document`; `None` for delivery notes, which are no invoices.
///
/// All figures are the document's own: BT-109, BT-110 and BT-112 as it was calculated, BT-113 what
/// was paid and applied until now, so the file says what the page says. Texts have the values of
/// their variables. Where its unit has a contact of its own, that is the seller's (BG-6).
#[must_use]
pub fn facts_of(document: &Document, around: &Around<'_>) -> Option<Facts> {
    let content = &document.content;
    let kind = match document.id.kind() {
        DocumentKind::Invoice => FactsKind::Invoice,
        DocumentKind::CreditNote => FactsKind::CreditNote,
        DocumentKind::AdvanceInvoice => FactsKind::AdvanceInvoice,
        DocumentKind::Estimate => FactsKind::Estimate,
        DocumentKind::DeliveryNote => return None,
    };
    let filled = |text: &Option<String>| {
        let filled = |text: &String| racun_paper::filled(document, around.seller.language, text);
        text.as_ref().map(filled)
    };
    Some(Facts {
        kind,
        number: document.number(),
        date: content.date,
        date_due: content.date_due,
        date_service: content.date_service,
        date_service_to: content.date_service_to,
        currency: content.currency,
        issuer_currency: around.seller.currency,
        sale: sale(content.transaction_type),
        issuer: issuer(document, around.seller),
        customer: content.customer.as_ref().map(customer),
        texts: Texts {
            note: filled(&content.texts.note),
            payment_terms: filled(&content.texts.payment_terms),
            tax_clause: filled(&content.texts.tax_clause),
        },
        reference: content.reference.clone(),
        accounts: account_of(&content.issuer).into_iter().collect(),
        paid_by: paid_by(around.paid),
        preceding: preceding(document, around.linked),
        delivery_note: delivery_note(around.linked),
        lines: content.lines.iter().map(line).collect(),
        totals: totals(document),
    })
}

const fn sale(kind: TransactionType) -> Sale {
    match kind {
        TransactionType::Domestic => Sale::Domestic,
        TransactionType::IntraEuB2b => Sale::IntraEuB2b,
        TransactionType::IntraEuB2c => Sale::IntraEuB2c,
        TransactionType::ThirdCountryB2b
        | TransactionType::ThirdCountryB2c
        | TransactionType::Export => Sale::ThirdCountry,
    }
}

/// The issuer. A document that charges VAT was issued by somebody registered for it, whatever the
/// entity is today.
fn issuer(document: &Document, seller: Seller) -> Party {
    let charges = document.amounts.taxes.iter().any(|taxes| taxes.tax.amount.is_positive());
    let unit = document.content.business_unit.as_ref();
    let party = party(&document.content.issuer);
    let of_unit =
        |field: fn(&UnitSnapshot) -> &Option<String>| unit.and_then(|it| field(it).clone());
    Party {
        contact: unit.map(|unit| unit.name.clone()).filter(|name| !name.is_empty()),
        email: of_unit(|unit| &unit.email).or(party.email),
        phone: of_unit(|unit| &unit.phone).or(party.phone),
        buyer_reference: None,
        is_tax_subject: Some(seller.is_tax_subject || charges),
        ..party
    }
}

fn customer(side: &Side) -> Party {
    let of_routing = |field: fn(&UjpRouting) -> &Option<String>| {
        side.ujp.as_ref().and_then(|it| field(it).clone())
    };
    let mailbox = of_routing(|ujp| &ujp.receiver_mailbox);
    Party {
        is_end_consumer: side.is_end_consumer.unwrap_or(false),
        is_routed: mailbox.is_some(),
        receiver_name: of_routing(|ujp| &ujp.receiver_name),
        receiver_identifier: of_routing(|ujp| &ujp.receiver_identifier),
        account: receiving(side, mailbox),
        ..party(side)
    }
}

/// The account of a customer: number and bank as its routing says, else as its bank account does.
/// The bank of that account counts for its own number alone.
fn receiving(side: &Side, mailbox: Option<String>) -> Option<Account> {
    let own = account_of(side);
    let agent = side.ujp.as_ref().and_then(|ujp| ujp.receiver_agent.clone());
    let account = match mailbox {
        Some(number) => {
            let own = own.filter(|own| plain(&own.number) == plain(&number));
            Account { number, bic: own.and_then(|own| own.bic) }
        }
        None => own?,
    };
    Some(Account { bic: agent.or(account.bic), ..account })
}

/// A number as accounts are compared: without blanks, in capitals.
fn plain(number: &str) -> String {
    number.chars().filter(|sign| !sign.is_whitespace()).collect::<String>().to_ascii_uppercase()
}

/// What both sides have alike.
fn party(side: &Side) -> Party {
    Party {
        name: side.name.clone(),
        contact: None,
        email: side.email.clone(),
        phone: side.phone.clone(),
        address: side.address.clone(),
        address_2: side.address_2.clone(),
        post_code: side.post_code.clone(),
        city: side.city.clone(),
        state: side.state.clone(),
        country_code: side.country_code.clone(),
        tax_number: side.tax_number.clone(),
        tax_number_2: side.tax_number_2.clone(),
        company_number: side.company_number.clone(),
        peppol_id: side.peppol_id.clone(),
        peppol_scheme_id: side.peppol_scheme_id.clone(),
        buyer_reference: side.buyer_reference.clone(),
        is_tax_subject: None,
        is_end_consumer: false,
        account: None,
        is_routed: false,
        receiver_name: None,
        receiver_identifier: None,
    }
}

/// The account that a side is paid on: the one that the document names, else its default one, else
/// its first.
fn account_of(side: &Side) -> Option<Account> {
    let all = side.bank_accounts.as_deref().unwrap_or_default();
    let default = all.iter().find(|account| account.is_default == Some(true));
    let named = side.bank_account.iter().chain(default).chain(all);
    named.filter_map(account).next()
}

/// The account, when it has a number.
fn account(account: &BankAccount) -> Option<Account> {
    let number = match account.kind {
        BankAccountType::Iban => account.iban.as_ref().or(account.account_number.as_ref()),
        _ => account.account_number.as_ref().or(account.iban.as_ref()),
    };
    let number = number.filter(|number| !number.trim().is_empty())?;
    Some(Account { number: number.clone(), bic: account.bic.clone() })
}

/// How it was paid, by payments that moved money. What was paid by transfer, or in more ways than
/// one, leaves the account as the way.
fn paid_by(paid: &[PaymentType]) -> Option<PaidBy> {
    let mut ways = paid.iter().filter_map(|kind| match kind {
        PaymentType::Cash => Some(Some(PaidBy::Cash)),
        PaymentType::Card | PaymentType::CreditCard | PaymentType::DebitCard => {
            Some(Some(PaidBy::Card))
        }
        PaymentType::OnlineWallet => Some(Some(PaidBy::Online)),
        PaymentType::Check | PaymentType::Coupon | PaymentType::Other => Some(Some(PaidBy::Other)),
        PaymentType::BankTransfer => Some(None),
        // No money moves by these.
        PaymentType::CreditNote | PaymentType::Advance => None,
    });
    let first = ways.next()??;
    ways.all(|way| way == Some(first)).then_some(first)
}

/// BG-3: the advance invoices that pay of it, and invoices that it is linked to.
fn preceding(document: &Document, linked: &[Document]) -> Vec<Preceding> {
    let of_advance = |applied: &AppliedAdvance| Preceding {
        number: applied.number.clone(),
        date: Some(applied.date),
    };
    let advances = document.advances_applied.iter();
    let is_known = |id| document.advances_applied.iter().any(|applied| applied.advance_id == id);
    let is_earlier = |other: &&Document| {
        let kind = other.id.kind();
        let is_invoice = matches!(kind, DocumentKind::Invoice | DocumentKind::AdvanceInvoice);
        is_invoice && !other.is_draft() && other.id != document.id && !is_known(other.id)
    };
    let of_document =
        |other: &Document| Preceding { number: other.number(), date: Some(other.content.date) };
    let others = linked.iter().filter(is_earlier).map(of_document);
    advances.map(of_advance).chain(others).collect()
}

/// BT-16: the first delivery note.
fn delivery_note(linked: &[Document]) -> Option<String> {
    let stands = |other: &&Document| {
        other.id.kind() == DocumentKind::DeliveryNote && matches!(other.stage, Stage::Issued(_))
    };
    linked.iter().find(stands).map(Document::number)
}

fn line(line: &DocumentLine) -> Line {
    let price = match (&line.price, &line.gross_price) {
        _ if line.kind == Some(LineKind::Separator) => return Line::Heading(line.name.clone()),
        (Some(price), _) => Price::Net(price.clone()),
        (None, Some(gross)) => Price::Gross(gross.clone()),
        (None, None) => return Line::Heading(line.name.clone()),
    };
    Line::Priced(Box::new(Priced {
        name: line.name.clone(),
        description: line.description.clone(),
        sells: line.classification.map(|classification| match classification {
            Classification::Product => Sells::Goods,
            Classification::Service => Sells::Services,
            Classification::Advance => Sells::Advance,
        }),
        quantity: line.quantity.clone(),
        unit: line.unit.clone(),
        unit_code: line.unit_code.clone(),
        price,
        discounts: line.discounts.iter().map(discount).collect(),
        taxes: line.taxes.iter().map(tax).collect(),
        total: line.total.clone(),
    }))
}

fn discount(discount: &LineDiscount) -> Discount {
    match discount.kind {
        DiscountKind::Percent => Discount::Percent(discount.value.clone()),
        DiscountKind::Amount => Discount::Amount(discount.value.clone()),
    }
}

fn tax(tax: &LineTaxDetail) -> LineTax {
    LineTax {
        rate: tax.rate.clone(),
        reverse_charge: tax.reverse_charge,
        classification: tax.classification.clone(),
        exemption_reason: tax.pt_exemption_reason.clone(),
        amount: tax.amount.clone(),
    }
}

fn totals(document: &Document) -> Totals {
    let amounts = &document.amounts;
    let total = |taxes: &TaxAmounts| TaxTotal {
        rate: taxes.tax.rate.clone(),
        reverse_charge: taxes.tax.reverse_charge,
        amount: taxes.tax.amount.clone(),
    };
    let exchange = document.content.exchange_rate.as_ref();
    let converted_tax = exchange.and_then(|exchange| {
        let all: Option<Vec<&Decimal>> =
            amounts.taxes.iter().map(|taxes| taxes.amount_converted.as_ref()).collect();
        Some((exchange.quote_currency, all?.into_iter().sum()))
    });
    Totals {
        total: amounts.total.clone(),
        total_with_tax: amounts.total_with_tax.clone(),
        taxes: amounts.taxes.iter().map(total).collect(),
        paid: amounts.total_paid.clone(),
        converted_tax,
    }
}

#[cfg(test)]
mod tests {
    use PaymentType::{Advance, BankTransfer, Card, Cash, CreditNote, DebitCard, OnlineWallet};

    use racun_kernel::UjpRouting;

    use super::*;

    #[test]
    fn the_way_of_payment_is_said_when_there_was_one() {
        for (paid, by) in [
            (&[][..], None),
            (&[Cash], Some(PaidBy::Cash)),
            (&[Card, DebitCard], Some(PaidBy::Card)),
            (&[Advance, OnlineWallet, CreditNote], Some(PaidBy::Online)),
            (&[BankTransfer], None),
            (&[Cash, BankTransfer], None),
            (&[Cash, Card], None),
            (&[Advance], None),
        ] {
            assert_eq!(paid_by(paid), by, "{paid:?}");
        }
    }

    #[test]
    fn the_account_is_the_named_one_then_the_default_then_the_first_with_a_number() {
        let iban = |number: &str, is_default| BankAccount {
            iban: Some(number.to_owned()),
            is_default: Some(is_default),
            ..BankAccount::default()
        };
        let nameless = BankAccount { bank_name: Some("X".to_owned()), ..BankAccount::default() };
        let number = |side: &Side| account_of(side).map(|account| account.number);
        let mut side = Side::default();
        assert_eq!(number(&side), None);
        side.bank_accounts = Some(vec![nameless.clone(), iban("SI1", false)]);
        assert_eq!(number(&side).as_deref(), Some("SI1"));
        side.bank_accounts = Some(vec![iban("SI1", false), iban("SI2", true)]);
        assert_eq!(number(&side).as_deref(), Some("SI2"));
        side.bank_account = Some(iban("SI3", false));
        assert_eq!(number(&side).as_deref(), Some("SI3"));
        side.bank_account = Some(nameless);
        assert_eq!(number(&side).as_deref(), Some("SI2"));
    }

    #[test]
    fn a_customer_is_reached_where_its_routing_says_and_else_at_its_account() {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        for (mailbox, agent, iban, bic, number, bank) in [
            ("", "", "SI 1", "A", "SI 1", "A"),
            ("", "B", "SI 1", "A", "SI 1", "B"),
            ("SI1", "", "SI 1", "A", "SI1", "A"),
            ("SI2", "", "SI 1", "A", "SI2", ""),
            ("SI2", "B", "SI 1", "A", "SI2", "B"),
            ("SI2", "B", "", "", "SI2", "B"),
        ] {
            let account =
                BankAccount { iban: text(iban), bic: text(bic), ..BankAccount::default() };
            let ujp = UjpRouting {
                receiver_mailbox: text(mailbox),
                receiver_agent: text(agent),
                receiver_name: text("Ministrstvo"),
                receiver_identifier: text("SI47429518"),
            };
            let side = Side { bank_account: Some(account), ujp: Some(ujp), ..Side::default() };
            let found = customer(&side);
            let expected = Account { number: number.to_owned(), bic: text(bank) };
            assert_eq!(found.account, Some(expected), "{mailbox} {agent}");
            assert_eq!(found.is_routed, !mailbox.is_empty());
            assert_eq!(found.receiver_name.as_deref(), Some("Ministrstvo"));
            assert_eq!(found.receiver_identifier.as_deref(), Some("SI47429518"));
        }
    }
}
