//! Transport: a play state and a cursor. Nothing sounds here; while "playing"
//! the play position runs with the clock.

use super::Entry;
use crate::host::lua::{Answer, Call, answer};
use crate::host::state::{Area, Host};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("CSurf_OnPlayRateChange", set_play_rate),
    ("GetCursorPosition", cursor),
    ("GetCursorPositionEx", cursor),
    ("GetPlayPosition", play_position),
    ("GetPlayPosition2", play_position),
    ("GetPlayPosition2Ex", play_position),
    ("GetPlayPositionEx", play_position),
    ("GetPlayState", play_state),
    ("GetPlayStateEx", play_state),
    ("GetSetRepeat", repeat),
    ("GetSetRepeatEx", repeat_ex),
    ("GetSet_LoopTimeRange", range),
    ("GetSet_LoopTimeRange2", range2),
    ("Master_GetPlayRate", play_rate),
    ("MoveEditCursor", move_cursor),
    ("OnPauseButton", pause),
    ("OnPauseButtonEx", pause),
    ("OnPlayButton", play),
    ("OnPlayButtonEx", play),
    ("OnStopButton", stop),
    ("OnStopButtonEx", stop),
    ("SetEditCurPos", set_cursor),
    ("SetEditCurPos2", set_cursor2),
];

impl Host {
    /// Moves the edit cursor, which undo does not see.
    pub(in crate::host) fn set_cursor(&mut self, time_s: f64) {
        if time_s.is_finite() {
            self.project.edit_cursor_s = time_s.max(0.0);
        }
    }

    /// Where playback is, or the edit cursor while stopped.
    pub(in crate::host) fn play_or_edit_position(&self) -> f64 {
        match self.transport.since {
            Some((since, from)) if self.transport.play_state & 1 != 0 => {
                from + since.elapsed().as_secs_f64() * self.project.settings.play_rate
            }
            Some((_, at)) => at,
            None => self.project.edit_cursor_s,
        }
    }

    pub(in crate::host) fn play(&mut self, record: bool) {
        if self.transport.play_state & 1 == 0 {
            let from = self.play_or_edit_position();
            self.transport.since = Some((std::time::Instant::now(), from));
        }
        self.transport.play_state = if record { 5 } else { 1 };
    }

    pub(in crate::host) fn pause(&mut self) {
        match self.transport.play_state {
            state if state & 1 != 0 => {
                let at = self.play_or_edit_position();
                self.transport.since = Some((std::time::Instant::now(), at));
                self.transport.play_state = 2;
            }
            2 => self.play(false),
            _ => {}
        }
    }

    pub(in crate::host) fn stop(&mut self) {
        self.transport.play_state = 0;
        self.transport.since = None;
    }
}

fn cursor(c: &mut Call) -> Answer {
    answer![c.host.project.edit_cursor_s]
}

fn play_position(c: &mut Call) -> Answer {
    answer![c.host.play_or_edit_position()]
}

fn play_state(c: &mut Call) -> Answer {
    answer![c.host.transport.play_state]
}

fn play(c: &mut Call) -> Answer {
    c.host.play(false);
    answer![]
}

fn pause(c: &mut Call) -> Answer {
    c.host.pause();
    answer![]
}

fn stop(c: &mut Call) -> Answer {
    c.host.stop();
    answer![]
}

fn set_cursor(c: &mut Call) -> Answer {
    let (time, seek) = (c.num(0), c.bool(2));
    seek_to(c.host, time, seek)
}

fn set_cursor2(c: &mut Call) -> Answer {
    let (time, seek) = (c.num(1), c.bool(3));
    seek_to(c.host, time, seek)
}

fn seek_to(host: &mut Host, time: f64, seek: bool) -> Answer {
    host.set_cursor(time);
    if seek && host.transport.since.is_some() {
        host.transport.since = Some((std::time::Instant::now(), host.project.edit_cursor_s));
    }
    answer![]
}

fn move_cursor(c: &mut Call) -> Answer {
    let time = c.host.project.edit_cursor_s + c.num(0);
    c.host.set_cursor(time);
    answer![]
}

fn repeat(c: &mut Call) -> Answer {
    let value = c.int(0);
    set_repeat(c.host, value)
}

fn repeat_ex(c: &mut Call) -> Answer {
    let value = c.int(1);
    set_repeat(c.host, value)
}

/// -1 asks, 0 and 1 set, more toggles.
fn set_repeat(host: &mut Host, value: i64) -> Answer {
    match value {
        ..0 => {}
        0 | 1 => host.transport.repeat = value == 1,
        _ => host.transport.repeat = !host.transport.repeat,
    }
    answer![i32::from(host.transport.repeat)]
}

fn range(c: &mut Call) -> Answer {
    time_range(c, 0)
}

fn range2(c: &mut Call) -> Answer {
    time_range(c, 1)
}

/// Loop points are linked to the time selection, as by default in REAPER.
fn time_range(c: &mut Call, first: usize) -> Answer {
    let (set, is_loop) = (c.bool(first), c.bool(first + 1));
    let (start, end) = (c.num(first + 2), c.num(first + 3));
    if set && start.is_finite() && end.is_finite() {
        let range = (start.min(end).max(0.0), end.max(start).max(0.0));
        c.host.project.time_selection_s = range;
        c.host.project.loop_range_s = range;
        return answer![range.0, range.1];
    }
    let (start, end) = if is_loop {
        c.host.project.loop_range_s
    } else {
        c.host.project.time_selection_s
    };
    answer![start, end]
}

fn play_rate(c: &mut Call) -> Answer {
    answer![c.host.project.settings.play_rate]
}

fn set_play_rate(c: &mut Call) -> Answer {
    let rate = c.num(0);
    if rate > 0.0 {
        // REAPER's limits of the project play rate.
        c.host.project.settings.play_rate = rate.clamp(0.25, 4.0);
        c.host.touch(Area::Rest);
    }
    answer![]
}
