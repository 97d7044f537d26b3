//! Forged files: each asks for work without end, or is nested, cut or altered.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pkcs5::pbes2::Parameters;
use proptest::prelude::*;
use racun_fiscal::{Authority, P12Error};

use super::archive::Archive;
use super::cipher::Budget;
use super::open;

const PASSPHRASE: &str = "secret";
/// More iterations than a machine does in a day.
const ENDLESS: u32 = 2_147_483_647;

const SEQUENCE: u8 = 0x30;
const AROUND: u8 = 0xa0;
const INSTEAD: u8 = 0x80;
const DATA: &[u8] = &[6, 9, 42, 134, 72, 134, 247, 13, 1, 7, 1];
const ENCRYPTED: &[u8] = &[6, 9, 42, 134, 72, 134, 247, 13, 1, 7, 6];
const KEY: &[u8] = &[6, 11, 42, 134, 72, 134, 247, 13, 1, 12, 10, 1, 2];
const OTHER_BAG: &[u8] = &[6, 11, 42, 134, 72, 134, 247, 13, 1, 12, 10, 1, 6];
const SHA1: &[u8] = &[6, 5, 43, 14, 3, 2, 26];
const TRIPLE_DES: &[u8] = &[6, 10, 42, 134, 72, 134, 247, 13, 1, 12, 1, 3];
const PBES2: &[u8] = &[6, 9, 42, 134, 72, 134, 247, 13, 1, 5, 13];
const PBKDF2: &[u8] = &[6, 9, 42, 134, 72, 134, 247, 13, 1, 5, 12];
const SCRYPT: &[u8] = &[6, 9, 43, 6, 1, 4, 1, 218, 71, 4, 11];
const AES_256: &[u8] = &[6, 9, 96, 134, 72, 1, 101, 3, 4, 1, 42];
const HMAC_SHA256: &[u8] = &[6, 8, 42, 134, 72, 134, 247, 13, 2, 9];

fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let mut value = vec![tag];
    match u8::try_from(content.len()) {
        Ok(length @ ..128) => value.push(length),
        Ok(length) => value.extend([0x81, length]),
        Err(_) => {
            let length = u32::try_from(content.len()).unwrap().to_be_bytes();
            let bytes = &length[length.iter().position(|byte| *byte > 0).unwrap()..];
            value.push(0x80 | u8::try_from(bytes.len()).unwrap());
            value.extend(bytes);
        }
    }
    value.extend(content);
    value
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    value(SEQUENCE, parts)
}

fn octets(bytes: &[u8]) -> Vec<u8> {
    value(4, &[bytes])
}

fn integer(number: u64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count().min(7);
    let sign: &[u8] = if bytes[zeros] < 128 { &[] } else { &[0] };
    value(2, &[sign, &bytes[zeros..]])
}

fn triple_des(iterations: u32) -> Vec<u8> {
    let parameters = sequence(&[&octets(&[7; 8]), &integer(u64::from(iterations))]);
    sequence(&[TRIPLE_DES, &parameters])
}

fn pbes2(kdf: &[u8]) -> Vec<u8> {
    let cipher = sequence(&[AES_256, &octets(&[9; 16])]);
    sequence(&[PBES2, &sequence(&[kdf, &cipher])])
}

fn pbkdf2(iterations: u32) -> Vec<u8> {
    let function = sequence(&[HMAC_SHA256, &[5, 0]]);
    let iterations = integer(u64::from(iterations));
    pbes2(&sequence(&[PBKDF2, &sequence(&[&octets(&[7; 16]), &iterations, &function])]))
}

fn scrypt(cost: u64, block: u64) -> Vec<u8> {
    let parameters = sequence(&[&octets(&[7; 16]), &integer(cost), &integer(block), &integer(1)]);
    pbes2(&sequence(&[SCRYPT, &parameters]))
}

/// A private key, encrypted by `algorithm`.
fn key(algorithm: &[u8]) -> Vec<u8> {
    let locked = sequence(&[algorithm, &octets(&[1; 64])]);
    sequence(&[KEY, &value(AROUND, &[&locked])])
}

/// A container of bags that is not encrypted.
fn plain(bags: &[Vec<u8>]) -> Vec<u8> {
    let bags: Vec<&[u8]> = bags.iter().map(Vec::as_slice).collect();
    sequence(&[DATA, &value(AROUND, &[&octets(&sequence(&bags))])])
}

/// A container of `encrypted` bytes.
fn encrypted(algorithm: &[u8], encrypted: &[u8]) -> Vec<u8> {
    let info = sequence(&[DATA, algorithm, &value(INSTEAD, &[encrypted])]);
    sequence(&[ENCRYPTED, &value(AROUND, &[&sequence(&[&integer(0), &info])])])
}

