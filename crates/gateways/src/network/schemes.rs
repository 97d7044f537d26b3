//! The provider's names for schemes of identifiers: `DE:VAT` for 9930.

use racun_einvoicing::network::Participant;

/// Schemes of other numbers than those of VAT.
const OTHERS: [(&str, &str); 16] = [
    ("0002", "FR:SIRENE"),
    ("0007", "SE:ORGNR"),
    ("0009", "FR:SIRET"),
    ("0060", "DUNS"),
    ("0088", "GLN"),
    ("0106", "NL:KVK"),
    ("0184", "DK:DIGST"),
    ("0190", "NL:OINO"),
    ("0191", "EE:CC"),
    ("0192", "NO:ORG"),
    ("0199", "LEI"),
    ("0201", "IT:CUUO"),
    ("0204", "DE:LWID"),
    ("0208", "BE:EN"),
    ("0211", "IT:IVA"),
    ("0216", "FI:OVT"),
];

/// The provider's name for the scheme of `participant`. It takes the four digits of schemes that it
/// has no name for.
pub fn name(participant: &Participant) -> String {
    let scheme = participant.scheme();
    if let Some((_, name)) = OTHERS.iter().find(|(own, _)| *own == scheme) {
        return (*name).to_owned();
    }
    match participant.vat_letters() {
        Some("EL") => "GR:VAT".to_owned(),
        Some(letters) => format!("{letters}:VAT"),
        None => scheme.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_have_their_names() {
        for (id, expected) in [
            ("9930:DE136695976", "DE:VAT"),
            ("9933:EL094259216", "GR:VAT"),
            ("9949:SI10039856", "SI:VAT"),
            ("0088:4012345000009", "GLN"),
            ("0204:04011000-12345-03", "DE:LWID"),
            ("0130:something", "0130"),
        ] {
            assert_eq!(name(&Participant::read(None, id).unwrap()), expected, "{id}");
        }
    }
}
