//! Who issued a document.

use racun_kernel::Person;
use racun_kernel::id::UserId;
use serde::{Deserialize, Serialize};

/// The person who issued a document, as they were called then.
///
/// It is kept in the document's body, where reports find it under `operator`. What an authority
/// knows the person by joins it here once documents are sent to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// Who it was.
    pub user_id: UserId,
    /// Their name, when they gave one.
    pub name: Option<String>,
    /// Their e-mail address.
    pub email: String,
}

impl From<&Person> for Operator {
    fn from(person: &Person) -> Self {
        let Person { user_id, name, email } = person.clone();
        Self { user_id, name, email }
    }
}
