//! Names of places on the page, for links.

/// The name of a finding's section: its id, or its number if the id could not stand in a link.
pub(super) fn anchor(id: &str, index: usize) -> String {
    let harmless = !id.is_empty() && id.len() <= 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if harmless { id.to_owned() } else { format!("finding-{}", index + 1) }
}

/// The name of a step.
pub(super) fn step_anchor(finding: &str, step: usize) -> String {
    format!("{finding}/step/{step}")
}

/// The name of a source line.
pub(super) fn line_anchor(finding: &str, file: usize, line: u32) -> String {
    format!("{finding}/source/{file}/{line}")
}

/// The name of a box of the tree.
pub(super) fn tree_anchor(node: usize) -> String {
    format!("tree/{node}")
}
