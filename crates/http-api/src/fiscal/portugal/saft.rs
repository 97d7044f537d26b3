//! SAF-T (PT).

use std::fs::File;
use std::io::{BufWriter, Seek as _};

use actix_web::web;
use racun_access::Permission::ReadRecords;
use racun_fiscalization::certified::{SaftPeriod, write_saft};
use racun_kernel::calendar::{format_date, parse_date};
use racun_kernel::{Issue, Issues};
use racun_portugal::saft::Encoding;
use time::Date;

use super::TAG;
use crate::answer::StreamedFile;
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::exports::in_turn;
use crate::request::Query;
use crate::route::{Gate, Parameter, Route};

const XML: &str = "application/xml";

const FROM: Parameter = Parameter::day("from", "The first day.");
const TO: Parameter = Parameter::day("to", "The last day, of the same year.");
const ENCODING: Parameter = Parameter::text(
    "encoding",
    "`windows-1252`, as the authority takes it, with letters that it lacks written with others; \
     or `utf-8`. `windows-1252` when absent.",
);

pub(crate) const ROUTES: &[Route] = &[Route::get(
    "/fiscalization/pt/saf-t",
    "exportSaftPt",
    Gate::Entity(ReadRecords),
    || web::to(export),
)
.about(TAG, "Answers SAF-T (PT) 1.04_01 of a period.")
.explained(
    "The file that the authority takes by the fifth of the next month: the certified documents of \
     the period, with the customers and products that they name. Voided documents are in it with \
     status A and in no sum.",
)
.reads(&[FROM, TO, ENCODING])
.answers_file(XML)];

fn day(query: &Query, of: Parameter, issues: &mut Issues) -> Result<Option<Date>, ApiError> {
    let Some(text) = query.one(of.name)? else {
        issues.push(Issue::new("required", "expected a day, YYYY-MM-DD").at(of.name));
        return Ok(None);
    };
    Ok(issues.collect(of.name, parse_date(text).map_err(Issues::from)))
}

async fn export(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    let mut issues = Issues::default();
    let (from, to) = (day(&query, FROM, &mut issues)?, day(&query, TO, &mut issues)?);
    let encoding = query.one(ENCODING.name)?.unwrap_or(Encoding::default().name());
    let encoding = Encoding::from_name(encoding).ok_or_else(|| {
        Issues::from(
            Issue::new("invalid_value", "expected windows-1252 or utf-8").at(ENCODING.name),
        )
    });
    let encoding = issues.note(encoding);
    issues.into_result(())?;
    let (Some(from), Some(to), Some(encoding)) = (from, to, encoding) else {
        return Err(ApiError::internal("a parameter is neither there nor missing"));
    };
    let period = SaftPeriod { from, to, encoding };
    let name = format!("saft-pt_{}_{}.xml", format_date(from), format_date(to));
    let file = in_turn(&call, move |call| {
        let file: File = tempfile::tempfile().map_err(ApiError::internal)?;
        let out = BufWriter::new(file.try_clone().map_err(ApiError::internal)?);
        let written = write_saft(call.ports(), call.entity(), period, out);
        tokio::runtime::Handle::current().block_on(written)?;
        let mut file = file;
        file.rewind().map_err(ApiError::internal)?;
        Ok::<_, ApiError>(file)
    });
    Ok(StreamedFile { media_type: XML, name, file: file.await? })
}
