//! Fields of a line: tokenising, quoting, numbers, and changing single fields.

use super::tree::Node;

/// Fields of a line, without indentation, line end and quotes.
pub fn tokens(line: &[u8]) -> Vec<String> {
    spans(line).into_iter().map(|span| span.text).collect()
}

/// The keyword of a line or of a chunk's opening line.
pub(super) fn keyword(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"<").unwrap_or(line);
    let end = line
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(line.len());
    &line[..end]
}

/// A field in the form REAPER writes it. Text with all three kinds of quotes
/// loses its back-ticks here, as in REAPER, which keeps the true text in a
/// chunk of its own.
pub fn quote(text: &str) -> String {
    let bare =
        !text.is_empty() && !text.contains([' ', '\t']) && !text.starts_with(['"', '\'', '`', '#']);
    if bare {
        text.to_owned()
    } else {
        quote_always(text)
    }
}

/// A field in quotes even where it needs none, as in `FILE` lines.
pub(super) fn quote_always(text: &str) -> String {
    if !text.contains('"') {
        format!("\"{text}\"")
    } else if !text.contains('\'') {
        format!("'{text}'")
    } else {
        format!("`{}`", text.replace('`', "'"))
    }
}

/// The shortest decimal form that reads back as the same number.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        "0".to_owned()
    } else {
        value.to_string()
    }
}

/// Field `index` as a number; `default` when missing or not a number.
pub(super) fn num(fields: &[String], index: usize, default: f64) -> f64 {
    fields
        .get(index)
        .and_then(|field| field.parse::<f64>().ok())
        .filter(|value| value.is_finite())
        .unwrap_or(default)
}

/// Field `index` as an integer; fractions are cut off.
pub(super) fn int(fields: &[String], index: usize, default: i32) -> i32 {
    num(fields, index, f64::from(default)) as i32
}

/// Field `index` as text, empty when missing.
pub(super) fn text(fields: &[String], index: usize) -> String {
    fields.get(index).cloned().unwrap_or_default()
}

/// A value to be written into a field.
#[derive(Debug, Clone)]
pub(super) enum Field {
    Num(f64),
    /// A number that is read without its fraction.
    Int(i64),
    Text(String),
    /// Text that REAPER always quotes.
    Quoted(String),
}

impl Field {
    pub(super) fn int(value: impl Into<i64>) -> Self {
        Self::Int(value.into())
    }

    pub(super) fn flag(value: bool) -> Self {
        Self::Int(i64::from(value))
    }

    /// Whether two values would read back as the same.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a) | Self::Quoted(a), Self::Text(b) | Self::Quoted(b)) => a == b,
            _ => match (self.as_number(), other.as_number()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Num(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            Self::Text(_) | Self::Quoted(_) => None,
        }
    }

    fn says(&self, token: &str) -> bool {
        match self {
            Self::Num(value) => token.parse::<f64>().is_ok_and(|old| old == *value),
            Self::Int(value) => token.parse::<f64>().is_ok_and(|old| old as i64 == *value),
            Self::Text(value) | Self::Quoted(value) => token == value,
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Num(value) => number(*value),
            Self::Int(value) => value.to_string(),
            Self::Text(value) => quote(value),
            Self::Quoted(value) => quote_always(value),
        }
    }
}

/// First line with a keyword among the direct children.
pub(super) fn find<'a>(nodes: &'a [Node], key: &str) -> Option<&'a [u8]> {
    nodes.iter().find_map(|node| match node {
        Node::Line(line) if keyword(line) == key.as_bytes() => Some(line.as_slice()),
        _ => None,
    })
}

/// Fields after the keyword of the first such line, empty when there is none.
pub(super) fn fields(nodes: &[Node], key: &str) -> Vec<String> {
    find(nodes, key).map(args).unwrap_or_default()
}

/// Fields after the keyword.
pub(super) fn args(line: &[u8]) -> Vec<String> {
    let mut all = tokens(line);
    if all.is_empty() {
        all
    } else {
        all.split_off(1)
    }
}

