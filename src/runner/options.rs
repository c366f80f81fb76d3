//! What a run is told from outside the job file.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::engine::{Engine, Hosts};

/// How a job is run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Output folder.
    pub out: PathBuf,
    pub engine: Engine,
    /// Resource folder of the user's REAPER, whose licence and plug-in caches
    /// a worker may copy. Only for a real REAPER.
    pub user_resources: Option<PathBuf>,
    /// Projects at the same time.
    pub jobs: usize,
    /// Render threads, shared among the projects that run at the same time.
    pub threads: usize,
    /// Existing renders may be replaced, whatever the job says.
    pub overwrite: bool,
    /// Start no further project after one that did not pass.
    pub fail_fast: bool,
    pub limits: Limits,
}

/// How long an engine may keep a run waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// For the engine to start and its bridge to answer; `None` is 30 s for
    /// the embedded host and 120 s for REAPER, whose first start scans
    /// plug-ins and may show the evaluation notice.
    pub start: Option<Duration>,
    /// Without a sign of life, before the engine counts as frozen; `None` is
    /// 30 s. REAPER gives none during a render or save, and is then only held
    /// to the hour that these may take.
    pub frozen: Option<Duration>,
}

/// The reins of a run. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Control {
    cancel: Arc<AtomicBool>,
    hosts: Hosts,
}

impl Control {
    /// Ends the run at the next opportunity: hosts are stopped, reports are
    /// still written.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Makes the reins usable again after a cancelled call.
    pub fn reset(&self) {
        self.cancel.store(false, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// As [`Self::is_cancelled`], with a moment for a signal that went to the
    /// hosts as well to arrive here.
    pub(super) fn is_cancelled_soon(&self) -> bool {
        let deadline = Instant::now() + Duration::from_millis(100);
        while !self.is_cancelled() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.is_cancelled()
    }

    /// Kills all hosts at once.
    pub fn kill(&self) {
        self.cancel();
        self.hosts.kill_all();
    }

    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    pub(super) fn hosts(&self) -> &Hosts {
        &self.hosts
    }
}
