//! Uploaded files: bytes in a storage, a record in the store, and what entities and units say of
//! their logos and signatures.
//!
//! Bytes are stored before the unit and removed after it, so whatever a record names is there.

use std::str::FromStr as _;

use racun_access::{ENTITIES, Entity, note_file};
use racun_catalog::{
    BUSINESS_UNITS, BusinessUnit, FILES, File, FileCategory, FileRefused, FileStorage, NewFile,
    StorageError,
};
use racun_documents::{DocumentId, DocumentKind};
use racun_kernel::id::FileId;
use racun_kernel::{
    Actor, Context, Event, Issue, Issues, Load, Loaded, Put, Scope, Stamp, StoreError, Stored,
    Tenant, Writes,
};
use racun_settlement::EXPENSES;

/// Why something is not done with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It cannot be taken.
    #[error(transparent)]
    Refused(#[from] FileRefused),
    /// The store failed, or there is no such file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The storage of bytes failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<Issues> for FileError {
    fn from(issues: Issues) -> Self {
        FileRefused::from(issues).into()
    }
}

/// Keeps a file. A logo or signature replaces the one that was there, and the entity or unit says so
/// in the same commit.
///
/// # Errors
/// [`FileRefused`], also for what it is to belong to and is not there; failures of store and storage.
pub async fn upload(
    cx: Context<'_>,
    storage: &dyn FileStorage,
    input: NewFile,
) -> Result<File, FileError> {
    let (file, content) = input.into_file(cx.scope.entity(), cx.stamp)?;
    let links = links(&file, cx.scope)?;
    storage.put(&file.key(), content).await?;
    match record(cx, &file, links).await {
        Ok(replaced) => {
            for file in &replaced {
                forget(storage, file).await;
            }
            Ok(file)
        }
        // Whether it was committed is unknown: bytes too many do less harm than a record without.
        Err(error @ FileError::Store(StoreError::Unavailable(_))) => Err(error),
        Err(error) => {
            forget(storage, &file).await;
            Err(error)
        }
    }
}

/// Removes a file.
///
/// # Errors
/// When there is none, or the store fails.
pub async fn delete(
    cx: Context<'_>,
    storage: &dyn FileStorage,
    id: FileId,
) -> Result<(), FileError> {
    let file = get(cx, id).await?;
    let mut loads = vec![row(&FILES, cx.tenant(), file.id.to_string())];
    loads.extend(holder(&file, cx.scope));
    let (held, scope, stamp) = (file.clone(), cx.scope.clone(), cx.stamp.clone());
    cx.store
        .decide(loads, None, move |loaded| {
            let mut rows = loaded.rows.into_iter();
            if rows.next().is_none_or(|row| row.is_empty()) {
                return Err(FileError::Store(StoreError::NotFound { id: held.id.to_string() }));
            }
            let actor = Actor::new(scope.clone(), stamp.clone());
            let mut writes = Writes {
                puts: vec![Put::delete(&held)],
                events: vec![actor.event("file.deleted", held.id)],
                takes_number: false,
            };
            let holder = rows.next().unwrap_or_default();
            let (puts, events) = tell_holder(&held, false, &holder, &scope, &stamp)?;
            writes.puts.extend(puts);
            writes.events.extend(events);
            Ok(((), writes))
        })
        .await?;
    forget(storage, &file).await;
    Ok(())
}

/// The record of a file.
///
/// # Errors
/// When there is none, or the store fails.
pub async fn get(cx: Context<'_>, id: FileId) -> Result<File, FileError> {
    let id = id.to_string();
    let found = cx.store.get(&FILES, &cx.tenant(), &id).await?;
    found.ok_or(FileError::Store(StoreError::NotFound { id }))
}

/// A file with its bytes.
///
/// # Errors
/// As [`get`]; and when its bytes are not to be had.
pub async fn content(
    cx: Context<'_>,
    storage: &dyn FileStorage,
    id: FileId,
) -> Result<(File, Vec<u8>), FileError> {
    let file = get(cx, id).await?;
    match storage.get(&file.key()).await? {
        Some(content) => Ok((file, content)),
        None => Err(StorageError(format!("the bytes of {} are not there", file.id)).into()),
    }
}

/// Removes bytes that no record names any more. Should it fail, they are left: see
/// [`racun_catalog::File`]'s module.
async fn forget(storage: &dyn FileStorage, file: &File) {
    let _ = storage.delete(&file.key()).await;
}

