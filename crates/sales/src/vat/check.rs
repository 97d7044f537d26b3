//! What is known of a VAT number: by its digits, by what is kept of earlier answers, and from VIES.

use racun_access::{ENTITIES, Entity, setting};
use racun_catalog::{NoAnswer, VAT_CHECKS, VatCheck, VatQuery, VatRegistry, Vies};
use racun_documents::{NumberCheck, Party};
use racun_kernel::vat_number::{Fault, VatNumber};
use racun_kernel::{Tenant, calendar};
use racun_store::{Context, Held, One, StoreError, UnitBuilder, Writes};
use time::OffsetDateTime;

use super::sale::{country_of, treatment};

/// A VAT number of which something is to be found out.
pub(crate) struct Inquiry {
    /// What the customer says.
    side: Side,
    number: Result<VatNumber, Fault>,
    requester: Option<VatNumber>,
    /// Whether VIES may be asked (`tax_rules.eu.vies_validate_vat`).
    is_on: bool,
}

/// Where a number was said: a finding holds of the same number in the same country only.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    country: Option<String>,
    tax_number: Option<String>,
}

impl Side {
    fn of(customer: &Party) -> Self {
        Self { country: country_of(customer), tax_number: customer.tax_number.clone() }
    }
}

/// What was found out of a number.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    side: Side,
    /// What follows for a sale.
    pub check: NumberCheck,
    /// The answer that it rests on.
    answer: Option<VatCheck>,
    /// Whether that was given now, and is to be kept.
    is_new: bool,
}

/// What is known without asking VIES.
pub(crate) enum StoredCheck {
    /// All that is needed.
    Enough(Box<Finding>),
    /// VIES is to be asked; what it said before.
    Ask(Option<Box<VatCheck>>),
}

impl Inquiry {
    /// What is to be found out before `entity` sells to `customer`; `None` where the sale does not
    /// rest on a VAT number.
    pub fn of_sale(entity: &Entity, customer: Option<&Party>) -> Option<Self> {
        let customer = customer?;
        if !treatment(entity, Some(customer), None).rests_on_tax_number {
            return None;
        }
        let is_on = entity.settings.get(setting::VIES_VALIDATE_VAT).unwrap_or(true);
        Some(Self { is_on, ..Self::of(entity, country_of(customer), customer.tax_number.clone()) })
    }

    /// What `entity` finds out of a number of a holder in `country`.
    pub fn of(entity: &Entity, country: Option<String>, tax_number: Option<String>) -> Self {
        let own = entity.tax_number.as_deref().filter(|_| entity.is_tax_subject);
        let requester =
            own.and_then(|own| VatNumber::read(entity.country_code.as_deref(), own).ok());
        let text = tax_number.as_deref().unwrap_or_default();
        let number = VatNumber::read(country.as_deref(), text);
        Self { side: Side { country, tax_number }, number, requester, is_on: true }
    }

