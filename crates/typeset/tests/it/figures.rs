//! Where the figures of a file stand: logos, signatures and codes, as qpdf takes its pages apart.

use crate::tools::unpacked;

/// What a figure covers with what is light around it, in thousandths of a point from the left and
/// from the foot of its page.
#[derive(Debug, PartialEq, Eq)]
pub struct Figure {
    pub page: usize,
    pub left: i64,
    pub foot: i64,
    pub right: i64,
    pub head: i64,
}

/// Numbers are in millionths of a point.
const ONE: i128 = 1_000_000;

/// From the coordinates in which something is drawn to those of the page: `a b c d e f` of ISO
/// 32000-2, 8.3.
type Matrix = [i128; 6];

const PLAIN: Matrix = [ONE, 0, 0, ONE, 0, 0];

fn moved([a, b, c, d, e, f]: Matrix, (x, y): (i128, i128)) -> (i128, i128) {
    ((a * x + c * y) / ONE + e, (b * x + d * y) / ONE + f)
}

/// `inner` and then `outer`.
fn joined([a, b, c, d, e, f]: Matrix, outer: Matrix) -> Matrix {
    let turn = [outer[0], outer[1], outer[2], outer[3], 0, 0];
    let ((a, b), (c, d)) = (moved(turn, (a, b)), moved(turn, (c, d)));
    let (e, f) = moved(outer, (e, f));
    [a, b, c, d, e, f]
}

/// A number; letters of fonts, which may look like long ones, are none.
fn number(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = !digits.is_empty()
        && digits.len() < 20
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction: i128 = format!("{fraction:0<6}").get(..6)?.parse().ok()?;
    is_number.then(|| sign * (whole * ONE + fraction))
}

/// What is drawn on a page, operator by operator.
#[derive(Default)]
struct Drawing {
    matrix: Option<Matrix>,
    kept: Vec<Option<Matrix>>,
    numbers: Vec<i128>,
    /// Whether the marks that begin have a text that stands for what is seen: those of figures.
    has_text: bool,
    /// The corners of the figure that is drawn.
    corners: Option<Vec<(i128, i128)>>,
    found: Vec<Vec<(i128, i128)>>,
}

impl Drawing {
    fn word(&mut self, word: &str) {
        if let Some(number) = number(word) {
            self.numbers.push(number);
            return;
        }
        let numbers = std::mem::take(&mut self.numbers);
        let matrix = self.matrix.unwrap_or(PLAIN);
        let last = |count: usize| numbers.len().checked_sub(count).map(|from| &numbers[from..]);
        match (word, last(2), last(4), last(6)) {
            ("Alt", ..) => self.has_text = true,
            ("BDC", ..) if std::mem::take(&mut self.has_text) => self.corners = Some(Vec::new()),
            ("EMC", ..) => self.found.extend(self.corners.take()),
            ("q", ..) => self.kept.push(self.matrix),
            ("Q", ..) => self.matrix = self.kept.pop().flatten(),
            ("cm", _, _, Some(&[a, b, c, d, e, f])) => {
                self.matrix = Some(joined([a, b, c, d, e, f], matrix));
            }
            ("m" | "l", Some(&[x, y]), ..) => self.add([(x, y)]),
            ("re", _, Some(&[x, y, width, height]), _) => {
                self.add([(x, y), (x + width, y + height)]);
            }
            ("Do", ..) => self.add([(0, 0), (ONE, 0), (0, ONE), (ONE, ONE)]),
            _ => {}
        }
    }

    fn add<const N: usize>(&mut self, points: [(i128, i128); N]) {
        let matrix = self.matrix.unwrap_or(PLAIN);
        if let Some(corners) = &mut self.corners {
            corners.extend(points.map(|point| moved(matrix, point)));
        }
    }
}

/// The figures of `pdf`, page by page.
pub fn figures(pdf: &[u8]) -> Vec<Figure> {
    let (mut page, mut drawing, mut figures) = (None, None, Vec::new());
    for line in String::from_utf8_lossy(&unpacked(pdf)).lines() {
        if let Some(number) = line.strip_prefix("%% Contents for page ") {
            page = number.parse::<usize>().ok();
        } else if line == "endstream" {
            let drawn: Option<Drawing> = drawing.take();
            let all = drawn.into_iter().flat_map(|drawing| drawing.found);
            figures.extend(all.filter_map(|corners| Some(figure(page?, &corners))));
            page = None;
        } else if line == "stream" && page.is_some() {
            drawing = Some(Drawing::default());
        } else if let Some(drawing) = &mut drawing {
            let words = line.split([' ', '/', '[', ']', '<', '>', '(', ')']);
            words.filter(|word| !word.is_empty()).for_each(|word| drawing.word(word));
        }
    }
    figures
}

fn figure(page: usize, corners: &[(i128, i128)]) -> Figure {
    let (across, up): (Vec<i128>, Vec<i128>) = corners.iter().copied().unzip();
    let thousandths = |number: Option<i128>| i64::try_from(number.unwrap() / 1_000).unwrap();
    Figure {
        page,
        left: thousandths(across.iter().copied().min()),
        foot: thousandths(up.iter().copied().min()),
        right: thousandths(across.iter().copied().max()),
        head: thousandths(up.iter().copied().max()),
    }
}
