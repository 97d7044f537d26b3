//! What pages have of their templates: colour, letters and rules as on the PDF, for the same texts
//! and codes in the same order.
//!
//! Letters are black or grey on white or on nearly white, as in the sheet of all: colours are in
//! rules alone. Nothing here makes a column narrower than the sheet does.

use crate::model::Template;

const MODERN: &str = "h1{font-size:1.75rem}\
.sides{border-top:3px solid var(--main);padding-top:1rem}\
thead th{background:#eef1f5;border-bottom-width:1px}";

const CLASSIC: &str = "body{font-family:Georgia,\"Times New Roman\",serif}\
article{border-top:0}header{text-align:center}h1{font-weight:400}\
.sides{border-top:6px double var(--main);padding-top:1rem;text-align:start}\
table{border:solid #8a8a8a;border-width:1px 0}";

const CONDENSED: &str = "body{font-size:.875rem;line-height:1.35}\
article{border-top-width:.15rem;padding:clamp(.75rem,2vw,1.5rem)}\
h1{font-size:1.25rem}h2{margin:1rem 0 .25rem}table{margin:.5rem 0}th,td{padding:.15rem .4rem}\
thead th{border-bottom-width:1px}footer{margin-top:1rem}";

const MINIMAL: &str = "body{background:#fff}article{border-top:0}\
h1{font-size:1.4rem;font-weight:400;margin-bottom:2rem}th,td{border-bottom:0}\
thead th{border-bottom:1px solid var(--main);font-weight:400}\
.main-total{border-top-width:1px;font-size:1.1rem}";

const FASHION: &str = "article{border-top:0}header{text-align:center}\
.logo{max-height:calc(9rem*var(--logo))}\
h1{font-family:Georgia,\"Times New Roman\",serif;font-weight:400}.label{letter-spacing:.04em}\
.sides{border-top:1px solid var(--main);padding-top:1.5rem;text-align:start}\
th,td{border-bottom-color:#cdbfae;padding-block:.6rem}\
thead th{border-bottom:1px solid var(--main)}.main-total{border-top-width:1px}\
@media(min-width:40rem){h1{font-size:2.1rem;letter-spacing:.04em}}";

const TIMELESS: &str = "article{border-top-width:2rem}\
h1{font-family:Georgia,\"Times New Roman\",serif}\
.sides>*{border:1px solid #c9ced6;padding:.75rem;margin:0}\
th,td{border-bottom:0}thead th{border-bottom:4px solid var(--main)}\
tbody tr:nth-child(even){background:#f4f6f5}";

/// The rules of `template`; none of rolls, whose pages are plain.
pub(super) const fn rules(template: Template) -> &'static str {
    match template {
        Template::Modern => MODERN,
        Template::Classic => CLASSIC,
        Template::Condensed => CONDENSED,
        Template::Minimal => MINIMAL,
        Template::Fashion => FASHION,
        Template::TimelessModernFullData => TIMELESS,
        Template::Receipt80 | Template::Receipt58 => "",
    }
}
