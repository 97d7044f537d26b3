//! The chain of signatures: known answers, and the law that it holds and that nothing can be
//! changed in it.

use std::process::Stdio;

use proptest::prelude::*;
use racun_kernel::Decimal;
use racun_portugal::chain::{Broken, Fault, verify};
use racun_portugal::{
    ChainHead, Fresh, Hash, HashControl, Link, MAX_NUMBER_CHARS, ManualNumber, Number,
    ProgramKey as _, PtSeries, SeriesCode, Signed, WallTime,
};
use time::{Date, Duration, PrimitiveDateTime};

use crate::key::Key;
use crate::series::series;
use crate::world::{date, decimal, group, read, said, text, vectors, wall};

/// A link of the text that is signed and its signature.
fn link(message: &str, hash: &str) -> (Link, Option<Hash>) {
    let parts: Vec<&str> = message.splitn(5, ';').collect();
    let [day, entered, number, total, previous] = parts.as_slice() else { panic!("{message}") };
    let link = Link {
        date: date(day),
        entered_at: wall(entered),
        number: number.parse().unwrap(),
        total: decimal(total),
        hash: hash.parse().unwrap(),
    };
    (link, (!previous.is_empty()).then(|| previous.parse().unwrap()))
}

#[test]
fn known_documents_have_their_known_signatures() {
    let file = read("hash_vectors.json");
    for (vectors, key) in [
        (group(&file["at_demo"], "vectors"), Key::read("at_demo")),
        (group(&file, "own"), Key::read("test_a")),
    ] {
        for vector in vectors {
            let (message, hash) = (text(vector, "message"), text(vector, "hash"));
            let (own, previous) = link(message, hash);
            let signed = own.signed(previous.as_ref());
            assert_eq!(signed.text(), message);
            assert_eq!(signed.sign(&key).unwrap(), own.hash, "{message}");
            assert_eq!(own.hash.excerpt(), text(vector, "excerpt"));
            assert!(key.verifies(message.as_bytes(), &own.hash.signature()));
        }
    }
}

#[test]
fn faulty_texts_and_signatures_do_not_verify() {
    let file = read("hash_vectors.json");
    let key = Key::read("test_a");
    for vector in group(&file, "invalid_own") {
        let (message, hash) = (text(vector, "message"), text(vector, "hash"));
        let fits = hash
            .parse::<Hash>()
            .is_ok_and(|hash| key.verifies(message.as_bytes(), &hash.signature()));
        assert!(!fits, "{}", text(vector, "why"));
    }
}

/// The judge that the authority's own manual names.
#[test]
fn openssl_takes_our_signatures() {
    let folder = tempfile::tempdir().unwrap();
    let key = Key::read("test_a");
    let text = "2026-01-05;2026-01-05T09:00:00;FT 2026A/1;123.00;";
    let (document, signature) = (folder.path().join("text"), folder.path().join("signature"));
    std::fs::write(&signature, key.sign(text.as_bytes()).unwrap()).unwrap();
    for (content, fits) in
        [(text, true), ("2026-01-05;2026-01-05T09:00:00;FT 2026A/1;124.00;", false)]
    {
        std::fs::write(&document, content).unwrap();
        let status = racun_test_postgres::program("openssl")
            .args(["dgst", "-sha1", "-verify"])
            .arg(vectors().join("keys/test_a_public.pem"))
            .arg("-signature")
            .args([&signature, &document])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.success(), fits, "{content}");
    }
}

#[test]
fn a_signature_is_one_line_of_172_characters() {
    let key = Key::read("test_a");
    let hash = Hash::of(&key.sign(b"text").unwrap()).unwrap();
    assert_eq!(hash.as_str().len(), 172);
    assert_eq!(hash.signature().len(), 128);
    for wrong in
        ["", "A", &hash.as_str()[1..], &format!("{hash}A"), &hash.as_str().replace('=', "\n")]
    {
        assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
    }
    assert!(Hash::of(&[0; 127]).is_err(), "a key of another length");
}

