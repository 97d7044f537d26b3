//! Revenue and cost over time.

use racun_documents::recognition::{RECOGNITION_ENTRIES, RecognitionEntry, RecognitionSide};
use racun_insights::{RecognitionReport, RecognitionRow, Spread, check_report};
use racun_kernel::spelling::suggestion;
use racun_kernel::{Issue, Issues};
use racun_store::{Clause, Context, Operator};
use time::Date;

use crate::ReportError;
use crate::days::{Budget, for_each};

/// What lines are grouped by.
type Group = fn(&RecognitionEntry) -> Option<&String>;

/// What the lines of a report may be grouped by, by name.
const GROUPS: [(&str, Group); 9] = [
    ("document_id", |entry| Some(&entry.document_id)),
    ("document_type", |entry| Some(&entry.document_type)),
    ("customer_id", |entry| entry.partner_id.as_ref()),
    ("supplier_id", |entry| entry.partner_id.as_ref()),
    ("item_id", |entry| entry.item_id.as_ref()),
    ("financial_category_id", |entry| entry.financial_category_id.as_ref()),
    ("business_unit_id", |entry| entry.business_unit_id.as_ref()),
    ("classification", |entry| entry.classification.as_ref()),
    ("transaction_type", |entry| entry.transaction_type.as_ref()),
];

/// Which figure a report is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// What is recognised in a month.
    Recognized,
    /// What is deferred at its end.
    Deferred,
    /// What is accrued at its end.
    Accrued,
}

impl Basis {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] = [
        ("recognized", Self::Recognized),
        ("deferred", Self::Deferred),
        ("accrued", Self::Accrued),
    ];

    fn is_in(self, row: &RecognitionRow) -> bool {
        let figure = match self {
            Self::Recognized => &row.recognized,
            Self::Deferred => &row.deferred,
            Self::Accrued => &row.accrued,
        };
        !figure.is_zero()
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct RecognitionQuery {
    /// Revenue or cost.
    pub side: RecognitionSide,
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
    /// The figure of which rows have something; all rows when missing.
    pub basis: Option<Basis>,
    /// What lines are grouped by.
    pub group_by: Option<String>,
}

/// The names that lines of `side` are grouped by.
pub fn groups(side: RecognitionSide) -> impl Iterator<Item = &'static str> {
    let foreign = match side {
        RecognitionSide::Revenue => "supplier_id",
        RecognitionSide::Expense => "customer_id",
    };
    GROUPS.iter().map(|(name, _)| *name).filter(move |name| *name != foreign)
}

/// What is recognised, deferred and accrued, by month, group and currency.
///
/// # Errors
/// Days that make no report, a group that there is not; as too expensive when there are more
/// entries than [`crate::MAX_RECORDS`]; the store's failure.
pub async fn recognition(
    cx: Context<'_>,
    query: &RecognitionQuery,
) -> Result<Vec<RecognitionRow>, ReportError> {
    let mut issues = Issues::default();
    issues.note(check_report(query.from, query.to).map_err(Issues::from));
    let group = query.group_by.as_deref().map(|name| group_of(query.side, name)).transpose();
    let group = issues.note(group.map_err(Issues::from)).flatten();
    issues.into_result(())?;
    let table = &RECOGNITION_ENTRIES;
    let clause = |name, operator| Clause::on(table, name, operator);
    let clauses = vec![
        clause("side", Operator::Equals(query.side.name().into())),
        clause("settled_on", Operator::Gte(query.from.into())),
        clause("starts_on", Operator::Lte(query.to.into())),
    ];
    let mut report = RecognitionReport::new(query.from, query.to);
    let add = |entry: RecognitionEntry| {
        let named = group.and_then(|group| group(&entry).cloned());
        report.add(&spread(&entry), named.as_deref());
    };
    for_each(cx, table, clauses, "created_at", &mut Budget::new(), add).await?;
    let mut rows = report.rows();
    rows.retain(|row| query.basis.is_none_or(|basis| basis.is_in(row)));
    Ok(rows)
}

fn group_of(side: RecognitionSide, name: &str) -> Result<Group, Issue> {
    let known: Vec<&str> = groups(side).collect();
    let found = GROUPS.iter().find(|(known_name, _)| *known_name == name && known.contains(&name));
    found.map(|(_, group)| *group).ok_or_else(|| {
        let advice = suggestion(name, &known).map_or_else(
            || format!("there are {}", known.join(", ")),
            |near| format!("did you mean {near:?}?"),
        );
        let message = format!("no such group {name:?}; {advice}");
        Issue::new("unknown_field", message).at("group_by")
    })
}

/// An entry as the fold takes it.
#[must_use]
pub fn spread(entry: &RecognitionEntry) -> Spread {
    Spread {
        amount: entry.amount.clone(),
        currency: entry.currency,
        invoiced_on: entry.invoiced_on,
        from: entry.from,
        to: entry.to,
        voided_on: entry.voided_on,
        accrues: !entry.takes_back(),
    }
}
