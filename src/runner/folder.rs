//! The output folder of one project: what is ours, and how renders get there.

use std::fs;
use std::path::{Path, PathBuf};

use super::StepError;
use crate::job::{Format, ProjectPlan};

/// Marks a folder as written by this program.
const MARKER: &str = ".reaper-batch";

/// Paths of one project's output.
#[derive(Debug, Clone)]
pub(super) struct ProjectFolder {
    pub root: PathBuf,
}

impl ProjectFolder {
    /// Makes the folder, or takes one over that this program made before.
    ///
    /// # Errors
    ///
    /// The folder holds anything and is not ours: nothing is touched then.
    pub(super) fn create(out: &Path, plan: &ProjectPlan) -> Result<Self, StepError> {
        check_folder(out, plan)?;
        let root = out.join(&plan.name);
        let marker = root.join(MARKER);
        fs::create_dir_all(&root).map_err(StepError::io("cannot create", &root))?;
        fs::write(&marker, "").map_err(StepError::io("cannot write", &marker))?;
        Ok(Self { root })
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
        self.root.join("engine.log")
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
    let name = pattern(plan, job);
    (!name.contains('$')).then(|| {
        out.join(&plan.name)
            .join(format!("{name}.{}", extension(plan)))
    })
}

/// The render pattern with our own wildcards filled in, and `$project`, which
/// would otherwise be the name of the working copy.
pub(super) fn pattern(plan: &ProjectPlan, job: &str) -> String {
    plan.render
        .pattern
        .replace("$project", &plan.name)
        .replace("$job", job)
        .replace("$style", &plan.style)
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
        ProjectFolder::create(out.path(), &plan("$project")).unwrap();
        ProjectFolder::create(out.path(), &plan("$project")).unwrap();
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
