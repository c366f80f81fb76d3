//! Files that appear whole or not at all, and names that no system refuses.
//!
//! Every file of this program comes into its folder under a temporary name and
//! is renamed when it is complete, so nobody ever reads half of one. The room
//! knows nothing of what the files hold.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use tempfile::NamedTempFile;

/// Windows refuses to replace a file that another program has open; the other
/// side opens ours only for an instant.
const RETRY_FOR: Duration = Duration::from_secs(2);

/// An empty file in the folder of `target`, to be filled and then put in its
/// place with `persist`. Dropping it removes it.
///
/// # Errors
///
/// The folder is missing or not writable.
pub fn stage(target: &Path) -> io::Result<NamedTempFile> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".reaper-batch-").suffix(".tmp");
    // Temporary files are private by default; results are for everyone who
    // may see the folder. The process's umask still applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes a file that must outlast a crash of the machine.
///
/// # Errors
///
/// The folder is missing, not writable or full; the old file, if there was
/// one, is then untouched.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = stage(path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a message for another process, which may have the old one open. The
/// stage is `path` with the extension `tmp`, which readers of such a folder
/// know to leave alone. Nothing waits for the disk.
///
/// # Errors
///
/// As for [`write_whole`].
pub fn exchange(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let stage = path.with_extension("tmp");
    fs::write(&stage, bytes)?;
    let until = Instant::now() + RETRY_FOR;
    loop {
        match fs::rename(&stage, path) {
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

/// Whether Windows keeps a file name, with any extension, for a device.
pub fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_is_replaced_and_leaves_no_stage_behind() {
        for write in [write_whole, exchange] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.json");
            write(&path, b"old").unwrap();
            write(&path, b"new").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(names(folder.path()), ["a.json"]);
        }
    }

    #[test]
    fn what_cannot_be_replaced_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir_all(path.join("inside")).unwrap();
        assert!(write_whole(&path, b"new").is_err());
        assert!(path.join("inside").is_dir());
        assert_eq!(names(folder.path()), ["taken"]);
        assert!(write_whole(&folder.path().join("missing/a"), b"").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_result_is_no_more_private_than_any_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_whole(&ours, b"").unwrap();
        fs::write(&plain, b"").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn devices_are_known_with_any_extension_and_case() {
        for name in ["con", "NUL.txt", "Com1", "lpt9.wav", "aux .rpp"] {
            assert!(is_device_name(name), "{name}");
        }
        for name in ["console", "com", "com10", "lptx", "nul_", ""] {
            assert!(!is_device_name(name), "{name}");
        }
    }
}
