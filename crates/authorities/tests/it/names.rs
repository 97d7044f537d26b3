//! Distinguished names and numbers of taxpayers.

use racun_authorities::Certificate;

use crate::support::{FINA, der, fina_key, furs, furs_key, text};

#[test]
fn names_are_written_as_each_authority_writes_them() {
    for vector in furs("dn") {
        let identity = furs_key(text(vector, "key"));
        let certificate = Certificate::from_der(&identity.certificate).unwrap();
        assert_eq!(certificate.subject.java(), text(vector, "subject_java2253"));
        assert_eq!(certificate.issuer.java(), text(vector, "issuer_java2253"));
        assert_eq!(certificate.subject.dotnet(), text(vector, "subject_dotnet"));
        assert_eq!(certificate.issuer.dotnet(), text(vector, "issuer_dotnet"));
        assert_eq!(certificate.subject.rfc4514(), text(vector, "subject_rfc4514_python"));
        assert_eq!(certificate.serial, text(vector, "serial_decimal"));
    }
    for name in ["public_taxpayer", "public_cis_signer"] {
        let key = &FINA["keys"][name];
        let certificate = Certificate::from_der(&der(text(key, "certificate_pem"))).unwrap();
        assert_eq!(certificate.subject.rfc4514(), text(key, "subject_rfc4514"));
        assert_eq!(certificate.issuer.rfc4514(), text(key, "issuer_rfc4514"));
        assert_eq!(certificate.serial, text(key, "serial_decimal"));
        assert_eq!(certificate.oib(), Some(text(key, "oib")));
    }
}

#[test]
fn a_taxpayers_number_is_in_the_subject() {
    let read = |der: &[u8]| Certificate::from_der(der).unwrap();
    let slovenian = read(&furs_key("pub_a").certificate);
    assert_eq!((slovenian.tax_number(), slovenian.oib()), (Some("10039856"), None));
    let croatian = read(&fina_key("public_taxpayer").certificate);
    assert_eq!((croatian.tax_number(), croatian.oib()), (None, Some("12345678903")));
    assert_eq!(Certificate::from_der(b"no certificate"), None);
}
