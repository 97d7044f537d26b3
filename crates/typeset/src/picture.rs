//! Pictures that were uploaded, made fit for paper.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use image::codecs::jpeg::JpegEncoder;
use image::error::ImageFormatHint;
use image::imageops::{BiLevel, dither};
use image::{
    DynamicImage, GrayImage, ImageDecoder, ImageError, ImageFormat, ImageReader, ImageResult,
    Limits, Luma,
};
use racun_paper::Modules;
use typst::foundations::Bytes;

/// The longer side of a picture on paper, in pixels: 60 mm at 300 dpi and some more.
pub(crate) const ON_PAPER: u32 = 900;
/// The longer side of a picture on a page: twice what the style sheet lets it take of a screen.
pub(crate) const ON_PAGES: u32 = 480;
/// Bytes that a decoded picture may take. `racun-catalog` refuses logos and signatures of more when
/// they are uploaded (`MAX_PRINTED_PIXELS`); this holds for pictures that came another way.
const MOST_MEMORY: u64 = 64 * 1024 * 1024;
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

/// How long the file is, its hash, and the longer side of what was made of it.
type Key = (usize, u64, u32);

impl Pictures {
    /// The picture in `bytes` with at most `side` pixels on each side; `None` when it does not
    /// decode, or only to more than [`MOST_MEMORY`].
    pub(crate) fn ready(&self, bytes: &[u8], side: u32) -> Option<Ready> {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let key = (bytes.len(), hasher.finish(), side);
        if let Some(kept) = self.kept(key) {
            return kept;
        }
        let ready = ready(bytes, side).ok();
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

/// The picture in `bytes` as black dots on white paper, at most so many across and down; `None`
/// when it does not decode. Shades become patterns of dots.
pub(crate) fn dots(bytes: &[u8], width: u32, height: u32) -> Option<Modules> {
    let (picture, _) = decoded(bytes, width, height).ok()?;
    let picture = picture.into_rgba8();
    let mut shades = GrayImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [red, green, blue, opacity] = picture.get_pixel(x, y).0.map(u32::from);
        // Luma of ITU-R BT.601, in thousandths, on white.
        let luma = (red * 299 + green * 587 + blue * 114) / 1_000;
        let shade = (luma * opacity + 255 * (255 - opacity)) / 255;
        Luma([u8::try_from(shade).unwrap_or(u8::MAX)])
    });
    dither(&mut shades, &BiLevel);
    let width = usize::try_from(shades.width()).ok()?;
    let dark = shades.pixels().map(|Luma([shade])| *shade < 128).collect();
    Some(Modules { width, dark, quiet: 0, row: 1 })
}

/// Makes small and encodes again: what PDF/A does not take, such as colours for print, is gone
/// then.
fn ready(bytes: &[u8], side: u32) -> ImageResult<Ready> {
    let (picture, format) = decoded(bytes, side, side)?;
    let mut file = Cursor::new(Vec::new());
    let ending = if format == ImageFormat::Jpeg {
        let encoder = JpegEncoder::new_with_quality(&mut file, QUALITY);
        picture.into_rgb8().write_with_encoder(encoder)?;
        "jpg"
    } else {
        picture.into_rgba8().write_to(&mut file, ImageFormat::Png)?;
        "png"
    };
    Ok(Ready { bytes: Bytes::new(file.into_inner()), ending })
}

