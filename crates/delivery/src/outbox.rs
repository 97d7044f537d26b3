//! What every e-mail is written with: its rows, in whose name users are written to, and in which
//! language.

use racun_background::jobs::{Job, JobKind, NewJob};
use racun_billing::WhiteLabel;
use racun_kernel::Stamp;
use racun_kernel::text::LOCALES;
use racun_mail::{OutgoingMail, PRODUCT, SECRET, Values};
use racun_store::{Put, Record};

/// The rows of a mail that is to be delivered: the mail, and the job that does it.
///
/// For use cases that send e-mail: the rows are written in the commit of the change they announce.
#[must_use]
pub fn enqueue(mail: &OutgoingMail, stamp: &Stamp) -> Vec<Put> {
    let job = NewJob {
        kind: JobKind::Mail,
        entity_id: mail.entity_id,
        subject: mail.id.to_string(),
        payload: mail.tenant().as_str().to_owned(),
    };
    vec![Put::insert(mail), Job::new(job, stamp).put()]
}

/// Characters of a subject.
pub(crate) const MAX_SUBJECT_CHARS: usize = 255;

/// In whose name users are written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// The base of links, without a slash at its end.
    base: String,
    /// What the service is called.
    product: String,
}

impl Sender {
    /// Who writes to users of `label`, or to those who came without one.
    #[must_use]
    pub fn of(base: &str, label: Option<&WhiteLabel>) -> Self {
        let product = label.map(|label| label.app_name.as_ref().unwrap_or(&label.name));
        let base = base.trim_end_matches('/').to_owned();
        Self { base, product: product.cloned().unwrap_or_else(|| PRODUCT.to_owned()) }
    }

    /// What its mails stand for: what the service is called, and the link to `page` in
    /// the language of `locale`. The token is first in it, for programs that cut it out.
    pub(crate) fn values(&self, page: &str, locale: &str) -> Values {
        let mut values = Values::default();
        let language = locale.split('-').next().unwrap_or_default();
        let link = format!("{}/{page}?token={SECRET}&language={language}", self.base);
        values.set("product", Some(&*self.product));
        values.set("link", Some(link));
        values
    }
}

/// The locale that a locale or a language names: `sl-SI` of `sl`.
pub(crate) fn locale_of(text: &str) -> Option<&'static str> {
    let of_language = |locale: &&&str| locale.split('-').next() == Some(text);
    let exact = LOCALES.iter().find(|locale| **locale == text);
    exact.or_else(|| LOCALES.iter().find(of_language)).copied()
}