    /// What is known without asking VIES.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn known(&self, cx: Context<'_>) -> Result<StoredCheck, StoreError> {
        let now = cx.now();
        let enough = |finding| Ok(StoredCheck::Enough(Box::new(finding)));
        if !self.is_on {
            return enough(self.skipped(OFF, now));
        }
        let Some(query) = self.query(cx) else { return enough(self.faulty(now)) };
        let kept: Option<VatCheck> = cx.get(&VAT_CHECKS, VatCheck::id_of(&query.number)).await?;
        match kept {
            Some(kept) if kept.holds_for(&query, now) => enough(self.told(kept, false)),
            kept => Ok(StoredCheck::Ask(kept.map(Box::new))),
        }
    }

    /// What is known without asking VIES, however old it is.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn recall(&self, cx: Context<'_>) -> Result<Finding, StoreError> {
        Ok(match self.known(cx).await? {
            StoredCheck::Enough(finding) => *finding,
            StoredCheck::Ask(Some(kept)) => self.told(*kept, false),
            StoredCheck::Ask(None) => self.skipped(UNASKED, cx.now()),
        })
    }

    /// Asks VIES, which said `before` what is kept. Its silence is no answer.
    pub async fn ask(
        &self,
        cx: Context<'_>,
        registry: Option<&dyn VatRegistry>,
        before: Option<VatCheck>,
    ) -> Finding {
        let now = cx.now();
        let Some(query) = self.query(cx) else { return self.faulty(now) };
        let answered = match registry {
            Some(registry) => registry.ask(&query).await,
            None => Err(NoAnswer { reason: "this server does not ask it".to_owned() }),
        };
        match (answered, before) {
            (Ok(answer), _) => self.told(VatCheck::new(query, answer, now), true),
            (Err(silence), Some(before)) => {
                let of = calendar::format_instant(before.checked_at);
                let mut finding = self.told(before, false);
                let known = finding.check.warning.take().map(|known| format!("; {known}"));
                let known = known.unwrap_or_default();
                let why =
                    format!("VIES gave no answer ({silence}): its last one is of {of}{known}");
                finding.check.warning = Some(why);
                finding
            }
            (Err(silence), None) => {
                let why = format!(
                    "VIES gave no answer ({silence}): the number was not checked, and the sale \
                     counts as one to a business"
                );
                self.skipped(why, now)
            }
        }
    }

    /// What VIES is asked; `None` where the digits decide.
    fn query(&self, cx: Context<'_>) -> Option<VatQuery> {
        Some(VatQuery {
            number: self.number.as_ref().ok()?.clone(),
            requester: self.requester.clone(),
            asker: cx.scope.entity(),
            environment: cx.scope.environment(),
        })
    }

    fn found(&self, check: NumberCheck) -> Finding {
        Finding { side: self.side.clone(), check, answer: None, is_new: false }
    }

    fn skipped(&self, why: impl Into<String>, now: OffsetDateTime) -> Finding {
        self.found(NumberCheck::skipped(why, now))
    }

    /// That the number cannot be one.
    fn faulty(&self, now: OffsetDateTime) -> Finding {
        let what = match self.number {
            Err(Fault::CheckDigits) => "its check digits do not fit the others",
            Ok(_) | Err(Fault::Form) => "no VAT number of a member state has its form",
        };
        let warning = format!(
            "the VAT number cannot be right: {what}; VIES was not asked, and the sale counts as \
             one to a consumer"
        );
        let (valid, warning) = (Some(false), Some(warning));
        self.found(NumberCheck { valid, warning, checked_at: now, consultation_number: None })
    }

    /// What follows from an answer.
    fn told(&self, answer: VatCheck, is_new: bool) -> Finding {
        let check = NumberCheck {
            valid: Some(answer.valid),
            warning: (!answer.valid).then(|| INVALID.to_owned()),
            checked_at: answer.checked_at,
            consultation_number: answer.consultation_number.clone(),
        };
        Finding { answer: Some(answer), is_new, ..self.found(check) }
    }
}

/// Why nothing was asked: the entity does not want it.
const OFF: &str = "the number was not checked: settings.tax_rules.eu.vies_validate_vat is off";
/// Why nothing was asked: nothing is made.
const UNASKED: &str = "VIES is asked when the document is made";
/// What a number is that VIES does not know.
const INVALID: &str =
    "VIES does not know this VAT number as valid: the sale counts as one to a consumer";

impl Finding {
    /// Whether it is about the number of `customer`.
    pub fn is_of(&self, customer: &Party) -> bool {
        self.side == Side::of(customer)
    }

    /// Whether it is to be kept.
    pub const fn is_new(&self) -> bool {
        self.is_new
    }

    /// What the record of the customer says of VIES's answer.
    pub fn vies(&self) -> Option<Vies> {
        self.answer.as_ref().map(VatCheck::vies)
    }

    /// Holds what is kept of the number, where there is something new to keep; and the entity, so
    /// that of two first answers at once one waits for the other.
    pub fn hold(&self, unit: &mut UnitBuilder<'_>) -> HeldFinding {
        let Some(new) = self.answer.clone().filter(|_| self.is_new) else {
            return HeldFinding::default();
        };
        let (account, entity) = (unit.by().scope().account(), unit.by().entity_id());
        let _parent: One<Entity> = unit.hold_of(Tenant::account(account), &ENTITIES, entity);
        let before = unit.hold(&VAT_CHECKS, VatCheck::id_of(&new.number));
        HeldFinding(Some((before, new)))
    }
}

/// A new answer, with what a unit holds of the one before.
#[derive(Default)]
pub(crate) struct HeldFinding(Option<(One<VatCheck>, VatCheck)>);

impl HeldFinding {
    /// What `finding` holds in `unit`, where there is one.
    pub fn of(finding: Option<&Finding>, unit: &mut UnitBuilder<'_>) -> Self {
        finding.map(|finding| finding.hold(unit)).unwrap_or_default()
    }

    /// What is kept, unless a later answer is there by now.
    ///
    /// # Errors
    /// When what is kept cannot be read.
    pub fn writes(self, held: &Held) -> Result<Writes, StoreError> {
        let Some((before, new)) = self.0 else { return Ok(Writes::default()) };
        Ok(match held.find(before)? {
            None => Writes::default().insert(&new),
            Some(before) if before.checked_at < new.checked_at => {
                let after = VatCheck { created_at: before.created_at, ..new };
                Writes::default().update(&before, &after)
            }
            Some(_) => Writes::default(),
        })
    }
}