/// The picture in `bytes`, upright and within so many pixels, and what it was. Of a picture that
/// moves it is the first.
fn decoded(bytes: &[u8], width: u32, height: u32) -> ImageResult<(DynamicImage, ImageFormat)> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let unknown = || ImageError::Unsupported(ImageFormatHint::Unknown.into());
    let format = reader.format().ok_or_else(unknown)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    // The decoders hold their own buffers to the limit, and not the one that they fill.
    limits.reserve(decoder.total_bytes())?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    if picture.width() > width || picture.height() > height {
        picture = picture.thumbnail(width, height);
    }
    Ok((picture, format))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum of a part of a PNG (ISO/IEC 15948, annex D).
    fn checksum(bytes: &[u8]) -> u32 {
        let turn = |sum: u32, byte: &u8| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
                if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 }
            })
        };
        !bytes.iter().fold(u32::MAX, turn)
    }

    fn part(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let named = [kind, content].concat();
        let length = u32::try_from(content.len()).unwrap().to_be_bytes();
        [&length[..], &named, &checksum(&named).to_be_bytes()].concat()
    }

    /// A PNG that says it has so many pixels on each side, eight bits of four colours each, and
    /// holds next to none.
    fn png(side: u32) -> Vec<u8> {
        let mut head = [side.to_be_bytes(), side.to_be_bytes()].concat();
        head.extend([8, 6, 0, 0, 0]);
        let nothing = [0x78, 0x9c, 0x03, 0, 0, 0, 0, 1];
        let parts = [part(b"IHDR", &head), part(b"IDAT", &nothing), part(b"IEND", &[])];
        [b"\x89PNG\r\n\x1a\n".to_vec(), parts.concat()].concat()
    }

    /// A JPEG that says it has so many pixels on each side.
    fn jpeg(side: u16) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(8, 8).write_to(&mut file, ImageFormat::Jpeg).unwrap();
        let mut bytes = file.into_inner();
        let frame = bytes.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
        bytes[frame + 5..frame + 7].copy_from_slice(&side.to_be_bytes());
        bytes[frame + 7..frame + 9].copy_from_slice(&side.to_be_bytes());
        bytes
    }

    #[test]
    fn a_picture_that_takes_more_memory_than_it_may_is_refused_before_it_is_decoded() {
        for bomb in [png(4_097), png(20_000), png(100_000), jpeg(5_000), jpeg(60_000)] {
            let refused = ready(&bomb, ON_PAPER).map(|_| ()).unwrap_err();
            assert!(matches!(refused, ImageError::Limits(_)), "{} bytes: {refused}", bomb.len());
        }
        // One that is as large as it may be is decoded, and this one is damaged.
        let damaged = ready(&png(4_000), ON_PAPER).map(|_| ()).unwrap_err();
        assert!(!matches!(damaged, ImageError::Limits(_)), "{damaged}");
    }

    #[test]
    fn a_large_picture_is_made_small_in_each_format_that_may_be_uploaded() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
            let mut file = Cursor::new(Vec::new());
            let wide = image::RgbaImage::from_pixel(1_800, 20, image::Rgba([9, 99, 199, 255]));
            let wide = DynamicImage::from(wide);
            let wide = if format == ImageFormat::Jpeg { wide.into_rgb8().into() } else { wide };
            wide.write_to(&mut file, format).unwrap();
            let ready = ready(&file.into_inner(), ON_PAPER).unwrap();
            let small = image::load_from_memory(&ready.bytes).unwrap();
            assert_eq!((small.width(), small.height()), (900, 10), "{format:?}");
        }
    }

    #[test]
    fn a_picture_becomes_dots_where_it_is_dark_and_seen() {
        let mut file = Cursor::new(Vec::new());
        let picture = image::RgbaImage::from_fn(40, 10, |x, _| match x / 10 {
            0 => image::Rgba([0, 0, 0, 255]),
            1 => image::Rgba([0, 0, 0, 0]),
            2 => image::Rgba([255, 255, 255, 255]),
            _ => image::Rgba([128, 128, 128, 255]),
        });
        picture.write_to(&mut file, ImageFormat::Png).unwrap();
        let file = file.into_inner();
        let whole = dots(&file, 400, 160).unwrap();
        assert_eq!((whole.width, whole.dark.len()), (40, 400), "it is not made larger");
        let dark = |part: usize| {
            let rows = whole.dark.chunks(40).flat_map(|row| &row[part * 10..part * 10 + 10]);
            rows.filter(|dark| **dark).count()
        };
        assert_eq!([dark(0), dark(1), dark(2)], [100, 0, 0]);
        assert!((30..70).contains(&dark(3)), "half of a grey is dots: {}", dark(3));
        let small = dots(&file, 20, 160).unwrap();
        assert_eq!((small.width, small.dark.len()), (20, 100));
        assert_eq!(dots(b"no picture", 400, 160), None);
    }
}
