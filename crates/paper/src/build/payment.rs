//! How to pay, and the codes for apps of banks.

use racun_documents::{DocumentKind, Party};
use racun_kernel::text::in_fours;
use racun_kernel::{BankAccount, Currency, Decimal, Money, PaymentReference};

use super::Source;
use crate::clean::{line, some_line};
use crate::codes::{self, Side, Transfer};
use crate::model::{Code, CodeKind, Display, Fact, PaperKind, Payment, Symbol};
use crate::words::{Language, Word};

fn side(party: &Party) -> Side {
    let text = |text: &Option<String>| text.as_deref().map(line).unwrap_or_default();
    let town = format!("{} {}", text(&party.post_code), text(&party.city));
    Side { name: text(&party.name), street: text(&party.address), town: town.trim().to_owned() }
}

impl Source<'_> {
    /// The account to pay to: the one that the document names, else the issuer's default one.
    pub(super) fn account(&self) -> Option<&BankAccount> {
        let issuer = &self.document.content.issuer;
        let all = issuer.bank_accounts.as_deref().unwrap_or_default();
        let default = all.iter().find(|account| account.is_default == Some(true));
        issuer.bank_account.as_ref().or(default).or_else(|| all.first())
    }

    /// What is to be paid: nothing on documents that ask for nothing, that are paid or void, or
    /// that are not issued, unless one sees beforehand how they are going to be.
    fn asked(&self) -> Option<Decimal> {
        let document = self.document;
        let asks = matches!(
            self.kind(),
            PaperKind::Invoice | PaperKind::ProformaInvoice | PaperKind::AdvanceInvoice
        );
        let stands = document.voided_at().is_none() && document.rejected_at().is_none();
        let is_known = !document.is_draft() || self.is_preview;
        let due = document.total_due();
        (asks && stands && is_known && due.is_positive()).then_some(due)
    }

    /// How to pay; `None` when there is nothing to pay, or no account to pay to.
    pub(super) fn payment(&self) -> Option<Payment> {
        let amount = self.asked()?;
        let account = self.account()?;
        let content = &self.document.content;
        let text = |text: &Option<String>| some_line(text.as_deref());
        let iban = text(&account.iban);
        if iban.is_none() && account.account_number.is_none() {
            return None;
        }
        let transfer = iban.as_ref().map(|iban| self.transfer(amount.clone(), iban, account));
        let codes = transfer.as_ref().map(|transfer| self.codes(transfer)).unwrap_or_default();
        let reference = self.reference().map(|reference| reference.readable());
        let reference = reference.or_else(|| text(&content.reference));
        let facts = [
            (Word::TotalDue, Some(self.money(&amount))),
            (Word::Payee, text(&content.issuer.name)),
            (Word::Iban, iban.as_deref().map(in_fours)),
            (Word::AccountNumber, text(&account.account_number)),
            (Word::RoutingNumber, text(&account.routing_number)),
            (Word::SortCode, text(&account.sort_code)),
            (Word::Bic, text(&account.bic)),
            (Word::Bank, text(&account.bank_name)),
            (Word::Reference, reference),
            (Word::Purpose, Some(self.purpose(self.language))),
        ];
        let facts: Vec<Fact> =
            facts.into_iter().filter_map(|(word, text)| self.fact(word, text)).collect();
        Some(Payment { label: self.word(Word::Payment).to_owned(), facts, codes })
    }

    fn transfer(&self, amount: Decimal, iban: &str, account: &BankAccount) -> Transfer {
        let content = &self.document.content;
        Transfer {
            money: Money { amount, currency: content.currency },
            due: content.date_due,
            payer: content.customer.as_ref().map(side).unwrap_or_default(),
            payee: side(&content.issuer),
            iban: iban.to_owned(),
            bic: some_line(account.bic.as_deref()),
            reference: self.reference(),
            purpose: self.purpose(self.language),
            purpose_code: "OTHR".to_owned(),
        }
    }

    /// The reference that every code asks with: the document's own one, else one of its number.
    fn reference(&self) -> Option<PaymentReference> {
        self.own_reference().or_else(|| self.made_reference())
    }

    /// The reference that the document has, when it is one that codes carry. One that does not
    /// check was refused when the document was made; should an old document have one, it is in no
    /// code.
    fn own_reference(&self) -> Option<PaymentReference> {
        let text = self.document.content.reference.as_deref()?;
        PaymentReference::parse(text).ok().flatten()
    }

    /// The reference that is made of the number where a code is on that wants one. None where the
    /// document has a reference of another form: what the payee looks for is that.
    fn made_reference(&self) -> Option<PaymentReference> {
        if self.document.content.reference.is_some() {
            return None;
        }
        let iban = self.account()?.iban.as_deref()?.trim().to_ascii_uppercase();
        let number = self.number_to_pay();
        match &self.look.hub3 {
            _ if self.look.upn.is_some() && iban.starts_with("SI") => {
                Some(PaymentReference::slovenian(&number))
            }
            Some(hub3) if iban.starts_with("HR") => {
                Some(PaymentReference::croatian(&number, &hub3.reference_model))
            }
            _ => None,
        }
    }

    /// The number that a payer writes; nothing of a draft, which has none.
    fn number_to_pay(&self) -> String {
        if self.document.is_draft() { String::new() } else { self.document.number() }
    }

    /// What is paid, such as "Invoice 2026-00018".
    fn purpose(&self, language: Language) -> String {
        let number = line(&self.number_to_pay());
        format!("{} {number}", self.title().text(language)).trim_end().to_owned()
    }

    /// The codes that are on and can ask for this payment.
    fn codes(&self, transfer: &Transfer) -> Vec<Code> {
        if self.document.content.currency != Currency::EUR {
            return Vec::new();
        }
        [self.upn(transfer), self.hub3(transfer), self.epc(transfer)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The purpose with a reference of another form, which has no field of its own.
    fn purpose_with_reference(&self, code: &str) -> String {
        let language = Language::from_code(code).unwrap_or(self.language);
        let purpose = self.purpose(language);
        let other = self.document.content.reference.as_deref();
        let other = other.filter(|_| self.own_reference().is_none());
        match other.map(line).filter(|other| !other.is_empty()) {
            // The payee looks for the reference first; texts are cut at their end.
            Some(other) => format!("{other} {purpose}"),
            None => purpose,
        }
    }

    fn upn(&self, transfer: &Transfer) -> Option<Code> {
        let upn = self.look.upn.as_ref()?;
        let transfer = Transfer {
            purpose: self.purpose_with_reference("sl"),
            purpose_code: upn.purpose_code.clone(),
            ..transfer.clone()
        };
        let payload = codes::upn(&transfer)?;
        let slip = match upn.display {
            Display::CodeOnly => Vec::new(),
            Display::FullSlip => self.slip(&transfer),
        };
        Some(Code {
            kind: CodeKind::UpnQr,
            symbol: Symbol::Qr { version: Some(15), eci: Some(4) },
            payload,
            label: format!("UPN QR: {}", self.word(Word::Scan)),
            display: upn.display,
            slip,
            width_mm: (30, 36),
        })
    }

    fn slip(&self, transfer: &Transfer) -> Vec<Fact> {
        let words = [
            Word::Payer,
            Word::PurposeCode,
            Word::Purpose,
            Word::DateDue,
            Word::Amount,
            Word::Iban,
            Word::Reference,
            Word::Payee,
        ];
        let texts = codes::upn_slip(transfer).into_iter().flatten();
        let facts = words.into_iter().zip(texts);
        facts.filter_map(|(word, text)| self.fact(word, Some(text))).collect()
    }

    fn hub3(&self, transfer: &Transfer) -> Option<Code> {
        let hub3 = self.look.hub3.as_ref()?;
        let transfer = Transfer {
            purpose: self.purpose_with_reference("hr"),
            purpose_code: hub3.purpose_code.clone(),
            ..transfer.clone()
        };
        Some(Code {
            kind: CodeKind::Hub3,
            symbol: Symbol::Pdf417 { error_level: 4, max_columns: 9 },
            payload: codes::hub3(&transfer)?,
            label: format!("HUB3: {}", self.word(Word::Scan)),
            display: Display::CodeOnly,
            slip: Vec::new(),
            width_mm: (58, 76),
        })
    }

    fn epc(&self, transfer: &Transfer) -> Option<Code> {
        if !self.look.epc {
            return None;
        }
        let transfer = Transfer {
            purpose: self.purpose_with_reference(self.language.code()),
            ..transfer.clone()
        };
        Some(Code {
            kind: CodeKind::EpcQr,
            symbol: Symbol::Qr { version: None, eci: None },
            payload: codes::epc(&transfer)?,
            label: format!("EPC QR: {}", self.word(Word::Scan)),
            display: Display::CodeOnly,
            slip: Vec::new(),
            width_mm: (25, 36),
        })
    }

    /// Whether the document is of a kind that is fiscalized.
    pub(super) fn is_fiscal_kind(&self) -> bool {
        let kind: DocumentKind = self.document.id.kind();
        kind.is_fiscal()
    }
}
