//! Settings and certificates: what is accepted, and until when it holds.

use racun_fiscal::{
    Actor, Authority, Certificate, CertificateStatus, FiscalError, FiscalRefusal, FiscalSettings,
    Identity, Numbering, OpenedCertificate, P12Error, SettingsInput,
};
use racun_kernel::id::EntityId;
use racun_kernel::{CannotOpen, Patch, Principal, Stamp, Vault};
use racun_store::testing::stamp;
use racun_store::{Decision, Record, Value};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

pub const NOW: OffsetDateTime = datetime!(2026-11-20 08:00 UTC);

/// A caller in an entity of their own.
pub fn actor(now: OffsetDateTime) -> Actor {
    let stamp = stamp(now);
    let entity_id: EntityId = stamp.id();
    racun_store::testing::actor(entity_id, Principal::System, stamp)
}

/// The record that a decision changes, and the kinds of what happened.
pub fn changed<A>(decision: Decision<A>) -> (A, Vec<&'static str>) {
    match decision {
        Decision::Changed { record, events, .. } => {
            (record, events.into_iter().map(|event| event.kind.name()).collect())
        }
        Decision::Unchanged(_) => panic!("nothing is changed"),
    }
}

pub fn refusal(error: FiscalError) -> FiscalRefusal {
    match error {
        FiscalError::Refused(refusal) => refusal,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Writes the owner before the secret, and opens it as that owner's only.
struct Labelled;

impl Vault for Labelled {
    fn seal(&self, owner: &str, secret: &[u8], _: &Stamp) -> String {
        format!("{owner}: {}", String::from_utf8_lossy(secret))
    }

    fn open(&self, owner: &str, sealed: &str) -> Result<Vec<u8>, CannotOpen> {
        let secret = sealed.strip_prefix(&format!("{owner}: ")).ok_or(CannotOpen)?;
        Ok(secret.as_bytes().to_vec())
    }
}

fn opened(tax_number: Option<&str>) -> OpenedCertificate {
    OpenedCertificate {
        identity: Identity {
            certificate: vec![0, 255],
            chain: vec![vec![1], Vec::new()],
            private_key: b"key".to_vec(),
        },
        tax_number: tax_number.map(str::to_owned),
        common_name: "FISKAL 3".to_owned(),
        subject: "CN=FISKAL 3,C=HR".to_owned(),
        issuer: "CN=Fina RDC 2020".to_owned(),
        serial: "1".repeat(39),
        not_before: NOW - Duration::days(1),
        not_after: NOW + Duration::days(100),
    }
}

#[test]
fn a_certificate_is_of_the_entity_with_or_without_its_country() {
    let actor = actor(NOW);
    let accept = |authority, own: Option<&str>, entitys: Option<&str>| {
        Certificate::accept(opened(own), authority, entitys, &Labelled, &actor)
            .map_err(|fault| fault.issue.code)
    };
    for (authority, own, entitys, expected) in [
        (Authority::Furs, Some("10039856"), Some("10039856"), None),
        (Authority::Furs, Some("10039856"), Some("SI10039856"), None),
        (Authority::Furs, Some("10039856"), Some(" si 100 39 856 "), None),
        (Authority::Furs, Some("10039856"), Some("HR10039856"), Some("other_taxpayer")),
        (Authority::Furs, Some("10039856"), Some("1003985"), Some("other_taxpayer")),
        (Authority::Furs, Some("10039856"), Some("SI"), None),
        (Authority::Furs, Some("10039856"), Some(""), None),
        (Authority::Furs, Some("10039856"), None, None),
        (Authority::Furs, None, Some("10039856"), Some("no_tax_number")),
        (Authority::Fina, Some("69435151530"), Some("HR69435151530"), None),
        (Authority::Fina, Some("69435151530"), Some("SI69435151530"), Some("other_taxpayer")),
        (Authority::Fina, None, Some("69435151530"), Some("no_tax_number")),
    ] {
        let refused = accept(authority, own, entitys).err();
        assert_eq!(refused, expected, "{authority:?} {own:?} {entitys:?}");
    }
}

#[test]
fn a_certificate_is_accepted_from_its_first_moment_to_its_last() {
    let good = opened(Some("10039856"));
    for (now, expected) in [
        (good.not_before - Duration::SECOND, Some("certificate_invalid")),
        (good.not_before, None),
        (good.not_after, None),
        (good.not_after + Duration::SECOND, Some("certificate_expired")),
    ] {
        let kept = Certificate::accept(
            good.clone(),
            Authority::Furs,
            Some("10039856"),
            &Labelled,
            &actor(now),
        );
        assert_eq!(kept.err().map(|fault| fault.code), expected, "{now}");
    }
}

#[test]
fn a_certificate_expires_soon_from_thirty_days_on() {
    let actor = actor(NOW);
    let good = opened(Some("10039856"));
    let end = good.not_after;
    let kept =
        Certificate::accept(good, Authority::Furs, Some("10039856"), &Labelled, &actor).unwrap();
    for (before_end, expected) in [
        (Duration::days(30) + Duration::SECOND, CertificateStatus::Valid),
        (Duration::days(30), CertificateStatus::ExpiringSoon),
        (Duration::ZERO, CertificateStatus::ExpiringSoon),
        (-Duration::SECOND, CertificateStatus::Expired),
    ] {
        assert_eq!(kept.status(end - before_end), expected, "{before_end}");
    }
    let none = FiscalSettings::new(Authority::Furs, actor.entity_id(), NOW);
    assert_eq!(none.certificate_status(NOW), CertificateStatus::Missing);
    assert_eq!(none.usable_certificate(NOW).unwrap_err(), FiscalRefusal::CertificateMissing);
    let (settings, events) = changed(none.with_certificate(kept, &actor));
    assert_eq!(events, ["fiscal_certificate.uploaded"]);
    assert!(settings.usable_certificate(end).is_ok());
    let late = settings.usable_certificate(end + Duration::SECOND).unwrap_err();
    assert_eq!(late, FiscalRefusal::CertificateExpired);
    let (settings, events) = changed(settings.without_certificate(&actor).unwrap());
    assert_eq!(events, ["fiscal_certificate.deleted"]);
    let none = settings.without_certificate(&actor).unwrap_err();
    assert_eq!(none, FiscalError::NotFound { id: "certificate".to_owned() });
}

#[test]
fn a_key_opens_as_its_own_entitys_for_its_own_authority() {
    let actor = actor(NOW);
    let certificate = opened(Some("10039856"));
    let identity = certificate.identity.clone();
    let kept =
        Certificate::accept(certificate, Authority::Furs, Some("10039856"), &Labelled, &actor)
            .unwrap();
    let open = |entity, authority| kept.identity(&Labelled, entity, authority);
    assert_eq!(open(actor.entity_id(), Authority::Furs), Ok(identity));
    assert_eq!(open(actor.entity_id(), Authority::Fina), Err(CannotOpen));
    assert_eq!(open(actor.stamp().id(), Authority::Furs), Err(CannotOpen));
    let altered = Certificate { certificate: "!".to_owned(), ..kept.clone() };
    assert_eq!(altered.identity(&Labelled, actor.entity_id(), Authority::Furs), Err(CannotOpen));
    assert!(!format!("{kept:?}").contains("key"), "{kept:?}");
}

#[test]
fn each_fault_of_a_file_is_at_its_part_of_the_form() {
    use racun_fiscal::CertificateFault;
    for (fault, part) in [
        (P12Error::NotP12, "file"),
        (P12Error::WrongPassphrase, "passphrase"),
        (P12Error::NoIdentity, "file"),
        (P12Error::UnsupportedKey, "file"),
    ] {
        let CertificateFault { code, issue } = fault.into();
        assert_eq!((code, issue.to_string()), ("certificate_invalid", format!("{part}: {fault}")));
    }
}

#[test]
fn settings_change_whole_or_not_at_all() {
    let actor = actor(NOW);
    let new = || FiscalSettings::new(Authority::Fina, actor.entity_id(), NOW);
    let input = SettingsInput {
        enabled: Patch::Value(true),
        operator_number: Patch::Value("69435151530".to_owned()),
        operator_label: Patch::Value("Š".repeat(255)),
        in_vat_system: Patch::Value(false),
        ..SettingsInput::default()
    };
    let (settings, events) = changed(new().update(input.clone(), true, &actor).unwrap());
    assert_eq!(events, ["fiscal_settings.updated"]);
    assert!(settings.enabled && !settings.in_vat_system);
    let again = settings.clone().update(input, true, &actor).unwrap();
    assert!(matches!(again, Decision::Unchanged(same) if same == settings));
    let wrong = SettingsInput {
        operator_number: Patch::Value("69435151531".to_owned()),
        operator_label: Patch::Value("\u{a0}".to_owned()),
        ..SettingsInput::default()
    };
    let FiscalError::Invalid(issues) = new().update(wrong, false, &actor).unwrap_err() else {
        panic!("not the input's fault")
    };
    let paths: Vec<String> = issues.iter().map(|issue| issue.clone().at("x").to_string()).collect();
    assert!(paths[0].starts_with("x.operator_oib") && paths[1].starts_with("x.operator_label"));
    let other = || SettingsInput {
        numbering: Patch::Value(Numbering::PerDevice),
        ..SettingsInput::default()
    };
    let refused = new().update(other(), true, &actor).unwrap_err();
    assert_eq!(refusal(refused), FiscalRefusal::NumberingLocked);
    let (settings, _) = changed(new().update(other(), false, &actor).unwrap());
    assert_eq!(settings.numbering, Numbering::PerDevice);
    assert!(settings.update(other(), true, &actor).is_ok(), "the same is no change");
}

#[test]
fn a_row_of_settings_is_found_by_its_authority() {
    let actor = actor(NOW);
    for authority in [Authority::Furs, Authority::Fina] {
        let settings = FiscalSettings::new(authority, actor.entity_id(), NOW);
        assert_eq!(
            (settings.id(), settings.value("id")),
            (authority.name().to_owned(), authority.name().into())
        );
        assert_eq!(settings.value("certificate_expiry"), Value::Null);
        assert_eq!(settings.values().len(), settings.table().fields.len());
        let read: FiscalSettings =
            serde_json::from_str(&serde_json::to_string(&settings).unwrap()).unwrap();
        assert_eq!(read, settings);
    }
}
