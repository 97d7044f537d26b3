//! What bytes are, told by themselves, and how large a picture is. Nothing is decoded: only the few
//! bytes are read that say so.

use racun_kernel::{Issue, Issues, PictureFormat};
use racun_store::Value;
use serde::{Deserialize, Serialize};

use super::FileRefused;

/// What files may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// A picture (ISO/IEC 15948).
    Png,
    /// A picture.
    Jpg,
    /// A picture (RFC 9649).
    Webp,
    /// A picture, which may move.
    Gif,
    /// Pages.
    Pdf,
    /// Text with marks, but neither SVG nor HTML, which programs run.
    Xml,
    /// A table as text. It has no signs of its own, so its name has to say so.
    Csv,
    /// A workbook.
    Xlsx,
    /// An archive.
    Zip,
}

impl racun_store::Declared for FileFormat {
    fn declared(&self) -> Value {
        self.name().declared()
    }
}

impl From<PictureFormat> for FileFormat {
    fn from(picture: PictureFormat) -> Self {
        match picture {
            PictureFormat::Png => Self::Png,
            PictureFormat::Jpeg => Self::Jpg,
            PictureFormat::Webp => Self::Webp,
            PictureFormat::Gif => Self::Gif,
        }
    }
}

impl FileFormat {
    /// Its name on the wire, and the extension of files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpg => "jpg",
            Self::Webp => "webp",
            Self::Gif => "gif",
            Self::Pdf => "pdf",
            Self::Xml => "xml",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Zip => "zip",
        }
    }

    /// Its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => PictureFormat::Png.media_type(),
            Self::Jpg => PictureFormat::Jpeg.media_type(),
            Self::Webp => PictureFormat::Webp.media_type(),
            Self::Gif => PictureFormat::Gif.media_type(),
            Self::Pdf => "application/pdf",
            Self::Xml => "application/xml",
            Self::Csv => "text/csv",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Zip => "application/zip",
        }
    }

    /// Whether it is a picture.
    #[must_use]
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Png | Self::Jpg | Self::Webp | Self::Gif)
    }

    /// What `bytes` are; of a name only `csv` is believed, where nothing speaks against it.
    pub(super) fn of(bytes: &[u8], extension: Option<&str>) -> Option<Self> {
        if let Some(picture) = PictureFormat::of(bytes) {
            return Some(picture.into());
        }
        match bytes {
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Self::Pdf),
            [b'P', b'K', 3, 4, ..] if is_workbook(bytes) => Some(Self::Xlsx),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Zip),
            _ => Self::of_text(bytes, extension),
        }
    }

    fn of_text(bytes: &[u8], extension: Option<&str>) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let is_plain = |sign: char| !sign.is_control() || matches!(sign, '\t' | '\r' | '\n');
        if !text.chars().all(is_plain) || text.starts_with("#!") {
            return None;
        }
        match (text.starts_with('<'), extension) {
            (true, _) => (text.starts_with("<?xml") && !is_active(text)).then_some(Self::Xml),
            (false, Some("csv")) => Some(Self::Csv),
            (false, _) => None,
        }
    }

    /// Whether what a sender says of a file is what its bytes say. Saying nothing is no lie.
    pub(super) fn agrees(
        self,
        media_type: Option<&str>,
        extension: Option<&str>,
    ) -> Result<(), FileRefused> {
        let lie = |said: &str| {
            let message = format!("the file is {}, and not what {said:?} says", self.name());
            FileRefused::UnsupportedType(message)
        };
        let essence = media_type.and_then(|said| said.split(';').next()).unwrap_or_default();
        let essence = essence.trim().to_lowercase();
        let is_known =
            essence == self.media_type() || self.other_media_types().contains(&&*essence);
        if !matches!(&*essence, "" | "application/octet-stream") && !is_known {
            return Err(lie(&essence));
        }
        match extension {
            Some("jpeg" | "jpe") if self == Self::Jpg => Ok(()),
            Some(extension) if extension != self.name() => Err(lie(extension)),
            _ => Ok(()),
        }
    }

    /// What programs call it as well.
    const fn other_media_types(self) -> &'static [&'static str] {
        match self {
            Self::Jpg => &["image/jpg", "image/pjpeg"],
            Self::Xml => &["text/xml"],
            Self::Csv => &["application/csv", "application/vnd.ms-excel", "text/plain"],
            Self::Zip => &["application/x-zip-compressed", "application/x-zip"],
            Self::Xlsx => &["application/zip"],
            Self::Png | Self::Webp | Self::Gif | Self::Pdf => &[],
        }
    }

    /// Width and height of a picture, which has at most so many pixels, or half as many where each
    /// takes twice the bytes; nothing of anything else.
    pub(super) fn size(self, bytes: &[u8], most: i64) -> Result<Option<(i64, i64)>, Issues> {
        let size = match self {
            Self::Png => png(bytes),
            Self::Jpg => jpg(bytes),
            Self::Webp => webp(bytes),
            Self::Gif => gif(bytes),
            Self::Pdf | Self::Xml | Self::Csv | Self::Xlsx | Self::Zip => return Ok(None),
        };
        let whole = |(width, height): &(i64, i64)| *width > 0 && *height > 0;
        let Some((width, height)) = size.filter(whole) else {
            let message = "the picture is damaged: it does not say how large it is";
            return Err(Issue::new("invalid_value", message).at("file").into());
        };
        let most = if self == Self::Png && is_deep(bytes) { most / 2 } else { most };
        if width.saturating_mul(height) > most {
            let million = most / 1_000_000;
            let message = format!(
                "this picture has {width} by {height} pixels, and {million} million pixels are the \
                 most here: save it smaller"
            );
            return Err(Issue::new("out_of_range", message).at("file").into());
        }
        Ok(Some((width, height)))
    }
}

