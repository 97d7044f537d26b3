//! Tax authorities of a server that is told of none: nobody is reached.

use std::sync::Arc;

use async_trait::async_trait;
use racun_fiscal::{
    Authorities, Authority, Header, Identity, Message, OpenedCertificate, P12Error, Patience,
    Reply, Signer, SigningFailed, Unknown,
};
use racun_kernel::Environment;

/// Reads no certificate, signs nothing and reaches nobody.
pub struct Unconfigured;

#[async_trait]
impl Authorities for Unconfigured {
    fn open_p12(&self, _: Authority, _: &[u8], _: &str) -> Result<OpenedCertificate, P12Error> {
        Err(P12Error::NotP12)
    }

    fn signer(&self, _: &Identity) -> Result<Arc<dyn Signer>, SigningFailed> {
        Err(SigningFailed)
    }

    async fn send(
        &self,
        _: Environment,
        _: &Identity,
        _: &Header,
        _: &Message,
        _: Patience,
    ) -> Result<Reply, Unknown> {
        let reason = "no tax authority is configured".to_owned();
        Err(Unknown { reason, is_suspicious: false })
    }
}
