//! Identity of project objects.

use std::fmt;
use std::str::FromStr;

/// A GUID as REAPER writes it: `{8-4-4-4-12}`, upper case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Guid(pub u128);

impl Guid {
    /// A GUID derived from a text: the same text always gives the same GUID,
    /// which keeps written projects reproducible.
    pub fn from_seed(seed: &str) -> Self {
        // Two passes of 64-bit FNV-1a with different offsets; uniqueness
        // inside one project is checked by whoever asks for fresh ids.
        let hash = |offset: u64| {
            seed.bytes().fold(offset, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
        };
        let high = hash(0xcbf2_9ce4_8422_2325);
        let low = hash(high ^ 0x9e37_79b9_7f4a_7c15);
        let bits = (u128::from(high) << 64) | u128::from(low);
        // Version 4, variant 1, as RFC 9562 lays them out.
        Self((bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62))
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.0;
        write!(
            f,
            "{{{:08X}-{:04X}-{:04X}-{:04X}-{:012X}}}",
            bits >> 96,
            (bits >> 80) & 0xffff,
            (bits >> 64) & 0xffff,
            (bits >> 48) & 0xffff,
            bits & 0xffff_ffff_ffff
        )
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not of the form `{8-4-4-4-12}`.
#[derive(Debug, thiserror::Error)]
#[error("not a GUID: `{0}`")]
pub struct BadGuid(String);

impl FromStr for Guid {
    type Err = BadGuid;

    fn from_str(text: &str) -> Result<Self, BadGuid> {
        let bad = || BadGuid(text.to_owned());
        let inner = text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .ok_or_else(bad)?;
        let lengths: Vec<usize> = inner.split('-').map(str::len).collect();
        if lengths != [8, 4, 4, 4, 12] {
            return Err(bad());
        }
        u128::from_str_radix(&inner.replace('-', ""), 16)
            .map(Self)
            .map_err(|_| bad())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        let text = "{0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9}";
        assert_eq!(text.parse::<Guid>().unwrap().to_string(), text);
    }

    #[test]
    fn a_seed_always_gives_the_same_version_4_guid() {
        let text = Guid::from_seed("track 1").to_string();
        assert_eq!(text, Guid::from_seed("track 1").to_string());
        assert_ne!(text, Guid::from_seed("track 2").to_string());
        assert_eq!(&text[15..16], "4");
    }

    #[test]
    fn malformed_text_is_refused() {
        for text in [
            "",
            "{}",
            "0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9",
            "{+A1B2C3D-4E5F-4071-8293-A4B5C6D7E8FG}",
        ] {
            assert!(text.parse::<Guid>().is_err(), "{text}");
        }
    }
}
