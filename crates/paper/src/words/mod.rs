//! What documents say by themselves, in 18 languages.
//!
//! The table `words.txt` has a paragraph for each key, with a line for each language.

mod language;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use language::Language;

/// The texts by key, each by the place of its language in [`Language::ALL`].
static WORDS: LazyLock<BTreeMap<&'static str, [&'static str; Language::COUNT]>> =
    LazyLock::new(|| parse(include_str!("words.txt")));

fn parse(table: &'static str) -> BTreeMap<&'static str, [&'static str; Language::COUNT]> {
    let mut words = BTreeMap::new();
    let mut texts = None;
    for line in table.lines() {
        if let Some(key) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            texts = Some(words.entry(key).or_insert([""; Language::COUNT]));
        } else if let (Some(texts), Some((code, text))) = (&mut texts, line.split_once(' '))
            && let Some(language) = Language::from_code(code)
        {
            texts[language.place()] = text;
        }
    }
    words
}

macro_rules! words {
    ($($word:ident = $key:literal,)*) => {
        /// A text that documents say by themselves. Their English texts are in `words.txt`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "what they mean is said in the table")]
        pub enum Word {
            $($word,)*
        }

        impl Word {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$word,)*];

            /// Its key in the table; also the stable name of facts and totals.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self {
                    $(Self::$word => $key,)*
                }
            }
        }
    };
}

words! {
    Invoice = "invoice",
    Estimate = "estimate",
    ProformaInvoice = "proforma_invoice",
    CreditNote = "credit_note",
    AdvanceInvoice = "advance_invoice",
    DeliveryNote = "delivery_note",
    Draft = "draft",
    Void = "void",
    Test = "test",
    Paid = "paid",
    Overdue = "overdue",
    Expired = "expired",
    Accepted = "accepted",
    Rejected = "rejected",
    Issuer = "issuer",
    Customer = "customer",
    Unit = "unit",
    Number = "number",
    Date = "date",
    IssuedAt = "issued_at",
    DateDue = "date_due",
    DateValidTill = "date_valid_till",
    DateService = "date_service",
    Reference = "reference",
    BuyerReference = "buyer_reference",
    LinkedDocument = "linked_document",
    ExchangeRate = "exchange_rate",
    Operator = "operator",
    TaxNumber = "tax_number",
    TaxNumber2 = "tax_number_2",
    CompanyNumber = "company_number",
    Email = "email",
    Phone = "phone",
    Website = "website",
    Name = "name",
    Quantity = "quantity",
    Price = "price",
    PriceGross = "price_gross",
    Discount = "discount",
    Tax = "tax",
    Net = "net",
    Gross = "gross",
    Subtotal = "subtotal",
    TotalDiscount = "total_discount",
    Total = "total",
    TotalPaid = "total_paid",
    TotalDue = "total_due",
    Taxes = "taxes",
    Rate = "rate",
    Untaxed = "untaxed",
    ReverseCharge = "reverse_charge",
    Advances = "advances",
    Payments = "payments",
    Method = "method",
    Amount = "amount",
    Cash = "cash",
    BankTransfer = "bank_transfer",
    Card = "card",
    CreditCard = "credit_card",
    DebitCard = "debit_card",
    Check = "check",
    OnlineWallet = "online_wallet",
    Coupon = "coupon",
    Other = "other",
    Converted = "converted",
    Payment = "payment",
    Payee = "payee",
    Payer = "payer",
    Iban = "iban",
    Bic = "bic",
    Bank = "bank",
    AccountNumber = "account_number",
    RoutingNumber = "routing_number",
    SortCode = "sort_code",
    Purpose = "purpose",
    PurposeCode = "purpose_code",
    Scan = "scan",
    CheckCode = "check_code",
    Note = "note",
    PaymentTerms = "payment_terms",
    TaxClause = "tax_clause",
    Signature = "signature",
    Logo = "logo",
    Page = "page",
    Of = "of",
    Carried = "carried",
    Download = "download",
    Accept = "accept",
    Reject = "reject",
    Reply = "reply",
    ReplyRefused = "reply_refused",
    PayByCard = "pay_by_card",
    PayRefused = "pay_refused",
    PaymentPending = "payment_pending",
    Gone = "gone",
    GoneText = "gone_text",
    Tip = "tip",
    BookForm = "book_form",
}

impl Word {
    /// The text in `language`.
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        // A test holds that the table has every key.
        WORDS.get(self.key()).map_or(self.key(), |texts| texts[language.place()])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_word_is_there_in_every_language_and_no_other() {
        let keys: BTreeSet<&str> = Word::ALL.iter().map(|word| word.key()).collect();
        assert_eq!(WORDS.keys().copied().collect::<BTreeSet<_>>(), keys);
        for (key, texts) in WORDS.iter() {
            for language in Language::ALL {
                assert!(!texts[language.place()].is_empty(), "{key} in {}", language.code());
            }
        }
        let lines = include_str!("words.txt").lines();
        let rows = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
        assert_eq!(rows.count(), keys.len() * Language::COUNT, "a language stands twice");
    }
}
