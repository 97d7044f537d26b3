//! Revenue and cost over time: the entity's settings, the entries that units hold, and entries of
//! documents that have none yet.
//!
//! | Module     | Owns                                                                |
//! | ---------- | ------------------------------------------------------------------- |
//! | `held`     | the entries that a unit holds beside its documents                  |
//! | `filling`  | entries of earlier documents: counted, and made in the unit that holds them |
//! | `backfill` | the job that makes them                                             |

mod backfill;
mod filling;
mod held;

use racun_access::{AccessError, Entity, change_own_setting};
use racun_documents::recognition::{RecognitionDefault, RecognitionSide};
use racun_store::Context;
use serde_json::{Value as Json, json};

pub use backfill::{BackfillHandler, begin};
pub use filling::{Filled, FilledDays, MAX_FILLED_AT_ONCE, fill_expenses};
pub(crate) use held::{HeldEntries, HeldSpread};

/// The property of both settings: what becomes of lines that do not say it.
const DEFAULT_METHOD: &str = "default_method";

/// The key of the entity's settings.
const fn key(side: RecognitionSide) -> &'static str {
    match side {
        RecognitionSide::Revenue => "revenue_recognition",
        RecognitionSide::Expense => "expense_recognition",
    }
}

/// What becomes of lines of `entity` that do not say when they are recognised.
#[must_use]
pub fn default_of(entity: &Entity, side: RecognitionSide) -> RecognitionDefault {
    read(entity.settings.as_map().get(key(side)))
}

fn read(stored: Option<&Json>) -> RecognitionDefault {
    let name = stored.and_then(|stored| stored.get(DEFAULT_METHOD)?.as_str());
    let known = RecognitionDefault::ALL.into_iter();
    known.into_iter().find(|known| Some(known.name()) == name).unwrap_or_default()
}

/// Changes what becomes of lines that do not say it, from now on: what is issued stays as it is.
/// `None` changes nothing.
///
/// # Errors
/// Who may not manage the entity; the store's failure.
pub async fn change_default(
    cx: Context<'_>,
    side: RecognitionSide,
    default: Option<RecognitionDefault>,
) -> Result<RecognitionDefault, AccessError> {
    let change = move |stored: Option<&Json>| {
        let method = default.unwrap_or_else(|| read(stored));
        Ok(json!({ DEFAULT_METHOD: method.name() }))
    };
    let entity = change_own_setting(cx, key(side), change).await?;
    Ok(default_of(&entity, side))
}
