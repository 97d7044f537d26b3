//! What an entity told an authority's rules, and its certificate.

use racun_kernel::id::EntityId;
use racun_kernel::{CannotOpen, Issue, Issues, Patch, Reseal, Tenant, text, vat_number};
use racun_store::{Decision, Event, EventKind, Field};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::events;
use crate::{
    Actor, Authority, Certificate, CertificateStatus, FiscalError, FiscalRefusal, Numbering,
    taxpayer_number,
};

/// Characters that an operator's mark has at most.
const MAX_LABEL_CHARS: usize = 255;

/// An entity's settings for one authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiscalSettings {
    /// For whom.
    pub authority: Authority,
    /// Whose.
    pub entity_id: EntityId,
    /// Whether its documents are fiscalized.
    pub enabled: bool,
    /// FURS: whether a document that may be issued without fiscalization is, unless it says so.
    pub default_skip: bool,
    /// What numbers are of.
    pub numbering: Numbering,
    /// Tax number or OIB of the operator of documents that name no other.
    pub operator_number: Option<String>,
    /// Their mark on documents.
    pub operator_label: Option<String>,
    /// FURS: whether they have no Slovenian tax number.
    pub foreign_operator: bool,
    /// FINA: whether the taxpayer is in the VAT system.
    pub in_vat_system: bool,
    /// FINA: kept and answered; documents of all kinds share a sequence either way.
    pub unified_numbering: bool,
    /// The certificate that signs.
    pub certificate: Option<Certificate>,
    /// When they were first stored.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When they last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// Where an entity can issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// Whether a business premise is open.
    pub has_premise: bool,
    /// Whether a device in an open one is active.
    pub has_device: bool,
}

/// What a caller says of the settings. What an authority does not know is never given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsInput {
    /// False when null.
    pub enabled: Patch<bool>,
    /// False when null.
    pub default_skip: Patch<bool>,
    /// Per premise when null.
    pub numbering: Patch<Numbering>,
    /// Eight digits in Slovenia, an OIB in Croatia.
    pub operator_number: Patch<String>,
    /// 1 to 255 characters.
    pub operator_label: Patch<String>,
    /// False when null.
    pub foreign_operator: Patch<bool>,
    /// True when null.
    pub in_vat_system: Patch<bool>,
    /// True when null.
    pub unified_numbering: Patch<bool>,
}

