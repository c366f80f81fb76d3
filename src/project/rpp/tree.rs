//! A lossless tree of the lines of a project file.

/// Deepest nesting that is read; real files stay under ten.
const MAX_DEPTH: usize = 64;

/// A file: what stands before the root chunk, the root, and what follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub before: Vec<Vec<u8>>,
    pub root: Chunk,
    /// Everything after the root's closing line, line end included.
    pub after: Vec<u8>,
}

/// A chunk: its opening line, what stands inside, its closing line.
/// Lines are raw bytes without the line feed (a carriage return stays).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chunk {
    pub open: Vec<u8>,
    pub children: Vec<Node>,
    pub close: Vec<u8>,
}

/// A line, a nested chunk, or the place of objects that the model holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Line(Vec<u8>),
    Chunk(Chunk),
    /// Never in a tree as parsed: takes the place of lines that moved into
    /// objects of the model.
    Slot(Slot),
}

/// What stood where a [`Node::Slot`] is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    Tracks,
    Markers,
    TempoPoints,
    Items,
    Takes,
    Receives,
    Envelopes,
    Fx,
}

/// The text is not a project, or is cut off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RppError {
    #[error("not a REAPER project: no line starts with `<{expected}`")]
    NoRoot { expected: &'static str },
    #[error("line {line}: the file ends inside `<{chunk}`, which was opened here")]
    CutOff { line: usize, chunk: String },
    #[error("line {line}: chunks are nested more than {MAX_DEPTH} deep")]
    TooDeep { line: usize },
}

impl Document {
    /// Reads a whole file whose root chunk has the keyword `root`.
    ///
    /// # Errors
    ///
    /// There is no such chunk, the text ends inside a chunk, or chunks are
    /// nested too deep.
    pub fn parse(bytes: &[u8], root: &'static str) -> Result<Self, RppError> {
        let mut lines = Lines::new(bytes);
        let mut before = Vec::new();
        let open = loop {
            match lines.next() {
                None => return Err(RppError::NoRoot { expected: root }),
                Some(line) if is_open(line) && super::line::keyword(line) == root.as_bytes() => {
                    break line;
                }
                Some(line) => before.push(line.to_vec()),
            }
        };
        let root = chunk(open, &mut lines)?;
        Ok(Self {
            before,
            root,
            after: bytes[lines.end..].to_vec(),
        })
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for line in &self.before {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
        self.root.write(&mut out);
        // The line end of the last `>` belongs to `after`.
        out.pop();
        out.extend_from_slice(&self.after);
        out
    }
}

impl Chunk {
    /// The keyword after `<`.
    pub fn keyword(&self) -> &[u8] {
        super::line::keyword(&self.open)
    }

    /// Direct child chunks with a keyword.
    pub fn chunks<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Chunk> {
        self.children.iter().filter_map(move |node| match node {
            Node::Chunk(chunk) if chunk.keyword() == key.as_bytes() => Some(chunk),
            _ => None,
        })
    }

    /// Appends the chunk with a line feed after each line.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        push_line(out, &self.open);
        write_nodes(&self.children, out);
        push_line(out, &self.close);
    }

    /// Parses a text that consists of one chunk.
    pub(super) fn parse(text: &[u8], root: &'static str) -> Result<Self, RppError> {
        Document::parse(text, root).map(|document| document.root)
    }
}

fn write_nodes(nodes: &[Node], out: &mut Vec<u8>) {
    for node in nodes {
        match node {
            Node::Line(line) => push_line(out, line),
            Node::Chunk(chunk) => chunk.write(out),
            Node::Slot(_) => {}
        }
    }
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    out.extend_from_slice(line);
    out.push(b'\n');
}

fn chunk(open: &[u8], lines: &mut Lines<'_>) -> Result<Chunk, RppError> {
    // A stack instead of recursion: the depth comes from the file.
    let mut stack = vec![(
        Chunk {
            open: open.to_vec(),
            ..Chunk::default()
        },
        lines.number,
    )];
    loop {
        let Some(line) = lines.next() else {
            let (chunk, line) = &stack[stack.len() - 1];
            return Err(RppError::CutOff {
                line: *line,
                chunk: String::from_utf8_lossy(chunk.keyword()).into_owned(),
            });
        };
        if line.trim_ascii() == b">" {
            let Some((mut done, _)) = stack.pop() else {
                // The stack is never empty here: it starts with the root and
                // the function returns when the root is closed.
                return Err(RppError::NoRoot { expected: "chunk" });
            };
            done.close = line.to_vec();
            match stack.last_mut() {
                Some((parent, _)) => parent.children.push(Node::Chunk(done)),
                None => return Ok(done),
            }
        } else if is_open(line) {
            if stack.len() == MAX_DEPTH {
                return Err(RppError::TooDeep { line: lines.number });
            }
            stack.push((
                Chunk {
                    open: line.to_vec(),
                    ..Chunk::default()
                },
                lines.number,
            ));
        } else if let Some((top, _)) = stack.last_mut() {
            top.children.push(Node::Line(line.to_vec()));
        }
    }
}

/// Only the first sign of a line counts: names may hold `<`.
fn is_open(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"<")
}

struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the next line starts.
    at: usize,
    /// Where the last line ended, before its line feed.
    end: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            end: 0,
            number: 0,
        }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&byte| byte == b'\n');
        self.end = self.at + length.unwrap_or(rest.len());
        self.at = self.end + 1;
        self.number += 1;
        Some(&rest[..length.unwrap_or(rest.len())])
    }
}
