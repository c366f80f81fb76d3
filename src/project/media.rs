//! Paths of media files as projects write them.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

use super::{Project, Source};

/// Where a media path of a project leads: absolute, or relative to the
/// project's folder, in either notation of separators.
pub fn resolve_media(file: &str, project_folder: &Path) -> PathBuf {
    let native = if MAIN_SEPARATOR == '/' {
        file.replace('\\', "/")
    } else {
        file.to_owned()
    };
    let path = Path::new(&native);
    if path.is_absolute() {
        path.to_owned()
    } else {
        project_folder.join(path)
    }
}

/// Makes relative media paths lead to the same files from another project
/// folder: relative where the file lies below it, else absolute.
pub fn rebase_media(project: &mut Project, from: &Path, to: &Path) {
    if from == to {
        return;
    }
    for track in &mut project.tracks {
        let moves = track
            .items
            .iter()
            .flat_map(|item| &item.takes)
            .any(|take| file_of(&take.source).is_some_and(is_relative));
        if !moves {
            continue;
        }
        for take in Arc::make_mut(track)
            .items
            .iter_mut()
            .flat_map(|item| &mut item.takes)
        {
            if let Some(file) = file_of_mut(&mut take.source)
                && is_relative(file)
            {
                let path = resolve_media(file, from);
                let shown = path.strip_prefix(to).unwrap_or(&path);
                *file = shown.to_string_lossy().into_owned();
            }
        }
    }
}

/// Absolute in the notation of any system: `C:\\x` is not relative on Linux.
fn is_relative(file: &str) -> bool {
    let drive = file.as_bytes().get(1) == Some(&b':');
    !(drive || file.starts_with(['/', '\\']))
}

fn file_of(source: &Source) -> Option<&str> {
    match source {
        Source::Audio { file, .. } => Some(file),
        Source::Other { file, .. } => file.as_deref(),
        Source::Section { source, .. } => file_of(source),
        Source::Empty | Source::Midi(_) => None,
    }
}

fn file_of_mut(source: &mut Source) -> Option<&mut String> {
    match source {
        Source::Audio { file, .. } => Some(file),
        Source::Other { file, .. } => file.as_mut(),
        Source::Section { source, .. } => file_of_mut(source),
        Source::Empty | Source::Midi(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{Item, Take, Track};

    #[test]
    fn paths_resolve_in_either_notation() {
        let folder = Path::new("/songs/one");
        for (file, path) in [
            ("media/a.wav", "/songs/one/media/a.wav"),
            ("media\\a.wav", "/songs/one/media/a.wav"),
            ("/tmp/a.wav", "/tmp/a.wav"),
        ] {
            assert_eq!(resolve_media(file, folder), Path::new(path));
        }
    }

    #[test]
    fn a_moved_project_still_finds_its_media() {
        let source = |file: &str| Source::Audio {
            file: file.to_owned(),
            kind: "WAVE".to_owned(),
        };
        let takes = ["media/a.wav", "/other/b.wav", "C:\\c.wav"].map(|file| Take {
            source: source(file),
            ..Take::default()
        });
        let mut project = Project {
            tracks: vec![Arc::new(Track {
                items: vec![Item {
                    takes: takes.to_vec(),
                    ..Item::default()
                }],
                ..Track::default()
            })],
            ..Project::default()
        };
        let files = |project: &Project| -> Vec<String> {
            let takes = &project.tracks[0].items[0].takes;
            takes
                .iter()
                .filter_map(|t| file_of(&t.source))
                .map(str::to_owned)
                .collect()
        };
        rebase_media(&mut project, Path::new("/songs"), Path::new("/out"));
        assert_eq!(
            files(&project),
            ["/songs/media/a.wav", "/other/b.wav", "C:\\c.wav"]
        );

        let mut inside = project.clone();
        Arc::make_mut(&mut inside.tracks[0]).items[0].takes[0].source = source("../media/x.wav");
        rebase_media(
            &mut inside,
            Path::new("/songs/sub"),
            Path::new("/songs/sub/.."),
        );
        assert_eq!(files(&inside)[0], "media/x.wav");
    }
}
