//! Codes of rendered pages, as a reader that is not ours reads them.

use racun_paper::Template;

use crate::sample::{epc, fiscal, hub3, invoice, upn};
use crate::tools::{codes, words};
use crate::{TYPESETTER, set};

#[test]
fn each_code_says_its_bytes_on_every_template() {
    for template in Template::ALL {
        let mut paper = invoice(template, 2);
        let all = vec![upn(), epc(), hub3()];
        let mut expected: Vec<Vec<u8>> = all.iter().map(|code| code.payload.clone()).collect();
        expected.push(fiscal().payload);
        paper.payment.as_mut().unwrap().codes = all;
        let Some(read) = codes(&set(&paper)) else { return };
        let mut bytes: Vec<Vec<u8>> = read.iter().map(|(_, bytes)| bytes.clone()).collect();
        bytes.sort();
        expected.sort();
        assert_eq!(bytes, expected, "{template:?}: {read:?}");
        assert_eq!(read.iter().filter(|(kind, _)| kind == "PDF417").count(), 1, "{read:?}");
    }
}

#[test]
fn a_code_that_holds_too_much_is_an_error_and_no_panic() {
    let mut paper = invoice(Template::Modern, 1);
    let mut code = hub3();
    code.payload = vec![b'x'; 3_000];
    paper.payment.as_mut().unwrap().codes = vec![code];
    assert!(TYPESETTER.paper(&paper).is_err());
    let mut code = upn();
    code.payload = vec![b'x'; 1_000];
    paper.payment.as_mut().unwrap().codes = vec![code];
    assert!(TYPESETTER.paper(&paper).is_err());
    assert!(!words(&set(&invoice(Template::Modern, 1))).is_empty());
}
