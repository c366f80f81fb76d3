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
        // From here on no signal ends the program by itself.
        let source = {
            let _inside = runtime.enter();
            Source::new()?
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(seen.wait(source, cancel, kill)))?;
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

    async fn wait(&self, mut source: Source, cancel: impl Fn(), kill: impl Fn()) {
        let Some(terminated) = source.next().await else {
            return;
        };
        self.terminated.store(terminated, Ordering::Release);
        tracing::warn!("stopping; once more to stop at once");
        cancel();
        if source.next().await.is_none() {
            return;
        }
        kill();
        let code = self.exit() as i32;
        // The second signal means now.
        std::process::exit(code);
    }
}

/// Where signals come from. Made once: one that comes between two waits is
/// kept.
#[cfg(unix)]
struct Source {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Source {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for a signal; `true` is a termination.
    async fn next(&mut self) -> Option<bool> {
        tokio::select! {
            signal = self.interrupt.recv() => signal.map(|()| false),
            signal = self.terminate.recv() => signal.map(|()| true),
        }
    }
}

#[cfg(windows)]
struct Source(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Source {
    fn new() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) -> Option<bool> {
        self.0.recv().await.map(|()| false)
    }
}
