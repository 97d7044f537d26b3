//! Digits, and what is commonly made of them.

use std::ops::Range;

/// Some digits of ASCII, as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digits(Vec<u32>);

/// `text` when it is `count` digits of ASCII.
pub(super) fn digits(text: &str, count: usize) -> Option<Digits> {
    let is_one = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_one.then(|| Digits(text.bytes().map(|byte| u32::from(byte - b'0')).collect()))
}

impl Digits {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    /// The digit at `place`, counted from nought; nought beyond the end.
    pub fn at(&self, place: usize) -> u32 {
        self.0.get(place).copied().unwrap_or_default()
    }

    pub fn last(&self) -> u32 {
        self.0.last().copied().unwrap_or_default()
    }

    pub fn part(&self, range: Range<usize>) -> Self {
        Self(self.0.get(range).unwrap_or_default().to_vec())
    }

    pub fn followed_by(&self, digit: u32) -> Self {
        Self(self.iter().chain([digit]).collect())
    }

    /// What they are as a number.
    pub fn value(&self, range: Range<usize>) -> u64 {
        self.part(range).iter().fold(0, |value, digit| value * 10 + u64::from(digit))
    }

    /// The sum of the first digits, each times its weight.
    pub fn dot(&self, weights: &[u32]) -> u32 {
        self.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
    }
}

/// Whether the last digit is the one of Luhn's formula.
pub(super) fn luhn(all: &Digits) -> bool {
    let doubled = |(n, digit): (usize, u32)| match n % 2 {
        0 => digit,
        _ => 2 * digit / 10 + 2 * digit % 10,
    };
    all.0.iter().rev().copied().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// Whether the last digit is the one of ISO 7064, MOD 11,10.
pub(super) fn mod_11_10(all: &Digits) -> bool {
    let Some((last, head)) = all.0.split_last() else { return false };
    let rest = head.iter().fold(10, |rest, digit| {
        let sum = (rest + digit) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - rest) % 10 == *last
}
