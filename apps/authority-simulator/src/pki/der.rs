//! Writes DER: as much of it as certificates need.

use time::OffsetDateTime;

/// A value with its tag and length.
pub fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut der = vec![tag];
    let length = content.len().to_be_bytes();
    let digits: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
    match (u8::try_from(content.len()), u8::try_from(digits.len())) {
        (Ok(short), _) if short < 0x80 => der.push(short),
        (_, Ok(count)) => {
            der.push(0x80 | count);
            der.extend(digits);
        }
        (_, Err(_)) => unreachable!("a length has at most eight bytes"),
    }
    der.extend(content);
    der
}

pub fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    value(0x30, &parts.concat())
}

/// A set whose members MUST be given in the order of their encodings.
pub fn set(parts: &[Vec<u8>]) -> Vec<u8> {
    value(0x31, &parts.concat())
}

/// A context-specific, constructed value.
pub fn context(number: u8, content: &[u8]) -> Vec<u8> {
    value(0xa0 | number, content)
}

/// A positive integer, of big-endian bytes.
pub fn integer(bytes: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = bytes.iter().copied().skip_while(|byte| *byte == 0).collect();
    match digits.first() {
        None => value(0x02, &[0]),
        Some(first) if *first >= 0x80 => value(0x02, &[&[0], &digits[..]].concat()),
        Some(_) => value(0x02, &digits),
    }
}

pub fn boolean(is: bool) -> Vec<u8> {
    value(0x01, &[if is { 0xff } else { 0 }])
}

pub fn null() -> Vec<u8> {
    value(0x05, &[])
}

pub fn octets(content: &[u8]) -> Vec<u8> {
    value(0x04, content)
}

/// A bit string whose last `unused` bits do not count.
pub fn bits(content: &[u8], unused: u8) -> Vec<u8> {
    value(0x03, &[&[unused], content].concat())
}

/// An object identifier, of its arcs.
pub fn oid(arcs: &[u32]) -> Vec<u8> {
    let [first, second, rest @ ..] = arcs else { unreachable!("an identifier has two arcs") };
    let mut content = base_128(first * 40 + second);
    content.extend(rest.iter().flat_map(|arc| base_128(*arc)));
    value(0x06, &content)
}

fn base_128(mut number: u32) -> Vec<u8> {
    let mut digits = Vec::new();
    loop {
        let low = number.to_le_bytes()[0] & 0x7f;
        digits.insert(0, if digits.is_empty() { low } else { low | 0x80 });
        number >>= 7;
        if number == 0 {
            return digits;
        }
    }
}

/// A point in time: two digits for the year before 2050, four from then on (RFC 5280, 4.1.2.5).
pub fn time(at: OffsetDateTime) -> Vec<u8> {
    let at = at.to_offset(time::UtcOffset::UTC);
    let rest = format!(
        "{:02}{:02}{:02}{:02}{:02}Z",
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    );
    if at.year() < 2050 {
        value(0x17, format!("{:02}{rest}", at.year() % 100).as_bytes())
    } else {
        value(0x18, format!("{:04}{rest}", at.year()).as_bytes())
    }
}
