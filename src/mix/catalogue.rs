//! The styles: embedded TOML files, one per family, read when first asked for.
//!
//! A user's own style is a TOML text of the same form, alone or on top of a
//! style of the catalogue (`extends = "synthwave"`).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use indexmap::IndexMap;
use toml::{Table, Value};

use super::MAX_EQ_BANDS;
use super::roles;
use super::style::{Master, ReverbBus, Role, Shape, Style};
use crate::diag::{folded, suggest};

/// Family and text of each file.
const FILES: [(&str, &str); 7] = [
    ("edm", include_str!("catalogue/edm.toml")),
    ("rock", include_str!("catalogue/rock.toml")),
    ("pop", include_str!("catalogue/pop.toml")),
    ("electronic", include_str!("catalogue/electronic.toml")),
    ("jazz", include_str!("catalogue/jazz.toml")),
    ("orchestral", include_str!("catalogue/orchestral.toml")),
    ("funk_soul", include_str!("catalogue/funk_soul.toml")),
];

const REVERB: &str = include_str!("catalogue/reverb.toml");

/// Why a style text is not a style.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StyleError {
    /// Not TOML, or a key is missing, unknown or of the wrong type.
    #[error("{message}")]
    Toml { message: String },
    #[error("`extends = \"{name}\"` names no style of the catalogue{}", did_you_mean(.nearest))]
    UnknownBase {
        name: String,
        nearest: Option<&'static str>,
    },
    /// A value outside of what it may be.
    #[error("`{key}` is {value}, must be {allowed}")]
    Range {
        key: String,
        value: String,
        allowed: String,
    },
    /// A name that points nowhere.
    #[error("`{key}` names `{name}`, which the style does not have")]
    Dangling { key: String, name: String },
}

/// Names of all styles, in the order of the catalogue.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().iter().map(|style| style.name.as_str())
}

/// All styles, in the order of the catalogue.
pub fn all() -> &'static [Style] {
    &CATALOGUE.styles
}

/// The style of that name. Letter case, spaces, `-` and `_` make no difference.
pub fn find(name: &str) -> Option<&'static Style> {
    let wanted = folded(name);
    all().iter().find(|style| folded(&style.name) == wanted)
}

/// The style whose name is most like `name`, for messages.
pub fn nearest(name: &str) -> Option<&'static str> {
    suggest(name, names())
}

/// Reads a user's style. `name` is used when the text has no `name` itself.
///
/// With `extends`, tables are merged key by key; arrays are replaced as a
/// whole. Without, the text must be complete.
///
/// # Errors
///
/// Text that is not a style; the message names the key.
pub fn parse(name: &str, text: &str) -> Result<Style, StyleError> {
    let mut own: Table = text.parse().map_err(toml_error)?;
    let name = match own.remove("name") {
        Some(Value::String(given)) => given,
        Some(other) => {
            return Err(StyleError::Range {
                key: "name".into(),
                value: other.to_string(),
                allowed: "a text".into(),
            });
        }
        None => name.to_owned(),
    };
    let (family, table) = match own.remove("extends") {
        None => ("own".to_owned(), own),
        Some(base) => {
            let base_name = base.as_str().unwrap_or_default();
            let base = find(base_name).ok_or_else(|| StyleError::UnknownBase {
                name: base_name.to_owned(),
                nearest: nearest(base_name),
            })?;
            let mut merged = CATALOGUE.tables[&base.name].clone();
            merge(&mut merged, own);
            (base.family.clone(), merged)
        }
    };
    let style = read(&name, &family, table)?;
    check(&style)?;
    Ok(style)
}

/// The catalogue as a Markdown document.
pub fn markdown() -> String {
    let mut out = String::from(
        "# Styles\n\n\
         Made from `src/mix/catalogue/` by `mix::catalogue::markdown`; a test compares.\n\n\
         | style | family | tempo | loudness | true peak | width | limiter | roles | side-chains |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for style in all() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| [{0}](#{0}) | {1} | {2}–{3} BPM | {4} LUFS | {5} dBTP | {6} | {7:?} | {8} | {9} |",
            style.name,
            style.family,
            style.tempo_bpm.0,
            style.tempo_bpm.1,
            style.master.integrated_lufs,
            style.master.true_peak_max_dbtp,
            style.master.width,
            style.master.limiter,
            style.roles.len(),
            style.sidechain.len(),
        );
    }
    for style in all() {
        style_markdown(&mut out, style);
    }
    out
}

