//! What scripts keep in a project.

use std::collections::BTreeMap;

use super::line::{quote, text, tokens};
use super::tree::{Chunk, Node};

pub(super) fn read_ext_state(nodes: &[Node]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for node in nodes {
        let Node::Chunk(chunk) = node else { continue };
        if chunk.keyword() != b"EXTSTATE" {
            continue;
        }
        for child in &chunk.children {
            let Node::Chunk(section) = child else {
                continue;
            };
            let name = String::from_utf8_lossy(section.keyword()).into_owned();
            let values: BTreeMap<String, String> = section
                .children
                .iter()
                .filter_map(|node| match node {
                    Node::Line(line) => {
                        let parts = tokens(line);
                        Some((text(&parts, 0), text(&parts, 1)))
                    }
                    _ => None,
                })
                .collect();
            all.insert(name, values);
        }
    }
    all
}

pub(super) fn write_ext_state(
    ext_state: &BTreeMap<String, BTreeMap<String, String>>,
    nodes: &mut Vec<Node>,
) {
    let is_ext = |node: &Node| matches!(node, Node::Chunk(chunk) if chunk.keyword() == b"EXTSTATE");
    nodes.retain(|node| !is_ext(node));
    if ext_state.is_empty() {
        return;
    }
    let children = ext_state
        .iter()
        .map(|(section, values)| {
            Node::Chunk(Chunk {
                open: format!("    <{section}").into_bytes(),
                children: values
                    .iter()
                    .map(|(key, value)| {
                        Node::Line(format!("      {} {}", quote(key), quote(value)).into_bytes())
                    })
                    .collect(),
                close: b"    >".to_vec(),
            })
        })
        .collect();
    nodes.push(Node::Chunk(Chunk {
        open: b"  <EXTSTATE".to_vec(),
        children,
        close: b"  >".to_vec(),
    }));
}
