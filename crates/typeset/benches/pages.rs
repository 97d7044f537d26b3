//! What a page costs, beside deflating a file in the same run, and beside typst's own command line
//! where there is one; and that memory is flat.
//!
//! Run with `cargo bench -p racun-typeset`, and `-- 500` for fewer renders in the part on memory,
//! which are 10,000 otherwise and take minutes. Fails when an invoice of 5 lines takes 15 ms of one
//! core or more, one of 50 lines 50 ms, or when memory grows by more than 16 MB.
//!
//! The limits are those of a core of one's own. Others on the same machine add to a time, a half
//! and more on a busy one, so all is measured in several passes, and the middle one counts; the
//! least and the most are printed beside it. A ratio is that of a page to the baseline of the same
//! pass.
#![expect(clippy::unwrap_used, reason = "a measurement ends where it cannot go on")]

#[expect(dead_code, reason = "the tests use the rest")]
#[path = "../tests/it/sample.rs"]
mod sample;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use racun_paper::{Paper, Row, Template};
use racun_typeset::Typesetter;
use rustix::time::{ClockId, clock_gettime};

/// How often all is measured, and how many different documents each time.
const PASSES: usize = 20;
const ROUNDS: usize = 9;
/// Renders of the part on memory.
const RENDERS: usize = 10_000;
/// What the baseline encodes: a picture of so many pixels on each side, as PNG.
const SIDE: u32 = 256;

/// The least, the middle and the most of `all`, of which there is at least one.
fn spread<T: Copy + Ord>(all: impl Iterator<Item = T>) -> [T; 3] {
    let mut all: Vec<T> = all.collect();
    all.sort();
    [all[0], all[all.len() / 2], all[all.len() - 1]]
}

/// The middle of as many measurements of `work` by `clock` as there are rounds; it takes the number
/// of the round.
fn median(clock: ClockId, mut work: impl FnMut(usize)) -> Duration {
    let now = || Duration::try_from(clock_gettime(clock)).unwrap();
    let [_, middle, _] = spread((0..ROUNDS).map(|round| {
        let began = now();
        work(round);
        now() - began
    }));
    middle
}

/// The middle of what `work` takes of all cores together.
fn of_cores(work: impl FnMut(usize)) -> Duration {
    median(ClockId::ProcessCPUTime, work)
}

/// Kilobytes of memory in use.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn baseline() -> Duration {
    let picture = image::RgbaImage::from_fn(SIDE, SIDE, |x, y| {
        let parts = [x * y % 251, x % 241, y % 239, 255].map(|part| u8::try_from(part).unwrap());
        image::Rgba(parts)
    });
    of_cores(|_| {
        let mut file = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut file, image::ImageFormat::Png).unwrap();
        black_box(file);
    })
}

