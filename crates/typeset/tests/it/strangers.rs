//! Pictures and texts that no client of ours sends end in a page.

use racun_paper::Template;

use crate::sample::{picture, plain_invoice};
use crate::set;
use crate::tools::words;

/// Numbers that look like chance, and are the same each time.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % below
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.next(256)).unwrap()
    }
}

/// A picture in each format that may be uploaded.
fn whole() -> Vec<Vec<u8>> {
    let png = picture().bytes;
    let decoded = image::load_from_memory(&png).unwrap();
    let other = |format| {
        let mut file = std::io::Cursor::new(Vec::new());
        decoded.to_rgb8().write_to(&mut file, format).unwrap();
        file.into_inner()
    };
    vec![other(image::ImageFormat::Jpeg), other(image::ImageFormat::WebP), png]
}

#[test]
fn any_picture_ends_in_a_page() {
    let mut dice = Dice(7);
    for file in whole() {
        for turn in 0..5 {
            let mut altered = file.clone();
            for _ in 0..=turn {
                let place = usize::try_from(dice.next(altered.len().try_into().unwrap())).unwrap();
                altered[place] = dice.byte();
            }
            if turn == 4 {
                altered.truncate(altered.len() / 2);
            }
            let mut paper = plain_invoice(Template::Receipt80, 1);
            let mut logo = picture();
            logo.bytes = altered;
            paper.logo = Some(logo);
            assert!(!words(&set(&paper)).is_empty());
        }
    }
}

#[test]
fn any_text_ends_in_a_page() {
    let mut dice = Dice(11);
    for _ in 0..8 {
        let mut text = || -> String {
            (0..200)
                .filter_map(|_| {
                    let limit =
                        [0x80, 0x300, 0x3000, 0x1_0000, 0x11_0000][usize::from(dice.byte()) % 5];
                    char::from_u32(u32::try_from(dice.next(limit)).unwrap())
                })
                .collect()
        };
        let mut paper = plain_invoice(Template::Receipt58, 1);
        paper.customer.as_mut().unwrap().name = text();
        paper.title = text();
        paper.notes[0].text = text();
        paper.footer = Some(text());
        assert!(!words(&set(&paper)).is_empty());
    }
}
