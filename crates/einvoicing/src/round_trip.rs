//! What is written is read back as the same terms: each specification, each syntax.

use en16931::Invoice;
use racun_store::testing::Random;

use crate::documents::random;
use crate::model::Model;
use crate::{Specification, Syntax, write};

/// Random documents.
const DOCUMENTS: usize = 400;

/// The terms that a file says.
fn read(xml: &str) -> Invoice {
    en16931_formats::read(xml.as_bytes()).unwrap().invoice
}

#[test]
fn what_is_written_is_read_as_the_same_terms() {
    let mut choices = Random::new(2);
    for n in 0..DOCUMENTS {
        let facts = random(&mut choices, n);
        for specification in Specification::ALL {
            let terms = Model::of(&facts, specification).invoice;
            for syntax in [Syntax::Ubl, Syntax::Cii] {
                if !specification.takes(syntax) {
                    continue;
                }
                let written = write(&facts, specification, syntax).unwrap();
                let what = format!("{n} by {specification:?} in {syntax:?}");
                assert_eq!(read(&written.xml), terms, "{what}: {}", written.xml);
            }
        }
    }
}
