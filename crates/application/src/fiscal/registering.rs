//! Premises that FURS is told of: registered before they are open, closed there before here.

use racun_access::Entity;
use racun_fiscal::{
    Actor, Authorities, Authority, BusinessPremise, Class, FISCAL_PREMISES, FiscalError, Header,
    Identity, Message, MessageId, NewPremise, Patience, PremiseId, ProviderRefusal, Reply, Unknown,
};
use racun_kernel::{Context, Scope, Stamp, Store, StoreError, Vault, Writes};

use super::premises::{find, insert, room};
use super::{check_country, one, read, settings};

/// Who has to be asked to register and close premises.
#[derive(Clone, Copy)]
pub struct Registry<'a> {
    /// Where everything is kept.
    pub store: &'a dyn Store,
    /// Who opens the private key.
    pub vault: &'a dyn Vault,
    /// Who tells FURS.
    pub authorities: &'a dyn Authorities,
}

impl Registry<'_> {
    /// Registers a premise. Unless FURS confirms it there is none, and its name is free.
    ///
    /// # Errors
    /// All that is wrong with the input, by path; what the entity, its certificate or another premise
    /// forbids; [`FiscalError::Provider`]; [`FiscalError::Unreachable`]; the store's failure.
    pub async fn register(
        &self,
        scope: &Scope,
        entity: &Entity,
        new: NewPremise,
        stamp: &Stamp,
    ) -> Result<BusinessPremise, FiscalError> {
        check_country(entity, Authority::Furs)?;
        new.check()?;
        let signing = self.signing(scope, stamp).await?;
        room(Context::new(self.store, scope, stamp), Authority::Furs).await?;
        let reserved = insert(Context::new(self.store, scope, stamp), Authority::Furs, new).await?;
        match self.tell(scope, &signing, &reserved, false, stamp).await {
            Ok(()) => self.confirm(scope, reserved, stamp).await,
            Err(refused) => {
                // Should this fail too, the reservation runs out by itself.
                let _ = self.release(scope, reserved).await;
                Err(refused)
            }
        }
    }

    /// Closes a premise, with its devices. Unless FURS confirms it the premise stays open.
    ///
    /// # Errors
    /// [`FiscalError::NotFound`]; [`racun_fiscal::Refusal::PremiseClosed`]; what the certificate
    /// forbids; [`FiscalError::Provider`]; [`FiscalError::Unreachable`]; the store's failure.
    pub async fn close(
        &self,
        scope: &Scope,
        id: PremiseId,
        stamp: &Stamp,
    ) -> Result<BusinessPremise, FiscalError> {
        let before = find(Context::new(self.store, scope, stamp), id).await?;
        let actor = Actor::new(scope.clone(), stamp.clone());
        // Refuses a closed one before the certificate is looked at.
        let _ = before.clone().begin_closing(&actor)?;
        let signing = self.signing(scope, stamp).await?;
        let begin = move |premise: BusinessPremise| premise.begin_closing(&actor);
        let premise: BusinessPremise =
            self.store.amend(&FISCAL_PREMISES, &scope.tenant(), id.to_string(), begin).await?;
        match self.tell(scope, &signing, &premise, true, stamp).await {
            Ok(()) => {}
            // An earlier closing was taken, and its answer lost.
            Err(FiscalError::Provider(refused))
                if before.closing_since.is_some() && refused.class() == Class::PremiseUnknown => {}
            Err(refused) => {
                let is_first = before.closing_since.is_none();
                if is_first && matches!(refused, FiscalError::Provider(_)) {
                    let stay = |premise: BusinessPremise| Ok::<_, StoreError>(premise.stay_open());
                    let tenant = scope.tenant();
                    // Should this fail, the next closing is told twice, which harms nobody.
                    let _ = self.store.amend(&FISCAL_PREMISES, &tenant, id.to_string(), stay).await;
                }
                return Err(refused);
            }
        }
        super::premises::close(Context::new(self.store, scope, stamp), id).await
    }

    /// With what messages are signed, and whose they are.
    async fn signing(&self, scope: &Scope, stamp: &Stamp) -> Result<Signing, FiscalError> {
        let settings =
            settings::get(Context::new(self.store, scope, stamp), Authority::Furs).await?;
        let certificate = settings.usable_certificate(stamp.now())?;
        let identity = certificate.identity(self.vault, scope.entity(), Authority::Furs)?;
        Ok(Signing { identity, tax_number: certificate.tax_number.clone() })
    }

    /// Tells FURS of `premise`, and waits for its confirmation.
    async fn tell(
        &self,
        scope: &Scope,
        signing: &Signing,
        premise: &BusinessPremise,
        is_closing: bool,
        stamp: &Stamp,
    ) -> Result<(), FiscalError> {
        let authority = Authority::Furs;
        let actor = Actor::new(scope.clone(), stamp.clone());
        let maker = self.authorities.software_maker();
        let message = premise.message(&signing.tax_number, is_closing, maker, &actor);
        let message = message.ok_or_else(|| StoreError::Corrupt {
            table: FISCAL_PREMISES.name,
            id: premise.id.to_string(),
            reason: "a premise of FURS without its kind".to_owned(),
        })?;
        let sent_at = authority.local(stamp.now());
        let header = Header { message_id: MessageId::new(stamp), sent_at };
        let message = Message::FursPremise(Box::new(message));
        let environment = scope.environment();
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

    async fn confirm(
        &self,
        scope: &Scope,
        reserved: BusinessPremise,
        stamp: &Stamp,
    ) -> Result<BusinessPremise, FiscalError> {
        let actor = Actor::new(scope.clone(), stamp.clone());
        let id = reserved.id.to_string();
        let confirm = move |premise: BusinessPremise| premise.registered(&reserved, &actor);
        self.store.amend(&FISCAL_PREMISES, &scope.tenant(), id, confirm).await
    }

    /// Gives the reserved name free.
    async fn release(&self, scope: &Scope, reserved: BusinessPremise) -> Result<(), FiscalError> {
        let load = one(&FISCAL_PREMISES, scope, reserved.id);
        self.store
            .decide(vec![load], None, move |loaded| {
                let held: Vec<BusinessPremise> = read(&loaded, 0, &FISCAL_PREMISES)?;
                let own = held.iter().filter(|premise| **premise == reserved);
                let puts = own.map(racun_kernel::Put::delete).collect();
                Ok(((), Writes { puts, ..Writes::default() }))
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
