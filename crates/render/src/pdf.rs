//! PDF.

use krilla::Document;
use krilla::color::rgb;
use krilla::geom::{PathBuilder, Point};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::Stroke;
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};

use crate::fonts::{BOLD, REGULAR, Ruler};
use crate::layout::{HEIGHT, MARGIN, Mark, WIDTH, pages};
use crate::{RenderError, Text};

/// `text` as a PDF file of A4 pages, with the letters that it uses embedded.
///
/// It computes for some milliseconds.
///
/// # Errors
/// When it cannot be written: a mistake in the program.
pub fn pdf(text: &Text) -> Result<Vec<u8>, RenderError> {
    let failed = |reason: &str| RenderError::new("PDF", reason);
    let load = |data: &'static [u8]| Font::new(data.to_vec().into(), 0);
    let fonts = load(REGULAR).zip(load(BOLD)).ok_or_else(|| failed("the fonts cannot be read"))?;
    let size = PageSettings::from_wh(WIDTH.into(), HEIGHT.into());
    let size = size.ok_or_else(|| failed("a page has no size"))?;
    let mut document = Document::new();
    for marks in pages(text, &Ruler::new()?) {
        let mut page = document.start_page_with(size.clone());
        let mut surface = page.surface();
        marks.iter().for_each(|mark| draw(&mut surface, mark, &fonts));
        surface.finish();
        page.finish();
    }
    let told = Metadata::new().title(text.title.clone()).language(text.language.clone());
    document.set_metadata(told.creator("Racun".to_owned()));
    document.finish().map_err(|error| RenderError::new("PDF", format!("{error:?}")))
}

fn draw(surface: &mut Surface<'_>, mark: &Mark, (regular, bold): &(Font, Font)) {
    match mark {
        Mark::Words { x, y, size, is_bold, words } => {
            let font = if *is_bold { bold } else { regular };
            let start = Point::from_xy((*x).into(), (*y).into());
            let direction = TextDirection::LeftToRight;
            surface.draw_text(start, font.clone(), (*size).into(), words, false, direction);
        }
        Mark::Line { y } => {
            let mut path = PathBuilder::new();
            path.move_to(MARGIN.into(), (*y).into());
            path.line_to((WIDTH - MARGIN).into(), (*y).into());
            if let Some(path) = path.finish() {
                let grey = rgb::Color::new(170, 170, 170);
                let stroke =
                    Stroke { paint: grey.into(), opacity: NormalizedF32::ONE, ..Stroke::default() };
                let before = surface.get_fill().cloned();
                surface.set_fill(None);
                surface.set_stroke(Some(stroke));
                surface.draw_path(&path);
                surface.set_stroke(None);
                surface.set_fill(before);
            }
        }
    }
}
