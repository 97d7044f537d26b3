//! How to pay: BG-16, BG-17, and the terms of payment, BT-20.

use en16931::invoice::{Code, CreditTransfer, PaymentInstructions, PaymentMeans};
use racun_kernel::{Currency, iban};

use super::text::{paragraphs, single};
use crate::facts::{Account, Facts, PaidBy, Party};
use crate::specification::Specification;

/// SEPA credit transfer, credit transfer and others, of UNTDID 4461.
const SEPA: &str = "58";
const TRANSFER: &str = "30";

/// How the document was paid, when nothing is left to pay; else the accounts to pay to. A document
/// that names neither is paid by arrangement, and has no instructions.
///
/// Peppol takes no code of cash or other ways between Dutch parties (NL-R-008), so there what was
/// paid says nothing of the way.
pub fn instructions(facts: &Facts, specification: Specification) -> Option<PaymentInstructions> {
    let is_paid = facts.totals.paid >= facts.totals.total_with_tax;
    match facts.paid_by {
        Some(_) if is_paid && specification == Specification::Peppol && is_dutch(facts) => None,
        Some(by) if is_paid || facts.accounts.is_empty() => Some(paid(by)),
        _ if facts.accounts.is_empty() => None,
        _ => Some(transfer(facts)),
    }
}

/// Whether both parties are in the Netherlands.
fn is_dutch(facts: &Facts) -> bool {
    let is_there = |party: &Party| {
        let country = party.country_code.as_deref();
        country.is_some_and(|code| code.trim().eq_ignore_ascii_case("NL"))
    };
    is_there(&facts.issuer) && facts.customer.as_ref().is_some_and(is_there)
}

fn paid(by: PaidBy) -> PaymentInstructions {
    let code = match by {
        PaidBy::Cash => "10",
        PaidBy::Online => "68",
        PaidBy::Card | PaidBy::Other => "1",
    };
    PaymentInstructions { means_code: Some(Code::new(code)), ..PaymentInstructions::default() }
}

fn transfer(facts: &Facts) -> PaymentInstructions {
    let is_sepa = facts.currency == Currency::EUR
        && facts.accounts.iter().all(|account| iban::check(&account.number).is_ok());
    let code = if is_sepa { SEPA } else { TRANSFER };
    let reference = single(facts.reference.as_deref()).or_else(|| single(Some(&facts.number)));
    let holder = single(facts.issuer.name.as_deref());
    let transfers = facts.accounts.iter().map(|account| CreditTransfer {
        account_identifier: number(account),
        account_name: holder.clone(),
        provider_identifier: single(account.bic.as_deref()),
    });
    PaymentInstructions {
        means_code: Some(Code::new(code)),
        means_text: None,
        remittance_information: reference,
        means: Some(PaymentMeans::CreditTransfer(transfers.collect())),
    }
}

/// An IBAN without blanks; another number as it is written.
fn number(account: &Account) -> Option<String> {
    let written = single(Some(&account.number))?;
    Some(match iban::check(&written) {
        Ok(()) => written.split(' ').collect::<String>().to_ascii_uppercase(),
        Err(_) => written,
    })
}

/// The terms. Where they have lines of XRechnung for early payment, which begin with a number sign,
/// BR-DE-18 wants a line end behind the last.
pub fn terms(facts: &Facts) -> Option<String> {
    let terms = paragraphs(facts.texts.payment_terms.as_deref())?;
    let has_discount = terms.lines().any(|line| line.starts_with('#'));
    Some(if has_discount { terms + "\n" } else { terms })
}
