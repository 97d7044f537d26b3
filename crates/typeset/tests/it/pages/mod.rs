//! First pages of all templates look as they did: the PNG files beside this file, at 40 dpi.
//!
//! After a wanted change, look at the new pages and store them:
//! `RACUN_STORE_PAGES=1 cargo test -p racun-typeset pages`.

use std::path::PathBuf;

use image::GrayImage;
use racun_paper::Template;

use crate::sample::invoice;
use crate::set;
use crate::tools::page;

/// Pixels on each side of the parts that are compared.
const PART: u32 = 12;
/// By how much of 255 a part may differ on average: readers draw edges of letters differently.
const MOST: u32 = 40;

fn stored(template: Template) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/pages");
    folder.join(format!("{}.png", template.name()))
}

/// The mean of a part of `picture`.
fn mean(picture: &GrayImage, left: u32, top: u32) -> u32 {
    let (right, bottom) = ((left + PART).min(picture.width()), (top + PART).min(picture.height()));
    let pixels = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    let values: Vec<u32> = pixels.map(|(x, y)| picture.get_pixel(x, y).0[0].into()).collect();
    values.iter().sum::<u32>() / u32::try_from(values.len()).unwrap().max(1)
}

#[test]
fn first_pages_look_as_they_did() {
    let stores = std::env::var_os("RACUN_STORE_PAGES").is_some();
    for template in Template::ALL {
        let mut paper = invoice(template, 8);
        paper.primary_color = Some("#7a1f3d".to_owned());
        let now = page(&set(&paper), 40);
        if stores {
            std::fs::create_dir_all(stored(template).parent().unwrap()).unwrap();
            now.save(stored(template)).unwrap();
        }
        let before = image::open(stored(template)).unwrap().into_luma8();
        let (across, down) = before.dimensions();
        let is_near = |a: u32, b: u32| a.abs_diff(b) <= 2;
        assert!(is_near(across, now.width()) && is_near(down, now.height()), "{template:?}");
        let parts = (0..down.min(now.height()) / PART)
            .flat_map(|y| (0..across.min(now.width()) / PART).map(move |x| (x * PART, y * PART)));
        let other = parts
            .filter(|(x, y)| mean(&before, *x, *y).abs_diff(mean(&now, *x, *y)) > MOST)
            .collect::<Vec<_>>();
        assert!(other.is_empty(), "{template:?} looks different at {other:?}, in pixels");
    }
}