/// A file of `safes`, without a checksum or with `mac`.
fn file(safes: &[Vec<u8>], mac: &[u8]) -> Vec<u8> {
    let safes: Vec<&[u8]> = safes.iter().map(Vec::as_slice).collect();
    let content = sequence(&[DATA, &value(AROUND, &[&octets(&sequence(&safes))])]);
    sequence(&[&integer(3), &content, mac])
}

fn refusal(file: &[u8]) -> P12Error {
    open(Authority::Furs, file, PASSPHRASE).unwrap_err()
}

#[test]
fn no_file_says_how_long_the_server_computes() {
    let mac = sequence(&[
        &sequence(&[&sequence(&[SHA1, &[5, 0]]), &octets(&[0; 20])]),
        &octets(&[7; 8]),
        &integer(u64::from(ENDLESS)),
    ]);
    for (what, endless) in [
        ("the checksum", file(&[], &mac)),
        ("a key, legacy", file(&[plain(&[key(&triple_des(ENDLESS))])], &[])),
        ("a key, modern", file(&[plain(&[key(&pbkdf2(99_999_999))])], &[])),
        ("certificates, legacy", file(&[encrypted(&triple_des(ENDLESS), &[1; 64])], &[])),
        ("certificates, modern", file(&[encrypted(&pbkdf2(99_999_999), &[1; 64])], &[])),
        ("memory", file(&[plain(&[key(&scrypt(1 << 40, 8))])], &[])),
        ("a cost of zero", file(&[plain(&[key(&scrypt(0, 8))])], &[])),
    ] {
        assert_eq!(refusal(&endless), P12Error::TooMuch, "{what}");
    }
}

#[test]
fn cost_that_is_encrypted_counts_too() {
    let locks = Parameters::generate_pbkdf2_sha256_aes256cbc(1_000, &[7; 16], [9; 16]).unwrap();
    let algorithm = pbkdf2(1_000);
    let lock = |bags: &[u8]| encrypted(&algorithm, &locks.encrypt(PASSPHRASE, bags).unwrap());

    let hidden = lock(&sequence(&[&key(&triple_des(ENDLESS))]));
    assert_eq!(refusal(&file(&[hidden], &[])), P12Error::TooMuch);
    // A hundred parts that are cheap one by one.
    let keys = vec![key(&triple_des(1)); 100].concat();
    assert_eq!(refusal(&file(&[lock(&sequence(&[&keys]))], &[])), P12Error::WrongPassphrase);
    let bags = vec![sequence(&[OTHER_BAG, &value(AROUND, &[&[5, 0]])]); 100].concat();
    assert_eq!(refusal(&file(&[lock(&sequence(&[&bags]))], &[])), P12Error::TooMuch);
    let safes = vec![plain(&[]); 100];
    assert_eq!(refusal(&file(&safes, &[])), P12Error::TooMuch);
    let mut within = Vec::new();
    for _ in 0..10 {
        within.push(lock(&sequence(&[])));
    }
    let opened = Archive::open(&file(&within, &[]), PASSPHRASE, &mut Budget::of(20_000));
    assert_eq!(opened, Ok(Archive::default()));
    // The sum counts.
    let opened = Archive::open(&file(&within, &[]), PASSPHRASE, &mut Budget::of(19_999));
    assert_eq!(opened, Err(P12Error::TooMuch));
}

#[test]
fn deep_and_large_files_are_refused_before_they_are_read() {
    assert_eq!(refusal(&vec![SEQUENCE; 65_537]), P12Error::TooMuch);
    let mut deep = vec![5, 0];
    for _ in 0..12_000 {
        deep = sequence(&[&deep]);
    }
    assert!(deep.len() < 65_536, "{}", deep.len());
    assert_eq!(refusal(&deep), P12Error::NotP12);
    assert_eq!(refusal(&file(&[deep], &[])), P12Error::NotP12);
}

/// A file that FURS might give, with a key, a certificate and a checksum.
fn good(form: &str) -> Vec<u8> {
    let vectors = include_str!("../../../../tests/vectors/fiscal/furs.json");
    let vectors: serde_json::Value = serde_json::from_str(vectors).unwrap();
    STANDARD.decode(vectors["keys"]["pub_a"][form].as_str().unwrap()).unwrap()
}

/// Opens `file` with so few hashes that many can be opened.
fn cheaply(file: &[u8]) -> Result<Archive, P12Error> {
    Archive::open(file, "test-password", &mut Budget::of(20_000))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn bytes_of_strangers_end_in_an_archive_or_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
    ) {
        let _ = cheaply(&bytes);
        let _ = cheaply(&sequence(&[&bytes]));
        let _ = cheaply(&file(&[bytes], &[]));
    }

    #[test]
    fn altered_files_end_in_an_archive_or_an_error(
        form in prop::sample::select(vec!["p12_modern_b64", "p12_legacy_b64"]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = good(form);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = cheaply(&bytes);
    }
}
