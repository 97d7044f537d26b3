//! Signatures of e-SLOG files.

use racun_einvoicing::eslog;
use racun_fiscal::Authority;
use racun_fiscalization::setup::settings;
use racun_fiscalization::{Fiscal, FiscalizationRefused, identity};
use racun_sales::Error;
use racun_store::Context;

/// `xml`, an e-SLOG file, signed with the certificate of the entity for FURS, when it has one that
/// is valid now; as it is otherwise, for e-SLOG does not ask for a signature.
///
/// # Errors
/// [`FiscalizationRefused::CertificateUnusable`], or the store's failure.
pub(super) async fn signed(
    cx: Context<'_>,
    fiscal: Option<&Fiscal>,
    xml: String,
) -> Result<String, Error> {
    let settings = settings::get(cx, Authority::Furs).await?;
    let identity = match identity(fiscal, &settings, cx.now()) {
        Ok((identity, _)) => identity,
        Err(
            FiscalizationRefused::CertificateMissing | FiscalizationRefused::CertificateExpired,
        ) => return Ok(xml),
        Err(refused) => return Err(refused.into()),
    };
    let authorities = fiscal.map(|fiscal| &fiscal.authorities);
    let sign = |authorities: &std::sync::Arc<dyn racun_fiscal::Authorities>| {
        authorities.sign_xml(&identity, &xml, eslog::SIGNED_ID, cx.now()).ok()
    };
    Ok(authorities.and_then(sign).ok_or(FiscalizationRefused::CertificateUnusable)?)
}
