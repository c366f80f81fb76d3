//! The plug-ins we model, by name, file and id.

use super::model::Model;
use super::{
    js_stereo_enhancer, js_stereo_width, js_volume, js_volume_pan, reacomp, readelay, reaeq,
    realimit, reasyndr, reasynth, reaverbate, rs5k,
};
use crate::project::Fx;

static MODELS: [&Model; 12] = [
    &reacomp::MODEL,
    &readelay::MODEL,
    &reaeq::MODEL,
    &realimit::MODEL,
    &reaverbate::MODEL,
    &rs5k::MODEL,
    &reasyndr::MODEL,
    &reasynth::MODEL,
    &js_stereo_enhancer::MODEL,
    &js_stereo_width::MODEL,
    &js_volume::MODEL,
    &js_volume_pan::MODEL,
];

/// All modelled plug-ins, in the order in which they are listed to scripts.
pub fn models() -> &'static [&'static Model] {
    &MODELS
}

/// The plug-in that `TrackFX_AddByName` adds for a name: an exact name first,
/// then the name without vendor or the file, then a part of the name; upper
/// and lower case are the same.
pub fn find(add_by_name: &str) -> Option<&'static Model> {
    let wanted = add_by_name.trim().to_lowercase().replace('\\', "/");
    let (prefix, bare) = split_prefix(&wanted);
    if bare.is_empty() {
        return None;
    }
    let candidates = || {
        models()
            .iter()
            .copied()
            .filter(move |model| fits(prefix, model))
    };
    let by = |test: &dyn Fn(&Model) -> bool| candidates().find(|model| test(model));
    by(&|model| model.name.to_lowercase() == wanted)
        .or_else(|| by(&|model| title(model) == bare))
        .or_else(|| by(&|model| without_vendor(&title(model)) == bare))
        .or_else(|| by(&|model| file_base(&model.file.to_lowercase()) == file_base(bare)))
        .or_else(|| by(&|model| title(model).contains(bare)))
}

/// The model of an instance in a chain: by id, file or name.
pub fn model_of(fx: &Fx) -> Option<&'static Model> {
    if let Some(id) = super::state::saved_id(fx)
        && let Some(model) = models().iter().copied().find(|model| model.id == Some(id))
    {
        return Some(model);
    }
    let file = fx.file.to_lowercase().replace('\\', "/");
    let name = fx.name.to_lowercase();
    models().iter().copied().find(|model| {
        (!file.is_empty() && file_base(&model.file.to_lowercase()) == file_base(&file))
            || model.name.to_lowercase() == name
    })
}

/// `vst2:reaeq` is `("vst", "reaeq")`; no prefix is empty.
fn split_prefix(wanted: &str) -> (&'static str, &str) {
    const PREFIXES: [(&str, &str); 10] = [
        ("vst3i:", "vst3"),
        ("vst3:", "vst3"),
        ("vst2:", "vst"),
        ("vsti:", "vst"),
        ("vst:", "vst"),
        ("js:", "js"),
        ("au:", "other"),
        ("clap:", "other"),
        ("dx:", "other"),
        ("lv2:", "other"),
    ];
    let wanted = wanted.strip_prefix("fxadd:").unwrap_or(wanted).trim();
    PREFIXES
        .iter()
        .find_map(|(prefix, kind)| Some((*kind, wanted.strip_prefix(prefix)?.trim())))
        .unwrap_or(("", wanted))
}

fn fits(prefix: &str, model: &Model) -> bool {
    match prefix {
        "" => true,
        "js" => model.type_text == "JS",
        "vst" => model.type_text.starts_with("VST"),
        _ => false,
    }
}

/// Name without its prefix, in lower case: `reaeq (cockos)`.
fn title(model: &Model) -> String {
    let name = model.name.to_lowercase();
    name.split_once(": ")
        .map(|(_, rest)| rest.to_owned())
        .unwrap_or(name)
}

fn without_vendor(title: &str) -> &str {
    title.strip_suffix(" (cockos)").unwrap_or(title)
}

/// File name without the suffix that differs by system.
fn file_base(file: &str) -> &str {
    let file = file.strip_prefix("effects/").unwrap_or(file);
    [".vst.dylib", ".vst.so", ".dll", ".jsfx"]
        .iter()
        .find_map(|suffix| file.strip_suffix(suffix))
        .unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_found_by_name_title_and_file() {
        for model in models() {
            for name in [model.name, &title(model), model.file] {
                assert_eq!(find(name), Some(*model), "{name}");
            }
        }
    }

    #[test]
    fn ids_and_names_are_unique() {
        for (index, model) in models().iter().enumerate() {
            for other in &models()[..index] {
                assert_ne!(model.name, other.name);
                assert!(model.id.is_none() || model.id != other.id, "{}", model.name);
            }
        }
    }
}
