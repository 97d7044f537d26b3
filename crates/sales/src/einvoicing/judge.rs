//! The verdict on a document, and what it does.

use racun_access::Entity;
use racun_documents::{Document, EInvoiceForm, Validation, ValidationStatus, Validations};
use racun_einvoicing::{Facts, Finding, Specification, Verdict, eslog};
use racun_kernel::{Issues, PaymentType};
use time::OffsetDateTime;

use super::facts::{Around, Seller, facts_of};
use super::policy::{Policy, Wanted};
use crate::error::EInvoiceRefused;

/// What of an entity decides on the electronic invoices of its documents.
#[derive(Debug, Clone)]
pub(crate) struct Judging {
    seller: Seller,
    policy: Policy,
}

impl Judging {
    /// What counts of `entity`.
    pub fn of(entity: &Entity) -> Self {
        Self { seller: Seller::of(entity), policy: Policy::of(entity) }
    }

    /// `document`, which is linked to `linked` and paid by `paid`, with its checks as they are
    /// `now`: those of an issued one made, those of a draft to come.
    ///
    /// # Errors
    /// [`EInvoiceRefused::Invalid`] when it has to be valid and is not, with the fields of all
    /// forms at once.
    pub fn judged(
        &self,
        document: Document,
        linked: &[Document],
        paid: &[PaymentType],
        now: OffsetDateTime,
    ) -> Result<Document, EInvoiceRefused> {
        let wanted = self.policy.wanted(document.id.kind(), &document.content.e_invoices);
        // What was checked by order stays for the answer, and is checked again.
        let ordered = document.validations.keys().copied().filter(|form| self.policy.has(*form));
        let others = ordered.filter(|form| wanted.iter().all(|wanted| wanted.form != *form));
        let others: Vec<EInvoiceForm> = others.collect();
        if wanted.is_empty() && others.is_empty() {
            return Ok(document.with_validations(Validations::new()));
        }
        if document.is_draft() {
            let to_come = wanted.iter().map(|wanted| (wanted.form, Validation::to_come()));
            return Ok(document.clone().with_validations(to_come.collect()));
        }
        let around = Around { seller: self.seller, linked, paid };
        let Some(facts) = facts_of(&document, &around) else { return Ok(document) };
        let mut validations = Validations::new();
        let mut refused: Option<(EInvoiceForm, Issues)> = None;
        let others = others.into_iter().map(|form| (Wanted { form, is_required: false }, false));
        for (wanted, enabled) in wanted.into_iter().map(|wanted| (wanted, true)).chain(others) {
            let Wanted { form, is_required } = wanted;
            let verdict = verdict(&facts, form);
            if is_required && !verdict.is_valid() {
                let (_, issues) = refused.get_or_insert_with(|| (form, Issues::default()));
                add(issues, &verdict);
            }
            let validation = validation(&verdict, enabled, now);
            let same = document.validation(form).filter(|before| before.says_as(&validation));
            validations.insert(form, same.cloned().unwrap_or(validation));
        }
        match refused {
            Some((form, issues)) => Err(EInvoiceRefused::Invalid { form, issues }),
            None => Ok(document.with_validations(validations)),
        }
    }

    /// `document` with the check for `form` made now, by order.
    pub fn checked(
        &self,
        document: Document,
        form: EInvoiceForm,
        facts: &Facts,
        now: OffsetDateTime,
    ) -> Document {
        let wanted = self.policy.wanted(document.id.kind(), &document.content.e_invoices);
        let enabled = wanted.iter().any(|wanted| wanted.form == form);
        let mut validations = document.validations.clone();
        validations.insert(form, validation(&verdict(facts, form), enabled, now));
        document.with_validations(validations)
    }

    /// As [`Policy::has`].
    pub fn has(&self, form: EInvoiceForm) -> bool {
        self.policy.has(form)
    }

    /// Whose documents they are.
    pub const fn seller(&self) -> Seller {
        self.seller
    }
}

/// What the rules of `form` say.
pub(crate) fn verdict(facts: &Facts, form: EInvoiceForm) -> Verdict {
    match form {
        EInvoiceForm::Eslog => eslog::judge(facts),
        EInvoiceForm::Ujp => eslog::judge_ujp(facts),
        EInvoiceForm::XRechnung => racun_einvoicing::judge(facts, Specification::XRechnung),
        EInvoiceForm::Zugferd => racun_einvoicing::judge(facts, Specification::En16931),
    }
}

/// Adds the errors of `verdict` that `issues` do not have yet.
fn add(issues: &mut Issues, verdict: &Verdict) {
    for issue in verdict.errors().map(Finding::issue) {
        if issues.iter().all(|known| *known != issue) {
            issues.push(issue);
        }
    }
}

fn validation(verdict: &Verdict, enabled: bool, now: OffsetDateTime) -> Validation {
    let status =
        if verdict.is_valid() { ValidationStatus::Valid } else { ValidationStatus::Invalid };
    let errors = texts(verdict.errors());
    Validation { enabled, status, errors, warnings: texts(verdict.warnings()), at: Some(now) }
}

/// The findings as texts: the first [`Validation::MOST`], and how many more there are.
fn texts<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<String> {
    let mut findings = findings.map(ToString::to_string);
    let mut texts: Vec<String> = findings.by_ref().take(Validation::MOST).collect();
    let more = findings.count();
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts
}
