//! SAF-T (PT).

use std::fs::File;
use std::io::{BufWriter, Seek as _};

use actix_web::web;
use racun_access::Permission::{ReadRecords, WriteRecords};
use racun_delivery::exports::archive;
use racun_fiscalization::certified::{SaftPeriod, Unwatched, check_at_once, write_saft};
use racun_kernel::calendar::{format_date, parse_date};
use racun_kernel::{Issue, Issues};
use racun_portugal::saft::Encoding;
use serde::Deserialize;
use time::Date;
use utoipa::ToSchema;
use validator::Validate;

use super::{TAG, portugal};
use crate::answer::{Accepted, StreamedFile};
use crate::call::EntityCall;
use crate::error::ApiError;
use crate::exports::{ExportJobBody, in_turn};
use crate::request::{Body, Query};
use crate::route::{Gate, Parameter, Route};
use crate::scalar::Day;

const XML: &str = "application/xml";

const FROM: Parameter = Parameter::day("from", "The first day.");
const TO: Parameter = Parameter::day("to", "The last day, of the same year.");
const ENCODING: Parameter = Parameter::text(
    "encoding",
    "`windows-1252`, as the authority takes it, with letters that it lacks written with others; \
     or `utf-8`. `windows-1252` when absent.",
);

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/fiscalization/pt/saf-t", "exportSaftPt", Gate::Entity(ReadRecords), || {
        web::to(export)
    })
    .about(TAG, "Answers SAF-T (PT) 1.04_01 of a period.")
    .explained(
        "The file that the authority takes by the fifth of the next month: the certified documents \
         and receipts of the period, with the customers and products that they name. Voided \
         documents are in it with status A and in no sum. A month (31 days) is answered however \
         much it has; a longer period of more than 1,000 documents is 422 `too_many`: have it \
         written by `POST`.",
    )
    .reads(&[FROM, TO, ENCODING])
    .answers_file(XML),
    Route::post("/fiscalization/pt/saf-t", "beginSaftPt", Gate::Entity(WriteRecords), || {
        web::to(begin)
    })
    .read_by(&["getExportJob"])
    .about(TAG, "Begins to write SAF-T (PT) 1.04_01 of a longer period.")
    .explained(
        "A worker writes the file; ask `/documents/export/jobs/{id}` until it is `completed`, and \
         download `file_url`. It is the same file as `GET` answers, is kept for seven days and \
         counts against what the account stores.",
    )
    .takes::<SaftBody>()
    .accepts::<ExportJobBody>(),
];

/// Which documents, and in which letters.
#[derive(Debug, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = BeginSaftPt)]
struct SaftBody {
    /// The first day, `YYYY-MM-DD`.
    #[schema(value_type = String, format = Date)]
    from: Day,
    /// The last day, of the same year.
    #[schema(value_type = String, format = Date)]
    to: Day,
    /// `windows-1252` when absent, or `utf-8`.
    encoding: Option<String>,
}

fn day(query: &Query, of: Parameter, issues: &mut Issues) -> Result<Option<Date>, ApiError> {
    let Some(text) = query.one(of.name)? else {
        issues.push(Issue::new("required", "expected a day, YYYY-MM-DD").at(of.name));
        return Ok(None);
    };
    Ok(issues.collect(of.name, parse_date(text).map_err(Issues::from)))
}

/// The letters called `name`; those of the authority when missing.
fn letters(name: Option<&str>) -> Result<Encoding, Issues> {
    let name = name.unwrap_or(Encoding::default().name());
    let wrong = || Issue::new("invalid_value", "expected windows-1252 or utf-8").at(ENCODING.name);
    Encoding::from_name(name).ok_or_else(|| wrong().into())
}

async fn export(call: EntityCall, query: Query) -> Result<StreamedFile, ApiError> {
    let mut issues = Issues::default();
    let (from, to) = (day(&query, FROM, &mut issues)?, day(&query, TO, &mut issues)?);
    let encoding = issues.note(letters(query.one(ENCODING.name)?));
    issues.into_result(())?;
    let (Some(from), Some(to), Some(encoding)) = (from, to, encoding) else {
        return Err(ApiError::internal("a parameter is neither there nor missing"));
    };
    let period = SaftPeriod { from, to, encoding };
    check_at_once(call.cx(), call.entity(), period).await?;
    let name = format!("saft-pt_{}_{}.xml", format_date(from), format_date(to));
    let file = in_turn(&call, move |call| {
        let file: File = tempfile::tempfile().map_err(ApiError::internal)?;
        let out = BufWriter::new(file.try_clone().map_err(ApiError::internal)?);
        let mut watch = Unwatched;
        let written = write_saft(call.ports(), call.entity(), period, out, &mut watch);
        tokio::runtime::Handle::current().block_on(written)?;
        let mut file = file;
        file.rewind().map_err(ApiError::internal)?;
        Ok::<_, ApiError>(file)
    });
    Ok(StreamedFile { media_type: XML, name, file: file.await? })
}

async fn begin(
    call: EntityCall,
    body: Body<SaftBody>,
) -> Result<Accepted<ExportJobBody>, ApiError> {
    let SaftBody { from, to, encoding } = body.0;
    let encoding = letters(encoding.as_deref())?;
    let period = SaftPeriod { from: from.0, to: to.0, encoding };
    portugal(&call)?;
    let task =
        call.run(
            move |call| async move { archive::begin_saft(call.cx(), call.entity(), period).await },
        );
    Ok(Accepted(ExportJobBody::of(task.await?, &call)))
}