impl FiscalSettings {
    /// The settings of an entity that told nothing.
    #[must_use]
    pub fn new(authority: Authority, entity_id: EntityId, now: OffsetDateTime) -> Self {
        Self {
            authority,
            entity_id,
            enabled: false,
            default_skip: false,
            numbering: Numbering::PerPremise,
            operator_number: None,
            operator_label: None,
            foreign_operator: false,
            in_vat_system: true,
            unified_numbering: true,
            certificate: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Takes over what `input` says. `is_numbered` says whether numbers of this year were issued in
    /// a premise that is open.
    ///
    /// It may be enabled without a certificate: what is issued then is refused.
    ///
    /// # Errors
    /// All that is wrong with the input, by path; [`FiscalRefusal::NumberingLocked`].
    pub fn update(
        self,
        input: SettingsInput,
        is_numbered: bool,
        actor: &Actor,
    ) -> Result<Decision<Self>, FiscalError> {
        let mut after = self.clone();
        input.apply(&mut after)?;
        if after == self {
            return Ok(Decision::Unchanged(self));
        }
        if after.numbering != self.numbering && is_numbered {
            return Err(FiscalRefusal::NumberingLocked.into());
        }
        Ok(after.changed(events::fiscal_settings::UPDATED, actor))
    }

    /// Signs with `certificate` from now on.
    pub fn with_certificate(self, certificate: Certificate, actor: &Actor) -> Decision<Self> {
        let after = Self { certificate: Some(certificate), ..self };
        after.changed(events::fiscal_settings::CERTIFICATE_UPLOADED, actor)
    }

    /// Signs no more.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`] when there is no certificate.
    pub fn without_certificate(self, actor: &Actor) -> Result<Decision<Self>, FiscalError> {
        if self.certificate.is_none() {
            return Err(FiscalError::NotFound { id: "certificate".to_owned() });
        }
        let after = Self { certificate: None, ..self };
        Ok(after.changed(events::fiscal_settings::CERTIFICATE_DELETED, actor))
    }

    /// The same with the certificate's private key under another key of the vault.
    ///
    /// # Errors
    /// When the key cannot be opened.
    pub fn resealed(self, reseal: &Reseal<'_>) -> Result<Self, CannotOpen> {
        let (entity, authority) = (self.entity_id, self.authority);
        let resealed = |own: Certificate| own.resealed(entity, authority, reseal);
        let certificate = self.certificate.map(resealed).transpose()?;
        Ok(Self { certificate, ..self })
    }

    /// The same without its certificate, whose private key cannot be opened.
    #[must_use]
    pub fn without_sealed(self) -> Self {
        Self { certificate: None, ..self }
    }

    /// What its certificate is good for at `now`.
    #[must_use]
    pub fn certificate_status(&self, now: OffsetDateTime) -> CertificateStatus {
        self.certificate.as_ref().map_or(CertificateStatus::Missing, |own| own.status(now))
    }

    /// The certificate, when it signs at `now`.
    ///
    /// # Errors
    /// [`FiscalRefusal::CertificateMissing`], [`FiscalRefusal::CertificateExpired`].
    pub fn usable_certificate(&self, now: OffsetDateTime) -> Result<&Certificate, FiscalRefusal> {
        let certificate = self.certificate.as_ref().ok_or(FiscalRefusal::CertificateMissing)?;
        match certificate.status(now) {
            CertificateStatus::Valid | CertificateStatus::ExpiringSoon => Ok(certificate),
            CertificateStatus::Expired => Err(FiscalRefusal::CertificateExpired),
            CertificateStatus::Missing => Err(FiscalRefusal::CertificateMissing),
        }
    }

    /// What is odd about who issues by them: a number that cannot be.
    #[must_use]
    pub fn warnings(&self) -> Issues {
        let odd = self.authority.warning(self.operator_number.as_deref());
        odd.map(|issue| issue.at(self.authority.number_field()).into()).unwrap_or_default()
    }

    /// What a sale would miss at `now`, each with what to do: a certificate that signs, somewhere
    /// to issue, who issues, and the taxpayer's own number, which is `tax_number`. Who issues may
    /// be said by users and documents too.
    #[must_use]
    pub fn missing(&self, places: Places, tax_number: Option<&str>, now: OffsetDateTime) -> Issues {
        let mut found = Issues::default();
        let base = format!("/fiscalization/{}", self.authority.name());
        let upload = format!("upload one: POST {base}/settings/certificate");
        match self.certificate_status(now) {
            CertificateStatus::Missing => found.push(
                Issue::new("certificate_missing", format!("nothing signs; {upload}"))
                    .at("certificate_status"),
            ),
            CertificateStatus::Expired => found.push(
                Issue::new("certificate_expired", format!("the certificate is over; {upload}"))
                    .at("certificate_status"),
            ),
            CertificateStatus::Valid | CertificateStatus::ExpiringSoon => {}
        }
        let register = match self.authority {
            Authority::Furs => format!("POST {base}/premises/real-estate, or …/movable"),
            Authority::Fina => format!("POST {base}/premises"),
        };
        if !places.has_premise {
            let message = format!("there is no open business premise; make one: {register}");
            found.push(Issue::new("premise_missing", message).at("premises"));
        }
        if !places.has_device {
            let message = format!(
                "there is no active electronic device; make one: POST \
                 {base}/premises/{{id}}/devices"
            );
            found.push(Issue::new("device_missing", message).at("devices"));
        }
        let elsewhere = "store it here, with each user, or send it with each document";
        if self.operator_number.is_none() && !self.foreign_operator {
            let message = format!("no number of an operator is known; {elsewhere}");
            found.push(Issue::new("operator_missing", message).at(self.authority.number_field()));
        }
        let needs_label = self.authority == Authority::Furs && !self.foreign_operator;
        if self.operator_label.is_none() && needs_label {
            let message = format!("no label of an operator is known; {elsewhere}");
            found.push(Issue::new("operator_missing", message).at("operator_label"));
        }
        if let Err(issue) = taxpayer_number(self.authority, tax_number) {
            let message =
                format!("the entity's tax number: {}; PATCH /entities/{{id}}", issue.message);
            found.push(Issue::new("taxpayer_number", message).at("enabled"));
        } else if let Some(issue) = vat_number::warning(Some(self.authority.country()), tax_number)
        {
            let message = format!("the entity's tax number: {}", issue.message);
            found.push(Issue::new(issue.code, message).at("enabled"));
        }
        found
    }

    fn changed(mut self, event: EventKind, actor: &Actor) -> Decision<Self> {
        self.updated_at = actor.now();
        let events: Vec<Event> = vec![actor.event(event, self.authority.name().to_owned())];
        Decision::changed(self, events)
    }
}

impl SettingsInput {
    fn apply(self, settings: &mut FiscalSettings) -> Result<(), Issues> {
        let mut issues = Issues::default();
        self.enabled.apply_or(&mut settings.enabled, false);
        self.default_skip.apply_or(&mut settings.default_skip, false);
        self.numbering.apply_or(&mut settings.numbering, Numbering::PerPremise);
        self.foreign_operator.apply_or(&mut settings.foreign_operator, false);
        self.in_vat_system.apply_or(&mut settings.in_vat_system, true);
        self.unified_numbering.apply_or(&mut settings.unified_numbering, true);
        let authority = settings.authority;
        if let Some(number) = self.operator_number.value() {
            let checked = authority.check_number(number).map_err(Issues::from);
            issues.collect(authority.number_field(), checked);
        }
        if let Some(label) = self.operator_label.value() {
            issues.collect("operator_label", check_label(label).map_err(Issues::from));
        }
        self.operator_number.apply(&mut settings.operator_number);
        self.operator_label.apply(&mut settings.operator_label);
        issues.into_result(())
    }
}

/// Accepts an operator's mark.
fn check_label(label: &str) -> Result<(), Issue> {
    if label.trim().is_empty() {
        let message = "must hold at least one character that is not blank";
        return Err(Issue::new("required", message));
    }
    text::check(label, MAX_LABEL_CHARS)
}

racun_store::record! {
    /// Where settings are kept. A row's id is the authority's name.
    pub static FISCAL_SETTINGS: FiscalSettings = "fiscal_settings";
    |settings|
    id: settings.authority.name(),
    tenant: Tenant::entity(settings.entity_id),
    fields: {
        Field::id() => settings.authority.name(),
        Field::bool("enabled") => settings.enabled,
        Field::instant("certificate_expiry")
            => settings.certificate.as_ref().map(|own| own.not_after),
        Field::instant("created_at") => settings.created_at,
        Field::instant("updated_at") => settings.updated_at,
    }
}
