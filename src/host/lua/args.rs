//! A call of an API function: converted arguments and the model.

use super::pointers::Object;
use super::value::{Arg, Fail};
use super::vm::ScriptInfo;
use crate::host::state::{Host, ItemAt, TakeAt, TrackAt};

/// One call, as an API function sees it. Positions count from 0.
pub(crate) struct Call<'a> {
    pub(crate) host: &'a mut Host,
    pub(crate) script: &'a ScriptInfo,
    pub(crate) args: Vec<Arg>,
}

impl Call<'_> {
    /// An integer; 0 when it was left out.
    pub(crate) fn int(&self, index: usize) -> i64 {
        self.opt_int(index).unwrap_or(0)
    }

    /// An integer cut to 32 bits at its limits.
    pub(crate) fn int32(&self, index: usize) -> i32 {
        let value = self.int(index);
        i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
    }

    /// An index; `None` when negative.
    pub(crate) fn index(&self, index: usize) -> Option<usize> {
        usize::try_from(self.int(index)).ok()
    }

    pub(crate) fn opt_int(&self, index: usize) -> Option<i64> {
        match self.args.get(index) {
            Some(Arg::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// A number; 0 when it was left out.
    pub(crate) fn num(&self, index: usize) -> f64 {
        self.opt_num(index).unwrap_or(0.0)
    }

    pub(crate) fn opt_num(&self, index: usize) -> Option<f64> {
        match self.args.get(index) {
            Some(Arg::Num(value)) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn bool(&self, index: usize) -> bool {
        self.opt_bool(index).unwrap_or(false)
    }

    pub(crate) fn opt_bool(&self, index: usize) -> Option<bool> {
        match self.args.get(index) {
            Some(Arg::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// The bytes of a string, which may hold zeros.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        match self.args.get(index) {
            Some(Arg::Str(value)) => value,
            _ => &[],
        }
    }

    /// A string up to its first zero byte; bad UTF-8 is replaced.
    pub(crate) fn text(&self, index: usize) -> String {
        let bytes = self.bytes(index);
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    /// The object behind a pointer argument, alive or not.
    pub(crate) fn object(&self, index: usize) -> Option<Object> {
        match self.args.get(index) {
            Some(Arg::Ptr(address)) => self.host.handles.object(*address),
            _ => None,
        }
    }

    /// A pointer argument was given.
    pub(crate) fn given(&self, index: usize) -> bool {
        !matches!(self.args.get(index), None | Some(Arg::Nil))
    }

    pub(crate) fn track(&self, index: usize) -> Result<TrackAt, Fail> {
        self.object(index)
            .and_then(|object| self.host.find_track(object))
            .ok_or(Fail::Argument {
                index: index + 1,
                expected: "MediaTrack*",
            })
    }

    pub(crate) fn item(&self, index: usize) -> Result<ItemAt, Fail> {
        self.object(index)
            .and_then(|object| self.host.find_item(object))
            .ok_or(Fail::Argument {
                index: index + 1,
                expected: "MediaItem*",
            })
    }

    pub(crate) fn take(&self, index: usize) -> Result<TakeAt, Fail> {
        self.object(index)
            .and_then(|object| self.host.find_take(object))
            .ok_or(Fail::Argument {
                index: index + 1,
                expected: "MediaItem_Take*",
            })
    }
}
