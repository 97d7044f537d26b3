//! Pictures that were uploaded, made fit for paper.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use typst::foundations::Bytes;

/// The longer side of a picture on paper, in pixels: 60 mm at 300 dpi and some more.
const SIDE: u32 = 900;
/// Bytes that decoding a picture may take.
const MOST_MEMORY: u64 = 400 * 1024 * 1024;
/// Pictures that are kept ready: an issuer prints the same logo again and again.
const KEPT: usize = 16;
/// Of 100, as JPEG counts.
const QUALITY: u8 = 88;

/// A picture as the templates load it.
#[derive(Clone)]
pub(crate) struct Ready {
    /// The file, PNG or JPEG.
    pub bytes: Bytes,
    /// `png` or `jpg`.
    pub ending: &'static str,
}

/// Pictures that were made ready, the last used first; `None` is one that does not decode.
#[derive(Default)]
pub(crate) struct Pictures(Mutex<VecDeque<(Key, Option<Ready>)>>);

/// How long the file is, and its hash.
type Key = (usize, u64);

impl Pictures {
    /// The picture in `bytes`; `None` when it does not decode.
    pub(crate) fn ready(&self, bytes: &[u8]) -> Option<Ready> {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let key = (bytes.len(), hasher.finish());
        if let Some(kept) = self.kept(key) {
            return kept;
        }
        let ready = ready(bytes);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.truncate(KEPT - 1);
        all.push_front((key, ready.clone()));
        ready
    }

    fn kept(&self, key: Key) -> Option<Option<Ready>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|(other, _)| *other == key)?;
        let found = all.remove(place)?;
        all.push_front(found.clone());
        Some(found.1)
    }
}

/// Decodes, turns upright, makes small and encodes again: what PDF/A does not take, such as colours
/// for print, is gone then.
fn ready(bytes: &[u8]) -> Option<Ready> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let format = reader.format()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let orientation = decoder.orientation().ok()?;
    let mut picture = DynamicImage::from_decoder(decoder).ok()?;
    if picture.width() > SIDE || picture.height() > SIDE {
        picture = picture.thumbnail(SIDE, SIDE);
    }
    picture.apply_orientation(orientation);
    let mut file = Cursor::new(Vec::new());
    let ending = if format == ImageFormat::Jpeg {
        let encoder = JpegEncoder::new_with_quality(&mut file, QUALITY);
        picture.into_rgb8().write_with_encoder(encoder).ok()?;
        "jpg"
    } else {
        picture.into_rgba8().write_to(&mut file, ImageFormat::Png).ok()?;
        "png"
    };
    Some(Ready { bytes: Bytes::new(file.into_inner()), ending })
}
