//! All hosts of a run, so that an impatient person can end them at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use process_wrap::std::ChildWrapper;

/// A host process, shared between its owner and the registry.
pub(super) type SharedChild = Arc<Child>;

type Child = Mutex<Box<dyn ChildWrapper>>;

/// The hosts that a run has started. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Hosts(Arc<Mutex<Vec<Weak<Child>>>>);

impl Hosts {
    /// Kills every host that still lives, with all its children, and waits
    /// for none of them.
    pub fn kill_all(&self) {
        for child in lock(&self.0).drain(..) {
            if let Some(child) = child.upgrade()
                && let Err(error) = lock(&child).start_kill()
            {
                tracing::debug!(%error, "a host was gone before it could be killed");
            }
        }
    }

    pub(super) fn add(&self, child: &SharedChild) {
        let mut all = lock(&self.0);
        all.retain(|child| child.strong_count() > 0);
        all.push(Arc::downgrade(child));
    }
}

/// A lock whose holder panicked guards nothing half-done here.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
