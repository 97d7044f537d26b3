//! Which pictures there can be, and how their bytes begin.

/// What a picture is, as its bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// ISO/IEC 15948.
    Png,
    /// ISO/IEC 10918-1.
    Jpeg,
    /// RFC 9649.
    Webp,
    /// It may move.
    Gif,
}

impl PictureFormat {
    /// What `bytes` begin as; `None` where they are no picture.
    #[must_use]
    pub const fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// Its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_first_bytes_and_all_of_them() {
        for (head, expected) in [
            (&b"\x89PNG\r\n\x1a\n"[..], PictureFormat::Png),
            (b"\xff\xd8\xff", PictureFormat::Jpeg),
            (b"GIF87a", PictureFormat::Gif),
            (b"GIF89a", PictureFormat::Gif),
            (b"RIFF\x10\0\0\0WEBP", PictureFormat::Webp),
        ] {
            let (short, more) = (&head[..head.len() - 1], [head, b" and more"].concat());
            assert_eq!(PictureFormat::of(head), Some(expected));
            assert_eq!(PictureFormat::of(&more), Some(expected));
            assert_eq!(PictureFormat::of(short), None);
        }
        for other in [&b""[..], b"GIF88a", b"RIFF\x10\0\0\0WAVE", b"<svg>"] {
            assert_eq!(PictureFormat::of(other), None);
        }
    }
}
