//! What `jsonwebtoken` verifies signatures with: ring, as everything here. It signs nothing.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes it the provider of the process. A second call does nothing.
pub(super) fn install() {
    // An error says that the process has one already.
    let _ = PROVIDER.install_default();
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

/// A public key with the one algorithm that it is used for.
struct RingVerifier {
    algorithm: Algorithm,
    key: Key,
}

enum Key {
    Rsa(&'static RsaParameters, RsaPublicKeyComponents<Vec<u8>>),
    Curve(UnparsedPublicKey<Vec<u8>>),
}

/// What verifies by `algorithm` with `key`, which has to be of its family: a public key is never
/// taken for a shared secret.
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if algorithm.family() != key.family() {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let rsa = |parameters| match key.kind() {
        DecodingKeyKind::RsaModulusExponent { n, e } => {
            Ok(Key::Rsa(parameters, RsaPublicKeyComponents { n: n.clone(), e: e.clone() }))
        }
        DecodingKeyKind::SecretOrDer(_) => Err(ErrorKind::InvalidKeyFormat),
    };
    let curve = |algorithm: &'static dyn VerificationAlgorithm| {
        let point = key.try_get_as_bytes()?.to_vec();
        Ok::<_, jsonwebtoken::errors::Error>(Key::Curve(UnparsedPublicKey::new(algorithm, point)))
    };
    let key = match algorithm {
        Algorithm::RS256 => rsa(&RSA_PKCS1_2048_8192_SHA256)?,
        Algorithm::RS384 => rsa(&RSA_PKCS1_2048_8192_SHA384)?,
        Algorithm::RS512 => rsa(&RSA_PKCS1_2048_8192_SHA512)?,
        Algorithm::PS256 => rsa(&RSA_PSS_2048_8192_SHA256)?,
        Algorithm::PS384 => rsa(&RSA_PSS_2048_8192_SHA384)?,
        Algorithm::PS512 => rsa(&RSA_PSS_2048_8192_SHA512)?,
        Algorithm::ES256 => curve(&ECDSA_P256_SHA256_FIXED)?,
        Algorithm::ES384 => curve(&ECDSA_P384_SHA384_FIXED)?,
        Algorithm::EdDSA => curve(&ED25519)?,
        _ => return Err(ErrorKind::InvalidAlgorithm.into()),
    };
    Ok(Box::new(RingVerifier { algorithm: *algorithm, key }))
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        match &self.key {
            Key::Rsa(parameters, key) => key.verify(parameters, message, signature),
            Key::Curve(key) => key.verify(message, signature),
        }
        .map_err(|_| Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