struct Catalogue {
    styles: Vec<Style>,
    /// As written, for `extends`.
    tables: IndexMap<String, Table>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut catalogue = Catalogue {
        styles: Vec::new(),
        tables: IndexMap::new(),
    };
    for (family, text) in FILES {
        // The files are part of the program and a test reads all of them.
        let tables: Table = text.parse().expect("embedded TOML");
        for (name, table) in tables {
            let Value::Table(table) = table else {
                panic!("embedded style `{name}` is not a table");
            };
            let style = read(&name, family, table.clone()).expect("embedded style");
            catalogue.styles.push(style);
            catalogue.tables.insert(name, table);
        }
    }
    catalogue
});

static DEFAULT_REVERB: LazyLock<IndexMap<String, ReverbBus>> =
    // Part of the program, read by a test.
    LazyLock::new(|| toml::from_str(REVERB).expect("embedded TOML"));

fn read(name: &str, family: &str, table: Table) -> Result<Style, StyleError> {
    let mut style: Style = Value::Table(table).try_into().map_err(toml_error)?;
    style.name = name.to_owned();
    style.family = family.to_owned();
    for (bus, reverb) in &*DEFAULT_REVERB {
        if !style.reverb.contains_key(bus) {
            style.reverb.insert(bus.clone(), reverb.clone());
        }
    }
    Ok(style)
}

/// Refuses what would come out as nonsense in a plug-in.
pub(super) fn check(style: &Style) -> Result<(), StyleError> {
    let range = |key: String, value: f64, low: f64, high: f64| {
        if value.is_finite() && (low..=high).contains(&value) {
            return Ok(());
        }
        Err(StyleError::Range {
            key,
            value: value.to_string(),
            allowed: format!("{low} to {high}"),
        })
    };
    let compressor = |key: &str, settings: &super::Compressor| {
        range(
            format!("{key}.threshold_db"),
            settings.threshold_db,
            -60.0,
            0.0,
        )?;
        range(format!("{key}.ratio"), settings.ratio, 1.0, 100.0)?;
        range(format!("{key}.attack_ms"), settings.attack_ms, 0.0, 500.0)?;
        range(
            format!("{key}.release_ms"),
            settings.release_ms,
            1.0,
            5000.0,
        )?;
        range(format!("{key}.knee_db"), settings.knee_db, 0.0, 24.0)?;
        range(format!("{key}.makeup_db"), settings.makeup_db, -24.0, 6.0)
    };
    let Master {
        integrated_lufs,
        true_peak_max_dbtp,
        width,
        high_pass_hz,
        low_shelf,
        high_shelf,
        glue,
        limiter: _,
    } = &style.master;
    range("tempo_bpm".into(), style.tempo_bpm.0, 20.0, 999.0)?;
    range(
        "tempo_bpm".into(),
        style.tempo_bpm.1,
        style.tempo_bpm.0,
        999.0,
    )?;
    range(
        "master.integrated_lufs".into(),
        *integrated_lufs,
        -36.0,
        -3.0,
    )?;
    range(
        "master.true_peak_max_dbtp".into(),
        *true_peak_max_dbtp,
        -20.0,
        0.0,
    )?;
    range("master.width".into(), *width, 0.0, 2.0)?;
    range("master.high_pass_hz".into(), *high_pass_hz, 0.0, 1000.0)?;
    for (key, shelf) in [("low_shelf", low_shelf), ("high_shelf", high_shelf)] {
        range(format!("master.{key}.hz"), shelf.hz, 20.0, 20_000.0)?;
        range(format!("master.{key}.db"), shelf.db, -12.0, 12.0)?;
    }
    if let Some(glue) = glue {
        compressor("master.glue", glue)?;
    }
    for (name, bus) in &style.reverb {
        let key = |field: &str| format!("reverb.{name}.{field}");
        range(key("room_size"), bus.room_size, 0.0, 1.0)?;
        range(key("dampening"), bus.dampening, 0.0, 1.0)?;
        range(key("wet_db"), bus.wet_db, -60.0, 0.0)?;
        range(key("width"), bus.width, 0.0, 2.0)?;
        range(key("high_pass_hz"), bus.high_pass_hz, 0.0, 20_000.0)?;
        range(key("low_pass_hz"), bus.low_pass_hz, 20.0, 20_000.0)?;
    }
    for (name, role) in &style.roles {
        let key = |field: &str| format!("roles.{name}.{field}");
        range(key("level_db"), role.level_db, -60.0, 12.0)?;
        range(key("pan"), role.pan, -1.0, 1.0)?;
        range(key("high_pass_hz"), role.high_pass_hz, 0.0, 5000.0)?;
        for band in &role.eq {
            range(key("eq.hz"), band.hz, 20.0, 20_000.0)?;
            range(key("eq.db"), band.db, -24.0, 12.0)?;
            range(key("eq.q"), band.q, 0.1, 40.0)?;
        }
        let shelves = |shape| role.eq.iter().filter(|band| band.shape == shape).count();
        range(key("eq"), role.eq.len() as f64, 0.0, MAX_EQ_BANDS as f64)?;
        range(
            key("eq low shelves"),
            shelves(Shape::LowShelf) as f64,
            0.0,
            1.0,
        )?;
        range(
            key("eq high shelves"),
            shelves(Shape::HighShelf) as f64,
            0.0,
            1.0,
        )?;
        if let Some(settings) = &role.compressor {
            compressor(&key("compressor"), settings)?;
        }
        for (bus, level_db) in &role.sends {
            range(key("sends"), *level_db, -60.0, 12.0)?;
            if !style.reverb.contains_key(bus) {
                return Err(StyleError::Dangling {
                    key: key("sends"),
                    name: bus.clone(),
                });
            }
        }
    }
    let mut ducked = BTreeSet::new();
    for duck in &style.sidechain {
        // Two keys on one pair of channels could not be told apart.
        if !ducked.insert(&duck.target) {
            return Err(StyleError::Range {
                key: "sidechain.target".into(),
                value: duck.target.clone(),
                allowed: "ducked by one key only".into(),
            });
        }
        range("sidechain.amount".into(), duck.amount, 0.0, 1.0)?;
        range("sidechain.attack_ms".into(), duck.attack_ms, 0.0, 500.0)?;
        range("sidechain.release_ms".into(), duck.release_ms, 1.0, 5000.0)?;
        for (key, role) in [("key", &duck.key), ("target", &duck.target)] {
            if !style.roles.contains_key(role) {
                return Err(StyleError::Dangling {
                    key: format!("sidechain.{key}"),
                    name: role.clone(),
                });
            }
        }
    }
    for name in style.roles.keys() {
        let known = roles::vocabulary().contains_key(name);
        if !known && style.roles[name].aliases.is_empty() {
            return Err(StyleError::Range {
                key: format!("roles.{name}"),
                value: "new".into(),
                allowed: "a role of the vocabulary, or have `aliases`".into(),
            });
        }
    }
    Ok(())
}

