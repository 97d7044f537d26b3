//! What tax authorities want printed.

use racun_kernel::Authority;

use super::Source;
use crate::clean::{line, some_line};
use crate::model::{Code, CodeKind, Display, Fact, Marks, Symbol};
use crate::words::Word;

/// The least version of the code in Portugal, and the bytes that it holds.
const PT_VERSION: u8 = 9;
const PT_FITTING: usize = 180;
/// Millimetres of its width: at least 30 (AT, "Código QR", 1.0).
const PT_WIDTH: (u16, u16) = (30, 40);

impl Source<'_> {
    /// The marks of Slovenia (ZDavPR-A: ZOI, EOR, code), Croatia (ZKI, JIR, code) and Portugal
    /// (Portaria 195/2020: ATCUD, code; Despacho 8632/2014, 2.2: the program).
    pub(super) fn marks(&self) -> Vec<Marks> {
        if let Some(record) = &self.document.pt {
            return vec![self.certified(&record.printed, &record.qr, &record.atcud)];
        }
        let Some(fiscal) = self.document.fiscal.as_ref().filter(|_| self.is_fiscal_kind()) else {
            return Vec::new();
        };
        let Some(record) = &fiscal.record else { return Vec::new() };
        let (key, mark, confirmation, size) = match fiscal.authority {
            Authority::Furs => ("furs", ("zoi", "ZOI"), ("eor", "EOR"), (24, 30)),
            // At least 20 mm on each side, by the technical specification of CIS.
            Authority::Fina => ("fina", ("zki", "ZKI"), ("jir", "JIR"), (22, 30)),
        };
        let fact = |(key, label): (&'static str, &str), text: Option<String>| {
            Some(Fact { key, label: label.to_owned(), text: text? })
        };
        let of_book = record.book.as_ref().map(racun_kernel::SalesBook::set);
        let of_book = of_book.or_else(|| record.paragon.clone());
        let facts = [
            fact(mark, some_line(Some(&record.mark))),
            fact(confirmation, some_line(fiscal.confirmation().map(String::as_str))),
            self.fact(Word::BookForm, some_line(of_book.as_deref())),
        ];
        let code = (!record.qr.is_empty()).then(|| Code {
            kind: CodeKind::Fiscal,
            symbol: Symbol::Qr { version: None, eci: None },
            payload: record.qr.clone().into_bytes(),
            label: self.word(Word::CheckCode).to_owned(),
            display: Display::CodeOnly,
            slip: Vec::new(),
            width_mm: size,
        });
        let facts = facts.into_iter().flatten().collect();
        vec![Marks { key, facts, sentences: Vec::new(), on_each_page: None, code }]
    }

    /// What a document has by being certified: sentences, what the code says, the unique code.
    pub(super) fn certified(&self, printed: &[String], qr: &str, atcud: &str) -> Marks {
        let version = (qr.len() <= PT_FITTING).then_some(PT_VERSION);
        let code = Code {
            kind: CodeKind::Fiscal,
            symbol: Symbol::Qr { version, eci: None },
            payload: qr.as_bytes().to_vec(),
            label: self.word(Word::CheckCode).to_owned(),
            display: Display::CodeOnly,
            slip: Vec::new(),
            width_mm: PT_WIDTH,
        };
        let sentences = printed.iter().map(|text| line(text)).collect();
        let on_each_page = Some(format!("ATCUD:{atcud}"));
        Marks { key: "pt", facts: Vec::new(), sentences, on_each_page, code: Some(code) }
    }
}
