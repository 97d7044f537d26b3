//! Whom a document goes to, and whether they receive.

use racun_documents::Party;
use racun_einvoicing::leitweg;
use racun_einvoicing::network::{
    Capability, EInvoicingNetwork, NetworkDocument, Participant, ParticipantFault,
};
use racun_kernel::Issues;
use racun_store::Context;

use crate::error::{Error, NetworkRefused};

/// The scheme of Leitweg-IDs.
const LEITWEG: &str = "0204";

/// A recipient as a request names it, and the fields that say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecipientRequest<'a> {
    /// The identifier, its scheme ahead or not.
    pub id: &'a str,
    /// The scheme.
    pub scheme: Option<&'a str>,
    /// The field of the identifier.
    pub id_field: &'static str,
    /// The field of the scheme.
    pub scheme_field: &'static str,
}

impl RecipientRequest<'_> {
    /// The party of the network, in the scheme `default` where none is said.
    ///
    /// # Errors
    /// What is wrong, at the field that mends it.
    pub fn read(&self, default: Option<&str>) -> Result<Participant, Issues> {
        let asked = Participant::read(self.scheme, self.id);
        let read = match (&asked, default) {
            (Err(ParticipantFault::NoScheme), Some(scheme)) => {
                Participant::read(Some(scheme), self.id)
            }
            _ => asked,
        };
        read.map_err(|fault| {
            let is_of_scheme = fault.is_of_scheme();
            let field = if is_of_scheme { self.scheme_field } else { self.id_field };
            fault.issue().at(field).into()
        })
    }
}

/// The party of the network that a document's customer is: by its identifier, or by the Leitweg-ID
/// of an authority. `None` when the customer names none.
///
/// # Errors
/// What is wrong with the identifier, at its field of the document.
pub(super) fn of_customer(
    customer: Option<&Party>,
    default: Option<&str>,
) -> Result<Option<Participant>, Issues> {
    let Some(customer) = customer else { return Ok(None) };
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    if let Some(id) = said(&customer.peppol_id) {
        let scheme = said(&customer.peppol_scheme_id);
        let asked = RecipientRequest {
            id: &id,
            scheme: scheme.as_deref(),
            id_field: "peppol_id",
            scheme_field: "peppol_scheme_id",
        };
        return asked.read(default).map(Some).map_err(|issues| issues.at("customer"));
    }
    let reference = said(&customer.buyer_reference).filter(|text| leitweg::has_form(text.trim()));
    Ok(reference.and_then(|id| Participant::read(Some(LEITWEG), &id).ok()))
}

/// Whether `recipient` receives a `document`.
///
/// # Errors
/// When the network is not connected, or does not answer.
pub async fn check(
    cx: Context<'_>,
    network: &dyn EInvoicingNetwork,
    recipient: &Participant,
    document: NetworkDocument,
) -> Result<Capability, Error> {
    let environment = cx.scope.environment();
    let found = network.capability(environment, recipient, document).await;
    Ok(found.map_err(NetworkRefused::from)?)
}