#[test]
fn the_control_names_the_key_and_the_form() {
    let form = ManualNumber::new(racun_portugal::Code::Ft, Some("V"), Some(23)).unwrap();
    assert_eq!(HashControl::Own(1).to_string(), "1");
    assert_eq!(HashControl::Recovered(2, form).to_string(), "2-FTM V/23");
}

/// A document that is about to be issued, `minutes` after midnight of 5 January 2026.
fn fresh(day: Date, minutes: i64, total: Decimal) -> Fresh {
    let midnight = PrimitiveDateTime::new(date("2026-01-05"), time::Time::MIDNIGHT);
    let wall = WallTime::from(midnight + Duration::minutes(minutes));
    Fresh { date: day, wall, total, form: None }
}

/// Issues documents that many minutes and cents apart, and answers the chain.
fn issued(series: &PtSeries, steps: &[(u32, i64)], key: &Key) -> Vec<Link> {
    let (mut head, mut minutes, mut links) = (None::<ChainHead>, 0, Vec::new());
    for (step, cents) in steps {
        minutes += i64::from(*step);
        let day = fresh(date("2026-01-05"), minutes, Decimal::zero()).wall.date();
        let fresh = fresh(day, minutes, Decimal::new(*cents, 2));
        let sequence = head.as_ref().map_or(series.initial_sequence, |head| head.sequence + 1);
        let (own, next) = series.certify(head.as_ref(), sequence, &fresh, key).unwrap();
        links.push(Link {
            date: day,
            entered_at: own.entered_at,
            number: own.number,
            total: fresh.total,
            hash: own.hash,
        });
        head = Some(next);
    }
    links
}

#[test]
fn the_chain_of_the_demonstration_file_holds_and_a_gap_breaks_it() {
    let file = read("hash_vectors.json");
    let key = Key::read("at_demo");
    let own = |series: &str| -> Vec<Link> {
        let of = |number: &str| number.rsplit_once('/').unwrap().0 == series;
        group(&file["at_demo"], "vectors")
            .iter()
            .filter(|vector| of(text(vector, "number")))
            .map(|vector| link(text(vector, "message"), text(vector, "hash")).0)
            .collect()
    };
    let judge = |text: &[u8], signature: &[u8]| key.verifies(text, signature);
    for series in ["1T 1", "11T P", "2T A", "1TR R", "1IECTR EC", "1G 5A", "COF E1"] {
        let links = own(series);
        assert!(links.len() > 1, "{series}");
        assert_eq!(verify(&links, &judge), Ok(()), "{series}");
    }
    let mut gap = own("1T 1");
    gap.remove(2);
    let broken = verify(&gap, &judge).unwrap_err();
    assert_eq!((broken.number.as_str(), broken.fault), ("1T 1/4", Fault::Gap));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is issued when, and whatever of it is voided, the chain verifies; voiding touches
    /// nothing that is signed. A change of any document breaks it at that document or at the next.
    #[test]
    fn a_chain_holds_and_a_change_anywhere_breaks_it(
        steps in prop::collection::vec((0_u32..100_000, 0_i64..10_000_000), 2..12),
        place in any::<prop::sample::Index>(),
        change in 0_u8..6,
        initial in 1_i64..1_000_000,
    ) {
        let key = Key::read("test_a");
        let series = PtSeries { initial_sequence: initial, ..series() };
        let links = issued(&series, &steps, &key);
        let judge = |text: &[u8], signature: &[u8]| key.verifies(text, signature);
        prop_assert_eq!(verify(&links, &judge), Ok(()));
        let place = place.index(links.len());
        let mut changed = links.clone();
        let own = &mut changed[place];
        match change {
            0 => own.total = &own.total + &Decimal::new(1, 2),
            1 => own.date = own.date.next_day().unwrap(),
            2 => own.entered_at = later(own.entered_at),
            3 => own.number = number_after(&own.number),
            4 => own.hash = Hash::of(&key.sign(b"another text").unwrap()).unwrap(),
            _ => {
                // The last one's removal is no break of a chain: what is missing at its end only
                // the number of documents tells.
                if place + 1 < changed.len() {
                    changed.remove(place);
                } else {
                    changed.swap(place, place - 1);
                }
            }
        }
        let Broken { number, .. } = verify(&changed, &judge).unwrap_err();
        let at = changed.iter().position(|link| link.number == number).unwrap();
        prop_assert!(at + 1 >= place && at <= place + 1, "{at} of {place}");
    }
}

