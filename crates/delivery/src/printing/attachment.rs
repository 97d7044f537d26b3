//! Documents that go along with mails.

use racun_access::enter_as_recipient;
use racun_catalog::FileStorage;
use racun_documents::DocumentId;
use racun_kernel::Stamp;
use racun_kernel::id::EntityId;
use racun_mail::Attachment;
use racun_paper::{Language, Paper};
use racun_store::{Context, Store};

use super::{CannotPrint, PrintPdf, PrintingError, Wanted, paper};

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
    /// The model of the document `id` of `entity` in `locale`; `None` where the entity is closed.
    ///
    /// # Errors
    /// When it is not there, or store or storage fail.
    pub async fn paper(
        self,
        entity: EntityId,
        id: DocumentId,
        locale: &str,
        stamp: &Stamp,
    ) -> Result<Option<Paper>, PrintingError> {
        let Some((scope, entity)) = enter_as_recipient(self.store, entity).await? else {
            return Ok(None);
        };
        let language = Language::from_code(locale);
        let wanted = Wanted { language, locale: language, ..Wanted::default() };
        let cx = Context::new(self.store, &scope, stamp);
        Ok(Some(paper(cx, self.files, &entity, id, &wanted).await?))
    }

    /// The document as a PDF.
    ///
    /// # Errors
    /// When it cannot be set.
    pub async fn attachment(self, paper: Paper) -> Result<Attachment, CannotPrint> {
        Ok(pdf(paper.file_name(), self.press.print(paper).await?))
    }

    /// The document as a PDF with `invoice` inside, the same as XML.
    ///
    /// # Errors
    /// When it cannot be set.
    pub async fn hybrid(self, paper: Paper, invoice: String) -> Result<Attachment, CannotPrint> {
        Ok(pdf(paper.file_name(), self.press.print_hybrid(paper, invoice).await?))
    }
}

fn pdf(name: String, content: Vec<u8>) -> Attachment {
    Attachment {
        filename: format!("{name}.pdf"),
        media_type: "application/pdf".to_owned(),
        content,
        content_id: None,
    }
}

/// A picture that the HTML of a mail shows by its `id`.
pub(crate) fn picture(id: &str, media_type: &str, content: Vec<u8>) -> Attachment {
    let ending = media_type.rsplit('/').next().unwrap_or_default();
    Attachment {
        filename: format!("{id}.{ending}"),
        media_type: media_type.to_owned(),
        content,
        content_id: Some(id.to_owned()),
    }
}