/// The page with these files by typst's command line, a process for each; none where there is no
/// such program.
fn command_line(template: Template, files: &[(String, Vec<u8>)]) -> Option<Duration> {
    let is_there = Command::new("typst").arg("--version").output();
    is_there.is_ok_and(|output| output.status.success()).then_some(())?;
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    for template in std::fs::read_dir(crate_folder.join("templates")).unwrap() {
        let template = template.unwrap();
        std::fs::copy(template.path(), folder.path().join(template.file_name())).unwrap();
    }
    for (path, bytes) in files {
        std::fs::write(folder.path().join(path.trim_start_matches('/')), bytes).unwrap();
    }
    let source = folder.path().join(format!("{}.typ", template.name()));
    let time = median(ClockId::Monotonic, |_| {
        let mut typst = Command::new("typst");
        typst.args(["compile", "--ignore-system-fonts", "--pdf-standard", "a-3b", "--jobs", "1"]);
        typst.arg("--font-path").arg(crate_folder.join("fonts"));
        typst.arg("--root").arg(folder.path()).arg(&source).arg(folder.path().join("page.pdf"));
        let output = typst.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
    Some(time)
}

fn beside_command_line(setter: &Typesetter) {
    let papers = different(&sample::plain_invoice(Template::Modern, 5));
    let files = setter.files(&papers[0]).unwrap();
    let Some(theirs) = command_line(Template::Modern, &files) else {
        println!("not set beside typst's command line: no program typst here");
        return;
    };
    let own = median(ClockId::Monotonic, |round| {
        black_box(setter.paper(&papers[round]).unwrap());
    });
    println!(
        "typst's command line takes {} µs for a page of 5 lines, and we {} µs: {} times",
        theirs.as_micros(),
        own.as_micros(),
        theirs.as_micros() / own.as_micros().max(1),
    );
}

/// As many papers of the issuer of `paper` as there are rounds: with other numbers, amounts, names
/// and another customer each, for what is the same typst would not compute again.
fn different(paper: &Paper) -> Vec<Paper> {
    (0..ROUNDS).map(|round| another(paper.clone(), round)).collect()
}

fn another(mut paper: Paper, round: usize) -> Paper {
    // Other digits, as many as before; of one width, so that no line breaks elsewhere.
    let mut place = round;
    let mut digits = |text: &mut String| {
        let other = text.chars().map(|c| match c.to_digit(10) {
            Some(digit) => {
                place = place * 31 % 10_007 + round + 1;
                char::from_digit((digit + u32::try_from(place % 10).unwrap()) % 10, 10).unwrap()
            }
            None => c,
        });
        *text = other.collect();
    };
    let word = |text: &mut String| text.extend([' ', letter(round), letter(round / 26)]);
    paper.number = Some(format!("2026-{round}"));
    let facts = paper.facts.iter_mut().chain(paper.payment.iter_mut().flat_map(|p| &mut p.facts));
    facts.for_each(|fact| digits(&mut fact.text));
    paper.totals.iter_mut().for_each(|total| digits(&mut total.text));
    if let Some(customer) = &mut paper.customer {
        word(&mut customer.name);
        customer.address.iter_mut().for_each(word);
        customer.facts.iter_mut().for_each(|fact| digits(&mut fact.text));
    }
    for row in paper.lines.rows.iter_mut().chain(paper.taxes.iter_mut().flat_map(|t| &mut t.rows)) {
        let Row::Cells { cells, description, carried } = row else { continue };
        for cell in cells {
            if cell.contains(|c: char| c.is_ascii_digit()) { digits(cell) } else { word(cell) }
        }
        description.iter_mut().for_each(word);
        carried.iter_mut().for_each(&mut digits);
    }
    paper
}

fn letter(number: usize) -> char {
    char::from(b'a' + u8::try_from(number % 26).unwrap())
}

/// How many tenths of `base` something took.
fn tenths(own: Duration, base: Duration) -> u128 {
    own.as_micros() * 10 / base.as_micros().max(1)
}

/// Documents of one template, plain ones and such with everything on them; what one of the plain
/// ones may take of a core at most, and what they took in each pass.
struct Case {
    template: Template,
    lines: usize,
    limit: Duration,
    plain: Vec<Paper>,
    full: Vec<Paper>,
    costs: Vec<Duration>,
    costs_full: Vec<Duration>,
}

impl Case {
    fn new((template, lines, limit): (Template, usize, u64)) -> Self {
        Self {
            template,
            lines,
            limit: Duration::from_millis(limit),
            plain: different(&sample::plain_invoice(template, lines)),
            full: different(&sample::invoice(template, lines)),
            costs: Vec::new(),
            costs_full: Vec::new(),
        }
    }

    /// Prints what was measured beside the baseline in the same passes, and answers whether it
    /// keeps to the limit.
    fn report(&self, base: &[Duration], bytes: usize) -> bool {
        let [_, full, _] = spread(self.costs_full.iter().copied());
        let [least, middle, most] = spread(self.costs.iter().copied());
        let pairs = self.costs.iter().zip(base);
        let [_, ratio, _] = spread(pairs.map(|(own, base)| tenths(*own, *base)));
        println!(
            "{} with {} lines: {} µs of a core ({} to {}), {}.{} times the baseline; with \
             everything on it {} µs; {bytes} bytes",
            self.template.name(),
            self.lines,
            middle.as_micros(),
            least.as_micros(),
            most.as_micros(),
            ratio / 10,
            ratio % 10,
            full.as_micros(),
        );
        middle < self.limit
    }
}

fn main() {
    let mut words = std::env::args().filter_map(|word| word.parse().ok());
    let renders = words.next_back().unwrap_or(RENDERS);
    let setter = Typesetter::new().unwrap();
    let print = |paper: &Paper| black_box(setter.paper(paper).unwrap().len());
    let cases = [(Template::Modern, 5, 15), (Template::Modern, 50, 50), (Template::Classic, 5, 15)];
    let more = [(Template::Receipt80, 5, 15), (Template::Modern, 500, 2_000)];
    let mut cases: Vec<Case> = cases.into_iter().chain(more).map(Case::new).collect();
    let mut base = Vec::new();
    for _ in 0..PASSES {
        base.push(baseline());
        for case in &mut cases {
            let cost = |papers: &[Paper]| {
                of_cores(|round| {
                    print(&papers[round]);
                })
            };
            case.costs.push(cost(&case.plain));
            case.costs_full.push(cost(&case.full));
        }
    }
    let [_, middle, _] = spread(base.iter().copied());
    println!("baseline, a PNG of {SIDE} by {SIDE} pixels: {} µs", middle.as_micros());
    let mut failed = false;
    for case in &cases {
        failed |= !case.report(&base, print(&case.plain[0]));
    }
    beside_command_line(&setter);
    let paper =
        |number: usize| another(sample::plain_invoice(Template::ALL[number % 8], 5), number);
    (0..100).for_each(|number| {
        print(&paper(number));
    });
    let before = memory();
    (0..renders).for_each(|number| {
        print(&paper(number));
    });
    let after = memory();
    println!("memory over {renders} renders: {before} kB, then {after} kB");
    failed |= after > before + 16_000;
    std::process::exit(i32::from(failed));
}
