//! SAF-T of random months: valid, and its totals are those of its documents.

use proptest::prelude::*;
use racun_kernel::Decimal;
use racun_portugal::saft::{Encoding, SaftDocument, SaftReceipt, Survey};
use racun_portugal::{Class, Code, Level, Purpose, Status};

use crate::key::Key;
use crate::saft::written;
use crate::saft_judge::{assert_asserted, assert_valid, faults, read_file};
use crate::sample::{SeriesChains, customer, header, line, vat, voided};

/// A document before it is issued: what it is, its lines as product, quantity, cents and rate, its
/// customer, and how it stands.
type Draft = (u8, Vec<(u8, i64, i64, u8)>, u8, u8);

fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    let line = (0_u8..6, 0_i64..1_000, 0_i64..10_000_000, 0_u8..4);
    let lines = prop::collection::vec(line, 1..5);
    prop::collection::vec((0_u8..5, lines, 0_u8..4, 0_u8..5), 0..20)
}

fn issued(drafts: &[Draft], key: &Key) -> (Vec<SaftDocument>, Vec<SaftReceipt>) {
    let (mut chains, mut documents, mut receipts) =
        (SeriesChains::new(key), Vec::new(), Vec::new());
    for (place, (kind, lines, buyer, state)) in drafts.iter().enumerate() {
        let day = u8::try_from(place).unwrap() + 1;
        if *kind == 4 {
            let amount = Decimal::new(lines[0].2, 2);
            let mut receipt = chains.receive(day, "FT 2026A/1", &amount);
            receipt.customer_id = format!("cus_{buyer}");
            if *state == 0 {
                receipt.state.status = Status::Voided;
                receipt.state.reason = Some("Erro".to_owned());
            }
            receipt.lines[0].is_credit_note = *state == 1;
            receipts.push(receipt);
            continue;
        }
        let purpose =
            [Purpose::Invoice, Purpose::CreditNote, Purpose::DeliveryNote, Purpose::Estimate]
                [usize::from(*kind)];
        let lines = lines.iter().map(|(product, quantity, cents, level)| {
            let level = [Level::Nor, Level::Int, Level::Red, Level::Ise][usize::from(*level)];
            let price = Decimal::new(*cents, 3);
            let mut own = line(&format!("P{product}"), *quantity, &price, vat(level));
            if purpose.code() == Code::Nc {
                own.rectifies = vec![("FT 2026A/1".to_owned(), "Devolução".to_owned())];
            }
            own
        });
        let mut own = chains.issue(purpose, day, lines.collect());
        own.customer_id = format!("cus_{buyer}");
        own = match state {
            0 => voided(own),
            1 if purpose != Purpose::CreditNote => {
                own.state.status = Status::Invoiced;
                own
            }
            _ => own,
        };
        documents.push(own);
    }
    documents.sort_by_key(|own| own.code.class());
    (documents, receipts)
}

/// The sums of debit and credit of the documents that count, taken from the documents.
fn expected(class: Class, documents: &[SaftDocument]) -> (Decimal, Decimal) {
    let counts = |own: &&SaftDocument| {
        let is_invoiced = own.state.status == Status::Invoiced && class == Class::Sales;
        own.code.class() == class && own.state.status != Status::Voided && !is_invoiced
    };
    let side = |is_debit: bool| {
        documents
            .iter()
            .filter(counts)
            .filter(|own| own.code.is_debit() == is_debit)
            .fold(Decimal::zero(), |sum, own| &sum + &own.net)
    };
    (side(true), side(false))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_file_is_valid_and_its_totals_are_those_of_its_documents(drafts in drafts()) {
        let key = Key::read("test_a");
        let (documents, receipts) = issued(&drafts, &key);
        let mut survey = Survey::default();
        documents.iter().for_each(|own| survey.document(own).unwrap());
        for class in [Class::Sales, Class::Working] {
            prop_assert_eq!(survey.sums(class), expected(class, &documents));
        }
        let customers: Vec<_> =
            (0..6).map(|n| customer(&format!("cus_{n}"), "Padaria São João")).collect();
        let mut files = Vec::new();
        for encoding in [Encoding::Windows1252, Encoding::Utf8] {
            let file = written(encoding, &header(), &customers, &documents, &receipts).unwrap();
            prop_assert_eq!(faults(&read_file(&file, encoding), Some(&key)), Vec::<String>::new());
            files.push(file);
        }
        let files = files.iter().map(Vec::as_slice).collect::<Vec<_>>();
        assert_valid(&files);
        assert_asserted(&files);
    }
}
