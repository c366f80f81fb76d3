//! From a track's name to its role.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

use super::style::Style;

/// What the vocabulary knows of a role.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// Names that mean this role: words with single spaces between them.
    pub aliases: Vec<String>,
    /// Roles to take instead, best first, where a style does not have this one.
    #[serde(default)]
    pub near: Vec<String>,
}

/// The role of a track.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleMatch {
    pub role: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Part of the name that decided.
    pub matched: String,
}

/// All roles that names are matched against.
pub fn vocabulary() -> &'static IndexMap<String, Word> {
    static VOCABULARY: LazyLock<IndexMap<String, Word>> = LazyLock::new(|| {
        // Part of the program, read by a test.
        toml::from_str(include_str!("catalogue/roles.toml")).expect("embedded TOML")
    });
    &VOCABULARY
}

/// The role in `style` that the name of a track tells.
pub fn match_track(name: &str, style: &Style) -> Option<RoleMatch> {
    let plain = name.trim().to_lowercase();
    style.roles.contains_key(&plain).then(|| RoleMatch {
        role: plain.clone(),
        confidence: 1.0,
        matched: plain,
    })
}
