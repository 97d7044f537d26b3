//! Seller and buyer: BG-4 with BG-5 and BG-6, BG-7 with BG-8 and BG-9.

use en16931::Identifier;
use en16931::invoice::{Code, Contact, Party as Term, PostalAddress};
use racun_kernel::vat_number::{Fault, VatNumber, compact};

use super::text::single;
use crate::facts::Party;
use crate::leitweg;
use crate::network::vat_scheme;

/// The scheme of e-mail addresses, of the EAS code list.
const EMAIL: &str = "EM";
/// The scheme of Leitweg-IDs.
const LEITWEG: &str = "0204";
/// The schemes of the Dutch Chamber of Commerce, and of numbers of Dutch authorities.
const KVK: &str = "0106";
const OIN: &str = "0190";

/// The seller. Where a sale is outside the scope of VAT (`is_outside`), BR-O-02 wants no VAT
/// identifier, so its number is BT-32.
pub fn seller(party: &Party, is_outside: bool) -> Term {
    let mut term = side(party);
    let vat = vat_identifier(party).filter(|_| party.is_tax_subject != Some(false));
    let other = [&party.tax_number, &party.tax_number_2].into_iter();
    let mut other = other.filter_map(|number| single(number.as_deref()));
    if is_outside {
        term.tax_registration = vat.clone().or_else(|| other.next());
    } else {
        term.tax_registration = other.find(|number| !is_same(number, vat.as_deref()));
        term.vat_identifier = vat.clone();
    }
    // A seller whose address in a network is not stated has its VAT number there.
    let network = network_address(party).or_else(|| {
        let vat = VatNumber::read(None, &vat?).ok()?;
        let scheme = vat_scheme(vat.state())?;
        Some(Identifier::schemed(vat.to_string(), scheme))
    });
    term.electronic_address = network.or_else(|| email_address(party));
    term.contact.name = single(party.contact.as_deref()).or_else(|| term.name.clone());
    term
}

/// The buyer. An authority is reached by its Leitweg-ID when no other address is known.
pub fn buyer(party: &Party, is_outside: bool) -> Term {
    let mut term = side(party);
    term.vat_identifier = vat_identifier(party).filter(|_| !is_outside);
    let reference = single(party.buyer_reference.as_deref());
    let leitweg = reference.filter(|text| leitweg::has_form(text));
    let network = network_address(party);
    let by_leitweg = leitweg.map(|id| Identifier::schemed(id, LEITWEG));
    term.electronic_address = network.or(by_leitweg).or_else(|| email_address(party));
    term.contact.name = single(party.contact.as_deref());
    term
}

/// What both sides have alike.
fn side(party: &Party) -> Term {
    Term {
        name: single(party.name.as_deref()),
        legal_registration: registration(party),
        address: address(party),
        contact: Contact {
            name: None,
            phone: single(party.phone.as_deref()),
            email: single(party.email.as_deref()),
        },
        ..Term::default()
    }
}

/// The number in a register of companies, BT-30 or BT-47. A Dutch one has the scheme that Peppol
/// wants of it: that of the Chamber of Commerce, or of authorities.
fn registration(party: &Party) -> Option<Identifier> {
    let number = single(party.company_number.as_deref())?;
    let bare = compact(&number);
    let is_number = bare.bytes().all(|sign| sign.is_ascii_digit());
    let scheme = match (country(party).as_deref(), bare.len()) {
        (Some("NL"), 8) if is_number => KVK,
        (Some("NL"), 20) if is_number => OIN,
        _ => return Some(Identifier::new(number)),
    };
    Some(Identifier::schemed(bare, scheme))
}

/// The postal address: BG-5, BG-8, BG-15.
pub fn address(party: &Party) -> PostalAddress {
    PostalAddress {
        line1: single(party.address.as_deref()),
        line2: single(party.address_2.as_deref()),
        line3: None,
        city: single(party.city.as_deref()),
        post_code: single(party.post_code.as_deref()),
        subdivision: single(party.state.as_deref()),
        country: country(party).map(Code::new),
    }
}

fn country(party: &Party) -> Option<String> {
    single(party.country_code.as_deref()).map(|code| code.to_ascii_uppercase())
}

