//! The numbers of each state: their form and their check digits.
//!
//! Source: the rules of the national authorities as the VIES system's list of formats and the
//! modules of python-stdnum 2.2 state them; checked against that package's numbers in
//! `vectors.json`.

use super::digits::{Digits, digits, luhn, mod_11_10};
use crate::tax_number;

/// Whether `number`, which bears no prefix, has the form of a VAT number of `state`, and if so
/// whether its check digits fit. `None`: it has not the form.
pub(super) fn judge(state: &str, number: &str) -> Option<bool> {
    match state {
        "AT" => austria(number),
        "BE" => belgium(number),
        "BG" => bulgaria(number),
        "CY" => cyprus(number),
        "CZ" => czechia(number),
        "DE" => leading(number, 9).map(|all| mod_11_10(&all)),
        "DK" => leading(number, 8).map(|all| all.dot(&[2, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0),
        "EE" => digits(number, 9).map(|all| all.dot(&[3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 == 0),
        "EL" => digits(number, 9)
            .map(|all| all.dot(&[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10 == all.last()),
        "ES" => spain(number),
        "FI" => digits(number, 8).map(|all| all.dot(&[7, 9, 10, 5, 8, 4, 2, 1]) % 11 == 0),
        "FR" => france(number),
        "HR" => digits(number, 11).map(|_| tax_number::is_oib(number)),
        "HU" => digits(number, 8).map(|all| all.dot(&[9, 7, 3, 1, 9, 7, 3, 1]) % 10 == 0),
        "IE" => ireland(number),
        "IT" => italy(number),
        "LT" => lithuania(number),
        "LU" => digits(number, 8).map(|all| all.value(0..6) % 89 == all.value(6..8)),
        "LV" => latvia(number),
        "MT" => leading(number, 8).map(|all| all.dot(&[3, 4, 6, 7, 8, 9, 10, 1]) % 37 == 0),
        "NL" => netherlands(number),
        "PL" => {
            digits(number, 10).map(|all| all.dot(&[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 == all.last())
        }
        "PT" => leading(number, 9).map(|all| {
            let check = 11 - all.dot(&[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
            (if check > 9 { 0 } else { check }) == all.last()
        }),
        "RO" => romania(number),
        "SE" => {
            digits(number, 12).filter(|_| number.ends_with("01")).map(|all| luhn(&all.part(0..10)))
        }
        "SI" => leading(number, 8).map(|_| tax_number::is_slovenian_with_check_digit(number)),
        "SK" => leading(number, 10)
            .filter(|all| matches!(all.at(2), 2..=4 | 7..=9))
            .map(|all| all.value(0..10) % 11 == 0),
        "XI" => northern_ireland(number),
        _ => None,
    }
}

/// Whether `number` may be another number of taxpayers of `state`, which its VAT numbers are not
/// made of: it is not checked further.
pub(super) fn is_national(state: &str, number: &str) -> bool {
    let counts: &[usize] = match state {
        // Steuernummer.
        "AT" => &[9],
        "DE" => &[10, 11, 12, 13],
        // Personal numbers, and numbers of registers that stand for a taxpayer.
        "CZ" | "EE" | "SK" => &[8, 9, 10, 11],
        "FR" => &[9, 13, 14],
        "HU" => &[10, 11],
        "LU" => &[11, 13],
        "LT" | "PL" | "LV" => &[7, 9, 10, 11],
        "NL" => &[8, 9],
        "SE" => &[10],
        "FI" => &[7],
        "RO" => &[13],
        "MT" => &[7, 9],
        "DK" => &[10],
        "BE" => &[9, 11],
        _ => &[],
    };
    let is_fiscal_code = state == "IT" && number.len() == 16;
    is_fiscal_code
        || (counts.contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `count` digits, the first of them no zero.
fn leading(number: &str, count: usize) -> Option<Digits> {
    digits(number, count).filter(|_| !number.starts_with('0'))
}

fn austria(number: &str) -> Option<bool> {
    let all = digits(number.strip_prefix('U')?, 8)?;
    let doubled = |(n, digit): (usize, u32)| {
        let product = if n % 2 == 1 { 2 * digit } else { digit };
        product / 10 + product % 10
    };
    let sum: u32 = all.iter().take(7).enumerate().map(doubled).sum::<u32>() + 4;
    Some((10 - sum % 10) % 10 == all.last())
}

fn belgium(number: &str) -> Option<bool> {
    let all = digits(number, 10).filter(|all| all.at(0) < 2)?;
    let check = 97 - all.value(0..8) % 97;
    let found = all.value(8..10);
    Some(found == check || found == check + 97)
}

fn bulgaria(number: &str) -> Option<bool> {
    if let Some(all) = digits(number, 9) {
        let first = all.dot(&[1, 2, 3, 4, 5, 6, 7, 8]) % 11;
        let check = if first == 10 { all.dot(&[3, 4, 5, 6, 7, 8, 9, 10]) % 11 % 10 } else { first };
        return Some(check == all.last());
    }
    let all = digits(number, 10)?;
    let month = all.value(2..4) % 20;
    let is_born = (1..=12).contains(&month) && (1..=31).contains(&all.value(4..6));
    let person = all.dot(&[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10;
    let foreigner = all.dot(&[21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10;
    let other = (11 - all.dot(&[4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
    let last = all.last();
    Some((is_born && person == last) || foreigner == last || other == last)
}

fn cyprus(number: &str) -> Option<bool> {
    const ODD: [u32; 10] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
    let letter = number.chars().last().filter(char::is_ascii_uppercase)?;
    let all = digits(number.strip_suffix(letter)?, 8).filter(|_| !number.starts_with("12"))?;
    let translated = |(n, digit): (usize, u32)| match n % 2 {
        0 => usize::try_from(digit).ok().and_then(|digit| ODD.get(digit)).copied().unwrap_or(0),
        _ => digit,
    };
    let sum: u32 = all.iter().enumerate().map(translated).sum();
    Some(letter.to_digit(36) == Some(10 + sum % 26))
}

fn czechia(number: &str) -> Option<bool> {
    if let Some(all) = digits(number, 8) {
        let check = (11 - all.dot(&[8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
        let check = if check == 0 { 1 } else { check % 10 };
        return (all.at(0) != 9).then(|| check == all.last());
    }
    if let Some(all) = digits(number, 9) {
        if all.at(0) == 6 {
            let rest = all.part(1..8).dot(&[8, 7, 6, 5, 4, 3, 2]) % 11;
            let check = (8 + 10 - (21 - rest) % 11) % 10;
            return Some(check == all.last());
        }
        return Some(is_birth_number(&all));
    }
    let all = digits(number, 10)?;
    Some(is_birth_number(&all) && all.value(0..9) % 11 % 10 == u64::from(all.last()))
}

/// Whether the first six digits are a day: women are born fifty months later, and some twenty more.
fn is_birth_number(all: &Digits) -> bool {
    let month = all.value(2..4) % 50 % 20;
    (1..=12).contains(&month) && (1..=31).contains(&all.value(4..6))
}

fn spain(number: &str) -> Option<bool> {
    let letters: Vec<char> = "TRWAGMYFPDXBNJZSQVHLCKE".chars().collect();
    let signs: Vec<char> = number.chars().collect();
    let [first, .., last] = signs.as_slice() else { return None };
    let (first, last) = (*first, *last);
    let middle: String = signs.iter().skip(1).take(7).collect();
    let letter_of = |value: u64| {
        let place = usize::try_from(value % 23).ok()?;
        letters.get(place).copied()
    };
    if signs.len() != 9 {
        return None;
    }
    if first.is_ascii_digit() && last.is_ascii_uppercase() {
        let all = digits(number.strip_suffix(last)?, 8)?;
        return Some(letter_of(all.value(0..8)) == Some(last));
    }
    let all = digits(&middle, 7)?;
    let value = all.value(0..7);
    match first {
        'X' | 'Y' | 'Z' => {
            let head = ["X", "Y", "Z"].iter().position(|sign| sign.starts_with(first))?;
            let head = u64::try_from(head).ok()?;
            Some(letter_of(head * 10_000_000 + value) == Some(last))
        }
        'K' | 'L' | 'M' => Some(letter_of(value) == Some(last)),
        'A'..='H' | 'J' | 'N' | 'P'..='S' | 'U'..='W' => Some(spanish_company(first, last, &all)),
        _ => None,
    }
}

fn spanish_company(first: char, last: char, middle: &Digits) -> bool {
    let Some(check) = (0..10).find(|check| luhn(&middle.followed_by(*check))) else { return false };
    let letter = "JABCDEFGHI".chars().nth(usize::try_from(check).unwrap_or_default());
    let is_letter = letter == Some(last);
    let is_digit = last.to_digit(10) == Some(check);
    match first {
        'N' | 'P' | 'Q' | 'R' | 'S' | 'W' => is_letter,
        'A' | 'B' | 'E' | 'H' => is_digit,
        _ => is_letter || is_digit,
    }
}

fn france(number: &str) -> Option<bool> {
    const ALPHABET: &str = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    let (key, siren) = number.split_at_checked(2)?;
    let place = |sign: char| ALPHABET.find(sign).and_then(|at| u64::try_from(at).ok());
    let places: Vec<u64> = key.chars().map_while(place).collect();
    let [first, second] = places.as_slice() else { return None };
    let (first, second) = (*first, *second);
    let all = digits(siren, 9)?;
    let is_company = siren.starts_with("000") || luhn(&all);
    let value = all.value(0..9);
    let fits = if first < 10 && second < 10 {
        (value * 100 + 12) % 97 == first * 10 + second
    } else {
        let check = match first < 10 {
            true => (first * 24 + second).checked_sub(10),
            false => (first * 34 + second).checked_sub(100),
        };
        check.is_some_and(|check| (value + 1 + check / 11) % 11 == check % 11)
    };
    Some(is_company && fits)
}

fn ireland(number: &str) -> Option<bool> {
    const WEIGHTS: [u32; 7] = [8, 7, 6, 5, 4, 3, 2];
    let letters = "WABCDEFGHIJKLMNOPQRSTUV";
    let signs: Vec<char> = number.chars().collect();
    let check = |all: &Digits, more: u32| {
        let place = usize::try_from((all.dot(&WEIGHTS) + more) % 23).unwrap_or_default();
        letters.chars().nth(place)
    };
    let text =
        |from: usize, count: usize| -> String { signs.iter().skip(from).take(count).collect() };
    let last = |place: usize| signs.get(place).copied().filter(char::is_ascii_uppercase);
    if let Some(all) = digits(&text(0, 7), 7) {
        let letter = last(7)?;
        let more = match signs.get(8) {
            None => 0,
            Some('W') => 0,
            Some(sign @ 'A'..='I') => sign.to_digit(36)? - 9,
            Some(_) => return None,
        };
        return (signs.len() <= 9).then(|| check(&all, 9 * more) == Some(letter));
    }
    let is_sign = |sign: &char| sign.is_ascii_uppercase() || matches!(sign, '+' | '*');
    signs.get(1).filter(|sign| is_sign(sign))?;
    let all = digits(&format!("0{}{}", text(2, 5), text(0, 1)), 7)?;
    let letter = last(7)?;
    (signs.len() == 8).then(|| check(&all, 0) == Some(letter))
}

fn italy(number: &str) -> Option<bool> {
    let all = digits(number, 11)?;
    let office = all.value(7..10);
    let is_office = matches!(office, 1..=100 | 120 | 121 | 888 | 999);
    Some(is_office && all.value(0..7) != 0 && luhn(&all))
}

fn lithuania(number: &str) -> Option<bool> {
    let all = match number.len() {
        9 => digits(number, 9).filter(|all| all.at(7) == 1),
        _ => digits(number, 12).filter(|all| all.at(10) == 1),
    }?;
    let weighted = |shift: u32| {
        let weights = (0..).map(|n| 1 + (n + shift) % 9);
        all.iter()
            .take(all.len() - 1)
            .zip(weights)
            .map(|(digit, weight)| digit * weight)
            .sum::<u32>()
    };
    let first = weighted(0) % 11;
    let check = if first == 10 { weighted(2) % 11 % 10 } else { first };
    Some(check == all.last())
}

fn latvia(number: &str) -> Option<bool> {
    let all = digits(number, 11)?;
    if all.at(0) > 3 {
        return Some(all.dot(&[9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]) % 11 == 3);
    }
    let is_day = (1..=31).contains(&all.value(0..2)) && (1..=12).contains(&all.value(2..4));
    let check = (1 + all.dot(&[10, 5, 8, 4, 2, 1, 6, 3, 7, 9])) % 11 % 10;
    Some((number.starts_with("32") || is_day) && check == all.last())
}

fn netherlands(number: &str) -> Option<bool> {
    let (head, tail) = number.split_at_checked(9)?;
    let all = digits(head, 9)?;
    let suffix = digits(tail.strip_prefix('B')?, 2).filter(|suffix| suffix.value(0..2) > 0);
    if suffix.is_none() {
        return (tail == "B00").then_some(false);
    }
    let weighted = all.dot(&[9, 8, 7, 6, 5, 4, 3, 2]);
    let of_company = weighted >= all.last() && (weighted - all.last()) % 11 == 0;
    let of_person = "NL".chars().chain(number.chars()).fold(0, |rest, sign| {
        let value = sign.to_digit(36).unwrap_or_default();
        (rest * if value < 10 { 10 } else { 100 } + value) % 97
    });
    Some(of_company || of_person == 1)
}

fn romania(number: &str) -> Option<bool> {
    if let Some(all) = digits(number, 13) {
        let rest = all.dot(&[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
        return Some((if rest == 10 { 1 } else { rest }) == all.last());
    }
    let all = (2..=10).find_map(|count| leading(number, count))?;
    let weights = [7, 5, 3, 2, 1, 7, 5, 3, 2];
    let used = &weights[weights.len() + 1 - all.len()..];
    Some(all.dot(used) * 10 % 11 % 10 == all.last())
}

fn northern_ireland(number: &str) -> Option<bool> {
    for (prefix, is_own) in [("GD", false), ("HA", true)] {
        let Some(rest) = number.strip_prefix(prefix) else { continue };
        let (office, check) = match rest.strip_prefix("8888") {
            Some(rest) => (digits(rest, 5)?, true),
            None => (digits(rest, 3)?, false),
        };
        let value = office.value(0..3);
        let fits = !check || value % 97 == office.value(3..5);
        return Some((value >= 500) == is_own && fits);
    }
    let all = digits(number, 9).or_else(|| digits(number, 12).map(|all| all.part(0..9)))?;
    let rest = all.dot(&[8, 7, 6, 5, 4, 3, 2, 10, 1]) % 97;
    Some(rest == 0 || (all.at(0) > 0 && matches!(rest, 42 | 55)))
}