/// What must be there for a file to belong to it: the field that names it, and the row.
fn links(file: &File, scope: &Scope) -> Result<Vec<(&'static str, Load)>, Issues> {
    let tenant = || scope.tenant();
    let mut links = Vec::new();
    if let Some(id) = file.business_unit_id {
        links.push(("business_unit_id", row(&BUSINESS_UNITS, tenant(), id.to_string())));
    }
    if let Some(id) = file.expense_id {
        links.push(("expense_id", row(&EXPENSES, tenant(), id.to_string())));
    }
    let mut issues = Issues::default();
    for (field, id, kind) in [
        ("invoice_id", &file.invoice_id, DocumentKind::Invoice),
        ("estimate_id", &file.estimate_id, DocumentKind::Estimate),
        ("credit_note_id", &file.credit_note_id, DocumentKind::CreditNote),
        ("advance_invoice_id", &file.advance_invoice_id, DocumentKind::AdvanceInvoice),
    ] {
        let Some(id) = id else { continue };
        match DocumentId::from_str(id).ok().filter(|id| id.kind() == kind) {
            Some(_) => links.push((field, row(kind.table(), tenant(), id.clone()))),
            None => {
                let message = format!("expected an id that starts with {}", kind.prefix());
                issues.push(Issue::new("invalid_id", message).at(field));
            }
        }
    }
    issues.into_result(links)
}

/// Writes the record of `file`; answers those that it replaces.
async fn record(
    cx: Context<'_>,
    file: &File,
    links: Vec<(&'static str, Load)>,
) -> Result<Vec<File>, FileError> {
    let (fields, mut loads): (Vec<_>, Vec<_>) = links.into_iter().unzip();
    loads.extend(holder(file, cx.scope));
    loads.extend(file.slot.clone().map(|value| Load::Where {
        table: &FILES,
        tenant: cx.tenant(),
        field: "slot",
        value,
    }));
    let (file, scope, stamp) = (file.clone(), cx.scope.clone(), cx.stamp.clone());
    cx.store
        .decide(loads, None, move |loaded: Loaded| {
            let mut rows = loaded.rows.into_iter();
            let mut issues = Issues::default();
            for field in fields {
                if rows.next().is_none_or(|row| row.is_empty()) {
                    let message = "there is no such record here";
                    issues.push(Issue::new("not_found", message).at(field));
                }
            }
            issues.into_result(())?;
            let actor = Actor::new(scope.clone(), stamp.clone());
            let mut writes = Writes {
                puts: vec![Put::insert(&file)],
                events: vec![actor.event("file.created", file.id)],
                takes_number: false,
            };
            let mut replaced = Vec::new();
            if file.slot.is_some() {
                let holder = rows.next().unwrap_or_default();
                let (puts, events) = tell_holder(&file, true, &holder, &scope, &stamp)?;
                writes.puts.extend(puts);
                writes.events.extend(events);
                for row in rows.next().unwrap_or_default() {
                    let old: File = row.read(&FILES)?;
                    writes.puts.push(Put::delete(&old));
                    writes.events.push(actor.event("file.deleted", old.id));
                    replaced.push(old);
                }
            }
            Ok((replaced, writes))
        })
        .await
}

/// Who says that a logo or signature is there, to be held beside it: its unit, or the entity.
fn holder(file: &File, scope: &Scope) -> Option<Load> {
    file.slot.as_ref()?;
    Some(match file.business_unit_id {
        Some(unit) => row(&BUSINESS_UNITS, scope.tenant(), unit.to_string()),
        None => row(&ENTITIES, Tenant::account(scope.account()), scope.entity().to_string()),
    })
}

/// Has the unit or the entity in `holder` say that `file` is there, or not any more. A unit that was
/// erased says nothing.
fn tell_holder(
    file: &File,
    is_there: bool,
    holder: &[Stored],
    scope: &Scope,
    stamp: &Stamp,
) -> Result<(Vec<Put>, Vec<Event>), FileError> {
    let nothing = (Vec::new(), Vec::new());
    let Some(row) = holder.first() else { return Ok(nothing) };
    let (is_logo, setting) = match file.category {
        FileCategory::Logo => (true, "has_logo"),
        FileCategory::Signature => (false, "has_signature"),
        FileCategory::Attachment => return Ok(nothing),
    };
    if file.business_unit_id.is_none() {
        let entity: Entity = row.read(&ENTITIES)?;
        return Ok(note_file(&entity, setting, is_there, scope, stamp)?);
    }
    let before: BusinessUnit = row.read(&BUSINESS_UNITS)?;
    let mut after = before.clone();
    let said = if is_logo { &mut after.logo_file_id } else { &mut after.signature_file_id };
    match is_there {
        true => *said = Some(file.id),
        // It may say another one by now, for its own update says what it likes.
        false if *said == Some(file.id) => *said = None,
        false => return Ok(nothing),
    }
    after.updated_at = stamp.now();
    Ok((vec![Put::update(&before, &after)], Vec::new()))
}

const fn row(table: &'static racun_kernel::Table, tenant: Tenant, id: String) -> Load {
    Load::One { table, tenant, id }
}
