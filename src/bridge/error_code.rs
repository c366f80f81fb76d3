//! The error codes that both sides of the protocol use, by number and name.

use std::fmt;

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $retryable:literal;)+) => {
        /// Why a bridge command failed. Numbers and names up to 3006 are those
        /// of the classic protocol.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $variant,)+ }

        impl ErrorCode {
            /// All codes in rising order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The number on the wire.
            pub fn number(self) -> u16 {
                match self { $(Self::$variant => $number,)+ }
            }

            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The same call may work later without a change.
            pub fn is_retryable(self) -> bool {
                match self { $(Self::$variant => $retryable,)+ }
            }
        }
    };
}

error_codes! {
    /// No bridge holds the folder.
    ConnectionRefused = 1001, "CONNECTION_REFUSED", true;
    /// The bridge stopped answering.
    ConnectionLost = 1003, "CONNECTION_LOST", true;
    /// REAPER refused what the handler asked for.
    CommandFailed = 2000, "COMMAND_FAILED", false;
    /// The command's name is not in the table.
    CommandNotFound = 2001, "COMMAND_NOT_FOUND", false;
    /// No answer in time.
    CommandTimeout = 2002, "COMMAND_TIMEOUT", true;
    /// The bridge would not run the command: wrong token or protocol.
    CommandRejected = 2003, "COMMAND_REJECTED", false;
    /// A handler raised a Lua error: a fault of ours.
    InternalError = 2004, "INTERNAL_ERROR", false;
    /// The host lacks an API function that the command needs.
    Unsupported = 2005, "UNSUPPORTED", false;
    /// A value that was written read back differently.
    ReadbackMismatch = 2006, "READBACK_MISMATCH", false;
    /// The render left no file, or an empty one.
    RenderFailed = 2007, "RENDER_FAILED", false;
    /// A parameter has the wrong type or an unknown word.
    InvalidParameter = 3001, "INVALID_PARAMETER", false;
    /// A required parameter is missing.
    MissingParameter = 3002, "MISSING_PARAMETER", false;
    /// A path is empty, relative or absent.
    InvalidPath = 3003, "INVALID_PATH", false;
    /// A render format is not known.
    InvalidFormat = 3004, "INVALID_FORMAT", false;
    /// A number or a list length lies outside its limits.
    ValueOutOfRange = 3006, "VALUE_OUT_OF_RANGE", false;
    /// The command file is not valid JSON.
    InvalidJson = 3007, "INVALID_JSON", false;
    /// The addressed track, item, effect, send or marker does not exist.
    NotFound = 4000, "NOT_FOUND", false;
    /// An index and the GUID beside it mean different objects.
    StaleIndex = 4001, "STALE_INDEX", false;
}

impl ErrorCode {
    /// The code with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
