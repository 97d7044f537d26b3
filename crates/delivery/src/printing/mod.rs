//! Documents on paper: what is printed is gathered here, and set through a port.
//!
//! | Module   | Owns                                                                   |
//! | -------- | ---------------------------------------------------------------------- |
//! | `port`   | the port that sets a model as PDF                                      |
//! | `attachment` | documents that go along with mails                                 |
//! | `look`   | how documents look, by the settings                                    |
//! | `wanted` | what a request wants otherwise than the settings                       |
//!
//! Reads only. A preview takes the way of creation, and stops before anything is written.

mod attachment;
mod look;
mod port;
mod wanted;

pub(crate) use attachment::{Printer, picture};
pub use port::{CannotPrint, PrintPdf};
pub use wanted::Wanted;

use racun_access::{Entity, Key, setting};
use racun_catalog::{BUSINESS_UNITS, BusinessUnit, FILES, File, FileStorage, StorageError};
use racun_documents::{Document, DocumentError, DocumentId, DocumentKind};
use racun_fiscalization::certified::is_portugal;
use racun_kernel::id::FileId;
use racun_paper::{Language, Paper, PaymentMade, Picture, Receipt, Source, Word};
use racun_portugal::{Code, PortugalError, restrictions, words};
use racun_records::{all_of, by_field, get_document, live_payments, payment_field};
use racun_sales::documents::{self, Creation, DocumentRequest, Foreseen, live};
use racun_settlement::{PAYMENTS, Payment};
use racun_store::{Context, StoreError};