fn later(time: WallTime) -> WallTime {
    let text = time.to_string();
    let seconds: u8 = text[17..].parse().unwrap();
    format!("{}{:02}", &text[..17], (seconds + 1) % 60).parse().unwrap()
}

fn number_after(number: &Number) -> Number {
    let (head, _) = number.as_str().rsplit_once('/').unwrap();
    format!("{head}/{}", number.sequence().unwrap() + 1).parse().unwrap()
}

#[test]
fn the_signed_text_is_exact() {
    let number: Number = "FT 2026A/1".parse().unwrap();
    let signed = |total: &str, previous: Option<&Hash>| {
        let total = decimal(total);
        let signed = Signed {
            date: date("2026-01-05"),
            entered_at: wall("2026-01-05T09:00:00"),
            number: &number,
            total: &total,
            previous,
        };
        signed.text()
    };
    assert_eq!(signed("123", None), "2026-01-05;2026-01-05T09:00:00;FT 2026A/1;123.00;");
    assert_eq!(signed("-5.5", None), "2026-01-05;2026-01-05T09:00:00;FT 2026A/1;5.50;");
    let hash = Hash::of(&[7; 128]).unwrap();
    assert!(signed("1", Some(&hash)).ends_with(&format!(";1.00;{hash}")));
}

#[test]
fn a_document_waits_for_its_number_and_its_clock() {
    let key = Key::read("test_a");
    let series = series();
    let first = fresh(date("2026-01-05"), 600, decimal("1"));
    let (_, head) = series.certify(None, 1, &first, &key).unwrap();
    let skipped = series.certify(Some(&head), 3, &first, &key).unwrap_err();
    assert_eq!(skipped.to_string(), "the series goes on with 2, and the number taken for it is 3");
    // Summer time ends: the clock shows an hour twice, and the series does not run back.
    let again = fresh(date("2026-01-05"), 541, decimal("1"));
    let (own, _) = series.certify(Some(&head), 2, &again, &key).unwrap();
    assert_eq!(own.entered_at, head.entered_at);
    let wrong = fresh(date("2026-01-05"), 539, decimal("1"));
    let wrong = series.certify(Some(&head), 2, &wrong, &key).unwrap_err();
    assert_eq!(said(&wrong), ["clock_behind"]);
}

#[test]
fn a_number_that_is_longer_than_the_authority_takes_is_not_given() {
    let key = Key::read("test_a");
    let of_digits = |count: usize| PtSeries {
        first_number: Some(format!("FT 2026A/{:0count$}", 1).parse().unwrap()),
        ..series()
    };
    let first = fresh(date("2026-01-05"), 600, decimal("1"));
    let (own, _) = of_digits(51).certify(None, 1, &first, &key).unwrap();
    assert_eq!(own.number.as_str().len(), MAX_NUMBER_CHARS);
    // The digits of a series with a shorter name.
    let longer = PtSeries { series_code: SeriesCode::new("2026AB").unwrap(), ..of_digits(51) };
    let refused = longer.certify(None, 1, &first, &key).unwrap_err();
    assert_eq!(said(&refused), ["pt_series_full"]);
}

#[test]
fn a_key_that_does_not_sign_numbers_nothing() {
    struct Broken(usize);
    impl racun_portugal::ProgramKey for Broken {
        fn version(&self) -> u32 {
            1
        }
        fn sign(&self, _: &[u8]) -> Result<Vec<u8>, racun_portugal::SigningFailed> {
            if self.0 == 0 { Err(racun_portugal::SigningFailed) } else { Ok(vec![1; self.0]) }
        }
    }
    for length in [0, 127, 256] {
        let first = fresh(date("2026-01-05"), 600, decimal("1"));
        let error = series().certify(None, 1, &first, &Broken(length)).unwrap_err();
        assert_eq!(error.to_string(), "the program's private key cannot sign", "{length}");
    }
}