/// The VAT identifier with its prefix: of a member state by its own rules, of another country when
/// the number bears the country's letters.
fn vat_identifier(party: &Party) -> Option<String> {
    let home = country(party);
    let numbers = [&party.tax_number, &party.tax_number_2];
    let mut numbers = numbers.into_iter().filter_map(|number| single(number.as_deref()));
    numbers.find_map(|number| {
        let bare = compact(&number);
        let home = home.as_deref()?;
        match VatNumber::read(Some(home), &bare) {
            Ok(vat) => Some(vat.to_string()),
            // Numbers whose check digits are wrong are in use: it is no reason to leave them out.
            Err(Fault::CheckDigits) if has_letters(&bare) => Some(bare),
            Err(Fault::CheckDigits) => Some(format!("{}{bare}", prefix(home))),
            Err(Fault::Form) => {
                let own = bare.strip_prefix(prefix(home))?;
                let has_form = own.bytes().all(|sign| sign.is_ascii_alphanumeric());
                (has_form && !own.is_empty()).then_some(bare)
            }
        }
    })
}

/// Whether a number has the letters of a country ahead.
fn has_letters(number: &str) -> bool {
    number.bytes().take(2).all(|sign| sign.is_ascii_alphabetic())
}

/// The letters of a country's VAT identifiers: ISO 3166-1, but for Greece (BR-CO-09).
fn prefix(country: &str) -> &str {
    if country == "GR" { "EL" } else { country }
}

/// Whether `number` is the VAT identifier `vat` in another spelling.
fn is_same(number: &str, vat: Option<&str>) -> bool {
    let number = compact(number);
    vat.is_some_and(|vat| vat == number || vat.get(2..) == Some(number.as_str()))
}

/// The address in a network: `9949:SI12345678`, or its parts in two fields.
fn network_address(party: &Party) -> Option<Identifier> {
    let id = single(party.peppol_id.as_deref())?;
    let ahead = id.split_once(':').filter(|(scheme, rest)| {
        scheme.len() == 4 && scheme.bytes().all(|sign| sign.is_ascii_digit()) && !rest.is_empty()
    });
    match (single(party.peppol_scheme_id.as_deref()), ahead) {
        (Some(scheme), Some((written, rest))) if scheme == written => {
            Some(Identifier::schemed(rest, scheme))
        }
        (Some(scheme), _) => Some(Identifier::schemed(id.as_str(), scheme)),
        (None, Some((scheme, rest))) => Some(Identifier::schemed(rest, scheme)),
        (None, None) => Some(Identifier::new(id.as_str())),
    }
}

fn email_address(party: &Party) -> Option<Identifier> {
    single(party.email.as_deref()).map(|email| Identifier::schemed(email, EMAIL))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(country: &str, number: &str) -> Party {
        let some = |text: &str| Some(text.to_owned());
        Party { country_code: some(country), tax_number: some(number), ..Party::default() }
    }

    #[test]
    fn numbers_become_vat_identifiers_where_they_can_be_some() {
        for (country, number, vat, other) in [
            ("SI", "10039856", Some("SI10039856"), None),
            ("DE", "DE 136695976", Some("DE136695976"), None),
            ("DE", "12/345/67890", None, Some("12/345/67890")),
            ("GR", "094259216", Some("EL094259216"), None),
            ("CH", "CHE-123.456.789", Some("CHE123456789"), None),
            ("US", "12-3456789", None, Some("12-3456789")),
            ("SI", "12345678", Some("SI12345678"), None),
            ("FR", "DE136695976", Some("DE136695976"), None),
        ] {
            let term = seller(&party(country, number), false);
            assert_eq!(term.vat_identifier.as_deref(), vat, "{number}");
            assert_eq!(term.tax_registration.as_deref(), other, "{number}");
        }
        let unregistered = Party { is_tax_subject: Some(false), ..party("SI", "10039856") };
        let term = seller(&unregistered, false);
        assert_eq!(
            (term.vat_identifier, term.tax_registration.as_deref()),
            (None, Some("10039856"))
        );
        let outside = seller(&party("SI", "10039856"), true);
        assert_eq!(outside.vat_identifier, None);
        assert_eq!(outside.tax_registration.as_deref(), Some("SI10039856"));
    }

    #[test]
    fn addresses_in_a_network_have_their_scheme_in_either_field() {
        let at = |id: &str, scheme: Option<&str>| {
            let id = Some(id.to_owned());
            let scheme = scheme.map(str::to_owned);
            let party = Party { peppol_id: id, peppol_scheme_id: scheme, ..Party::default() };
            let address = buyer(&party, false).electronic_address.unwrap();
            (address.scheme().map(str::to_owned), address.content().to_owned())
        };
        let expected = (Some("9949".to_owned()), "SI10039856".to_owned());
        assert_eq!(at("9949:SI10039856", None), expected);
        assert_eq!(at("9949:SI10039856", Some("9949")), expected);
        assert_eq!(at("SI10039856", Some("9949")), expected);
        assert_eq!(at("SI10039856", None).0, None);
    }
}
