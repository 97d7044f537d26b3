//! Uploaded files: bytes in a storage, a record in the store, and what entities and units say of
//! their logos and signatures.
//!
//! Bytes are stored before the unit and removed after it, so whatever a record names is there.

use racun_access::{ENTITIES, Entity, note_file, setting};
use racun_catalog::events::file;
use racun_catalog::{
    BUSINESS_UNITS, BusinessUnit, FILES, File, FileCategory, FileRefused, FileStorage, NewFile,
    StorageError,
};
use racun_documents::expense::EXPENSES;
use racun_documents::table_of;
use racun_kernel::id::FileId;
use racun_kernel::{Issue, Issues, Tenant};
use racun_store::{Context, Held, Many, One, StoreError, Table, UnitBuilder, Writes};

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

/// Keeps a file. A logo or signature replaces the one that was there, and the entity or unit says
/// so in the same commit.
///
/// # Errors
/// [`FileRefused`], also for what it is to belong to and is not there; failures of store and
/// storage.
pub async fn upload(
    cx: Context<'_>,
    storage: &dyn FileStorage,
    input: NewFile,
) -> Result<File, FileError> {
    let (file, content) = input.into_file(cx.scope.entity(), cx.stamp)?;
    let links = links(&file);
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
    let mut unit = cx.unit();
    let (kept, holder) = (unit.hold(&FILES, file.id), Holder::hold(&mut unit, &file));
    unit.decide(move |held| {
        let file: File = held.one(kept)?;
        let deleted = held.actor().event(file::DELETED, file.id);
        let writes = Writes::default().delete(&file).events([deleted]);
        let told = holder.map(|holder| holder.tell(held, &file, false)).transpose()?;
        Ok::<_, FileError>(((), writes.and(told.unwrap_or_default())))
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
        None => {
            let reason = format!("the bytes of {} are not there", file.id);
            Err(StorageError::Unavailable(reason).into())
        }
    }
}

/// Removes bytes that no record names any more. Should it fail, they are left: see
/// [`racun_catalog::File`]'s module.
async fn forget(storage: &dyn FileStorage, file: &File) {
    let _ = storage.delete(&file.key()).await;
}

/// What must be there for a file to belong to it: the field that names it, its table, and its id.
type Link = (&'static str, &'static Table, String);

fn links(file: &File) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    if let Some(id) = file.business_unit_id {
        links.push(("business_unit_id", &BUSINESS_UNITS, id.to_string()));
    }
    if let Some(id) = file.expense_id {
        links.push(("expense_id", &EXPENSES, id.to_string()));
    }
    for (field, id) in [
        ("invoice_id", file.invoice_id),
        ("estimate_id", file.estimate_id),
        ("credit_note_id", file.credit_note_id),
        ("advance_invoice_id", file.advance_invoice_id),
    ] {
        links.extend(id.map(|id| (field, table_of(id.kind()), id.to_string())));
    }
    links
}

/// Writes the record of `file`; answers those that it replaces.
async fn record(cx: Context<'_>, file: &File, links: Vec<Link>) -> Result<Vec<File>, FileError> {
    let (mut unit, tenant) = (cx.unit(), cx.scope.tenant());
    let hold = |(field, table, id)| (field, unit.hold_row(tenant.clone(), table, id));
    let links: Vec<_> = links.into_iter().map(hold).collect();
    let holder = Holder::hold(&mut unit, file);
    let replaced: Option<Many<File>> =
        file.slot.clone().map(|slot| unit.hold_where(&FILES, "slot", slot));
    let file = file.clone();
    unit.decide(move |held| {
        let mut issues = Issues::default();
        for (field, row) in links {
            if !held.has(&row) {
                let message = "there is no such record here";
                issues.push(Issue::new("not_found", message).at(field));
            }
        }
        issues.into_result(())?;
        let event = |kind, file: &File| held.actor().event(kind, file.id);
        let replaced: Vec<File> = held.all(replaced)?;
        let mut writes = Writes::default().insert(&file).events([event(file::CREATED, &file)]);
        if let Some(holder) = holder {
            writes = writes.and(holder.tell(held, &file, true)?);
        }
        for old in &replaced {
            writes = writes.delete(old).events([event(file::DELETED, old)]);
        }
        Ok((replaced, writes))
    })
    .await
}

/// Who says that a logo or signature is there, held beside it: its unit, or the entity.
enum Holder {
    Unit(One<BusinessUnit>),
    Entity(One<Entity>),
}

impl Holder {
    /// Holds it; none of an attachment.
    fn hold(unit: &mut UnitBuilder<'_>, file: &File) -> Option<Self> {
        file.slot.as_ref()?;
        Some(match file.business_unit_id {
            Some(id) => Self::Unit(unit.hold(&BUSINESS_UNITS, id)),
            None => {
                let (account, entity) = (unit.by().scope().account(), unit.by().entity_id());
                Self::Entity(unit.hold_of(Tenant::account(account), &ENTITIES, entity))
            }
        })
    }

    /// Has it say that `file` is there, or not any more. A unit that was erased says nothing.
    fn tell(self, held: &Held, file: &File, is_there: bool) -> Result<Writes, FileError> {
        let (is_logo, setting) = match file.category {
            FileCategory::Logo => (true, setting::HAS_LOGO),
            FileCategory::Signature => (false, setting::HAS_SIGNATURE),
            FileCategory::Attachment => return Ok(Writes::default()),
        };
        let before: BusinessUnit = match self {
            Self::Entity(entity) => {
                let Some(entity) = held.find(entity)? else { return Ok(Writes::default()) };
                return Ok(note_file(&entity, setting, is_there, held.actor())?);
            }
            Self::Unit(unit) => match held.find(unit)? {
                Some(unit) => unit,
                None => return Ok(Writes::default()),
            },
        };
        let mut after = before.clone();
        let said = if is_logo { &mut after.logo_file_id } else { &mut after.signature_file_id };
        match is_there {
            true => *said = Some(file.id),
            // It may say another one by now, for its own update says what it likes.
            false if *said == Some(file.id) => *said = None,
            false => return Ok(Writes::default()),
        }
        after.updated_at = held.actor().now();
        Ok(Writes::default().update(&before, &after))
    }
}
