//! For tests only, and unstable: the contract that every [`VatRegistry`] must keep.
//!
//! What is asked is always the same numbers of one entity, so that recorded answers can stand for a
//! register, too.

use std::time::Duration;

use racun_kernel::Environment;
use racun_kernel::id::EntityId;
use racun_kernel::vat_number::VatNumber;

use crate::{NoAnswer, VatAnswer, VatQuery, VatRegistry};

/// A number that is valid, of a state that does not say whose it is.
pub const VALID: &str = "DE136695976";
/// A number that is not valid.
pub const INVALID: &str = "DE200000005";
/// A number whose state cannot be asked.
pub const UNAVAILABLE: &str = "DE301000004";
/// A number for which the register has too much to do.
pub const BUSY: &str = "DE500000007";
/// The own number of who asks.
pub const REQUESTER: &str = "SI10039856";
/// A request that asks a register is answered within this, also when the register is silent.
pub const ANSWERED_WITHIN: Duration = Duration::from_secs(15);

/// Who asks, and which register answers it.
#[derive(Debug, Clone, Copy)]
pub struct Asker {
    /// The entity.
    pub entity: EntityId,
    /// Its environment.
    pub environment: Environment,
}

impl Asker {
    /// The question about `number`, by an entity without a number of its own.
    ///
    /// # Panics
    /// When `number` is none.
    #[must_use]
    pub fn about(&self, number: &str) -> VatQuery {
        let number = VatNumber::read(None, number).expect("a VAT number");
        let Self { entity: asker, environment } = *self;
        VatQuery { number, requester: None, asker, environment }
    }

    /// The same by an entity with a number.
    fn with_requester(&self, number: &str) -> VatQuery {
        let requester = VatNumber::read(None, REQUESTER).ok();
        VatQuery { requester, ..self.about(number) }
    }
}

/// Why there is no answer.
///
/// # Panics
/// When there is one.
#[track_caller]
pub fn silence(answered: Result<VatAnswer, NoAnswer>) -> String {
    match answered {
        Err(NoAnswer { reason }) => reason,
        Ok(answer) => panic!("expected silence: {answer:?}"),
    }
}

/// A valid number is valid each time it is asked for. What its state withholds is missing.
///
/// # Panics
/// When the register does not keep the contract.
pub async fn a_valid_number_is_valid_each_time(registry: &dyn VatRegistry, asker: &Asker) {
    let query = asker.with_requester(VALID);
    let answer = registry.ask(&query).await.expect("a verdict");
    assert!(answer.valid, "{answer:?}");
    assert_eq!((&answer.name, &answer.address), (&None, &None));
    assert_eq!(registry.ask(&query).await, Ok(answer), "asked again");
}

/// The proof that the register was asked is for those who say who they are.
///
/// # Panics
/// When the register does not keep the contract.
pub async fn who_names_themselves_has_a_consultation_number(
    registry: &dyn VatRegistry,
    asker: &Asker,
) {
    let answer = registry.ask(&asker.with_requester(VALID)).await.expect("a verdict");
    assert!(answer.consultation_number.is_some_and(|number| !number.is_empty()));
    let unproved = registry.ask(&asker.about(VALID)).await.expect("a verdict");
    assert_eq!(unproved.consultation_number, None, "without a requester there is no proof");
}

/// That a number is not valid is an answer.
///
/// # Panics
/// When the register does not keep the contract.
pub async fn an_invalid_number_is_a_verdict(registry: &dyn VatRegistry, asker: &Asker) {
    let answer = registry.ask(&asker.about(INVALID)).await.expect("a verdict");
    assert!(!answer.valid, "{answer:?}");
}

/// What the register cannot say is silence with the register's own code, and never a verdict.
///
/// # Panics
/// When the register does not keep the contract.
pub async fn what_cannot_be_said_is_silence_with_its_code(
    registry: &dyn VatRegistry,
    asker: &Asker,
) {
    for (number, code) in [(UNAVAILABLE, "MS_UNAVAILABLE"), (BUSY, "GLOBAL_MAX_CONCURRENT_REQ")] {
        assert_eq!(silence(registry.ask(&asker.about(number)).await), code, "{number}");
    }
}
