//! Elements of a received file.

use roxmltree::Node;

/// The elements `name` in `node`.
pub(super) fn children<'a, 'i>(
    node: Node<'a, 'i>,
    name: &str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// The first of them.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

/// The text of the element at the end of `path` in `node`.
pub(super) fn text(node: Node<'_, '_>, path: &[&str]) -> Option<String> {
    let end = path.iter().try_fold(node, |node, name| child(node, name))?;
    let text = end.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// `S_RFF` of `node`: qualifier and reference.
pub(super) fn reference(node: Node<'_, '_>) -> Option<(String, String)> {
    let segment = child(node, "S_RFF")?;
    let part = |name| text(segment, &["C_C506", name]);
    part("D_1153").zip(part("D_1154"))
}
