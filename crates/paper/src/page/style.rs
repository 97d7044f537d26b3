//! The style sheet of pages.

/// What needs no colour of the issuer's. Contrasts are 4.5 to 1 and more with
/// every such colour: it is never behind or in letters. On paper a code has the size that its image
/// says.
const SHEET: &str = "*{box-sizing:border-box}\
body{margin:0;background:#f2f3f5;color:#1a1a1a;font:1rem/1.5 system-ui,sans-serif}\
main{max-width:56rem;margin:0 auto;padding:1rem}\
article{background:#fff;border-top:.5rem solid var(--main);padding:clamp(1rem,4vw,3rem);\
border-radius:.25rem}\
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0 1rem;overflow-wrap:anywhere}\
h2{font-size:1.05rem;margin:2rem 0 .5rem}\
p,dd,li,address,a,tbody th,.long{overflow-wrap:anywhere}\
p,dd,td,th,li,address,a,caption{unicode-bidi:isolate}\
.text{white-space:pre-line}\
.logo{max-width:calc(100%*var(--logo));height:auto;max-height:calc(6rem*var(--logo))}\
.signature{max-width:100%;height:auto;max-height:6rem}\
.service{max-width:100%;height:auto;max-height:3rem}\
.state{display:inline-block;border:2px solid currentColor;border-radius:.25rem;\
padding:.1rem .6rem;margin:0 .5rem .5rem 0;font-weight:600}\
.draft,.test,.expired{color:#6b4400}.void,.overdue,.rejected,.problem{color:#a3001b}\
.paid,.accepted,.pending{color:#0b5d1e}\
.sides,.pay{display:grid;gap:1rem 2rem;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr))}\
address{font-style:normal}.name{font-weight:600;margin:0}.label{color:#595959;margin:0}\
dl{display:grid;align-content:start;grid-template-columns:minmax(7rem,auto) 1fr;\
gap:.15rem 1rem;margin:.5rem 0}\
dt{color:#595959}dd{margin:0;user-select:all}\
table{width:100%;border-collapse:collapse;margin:1rem 0}caption{text-align:start;\
font-weight:600;padding:.5rem 0}\
th,td{padding:.4rem .5rem;text-align:start;vertical-align:top;border-bottom:1px solid #d5d7db;\
white-space:pre-line}.fixed{white-space:pre}.wide{font-size:.85rem}\
thead th{border-bottom:2px solid var(--main);font-weight:600}.end{text-align:end}\
.more{display:block;color:#595959;font-weight:400}\
.totals{max-width:26rem;margin:1rem 0 0 auto}.totals dl{display:flex;flex-wrap:wrap}\
.totals dt{flex:1 0 50%}.totals dd{flex:1 0 auto;min-width:35%;text-align:end;white-space:nowrap}\
.strong{font-weight:600}\
.main-total{font-weight:700;font-size:1.25rem;border-top:3px solid var(--main);padding-top:.25rem}\
figure{margin:1rem 0}figcaption{color:#595959;font-size:.9rem}\
figure svg{background:#fff;display:block}\
@media screen{figure svg{width:100%;max-width:18rem;height:auto}figure.wide svg{max-width:28rem}}\
.actions{display:flex;flex-wrap:wrap;gap:1rem;align-items:center;padding:1rem 0}\
.actions section{display:flex;flex-wrap:wrap;gap:1rem}form{margin:0}\
button,.download{font:inherit;display:inline-block;min-height:44px;padding:.6rem 1.4rem;\
border:2px solid #1a1a1a;border-radius:.25rem;background:#fff;color:#1a1a1a;\
text-decoration:none;cursor:pointer}button.main{background:#1a1a1a;color:#fff}\
:focus-visible{outline:3px solid #1d4ed8;outline-offset:2px}\
footer{margin-top:2rem;color:#595959;font-size:.9rem}\
@media(max-width:40rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}\
@media print{body{background:#fff}.actions{display:none}main{max-width:none;padding:0}}";

/// The class of a table whose rows are blocks on wider screens than those of others.
const WIDE: &str = "wide";
/// The class of a table whose rows are blocks on every screen.
const BLOCKS: &str = "blocks";

/// The class of a table whose columns have so many letters together, by what fits where the rows of
/// others and of wide ones become blocks.
pub(super) const fn table_class(letters: usize) -> Option<&'static str> {
    match letters {
        0..=56 => None,
        57..=74 => Some(WIDE),
        _ => Some(BLOCKS),
    }
}

/// What makes the rows of `table`, a selector, blocks of labels and texts. A text stands beside its
/// label where there is room, and else under it.
fn blocks(table: &str) -> String {
    format!(
        "{table} thead{{position:absolute;width:1px;height:1px;overflow:hidden;\
         clip-path:inset(50%);white-space:nowrap}}\
         {table},{table} caption,{table} tbody,{table} tr,{table} td,{table} tbody th\
         {{display:block;width:100%}}\
         {table} tbody tr{{border-bottom:2px solid #d5d7db;padding:.5rem 0}}\
         {table} tbody td,{table} tbody th{{border:0;padding:.1rem 0}}\
         {table} tbody .end{{text-align:start}}\
         {table} tbody [data-label]{{display:flex;flex-wrap:wrap;gap:0 1rem}}\
         {table} tbody [data-label]::before{{content:attr(data-label);color:#595959;\
         font-weight:400;flex:0 0 40%;min-width:min-content;overflow-wrap:normal}}"
    )
}

/// The sheet with `color` for lines, a logo of `logo_percent` of its size, and the `rules` of a
/// template.
pub(super) fn sheet(color: &str, logo_percent: u8, rules: &str) -> String {
    let of = |class: &str| blocks(&format!("table.{class}"));
    let (narrow, wide, all) = (blocks("table"), of(WIDE), of(BLOCKS));
    let (whole, part) = (logo_percent / 100, logo_percent % 100);
    format!(
        ":root{{--main:{color};--logo:{whole}.{part:02}}}{SHEET}{rules}\
         @media(max-width:50rem){{{narrow}}}@media(max-width:64rem){{{wide}}}{all}"
    )
}
