//! Ctrl-C and termination: the first asks the run to stop, the second ends
//! the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Exit;

/// Which signal came first.
#[derive(Debug, Clone, Default)]
pub(super) struct Signals {
    terminated: Arc<AtomicBool>,
}

impl Signals {
    /// Listens until the program ends: the first signal calls `cancel`, the
    /// second one `kill`, and ends the program.
    pub(super) fn listen(
        cancel: impl Fn() + Send + 'static,
        kill: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let signals = Self::default();
        let seen = signals.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(seen.wait(cancel, kill)))?;
        Ok(signals)
    }

    /// The exit code of an interrupted run.
    pub(super) fn exit(&self) -> Exit {
        if self.terminated.load(Ordering::Acquire) {
            Exit::Terminated
        } else {
            Exit::Interrupted
        }
    }

    async fn wait(&self, cancel: impl Fn(), kill: impl Fn()) {
        let Ok(terminated) = next().await else { return };
        self.terminated.store(terminated, Ordering::Release);
        tracing::warn!("stopping; once more to stop at once");
        cancel();
        if next().await.is_err() {
            return;
        }
        kill();
        let code = self.exit() as i32;
        #[expect(clippy::exit, reason = "the second signal means now")]
        std::process::exit(code);
    }
}

/// Waits for a signal; `true` is a termination.
#[cfg(unix)]
async fn next() -> std::io::Result<bool> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result.map(|()| false),
        _ = terminate.recv() => Ok(true),
    }
}

#[cfg(not(unix))]
async fn next() -> std::io::Result<bool> {
    tokio::signal::ctrl_c().await.map(|()| false)
}
