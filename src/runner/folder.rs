//! The output folder of one project: what is ours, and how renders get there.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::StepError;
use crate::job::{Format, ProjectPlan};
use crate::render::file_name;

/// Marks a folder as written by this program.
const MARKER: &str = ".reaper-batch";

/// What the engine printed.
pub(super) const ENGINE_LOG: &str = "engine.log";

/// Paths of one project's output. Two runs must not write there at once, so
/// it is locked while this lives.
#[derive(Debug)]
pub(super) struct ProjectFolder {
    pub root: PathBuf,
    /// The marker. The system takes the lock back when the process ends.
    _lock: File,
}

impl ProjectFolder {
    /// Makes the folder, or takes one over that this program made before.
    ///
    /// # Errors
    ///
    /// The folder holds anything and is not ours, or another run is writing to
    /// it: nothing is touched then.
    pub(super) fn create(out: &Path, plan: &ProjectPlan) -> Result<Self, StepError> {
        check_folder(out, plan)?;
        let root = out.join(&plan.name);
        let marker = root.join(MARKER);
        fs::create_dir_all(&root).map_err(StepError::io("cannot create", &root))?;
        let lock = File::create(&marker).map_err(StepError::io("cannot write", &marker))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(StepError::FolderInUse { path: root }),
            // Some network file systems have no locks.
            Err(TryLockError::Error(error)) => {
                tracing::debug!(%error, "cannot lock the output folder");
            }
            Ok(()) => {}
        }
        Ok(Self { root, _lock: lock })
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project.rpp")
    }

    pub(super) fn plan(&self) -> PathBuf {
        self.root.join("plan.json")
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.root.join("journal.jsonl")
    }

    pub(super) fn engine_log(&self) -> PathBuf {
        self.root.join(ENGINE_LOG)
    }

    pub(super) fn work(&self) -> PathBuf {
        self.root.join(".work")
    }
}

/// Whether the folder of a plan may be written to.
///
/// # Errors
///
/// It holds anything and is not ours.
pub fn check_folder(out: &Path, plan: &ProjectPlan) -> Result<(), StepError> {
    let root = out.join(&plan.name);
    let empty = || fs::read_dir(&root).map(|mut entries| entries.next().is_none());
    // What is no folder cannot be made one either.
    let ours = !root.exists() || root.join(MARKER).exists() || empty().unwrap_or(false);
    if ours {
        Ok(())
    } else {
        Err(StepError::ForeignFolder { path: root })
    }
}

/// The working copy that an earlier run left in a project's folder.
pub fn working_copy(root: &Path) -> Option<PathBuf> {
    let project = root.join("project.rpp");
    (root.join(MARKER).exists() && project.is_file()).then_some(project)
}

/// Target of the mix below the output folder, when its name is known before
/// the engine has expanded the pattern.
pub(super) fn known_target(out: &Path, plan: &ProjectPlan, job: &str) -> Option<PathBuf> {
    known_name(plan, job).map(|name| out.join(&plan.name).join(name))
}

/// File name of the mix, with folders if the pattern has them, when the
/// pattern holds none of the engine's wildcards.
pub(super) fn known_name(plan: &ProjectPlan, job: &str) -> Option<String> {
    let template = &plan.render.pattern;
    let foreign = OURS
        .iter()
        .fold(template.clone(), |rest, ours| rest.replace(ours, ""));
    if foreign.contains('$') {
        return None;
    }
    let parts: Vec<String> = template
        .split(['/', '\\'])
        .map(|part| file_name(&filled(part, plan, job)))
        .filter(|part| !part.is_empty())
        .collect();
    (!parts.is_empty()).then(|| format!("{}.{}", parts.join("/"), extension(plan)))
}

/// The render pattern for the engine: with our own wildcards filled in, and
/// `$project`, which would otherwise be the name of the working copy.
pub(super) fn pattern(plan: &ProjectPlan, job: &str) -> String {
    filled(&plan.render.pattern, plan, job)
}

/// File name of a stem, without its extension.
pub(super) fn stem_name(number: i64, track: &str) -> String {
    if track.is_empty() {
        return number.to_string();
    }
    file_name(&format!("{number} - {}", track.replace(['/', '\\'], "_")))
}

/// Wildcards that are filled in here.
const OURS: [&str; 3] = ["$project", "$job", "$style"];