fn merge(base: &mut Table, own: Table) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(own)) => merge(base, own),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn toml_error(error: impl std::fmt::Display) -> StyleError {
    StyleError::Toml {
        message: error.to_string().trim().to_owned(),
    }
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn style_markdown(out: &mut String, style: &Style) {
    let master = &style.master;
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "\n## {}\n\nKeys: {}. Sections: {}.\n",
        style.name,
        style.keys.join(", "),
        style.sections.join(", ")
    );
    let glue = master.glue.map_or("none".to_owned(), |glue| {
        format!(
            "{} dB, {}:1, {}/{} ms",
            glue.threshold_db, glue.ratio, glue.attack_ms, glue.release_ms
        )
    });
    let _ = writeln!(
        out,
        "Master: high-pass {} Hz, glue {glue}, low shelf {} Hz {:+} dB, high shelf {} Hz {:+} dB.\n",
        master.high_pass_hz,
        master.low_shelf.hz,
        master.low_shelf.db,
        master.high_shelf.hz,
        master.high_shelf.db
    );
    out.push_str("| role | level | pan | high-pass | equaliser | compressor | sends |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for (name, role) in &style.roles {
        let _ = writeln!(out, "| {name} | {} |", role_cells(role).join(" | "));
    }
    for duck in &style.sidechain {
        let _ = writeln!(
            out,
            "\n{} ducks {}: amount {}, {}/{} ms.",
            duck.key, duck.target, duck.amount, duck.attack_ms, duck.release_ms
        );
    }
}

fn role_cells(role: &Role) -> [String; 6] {
    let bands: Vec<String> = role
        .eq
        .iter()
        .map(|band| {
            let shape = match band.shape {
                Shape::Bell => "",
                Shape::LowShelf => "low shelf ",
                Shape::HighShelf => "high shelf ",
            };
            format!("{shape}{} Hz {:+} dB", band.hz, band.db)
        })
        .collect();
    let compressor = role.compressor.map_or(String::new(), |settings| {
        format!("{} dB, {}:1", settings.threshold_db, settings.ratio)
    });
    let sends: Vec<String> = role
        .sends
        .iter()
        .map(|(bus, level_db)| format!("{bus} {level_db} dB"))
        .collect();
    [
        format!("{} dB", role.level_db),
        format!("{}", role.pan),
        if role.high_pass_hz > 20.0 {
            format!("{} Hz", role.high_pass_hz)
        } else {
            String::new()
        },
        bands.join("; "),
        compressor,
        sends.join("; "),
    ]
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
