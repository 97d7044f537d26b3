//! People that stand for what a provider may know of one.
//!
//! Everybody has an account here: the person `ana@example.com` has the subject
//! `sub-ana@example.com` and a verified address. What stands before a colon says otherwise:
//!
//! | Person                       | What the token says                                   |
//! | ---------------------------- | ----------------------------------------------------- |
//! | `unverified:ana@example.com` | the address, and that it is not verified              |
//! | `text:ana@example.com`       | `email_verified` as the text `"true"`                 |
//! | `anonymous:17`               | the subject `sub-17`, and no address                  |
//! | `other:ana@example.com`      | the address, verified, with the subject `other-…`     |

use serde_json::{Value, json};

/// The claims about `person`.
pub fn claims(person: &str) -> Value {
    let (kind, rest) = person.split_once(':').unwrap_or(("", person));
    let subject = format!("sub-{rest}");
    match kind {
        "anonymous" => json!({"sub": subject}),
        "unverified" => json!({"sub": subject, "email": rest, "email_verified": false}),
        "text" => json!({"sub": subject, "email": rest, "email_verified": "true"}),
        "other" => {
            json!({"sub": format!("other-{rest}"), "email": rest, "email_verified": true})
        }
        _ => {
            let name = rest.split('@').next();
            json!({"sub": subject, "email": rest, "email_verified": true, "name": name})
        }
    }
}
