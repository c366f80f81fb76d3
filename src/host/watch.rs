//! Waiting for the next tick: at once when a file appears in the bridge's
//! folder, else after REAPER's timer interval.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// REAPER runs deferred functions 30 to 33 times a second.
const TICK: Duration = Duration::from_millis(33);

/// The clock of the defer loop.
pub(super) struct Ticker {
    interval: Duration,
    watched: Option<(RecommendedWatcher, Receiver<()>)>,
}

impl Ticker {
    /// A ticker that also wakes for files in `folder`. When the folder cannot
    /// be watched, it only keeps time.
    pub(super) fn new(folder: Option<&Path>) -> Self {
        Self::with_interval(folder, TICK)
    }

    fn with_interval(folder: Option<&Path>, interval: Duration) -> Self {
        let watched = folder.and_then(|folder| match watch(folder) {
            Ok(watched) => Some(watched),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), "cannot watch the folder, polling instead: {error}");
                None
            }
        });
        Self { interval, watched }
    }

    /// Returns at the next tick.
    pub(super) fn wait(&self) {
        match &self.watched {
            None => std::thread::sleep(self.interval),
            Some((_, events)) => match events.recv_timeout(self.interval) {
                Ok(()) => while events.try_recv().is_ok() {},
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(self.interval),
            },
        }
    }
}

fn watch(folder: &Path) -> notify::Result<(RecommendedWatcher, Receiver<()>)> {
    let (sender, receiver) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Only what may be a new command: the bridge's own reads, removals
        // and answers must not make the loop spin.
        let is_command = event.is_ok_and(|event| {
            (event.kind.is_create() || event.kind.is_modify())
                && event
                    .paths
                    .iter()
                    .any(|path| path.file_name().is_some_and(|name| name == "command.json"))
        });
        if is_command {
            // The receiver lives as long as the watcher.
            let _ = sender.send(());
        }
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    Ok((watcher, receiver))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_command_ends_the_wait_and_other_files_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let ticker = Ticker::with_interval(Some(&path), Duration::from_secs(20));
        let started = Instant::now();
        let writer = std::thread::spawn(move || {
            std::fs::write(path.join("response.json"), "{}").unwrap();
            std::thread::sleep(Duration::from_millis(200));
            std::fs::write(path.join("command.tmp"), "{}").unwrap();
            std::fs::rename(path.join("command.tmp"), path.join("command.json")).unwrap();
        });
        ticker.wait();
        let waited = started.elapsed();
        writer.join().unwrap();
        assert!(waited >= Duration::from_millis(200), "{waited:?}");
        // Far less than the interval, with room for a busy machine.
        assert!(waited < Duration::from_secs(10), "{waited:?}");
    }

    #[test]
    fn without_a_folder_the_interval_is_kept() {
        let ticker = Ticker::new(None);
        let started = Instant::now();
        ticker.wait();
        assert!(started.elapsed() >= Duration::from_millis(30));
    }
}