/// Makes the line with a keyword say `values` (field index after the keyword,
/// value). Fields that say so already keep their bytes; other fields are not
/// touched. `absent` tells what a missing field means, value by value: what
/// says just that is not added. Without `absent` everything is written.
pub(super) fn set(nodes: &mut Vec<Node>, key: &str, values: &[(usize, Field)], absent: &[Field]) {
    for node in nodes.iter_mut() {
        if let Node::Line(line) = node
            && keyword(line) == key.as_bytes()
        {
            set_or_default(line, values, absent);
            return;
        }
    }
    let says_nothing = values
        .iter()
        .enumerate()
        .all(|(i, (_, value))| absent.get(i).is_some_and(|a| a.same(value)));
    if says_nothing {
        return;
    }
    let mut line = format!("  {key}").into_bytes();
    set_fields(&mut line, values);
    if uses_carriage_returns(nodes) {
        line.push(b'\r');
    }
    let place = nodes
        .iter()
        .position(|node| matches!(node, Node::Chunk(_) | Node::Slot(_)))
        .unwrap_or(nodes.len());
    nodes.insert(place, Node::Line(line));
}

/// Makes fields of a line say something; missing fields in between become 0.
pub(super) fn set_fields(line: &mut Vec<u8>, values: &[(usize, Field)]) {
    set_or_default(line, values, &[]);
}

fn set_or_default(line: &mut Vec<u8>, values: &[(usize, Field)], absent: &[Field]) {
    let old = spans(line);
    let wrong: Vec<&(usize, Field)> = values
        .iter()
        .enumerate()
        .filter(|(i, (index, field))| match old.get(index + 1) {
            Some(span) => !field.says(&span.text),
            None => !absent.get(*i).is_some_and(|a| a.same(field)),
        })
        .map(|(_, value)| value)
        .collect();
    if wrong.is_empty() {
        return;
    }
    let mut parts: Vec<Vec<u8>> = old
        .iter()
        .map(|span| line[span.start..span.end].to_vec())
        .collect();
    for (index, field) in wrong {
        while parts.len() <= index + 1 {
            // What is skipped says what its absence says, where that is known.
            let gap = parts.len() - 1;
            let default = values
                .iter()
                .position(|(i, _)| *i == gap)
                .and_then(|i| absent.get(i));
            parts.push(default.map_or_else(|| b"0".to_vec(), |d| d.written().into_bytes()));
        }
        parts[index + 1] = field.written().into_bytes();
    }
    let indent = line.len() - line.trim_ascii_start().len();
    let mut new = line[..indent].to_vec();
    new.extend(parts.join(&b' '));
    if line.ends_with(b"\r") {
        new.push(b'\r');
    }
    *line = new;
}

fn uses_carriage_returns(nodes: &[Node]) -> bool {
    nodes
        .iter()
        .find_map(|node| match node {
            Node::Line(line) => Some(line.ends_with(b"\r")),
            _ => None,
        })
        .unwrap_or(false)
}

struct Span {
    start: usize,
    end: usize,
    text: String,
}

fn spans(line: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if line[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let first = line[at];
        let (inner, end) = if matches!(first, b'"' | b'\'' | b'`') {
            let close = line[at + 1..].iter().position(|&byte| byte == first);
            match close {
                Some(length) => (at + 1..at + 1 + length, at + length + 2),
                None => (at + 1..trimmed_end(line), line.len()),
            }
        } else {
            let end = line[at..]
                .iter()
                .position(u8::is_ascii_whitespace)
                .map_or(line.len(), |length| at + length);
            (at..end, end)
        };
        spans.push(Span {
            start,
            end,
            text: String::from_utf8_lossy(&line[inner]).into_owned(),
        });
        at = end;
    }
    spans
}

fn trimmed_end(line: &[u8]) -> usize {
    line.trim_ascii_end().len().max(1)
}
