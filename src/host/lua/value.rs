//! What API functions take and give, free of the Lua machine's lifetimes.

/// An argument after conversion by REAPER's rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Arg {
    /// Left out, `nil`, or a null pointer.
    Nil,
    Bool(bool),
    Int(i64),
    Num(f64),
    Str(Vec<u8>),
    /// Address of a light userdata.
    Ptr(usize),
}

/// A result. `Num` becomes a Lua float, `Int` a Lua integer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Out {
    Nil,
    Bool(bool),
    Int(i64),
    Num(f64),
    Str(Vec<u8>),
    Ptr(usize),
}

/// Results of a call, in order.
pub(crate) type Outs = Vec<Out>;

/// Why a call failed; Lua sees the text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fail {
    #[error("expected {0} arguments minimum")]
    Missing(usize),
    #[error("argument {index}: expected {expected}")]
    Argument {
        index: usize,
        expected: &'static str,
    },
    #[error("{0}")]
    Other(String),
}

/// Results of an API function or the reason why there are none.
pub(crate) type Answer = Result<Outs, Fail>;

/// Several results of different types, as an [`Answer`].
macro_rules! answer {
    ($($value:expr),* $(,)?) => {
        Ok(vec![$($crate::host::lua::Out::from($value)),*])
    };
}
pub(crate) use answer;

impl From<bool> for Out {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Out {
    fn from(value: f64) -> Self {
        Self::Num(value)
    }
}

impl From<i32> for Out {
    fn from(value: i32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<i64> for Out {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Out {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<usize> for Out {
    fn from(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<&str> for Out {
    fn from(value: &str) -> Self {
        Self::Str(value.as_bytes().to_vec())
    }
}

impl From<String> for Out {
    fn from(value: String) -> Self {
        Self::Str(value.into_bytes())
    }
}

impl From<Vec<u8>> for Out {
    fn from(value: Vec<u8>) -> Self {
        Self::Str(value)
    }
}

impl<T: Into<Out>> From<Option<T>> for Out {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nil, Into::into)
    }
}