/// Why a document is not printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintingError {
    /// There is no such document, or the store failed.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// What was sent makes no document.
    #[error(transparent)]
    NotMade(#[from] racun_sales::Error),
    /// The storage of files failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// It cannot be set.
    #[error(transparent)]
    Print(#[from] CannotPrint),
    /// It may not be printed, or not so.
    #[error(transparent)]
    Refused(#[from] PortugalError),
}

impl From<StoreError> for PrintingError {
    fn from(error: StoreError) -> Self {
        Self::Document(error.into())
    }
}

/// The model of the document `id`.
///
/// # Errors
/// When there is none, or store or storage fail.
pub async fn paper(
    cx: Context<'_>,
    files: &dyn FileStorage,
    entity: &Entity,
    id: DocumentId,
    wanted: &Wanted,
) -> Result<Paper, PrintingError> {
    let document = get_document(cx, id).await?;
    paper_of(cx, files, entity, &document, wanted).await
}

/// What is previewed: the document that a body would make.
#[derive(Debug, Clone)]
pub struct Previewed {
    /// Its kind.
    pub kind: DocumentKind,
    /// What it says.
    pub request: DocumentRequest,
    /// With which totals and payments it starts.
    pub creation: Creation,
}

/// The model of the document that `previewed` would make, settled as it would be, without making
/// it.
///
/// # Errors
/// [`PortugalError`] in Portugal, where nothing is printed before it is signed; what creation
/// refuses; failures of store and storage.
pub async fn preview(
    cx: Context<'_>,
    files: &dyn FileStorage,
    entity: &Entity,
    previewed: Previewed,
    wanted: &Wanted,
) -> Result<Paper, PrintingError> {
    let Previewed { kind, request, creation } = previewed;
    // On the heap: its future is too long for the stacks of a chain of unoptimized callers.
    let foreseen = Box::pin(documents::foresee(cx, entity, kind, request, creation)).await?;
    let Foreseen { document, payments, linked } = foreseen;
    check_signed(entity, &document)?;
    let beside = Beside::of(cx, files, entity, &document).await?;
    let payments = in_order(payments);
    let beside = Beside { payments, linked, is_preview: true, ..beside };
    Ok(beside.paper(cx, entity, &document, wanted))
}

/// The model of the receipt of `payment`.
///
/// # Errors
/// [`StoreError::NotFound`] where none was issued; failures of store and storage.
pub async fn receipt_of(
    cx: Context<'_>,
    files: &dyn FileStorage,
    entity: &Entity,
    payment: &Payment,
    wanted: &Wanted,
) -> Result<Paper, PrintingError> {
    let missing = || StoreError::NotFound { id: format!("receipt of {}", payment.id) };
    let receipt = payment.receipt.as_deref().ok_or_else(missing)?;
    let id = payment.document_ids().next().ok_or_else(missing)?;
    let document = get_document(cx, id).await?;
    let beside = Beside::of(cx, files, entity, &document).await?;
    let own = Receipt {
        title: words::title(Code::Rg),
        number: &receipt.number,
        date: receipt.date,
        paid_on: payment.date,
        method: payment.kind.name(),
        amount: &payment.amount,
        document_number: &receipt.document_number,
        document_date: receipt.document_date,
        printed: &receipt.printed,
        qr: &receipt.qr,
        atcud: &receipt.atcud,
        is_void: receipt.voided.is_some(),
    };
    Ok(beside.drawn(cx, entity, &document, wanted, |source| Paper::of_receipt(source, &own)))
}

/// Accepts documents that may leave: in Portugal those that are signed (Despacho 8632/2014, 1.10).
///
/// # Errors
/// [`racun_portugal::PortugalRefusal::NotSigned`].
pub(crate) fn check_signed(entity: &Entity, document: &Document) -> Result<(), PortugalError> {
    let is_free = !is_portugal(entity);
    Ok(restrictions::check_output(is_free || document.pt.is_some())?)
}

/// The model of `document`.
pub(crate) async fn paper_of(
    cx: Context<'_>,
    files: &dyn FileStorage,
    entity: &Entity,
    document: &Document,
    wanted: &Wanted,
) -> Result<Paper, PrintingError> {
    check_signed(entity, document)?;
    let mut beside = Beside::of(cx, files, entity, document).await?;
    let id = document.id;
    let clause = by_field(&PAYMENTS, payment_field(id), &id.to_string());
    let payments: Vec<Payment> = all_of(cx.store, &cx.tenant(), &PAYMENTS, clause).await?;
    beside.payments = in_order(live_payments(payments));
    let links = documents::relations_of(cx.store, cx.scope, &[id]).await?;
    let from_here = links.into_iter().filter(|link| link.relation.source_id == id);
    beside.linked = from_here.map(|link| link.related.number).collect();
    Ok(beside.paper(cx, entity, document, wanted))
}

/// `payments` as they are printed, by the days on which they were made.
fn in_order(mut payments: Vec<Payment>) -> Vec<PaymentMade> {
    payments.sort_by_key(|payment| (payment.date, payment.created_at, payment.id));
    let made = |payment: Payment| PaymentMade {
        date: payment.date,
        method: payment.kind.name().to_owned(),
        amount: payment.amount,
        reference: payment.reference,
    };
    payments.into_iter().map(made).collect()
}

/// What is printed beside what a document says itself.
#[derive(Default)]
struct Beside {
    unit: Option<BusinessUnit>,
    logo: Option<Stored>,
    signature: Option<Stored>,
    payments: Vec<PaymentMade>,
    linked: Vec<String>,
    is_preview: bool,
}

/// A picture, and what it is.
struct Stored {
    bytes: Vec<u8>,
    media_type: String,
}

impl Beside {
    async fn of(
        cx: Context<'_>,
        files: &dyn FileStorage,
        entity: &Entity,
        document: &Document,
    ) -> Result<Self, PrintingError> {
        let unit = match document.content.business_unit_id {
            Some(id) => live(cx.store.get(&BUSINESS_UNITS, &cx.tenant(), &id.to_string()).await?),
            None => None,
        };
        let of_unit = |file: fn(&BusinessUnit) -> Option<FileId>| unit.as_ref().and_then(file);
        let own = |slot, has: Key<bool>| {
            let is_shown = entity.settings.get(has).unwrap_or(true);
            is_shown.then_some(slot)
        };
        let (logo, signature) =
            (own("logo", setting::HAS_LOGO), own("signature", setting::HAS_SIGNATURE));
        let logo = stored(cx, files, of_unit(|unit| unit.logo_file_id), logo).await?;
        let of_unit = of_unit(|unit| unit.signature_file_id);
        let signature = stored(cx, files, of_unit, signature).await?;
        Ok(Self { unit, logo, signature, ..Self::default() })
    }

    fn paper(
        self,
        cx: Context<'_>,
        entity: &Entity,
        document: &Document,
        wanted: &Wanted,
    ) -> Paper {
        let code = document.pt.as_deref().and_then(|record| Code::from_text(&record.code));
        let mut paper = self.drawn(cx, entity, document, wanted, Paper::of);
        // It is an invoice by its kind, and has a name of its own.
        if code == Some(Code::Fr) {
            words::title(Code::Fr).clone_into(&mut paper.title);
        }
        if let Some(marks) = paper.marks.iter_mut().find(|_| code.is_some()) {
            marks.sentences.insert(0, words::copy_mark(!wanted.copy).to_owned());
        }
        paper
    }

    /// What `draw` makes of all that is printed of `document`.
    fn drawn(
        self,
        cx: Context<'_>,
        entity: &Entity,
        document: &Document,
        wanted: &Wanted,
        draw: impl FnOnce(&Source<'_>) -> Paper,
    ) -> Paper {
        let snapshot = document.content.business_unit.as_ref().map(|unit| &unit.settings);
        let settings = snapshot.or_else(|| self.unit.as_ref().map(|unit| &unit.settings));
        let look = look::look(settings, entity, wanted);
        let of_entity = Language::from_code(&entity.locale).unwrap_or(Language::ENGLISH);
        // Certified documents are in Portuguese (Despacho 8632/2014, 3.2.11).
        let certified = document.pt.as_ref().and_then(|_| Language::from_code("pt"));
        let language = certified.or(wanted.language).or(wanted.locale).unwrap_or(of_entity);
        let locale = certified.or(wanted.locale).or(wanted.language).unwrap_or(of_entity);
        let scale_percent = look.logo_scale_percent;
        let shown = |stored: Stored, word: Word, scale_percent| Picture {
            bytes: stored.bytes,
            media_type: stored.media_type,
            scale_percent,
            alt: word.text(language).to_owned(),
        };
        let source = Source {
            document,
            language,
            locale,
            receipt: look::receipt_texts(entity, language),
            logo: self.logo.map(|logo| shown(logo, Word::Logo, scale_percent)),
            signature: self.signature.map(|own| shown(own, Word::Signature, 100)),
            look,
            payments: &self.payments,
            linked: &self.linked,
            today: documents::today(entity, cx.stamp),
            is_preview: self.is_preview,
        };
        draw(&source)
    }
}

/// The picture of the unit, else the entity's own in `slot`, where it shows that. A picture whose
/// bytes are missing is left out, so that the document is printed without it.
async fn stored(
    cx: Context<'_>,
    files: &dyn FileStorage,
    of_unit: Option<FileId>,
    slot: Option<&str>,
) -> Result<Option<Stored>, PrintingError> {
    let of_unit: Option<File> = match of_unit {
        Some(id) => cx.store.get(&FILES, &cx.tenant(), &id.to_string()).await?,
        None => None,
    };
    let file = match (of_unit, slot) {
        (Some(file), _) => Some(file),
        (None, None) => None,
        (None, Some(slot)) => {
            let clause = by_field(&FILES, "slot", slot);
            let own: Vec<File> = all_of(cx.store, &cx.tenant(), &FILES, clause).await?;
            own.into_iter().next()
        }
    };
    let Some(file) = file else { return Ok(None) };
    let bytes = files.get(&file.key()).await?;
    let media_type = file.media_type().to_owned();
    Ok(bytes.map(|bytes| Stored { bytes, media_type }))
}
