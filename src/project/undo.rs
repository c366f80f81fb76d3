//! Undo as snapshots: tracks are shared, so a step costs a few pointers.

use super::Project;

/// One state that undo can return to.
#[derive(Debug, Clone)]
pub struct UndoStep {
    /// What the step did, byte for byte as the script named it.
    pub name: String,
    /// The project after the step.
    pub after: Project,
}

/// The steps of a project, oldest first, and a cursor between them.
#[derive(Debug, Clone)]
pub struct UndoHistory {
    initial: Project,
    steps: Vec<UndoStep>,
    done: usize,
}

/// Steps kept; older ones are folded into the initial state.
const LIMIT: usize = 1000;

impl UndoHistory {
    /// A history whose oldest state is `project`.
    pub fn new(project: Project) -> Self {
        Self {
            initial: project,
            steps: Vec::new(),
            done: 0,
        }
    }

    /// Records the state after a change; what could be redone is dropped.
    pub fn record(&mut self, name: &str, after: &Project) {
        self.steps.truncate(self.done);
        self.steps.push(UndoStep {
            name: name.to_owned(),
            after: after.clone(),
        });
        if self.steps.len() > LIMIT {
            self.initial = self.steps.remove(0).after;
        }
        self.done = self.steps.len();
    }

    /// Name of the step that [`Self::undo`] would take back.
    pub fn can_undo(&self) -> Option<&str> {
        self.done
            .checked_sub(1)
            .map(|i| self.steps[i].name.as_str())
    }

    /// Name of the step that [`Self::redo`] would do again.
    pub fn can_redo(&self) -> Option<&str> {
        self.steps.get(self.done).map(|step| step.name.as_str())
    }

    /// The project before the last step, which counts as undone from now on.
    pub fn undo(&mut self) -> Option<Project> {
        self.done = self.done.checked_sub(1)?;
        Some(match self.done {
            0 => self.initial.clone(),
            n => self.steps[n - 1].after.clone(),
        })
    }

    /// The project after the next undone step.
    pub fn redo(&mut self) -> Option<Project> {
        let step = self.steps.get(self.done)?;
        self.done += 1;
        Some(step.after.clone())
    }

    /// The project as of the last recorded step.
    pub fn current(&self) -> &Project {
        match self.done {
            0 => &self.initial,
            n => &self.steps[n - 1].after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(title: &str) -> Project {
        let mut project = Project::default();
        project.settings.title = title.to_owned();
        project
    }

    #[test]
    fn undo_and_redo_walk_the_steps() {
        let mut history = UndoHistory::new(named("start"));
        history.record("a", &named("after a"));
        history.record("b", &named("after b"));
        assert_eq!(history.can_undo(), Some("b"));
        assert_eq!(history.undo().unwrap().settings.title, "after a");
        assert_eq!(history.can_redo(), Some("b"));
        assert_eq!(history.undo().unwrap().settings.title, "start");
        assert!(history.undo().is_none());
        assert_eq!(history.redo().unwrap().settings.title, "after a");
    }

    #[test]
    fn a_new_step_drops_what_could_be_redone() {
        let mut history = UndoHistory::new(named("start"));
        history.record("a", &named("after a"));
        history.undo();
        history.record("c", &named("after c"));
        assert_eq!(history.can_redo(), None);
        assert_eq!(history.current().settings.title, "after c");
    }
}
