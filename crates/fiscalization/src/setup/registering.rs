//! Premises registered with FURS: registered before they open, and closed there before here.

use racun_access::Entity;
use racun_fiscal::{
    Actor, Authorities, Authority, BusinessPremise, ErrorClass, FISCAL_PREMISES, FiscalError,
    Header, Identity, Message, MessageId, NewPremise, Patience, PremiseId, ProviderRefusal, Reply,
    Unknown,
};
use racun_kernel::Vault;
use racun_store::{Context, Put, StoreError, Writes};

use super::premises::{insert, room};
use super::state::find;
use super::{check_country, settings};

/// Who has to be asked to register and close premises.
#[derive(Clone, Copy)]
pub struct Registry<'a> {
    /// The store, who acts, and when.
    pub cx: Context<'a>,
    /// Who opens the private key.
    pub vault: &'a dyn Vault,
    /// Who tells FURS.
    pub authorities: &'a dyn Authorities,
}

impl Registry<'_> {
    /// Registers a premise. Unless FURS confirms it there is none, and its name is free.
    ///
    /// # Errors
    /// All that is wrong with the input, by path; what the entity, its certificate or another
    /// premise forbids; [`FiscalError::Provider`]; [`FiscalError::Unreachable`]; the store's
    /// failure.
    pub async fn register(
        &self,
        entity: &Entity,
        new: NewPremise,
    ) -> Result<BusinessPremise, FiscalError> {
        check_country(entity, Authority::Furs)?;
        new.check()?;
        let signing = self.signing().await?;
        room(self.cx, Authority::Furs).await?;
        let reserved = insert(self.cx, Authority::Furs, new).await?;
        match self.tell(&signing, &reserved, false).await {
            Ok(()) => self.confirm(reserved).await,
            Err(refused) => {
                // Should this fail too, the reservation runs out by itself.
                let _ = self.release(reserved).await;
                Err(refused)
            }
        }
    }

    /// Closes a premise, with its devices. Unless FURS confirms it the premise stays open.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`]; [`racun_fiscal::FiscalRefusal::PremiseClosed`]; what the
    /// certificate forbids; [`FiscalError::Provider`]; [`FiscalError::Unreachable`]; the store's
    /// failure.
    pub async fn close(&self, id: PremiseId) -> Result<BusinessPremise, FiscalError> {
        let before = find(self.cx, id).await?;
        let actor = self.cx.actor();
        // Refuses a closed one before the certificate is looked at.
        let _ = before.clone().begin_closing(&actor)?;
        let signing = self.signing().await?;
        let begin = BusinessPremise::begin_closing;
        let premise = self.cx.amend(&FISCAL_PREMISES, id, begin).await?;
        match self.tell(&signing, &premise, true).await {
            Ok(()) => {}
            // An earlier closing was taken, and its answer lost.
            Err(FiscalError::Provider(refused))
                if before.closing_since.is_some()
                    && refused.class() == ErrorClass::PremiseUnknown => {}
            Err(refused) => {
                let is_first = before.closing_since.is_none();
                if is_first && matches!(refused, FiscalError::Provider(_)) {
                    let stay = |premise: BusinessPremise, _: &Actor| {
                        Ok::<_, StoreError>(premise.stay_open())
                    };
                    // Should this fail, the next closing is reported twice, which is harmless.
                    let _ = self.cx.amend(&FISCAL_PREMISES, id, stay).await;
                }
                return Err(refused);
            }
        }
        super::premises::close(self.cx, id).await
    }

    /// With what messages are signed, and whose they are.
    async fn signing(&self) -> Result<Signing, FiscalError> {
        let settings = settings::get(self.cx, Authority::Furs).await?;
        let certificate = settings.usable_certificate(self.cx.now())?;
        let identity = certificate.identity(self.vault, self.cx.scope.entity(), Authority::Furs)?;
        Ok(Signing { identity, tax_number: certificate.tax_number.clone() })
    }

    /// Tells FURS of `premise`, and waits for its confirmation.
    async fn tell(
        &self,
        signing: &Signing,
        premise: &BusinessPremise,
        is_closing: bool,
    ) -> Result<(), FiscalError> {
        let authority = Authority::Furs;
        let actor = self.cx.actor();
        let maker = self.authorities.software_maker();
        let message = premise.message(&signing.tax_number, is_closing, maker, &actor);
        let message = message.ok_or_else(|| StoreError::Corrupt {
            table: FISCAL_PREMISES.name,
            id: premise.id.to_string(),
            reason: "a premise of FURS without its kind".to_owned(),
        })?;
        let sent_at = authority.local(self.cx.now());
        let header = Header { message_id: MessageId::new(self.cx.stamp), sent_at };
        let message = Message::FursPremise(Box::new(message));
        let environment = self.cx.scope.environment();
        let sent = self.authorities.send(
            environment,
            &signing.identity,
            &header,
            &message,
            Patience::Interactive,
        );
        match sent.await {
            Ok(Reply::Confirmed(_)) => Ok(()),
            Ok(Reply::Refused { code, message, .. }) => {
                Err(ProviderRefusal { authority, code, message }.into())
            }
            Err(unknown) => Err(unreachable(authority, unknown)),
        }
    }

    async fn confirm(&self, reserved: BusinessPremise) -> Result<BusinessPremise, FiscalError> {
        let id = reserved.id;
        let confirm =
            move |premise: BusinessPremise, actor: &Actor| premise.registered(&reserved, actor);
        self.cx.amend(&FISCAL_PREMISES, id, confirm).await
    }

    /// Gives the reserved name free.
    async fn release(&self, reserved: BusinessPremise) -> Result<(), FiscalError> {
        let mut unit = self.cx.unit();
        let premise = unit.hold(&FISCAL_PREMISES, reserved.id);
        unit.decide(move |held| {
            let own = held.find(premise)?.filter(|premise: &BusinessPremise| *premise == reserved);
            Ok(((), Writes::default().puts(own.as_ref().map(Put::delete))))
        })
        .await
    }
}

/// With what messages are signed, and whose they are.
struct Signing {
    identity: Identity,
    tax_number: String,
}

fn unreachable(authority: Authority, unknown: Unknown) -> FiscalError {
    FiscalError::Unreachable { authority, unknown }
}