/// Whether an archive is a workbook: it names one.
fn is_workbook(bytes: &[u8]) -> bool {
    let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    holds(b"[Content_Types].xml") && holds(b"xl/workbook.xml")
}

/// Whether XML is something that programs run, or that makes a reader fetch or unfold more than
/// there is.
fn is_active(text: &str) -> bool {
    let text = text.to_lowercase();
    let active = [
        "<!doctype",
        "<!entity",
        "<svg",
        ":svg",
        "<html",
        ":html",
        "<script",
        ":script",
        "w3.org/2000/svg",
        "w3.org/1999/xhtml",
        "w3.org/1999/xsl",
        "<?xml-stylesheet",
    ];
    active.iter().any(|part| text.contains(part))
}

/// The number of two bytes.
fn two(bytes: &[u8], at: usize, read: fn([u8; 2]) -> u16) -> Option<i64> {
    Some(read(bytes.get(at..at + 2)?.try_into().ok()?).into())
}

fn png(bytes: &[u8]) -> Option<(i64, i64)> {
    if bytes.get(12..16)? != b"IHDR" {
        return None;
    }
    let four = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?).into());
    Some((four(16)?, four(20)?))
}

/// Whether a PNG has 16 bits for each colour (ISO/IEC 15948, 11.2.1).
fn is_deep(bytes: &[u8]) -> bool {
    bytes.get(24) == Some(&16)
}

fn gif(bytes: &[u8]) -> Option<(i64, i64)> {
    Some((two(bytes, 6, u16::from_le_bytes)?, two(bytes, 8, u16::from_le_bytes)?))
}

/// Walks the segments to the one that begins the frame (ITU T.81, B.2.2).
fn jpg(bytes: &[u8]) -> Option<(i64, i64)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // A byte that fills.
            0xff => at += 1,
            // Those without a length.
            0x01 | 0xd0..=0xd7 => at += 2,
            // Frames, but for the three tables among their numbers.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let height = two(bytes, at + 5, u16::from_be_bytes)?;
                return Some((two(bytes, at + 7, u16::from_be_bytes)?, height));
            }
            // The picture begins or ends before it said how large it is.
            0xd8..=0xda => return None,
            _ => {
                let length = usize::try_from(two(bytes, at + 2, u16::from_be_bytes)?).ok()?;
                at += 2 + length.max(2);
            }
        }
    }
}

/// The three ways in which WebP says it (RFC 9649, 2.5 to 2.7).
fn webp(bytes: &[u8]) -> Option<(i64, i64)> {
    let fourteen = |at: usize| Some(two(bytes, at, u16::from_le_bytes)? & 0x3fff);
    let three = |at: usize| {
        let [low, middle, high] = bytes.get(at..at + 3)?.try_into().ok()?;
        Some(i64::from(u32::from_le_bytes([low, middle, high, 0])) + 1)
    };
    match bytes.get(12..16)? {
        b"VP8 " if bytes.get(23..26)? == [0x9d, 0x01, 0x2a] => Some((fourteen(26)?, fourteen(28)?)),
        b"VP8L" if *bytes.get(20)? == 0x2f => {
            let bits = u32::from_le_bytes(bytes.get(21..25)?.try_into().ok()?);
            Some((i64::from(bits & 0x3fff) + 1, i64::from((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => Some((three(24)?, three(27)?)),
        _ => None,
    }
}
