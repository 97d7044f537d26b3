//! Links of a document to its source documents, as requests name them.

use std::collections::BTreeSet;

use racun_documents::{DocumentError, DocumentId, link};
use racun_kernel::{Issue, Issues};
use racun_records::get_documents;
use racun_store::Context;

use super::request::DocumentRequest;

/// The documents that a request links, in its order; `None` when it says nothing of links.
///
/// # Errors
/// One issue for each that is not there, or named twice.
pub(super) async fn named(
    cx: Context<'_>,
    request: &DocumentRequest,
) -> Result<Option<Vec<DocumentId>>, DocumentError> {
    let Some(names) = &request.linked_documents else { return Ok(None) };
    let mut issues = Issues::default();
    if names.len() > link::MAX_LINKS {
        issues.push(Issue::new("too_many", format!("at most {} documents", link::MAX_LINKS)));
    }
    let ids: Vec<Option<DocumentId>> = names.iter().map(|name| name.parse().ok()).collect();
    let found = get_documents(cx.store, cx.scope, ids.iter().flatten().copied()).await?;
    let mut seen = BTreeSet::new();
    for (n, id) in ids.iter().enumerate() {
        let there = id.is_some_and(|id| found.iter().any(|document| document.id == id));
        if !there {
            issues.push(Issue::new("not_found", "there is no such document in this entity").at(n));
        } else if !seen.insert(*id) {
            issues.push(Issue::new("duplicate", "this document is linked twice").at(n));
        }
    }
    let mut at_field = Issues::default();
    at_field.extend_at("linked_documents", issues);
    at_field.into_result(())?;
    Ok(Some(ids.into_iter().flatten().collect()))
}
