//! The `.rpp` text form: a lossless tree of lines.

/// A chunk of the file: its opening line and what stands inside.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// The opening line as written, without the line end.
    pub open: Vec<u8>,
    pub children: Vec<Node>,
}

/// A line or a nested chunk.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Line(Vec<u8>),
    Chunk(Chunk),
}
