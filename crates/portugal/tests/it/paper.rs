//! Words that paper must have.

use racun_portugal::words::{
    NOT_AN_INVOICE, atcud_line, copy_mark, disclaimer, program_line, recovered_line, title,
};
use racun_portugal::{Code, Hash, ManualNumber};

use crate::world::{group, read, text};

#[test]
fn the_program_says_so_behind_four_characters_of_the_hash() {
    let file = read("hash_vectors.json");
    for vector in group(&file, "own") {
        let hash: Hash = text(vector, "hash").parse().unwrap();
        let excerpt = text(vector, "excerpt");
        assert_eq!(
            program_line(Some(&hash), 9999),
            format!("{excerpt}-Processado por programa certificado n.º 9999/AT")
        );
    }
    assert_eq!(program_line(None, 9999), "Emitido por programa certificado n.º 9999/AT");
    assert_eq!(program_line(None, 6), "Emitido por programa certificado n.º 0006/AT");
}

#[test]
fn documents_that_are_no_invoices_say_so() {
    for code in Code::ALL {
        let expected = match code {
            Code::Ft | Code::Fs | Code::Fr | Code::Nd | Code::Nc | Code::Rc | Code::Rg => None,
            _ => Some("Este documento não serve de fatura"),
        };
        assert_eq!(disclaimer(*code), expected, "{code:?}");
        assert!(!title(*code).is_empty());
    }
    assert_eq!(disclaimer(Code::Or), Some(NOT_AN_INVOICE));
}

#[test]
fn copies_and_forms_are_marked() {
    assert_ne!(copy_mark(true), copy_mark(false));
    let form = ManualNumber::new(Code::Ft, Some("abc"), Some(1)).unwrap();
    assert_eq!(recovered_line(&form), "Cópia do documento original - FTM abc/1");
    assert_eq!(atcud_line(&"AAJFB7NT-1".parse().unwrap()), "ATCUD:AAJFB7NT-1");
}