/// What is filled in makes no folders and no further wildcards.
fn filled(pattern: &str, plan: &ProjectPlan, job: &str) -> String {
    let plain = |text: &str| text.replace(['/', '\\', '$'], "_");
    let mut filled = pattern.to_owned();
    for (wildcard, value) in OURS.into_iter().zip([&plan.name, job, &plan.style]) {
        filled = filled.replace(wildcard, &plain(value));
    }
    filled
}

/// Extension of the rendered format.
pub(super) fn extension(plan: &ProjectPlan) -> &'static str {
    match plan.render.format {
        Format::Wav => "wav",
        Format::Flac => "flac",
    }
}

/// Moves a finished render from the scratch folder to its final name.
pub(super) fn publish(from: &Path, to: &Path, overwrite: bool) -> Result<(), StepError> {
    if to.exists() && !overwrite {
        return Err(StepError::TargetExists {
            path: to.to_owned(),
        });
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(StepError::io("cannot create", parent))?;
    }
    fs::rename(from, to).map_err(StepError::io("cannot move a render to", to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{BitDepth, RenderOptions, Source};

    fn plan(pattern: &str) -> ProjectPlan {
        ProjectPlan {
            name: "neon".to_owned(),
            line: 1,
            source: Source::Empty,
            style: "synthwave".to_owned(),
            spec: "style".to_owned(),
            tempo_bpm: None,
            render: RenderOptions {
                format: Format::Flac,
                bit_depth: BitDepth::Int24,
                sample_rate_hz: 48_000,
                pattern: pattern.to_owned(),
                tail_s: 0.0,
                stems: false,
                overwrite: false,
            },
            steps: Vec::new(),
            require_roles: false,
        }
    }

    #[test]
    fn our_wildcards_are_filled_in_and_others_are_left_to_the_engine() {
        assert_eq!(
            pattern(&plan("$job - $project ($style)"), "Album"),
            "Album - neon (synthwave)"
        );
        assert_eq!(pattern(&plan("$project-$region"), "Album"), "neon-$region");
    }

    #[test]
    fn a_target_with_foreign_wildcards_is_not_known_in_advance() {
        let out = Path::new("/out");
        assert_eq!(
            known_target(out, &plan("$project"), "Album"),
            Some(PathBuf::from("/out/neon/neon.flac"))
        );
        assert_eq!(known_target(out, &plan("$region"), "Album"), None);
    }

    #[test]
    fn a_folder_with_other_files_is_not_taken_over() {
        let out = tempfile::tempdir().unwrap();
        let foreign = out.path().join("neon");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("project.rpp"), "precious").unwrap();
        let error = ProjectFolder::create(out.path(), &plan("$project")).unwrap_err();
        assert!(matches!(error, StepError::ForeignFolder { .. }), "{error}");
        fs::remove_file(foreign.join("project.rpp")).unwrap();
        drop(ProjectFolder::create(out.path(), &plan("$project")).unwrap());
        let held = ProjectFolder::create(out.path(), &plan("$project")).unwrap();
        let error = ProjectFolder::create(out.path(), &plan("$project")).unwrap_err();
        assert!(matches!(error, StepError::FolderInUse { .. }), "{error}");
        drop(held);
        ProjectFolder::create(out.path(), &plan("$project")).unwrap();
    }

    #[test]
    fn names_with_signs_of_their_own_stay_names() {
        let named = |name: &str, pattern: &str| {
            let mut plan = plan(pattern);
            plan.name = name.to_owned();
            known_name(&plan, "a/b").unwrap()
        };
        assert_eq!(named("Ca$h $region", "$project"), "Ca_h _region.flac");
        assert_eq!(named("x", "../$job"), "__/a_b.flac");
        assert_eq!(named("x", "mixes/a: $project"), "mixes/a_ x.flac");
        let long = stem_name(7, &"é".repeat(300));
        assert!(long.starts_with("7 - éé") && long.len() <= 200, "{long}");
        assert_eq!(stem_name(3, "Gtr L/R"), "3 - Gtr L_R");
        assert_eq!(stem_name(3, ""), "3");
    }

    #[test]
    fn publishing_never_replaces_unasked() {
        let out = tempfile::tempdir().unwrap();
        let (from, to) = (out.path().join("a"), out.path().join("b"));
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old").unwrap();
        assert!(matches!(
            publish(&from, &to, false),
            Err(StepError::TargetExists { .. })
        ));
        assert_eq!(fs::read_to_string(&to).unwrap(), "old");
        publish(&from, &to, true).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "new");
    }
}
