//! White labels that the operator manages by the interface, in the place of a file.

use racun_kernel::{Issue, Issues, Tenant};
use racun_store::Field;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Catalogue, WhiteLabel};

/// White labels that there are at most.
const MOST: usize = 50;
/// Bytes of JSON that one has at most.
const MAX_BYTES: usize = 64 * 1_024;

/// All white labels: one record, for what one may be hangs on the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManagedLabels {
    white_labels: Vec<WhiteLabel>,
    /// When the first one was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When one changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

racun_store::record! {
    /// Where they are kept: in the directory, one row.
    pub static MANAGED_LABELS: ManagedLabels = "managed_labels";
    |labels|
    id: ManagedLabels::ID,
    tenant: Tenant::directory(),
    fields: {
        Field::instant("created_at") => labels.created_at,
    }
}

impl ManagedLabels {
    /// The id of the row.
    pub const ID: &'static str = "managed_labels";

    /// None.
    #[must_use]
    pub const fn none(now: OffsetDateTime) -> Self {
        Self { white_labels: Vec::new(), created_at: now, updated_at: now }
    }

    /// All of them, by their slugs.
    #[must_use]
    pub fn all(&self) -> &[WhiteLabel] {
        &self.white_labels
    }

    /// What requests look in.
    #[must_use]
    pub fn catalogue(&self) -> Catalogue {
        Catalogue::of(self.white_labels.clone())
    }

    /// The same with `label` in the place of the one with its slug, or beside the others; and the
    /// label, complete.
    ///
    /// # Errors
    /// All that is wrong with it, by path.
    pub fn with(
        mut self,
        mut label: WhiteLabel,
        now: OffsetDateTime,
    ) -> Result<(Self, WhiteLabel), Issues> {
        let mut issues = Issues::default();
        issues.note(label.complete());
        self.white_labels.retain(|known| known.slug != label.slug);
        if self.white_labels.len() >= MOST {
            let message = format!("there are at most {MOST} white labels; remove one");
            issues.push(Issue::new("too_many", message).at("slug"));
        }
        if racun_store::json_length(&label) > MAX_BYTES {
            let message = format!("at most {MAX_BYTES} bytes of JSON in all");
            issues.push(Issue::new("too_long", message).at("plans"));
        }
        for known in &self.white_labels {
            for (n, host) in label.hosts.iter().enumerate() {
                if known.hosts.contains(host) {
                    let message = format!("the white label {} has this host", known.slug);
                    issues.push(Issue::new("duplicate", message).at(n).at("hosts"));
                }
            }
            if known.is_default && label.is_default {
                let message = format!("the white label {} is the default one", known.slug);
                issues.push(Issue::new("duplicate", message).at("is_default"));
            }
        }
        issues.into_result(())?;
        self.white_labels.push(label.clone());
        self.white_labels.sort_by(|one, other| one.slug.cmp(&other.slug));
        self.updated_at = now;
        Ok((self, label))
    }

    /// The same without the label `slug`; `None` where there is none.
    #[must_use]
    pub fn without(mut self, slug: &str, now: OffsetDateTime) -> Option<Self> {
        let before = self.white_labels.len();
        self.white_labels.retain(|known| known.slug != slug);
        self.updated_at = now;
        (self.white_labels.len() < before).then_some(self)
    }
}
