//! Issues that only follow from others of the same body: they are not told.

use racun_kernel::{Issue, Issues, Step};

/// What follows from what: a code, the field that it is at, where only one is meant, and the fields
/// beside it of which an issue explains it.
const CONSEQUENCES: [(&str, Option<&str>, &[&str]); 3] = [
    // An item would give the line its name and price, and a heading has no price.
    ("required", Some("name"), &["item_id"]),
    ("required", Some("price"), &["item_id", "type"]),
    ("date_before_document", None, &["date"]),
];

/// `issues` without those that follow from others of them.
pub(super) fn left_out_of(issues: Issues) -> Issues {
    if issues.len() < 2 {
        return issues;
    }
    let mut left = Issues::default();
    let own = issues.iter().filter(|issue| !issues.iter().any(|cause| explains(cause, issue)));
    own.for_each(|issue| left.push(issue.clone()));
    left
}

/// Whether `issue` follows from `cause`.
fn explains(cause: &Issue, issue: &Issue) -> bool {
    let (Some((field, around)), Some((Step::Key(reason), beside))) =
        (issue.path.split_last(), cause.path.split_last())
    else {
        return false;
    };
    let is_at = |name: &str| matches!(field, Step::Key(key) if key == name);
    around == beside
        && CONSEQUENCES.iter().any(|(code, at, causes)| {
            *code == issue.code && at.is_none_or(is_at) && causes.contains(&reason.as_str())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(issues: &[(&'static str, &[&str])]) -> Vec<String> {
        let mut all = Issues::default();
        for (code, path) in issues {
            let issue = Issue::new(code, "wrong");
            all.push(path.iter().rev().fold(issue, |issue, step| issue.at(*step)));
        }
        left_out_of(all).iter().map(|issue| issue.code.to_owned()).collect()
    }

    #[test]
    fn issues_that_follow_from_another_are_left_out() {
        let item: (_, &[&str]) = ("not_found", &["items", "item_id"]);
        let (name, price): ((_, &[&str]), (_, &[&str])) =
            (("required", &["items", "name"]), ("required", &["items", "price"]));
        let kind: (_, &[&str]) = ("invalid_value", &["items", "type"]);
        let (date, due): ((_, &[&str]), (_, &[&str])) =
            (("date_in_future", &["date"]), ("date_before_document", &["date_due"]));
        assert_eq!(told(&[item, name, price]), ["not_found"]);
        assert_eq!(told(&[kind, name, price]), ["invalid_value", "required"]);
        assert_eq!(told(&[date, due]), ["date_in_future"]);
        assert_eq!(told(&[due]), ["date_before_document"]);
        assert_eq!(told(&[("not_found", &["item_id"]), price]), ["not_found", "required"]);
    }
}
