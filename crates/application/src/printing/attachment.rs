//! Documents that go along with mails.

use racun_access::enter_as_recipient;
use racun_catalog::FileStorage;
use racun_documents::DocumentId;
use racun_kernel::id::EntityId;
use racun_kernel::{Attachment, Context, Stamp, Store};
use racun_paper::Language;

use super::{PrintPdf, PrintingError, Wanted, paper};

/// What printing a document in a job takes.
#[derive(Clone, Copy)]
pub(crate) struct Printer<'a> {
    /// Where everything is kept.
    pub store: &'a dyn Store,
    /// Where logos are.
    pub files: &'a dyn FileStorage,
    /// Who sets it.
    pub press: &'a dyn PrintPdf,
}

impl Printer<'_> {
    /// The document `id` of `entity` as a PDF in `locale`; `None` where the entity is closed.
    ///
    /// # Errors
    /// When it is not there, store or storage fail, or it cannot be set.
    pub async fn attachment(
        self,
        entity: EntityId,
        id: DocumentId,
        locale: &str,
        stamp: &Stamp,
    ) -> Result<Option<Attachment>, PrintingError> {
        let Some((scope, entity)) = enter_as_recipient(self.store, entity).await? else {
            return Ok(None);
        };
        let language = Language::from_code(locale);
        let wanted = Wanted { language, locale: language, ..Wanted::default() };
        let cx = Context::new(self.store, &scope, stamp);
        let paper = paper(cx, self.files, &entity, id, &wanted).await?;
        let filename = format!("{}.pdf", paper.file_name());
        let content = self.press.print(paper).await?;
        Ok(Some(Attachment { filename, media_type: "application/pdf".to_owned(), content }))
    }
}
