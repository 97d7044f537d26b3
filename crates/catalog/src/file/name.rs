//! What a file is called. A name comes from a stranger and goes into headers, archives and other
//! people's folders.

use racun_kernel::text::is_unseen;

use super::FileFormat;

/// Characters of a name.
const MAX_CHARS: usize = 150;

/// `name` without folders and without what a folder or a person would misread: signs that control,
/// that are not seen or turn the direction of writing around, or that file systems forbid; dots and
/// spaces at its ends.
pub fn clean(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let readable = last.chars().filter(|sign| !sign.is_control() && !is_unseen(*sign));
    let plain = readable.map(|sign| if r#"<>:"|?*;"#.contains(sign) { '_' } else { sign });
    let plain: String = plain.collect();
    let trimmed = plain.trim_matches(|sign: char| sign == '.' || sign.is_whitespace());
    if trimmed.chars().count() <= MAX_CHARS {
        return trimmed.to_owned();
    }
    // The beginning and the extension.
    let end = trimmed.rsplit_once('.').map(|(_, end)| end).filter(|end| end.len() <= 5);
    let kept: String = trimmed.chars().take(MAX_CHARS - 6).collect();
    match end {
        Some(end) => format!("{}.{end}", kept.trim_end_matches('.')),
        None => kept,
    }
}

/// What stands after the last dot, in small letters.
pub fn extension(name: &str) -> Option<String> {
    let (before, extension) = name.rsplit_once('.')?;
    (!before.is_empty()).then(|| extension.to_lowercase())
}

/// `name`, with an extension when it has none.
pub fn complete(name: String, format: FileFormat) -> String {
    match (name.is_empty(), extension(&name)) {
        (true, _) => format!("file.{}", format.name()),
        (false, None) => format!("{name}.{}", format.name()),
        (false, Some(_)) => name,
    }
}
