//! TLS: ring's cryptography, and who is trusted.

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// Makes ring's cryptography that of the process, for clients built without one: `reqwest`'s, where
/// another crate builds one. Call it before any of them is built; a second call does nothing.
pub fn use_ring() {
    // An error says that the process has one already.
    let _ = ring::default_provider().install_default();
}

/// What this crate's own clients speak. They trust whom the system trusts (or `SSL_CERT_FILE`), so
/// that a company's own authority can be added; a system without any certificates, as a bare
/// container, has those of Mozilla.
///
/// # Errors
/// When ring offers no version of TLS, which it does.
pub fn client() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
