//! Values of a PKCS#12 file, in DER.

use der::asn1::AnyRef;
use der::{Decode, SliceReader, Tag, Tagged};
use racun_fiscal::P12Error;

/// The values within the next value, which has `tag`.
pub(super) fn inside<'a>(
    reader: &mut SliceReader<'a>,
    tag: Tag,
) -> Result<SliceReader<'a>, P12Error> {
    SliceReader::new(value(reader, tag)?).map_err(not_p12)
}

/// The bytes of the next value, which has `tag`.
pub(super) fn value<'a>(reader: &mut SliceReader<'a>, tag: Tag) -> Result<&'a [u8], P12Error> {
    let next = AnyRef::decode(reader).map_err(not_p12)?;
    if next.tag() == tag { Ok(next.value()) } else { Err(P12Error::NotP12) }
}

/// What a reader says of a file that is none.
pub(super) fn not_p12<E>(_: E) -> P12Error {
    P12Error::NotP12
}
