//! What customers say to estimates, and what reports say of lines.

use racun_access::Entity;
use racun_catalog::{FINANCIAL_CATEGORIES, FinancialCategory};
use racun_documents::events::Happening;
use racun_documents::{Document, DocumentError, DocumentId};
use racun_kernel::{Issue, Issues};
use racun_records::hold_documents;
use racun_store::{Clause, Context, Decision, ListQuery, Operator, StoreError, Writes};

use super::gather::today;
use super::line_records::archived_category;

/// Notes that the customer accepted an estimate. Accepting again changes nothing.
///
/// # Errors
/// [`StoreError::NotFound`], or what [`Document::accept`] refuses.
pub async fn accept(
    cx: Context<'_>,
    entity: &Entity,
    id: DocumentId,
) -> Result<Document, DocumentError> {
    let (today, at) = (today(entity, cx.stamp), cx.stamp.clone());
    reply(cx, id, Happening::Accepted, move |estimate| estimate.accept(today, &at)).await
}

/// Notes that the customer rejected an estimate. Rejecting again changes nothing.
///
/// # Errors
/// [`StoreError::NotFound`], or what [`Document::reject`] refuses.
pub async fn reject(cx: Context<'_>, id: DocumentId) -> Result<Document, DocumentError> {
    let at = cx.stamp.clone();
    reply(cx, id, Happening::Rejected, move |estimate| estimate.reject(&at)).await
}

async fn reply(
    cx: Context<'_>,
    id: DocumentId,
    what: Happening,
    transition: impl FnOnce(Document) -> Result<Document, DocumentError> + Send + 'static,
) -> Result<Document, DocumentError> {
    let (actor, stamp) = (cx.scope.principal().id(), cx.stamp.clone());
    let decide = move |before: Document| {
        if before.deleted_at.is_some() {
            return Err(StoreError::NotFound { id: id.to_string() }.into());
        }
        let after = transition(before.clone())?;
        if after == before {
            return Ok(Decision::Unchanged(before));
        }
        let events = after.event(what, &actor, &stamp).into_iter().collect();
        Ok(Decision::changed(after, events))
    };
    cx.store.amend(racun_documents::table_of(id.kind()), &cx.tenant(), id.to_string(), decide).await
}

/// A line and the financial category that it is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCategory {
    /// The line.
    pub line_id: String,
    /// The category; `None` for none.
    pub financial_category_id: Option<String>,
}

/// Gives lines of any documents their financial categories, all in one commit. Reports change by
/// it, and no document does, so issued ones take it too.
///
/// # Errors
/// One issue for each line or category that is not there; then nothing changes.
pub async fn categorize(
    cx: Context<'_>,
    assignments: Vec<LineCategory>,
) -> Result<Vec<(Document, String)>, DocumentError> {
    let mut issues = Issues::default();
    let mut found = Vec::new();
    for (n, assignment) in assignments.iter().enumerate() {
        let category = category(cx, assignment).await?;
        let category = issues.collect(n, category);
        let document = document_of_line(cx, &assignment.line_id).await?;
        match document {
            Some(id) => found.push((id, assignment.line_id.clone(), category.flatten())),
            None => {
                let issue = Issue::new("not_found", "there is no such line in this entity");
                issues.push(issue.at("id").at(n));
            }
        }
    }
    issues.into_result(())?;
    let mut documents: Vec<DocumentId> = found.iter().map(|(id, ..)| *id).collect();
    documents.sort_unstable();
    documents.dedup();
    let mut unit = cx.unit();
    let documents = hold_documents(&mut unit, documents);
    unit.decide(move |all| {
        let befores = all.all(documents)?;
        let (mut held, stamp) = (befores.clone(), all.actor().stamp());
        let mut lines = Vec::new();
        for (id, line, category) in found {
            let place = held.iter().position(|document| document.id == id);
            let changed = place.and_then(|n| held[n].clone().categorize(&line, category, stamp));
            let gone = || StoreError::NotFound { id: line.clone() };
            let (place, changed) = place.zip(changed).ok_or_else(gone)?;
            held[place] = changed;
            lines.push((id, line));
        }
        let writes =
            befores.iter().zip(&held).fold(Writes::default(), |writes, (before, after)| {
                let updated = after.event(Happening::Updated, &all.actor().id(), stamp);
                writes.update(before, after).events(updated)
            });
        let of = |id| held.iter().find(|document: &&Document| document.id == id).cloned();
        let answers = lines.into_iter().filter_map(|(id, line)| Some((of(id)?, line)));
        Ok((answers.collect(), writes))
    })
    .await
}

type Category = Option<racun_kernel::id::FinancialCategoryId>;

async fn category(
    cx: Context<'_>,
    assignment: &LineCategory,
) -> Result<Result<Category, Issues>, StoreError> {
    let Some(id) = &assignment.financial_category_id else { return Ok(Ok(None)) };
    let found: Option<FinancialCategory> =
        cx.store.get(&FINANCIAL_CATEGORIES, &cx.tenant(), id).await?;
    let missing = || {
        let message = "there is no such financial category in this entity";
        Issues::from(Issue::new("not_found", message).at("financial_category_id"))
    };
    if found.as_ref().is_some_and(|category| category.archived_at.is_some()) {
        return Ok(Err(archived_category().into()));
    }
    Ok(found.map(|category| Some(category.id)).ok_or_else(missing))
}

/// The document that a line is of: its id lies beside that of the line.
async fn document_of_line(
    cx: Context<'_>,
    line_id: &str,
) -> Result<Option<DocumentId>, StoreError> {
    let Some((first, last)) = DocumentId::of_line(line_id) else { return Ok(None) };
    let table = racun_documents::table_of(first.kind());
    let beside = Operator::Between(first.to_string().into(), last.to_string().into());
    let query = ListQuery {
        limit: 100,
        count: false,
        clauses: vec![Clause::on(table, "id", beside)],
        ..ListQuery::first_page(table)
    };
    let page = cx.store.page::<Document>(table, &cx.tenant(), &query).await?;
    let holds = |document: &&Document| document.content.lines.iter().any(|line| line.id == line_id);
    Ok(page.rows.iter().find(holds).map(|document| document.id))
}
