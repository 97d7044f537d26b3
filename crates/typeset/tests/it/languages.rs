//! Every letter of the 18 languages is printed, and can be copied.

use racun_paper::{Language, Note, Template, Word};

use crate::sample::plain_invoice;
use crate::set;
use crate::tools::{squeezed, text};

/// The letters that a language has beside those of English.
const LETTERS: [(&str, &str); 18] = [
    ("en", "’ – — “”"),
    ("de", "Ä Ö Ü ä ö ü ß ẞ „“"),
    ("sl", "Č Š Ž č š ž Ć Đ ć đ"),
    ("it", "À È É Ì Î Ò Ù à è é ì î ò ù"),
    ("fr", "À Â Æ Ç È É Ê Ë Î Ï Ô Œ Ù Û Ü Ÿ à â æ ç è é ê ë î ï ô œ ù û ü ÿ « »"),
    ("es", "Á É Í Ñ Ó Ú Ü á é í ñ ó ú ü ¿ ¡ ª º"),
    ("nl", "Á É Ë Ï Ó Ö Ü á é ë ï ó ö ü Ĳ ĳ"),
    ("pt", "Á Â Ã À Ç É Ê Í Ó Ô Õ Ú á â ã à ç é ê í ó ô õ ú ª º"),
    ("pl", "Ą Ć Ę Ł Ń Ó Ś Ź Ż ą ć ę ł ń ó ś ź ż"),
    ("hr", "Č Ć Đ Š Ž č ć đ š ž Ǆ ǆ"),
    ("sv", "Å Ä Ö É å ä ö é"),
    ("fi", "Å Ä Ö Š Ž å ä ö š ž"),
    ("et", "Ä Õ Ö Ü Š Ž ä õ ö ü š ž"),
    ("bg", "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЬЮЯ абвгдежзийклмнопрстуфхцчшщъьюя №"),
    ("cs", "Á Č Ď É Ě Í Ň Ó Ř Š Ť Ú Ů Ý Ž á č ď é ě í ň ó ř š ť ú ů ý ž"),
    ("sk", "Á Ä Č Ď É Í Ĺ Ľ Ň Ó Ô Ŕ Š Ť Ú Ý Ž á ä č ď é í ĺ ľ ň ó ô ŕ š ť ú ý ž"),
    ("nb", "Æ Ø Å æ ø å é ò"),
    ("is", "Á Ð É Í Ó Ú Ý Þ Æ Ö á ð é í ó ú ý þ æ ö"),
];

/// What the names of customers from elsewhere hold.
const ELSEWHERE: &str =
    "Ő Ű ő ű Ș Ț ș ț Ă ă Ğ ğ İ ı Ş ş Ė ė Ų ų Ў ў Є є Ђ ђ Ж ж α Ω ή € £ ₣ ¼ ² ‰ − × …";

#[test]
fn every_letter_of_every_language_is_printed_and_copied() {
    for (number, language) in Language::ALL.into_iter().enumerate() {
        // Six templates take turns, and each page has the letters of all languages.
        let template = Template::ALL[number % 6];
        let mut paper = plain_invoice(template, 1);
        paper.language = language.code();
        paper.locale = language.locale();
        paper.title = Word::Invoice.text(language).to_owned();
        let customer = paper.customer.as_mut().unwrap();
        customer.name = ELSEWHERE.to_owned();
        customer.address = LETTERS.map(|(_, letters)| letters.to_owned()).to_vec();
        let words = Word::ALL.iter().map(|word| Note {
            key: word.key(),
            label: String::new(),
            text: word.text(language).to_owned(),
        });
        paper.notes = words.collect();
        let found = squeezed(&text(&set(&paper)));
        let missing = paper.texts().into_iter().find(|text| !found.contains(&squeezed(text)));
        assert_eq!(missing, None, "{} in {template:?}: {found}", language.code());
        assert!(!found.contains('\u{fffd}'), "a letter is missing in {template:?}");
    }
}

#[test]
fn the_letters_of_all_languages_are_here() {
    let codes = Language::ALL.map(Language::code);
    assert_eq!(
        LETTERS.map(|(code, _)| code).iter().filter(|code| codes.contains(code)).count(),
        18
    );
}
