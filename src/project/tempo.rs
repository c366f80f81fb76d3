//! Tempo map: seconds to quarter notes and back.

/// One tempo or metre change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TempoPoint {
    /// Project time in seconds.
    pub time_s: f64,
    /// Quarter notes per minute from here on.
    pub bpm: f64,
    /// `(beats per measure, beat unit)` when the metre changes here.
    pub signature: Option<(u32, u32)>,
    /// The tempo glides to the next point instead of jumping there.
    pub linear: bool,
}

/// Project tempo and its changes, in time order.
#[derive(Debug, Clone, PartialEq)]
pub struct TempoMap {
    /// Project tempo, in force where no point comes before.
    pub bpm: f64,
    /// Project metre.
    pub signature: (u32, u32),
    /// Changes in time order.
    pub points: Vec<TempoPoint>,
}

impl Default for TempoMap {
    fn default() -> Self {
        Self {
            bpm: 120.0,
            signature: (4, 4),
            points: Vec::new(),
        }
    }
}

/// A stretch of the map between two changes.
struct Stretch {
    start_s: f64,
    end_s: f64,
    start_qn: f64,
    bpm: f64,
    end_bpm: f64,
}

impl Stretch {
    fn qn_at(&self, time_s: f64) -> f64 {
        let t = time_s - self.start_s;
        self.start_qn + (self.bpm * t + self.slope() * t * t / 2.0) / 60.0
    }

    fn time_at(&self, qn: f64) -> f64 {
        let beats = (qn - self.start_qn) * 60.0;
        let slope = self.slope();
        let t = if slope.abs() < 1e-12 {
            beats / self.bpm
        } else {
            ((self.bpm * self.bpm + 2.0 * slope * beats).max(0.0).sqrt() - self.bpm) / slope
        };
        self.start_s + t
    }

    fn slope(&self) -> f64 {
        if self.end_s.is_finite() && self.end_s > self.start_s {
            (self.end_bpm - self.bpm) / (self.end_s - self.start_s)
        } else {
            0.0
        }
    }

    fn length_qn(&self) -> f64 {
        self.qn_at(self.end_s) - self.start_qn
    }
}

impl TempoMap {
    /// Tempo in force at a time, in quarter notes per minute.
    pub fn bpm_at(&self, time_s: f64) -> f64 {
        let stretch = self
            .stretches()
            .take_while(|s| s.start_s <= time_s + 1e-12)
            .last();
        match stretch {
            Some(s) => s.bpm + s.slope() * (time_s - s.start_s).max(0.0),
            None => self.bpm,
        }
    }

    /// Metre in force at a time.
    pub fn signature_at(&self, time_s: f64) -> (u32, u32) {
        self.points
            .iter()
            .take_while(|p| p.time_s <= time_s + 1e-12)
            .filter_map(|p| p.signature)
            .last()
            .unwrap_or(self.signature)
    }

    /// Quarter notes from project start to a time; negative before it.
    pub fn time_to_qn(&self, time_s: f64) -> f64 {
        let mut last = None;
        for stretch in self.stretches() {
            if stretch.start_s > time_s && last.is_some() {
                break;
            }
            last = Some(stretch);
        }
        last.map_or(0.0, |s| s.qn_at(time_s))
    }

    /// Time of a position in quarter notes.
    pub fn qn_to_time(&self, qn: f64) -> f64 {
        let mut last = None;
        for stretch in self.stretches() {
            if stretch.start_qn > qn && last.is_some() {
                break;
            }
            last = Some(stretch);
        }
        last.map_or(0.0, |s| s.time_at(qn))
    }

    fn stretches(&self) -> impl Iterator<Item = Stretch> + '_ {
        let head = TempoPoint {
            time_s: 0.0,
            bpm: self.bpm,
            signature: None,
            linear: false,
        };
        let starts_at_zero = self.points.first().is_some_and(|p| p.time_s <= 0.0);
        let points: Vec<TempoPoint> = (!starts_at_zero)
            .then_some(head)
            .into_iter()
            .chain(self.points.iter().copied())
            .collect();
        let mut start_qn = 0.0;
        (0..points.len()).map(move |i| {
            let next = points.get(i + 1);
            let stretch = Stretch {
                start_s: points[i].time_s,
                end_s: next.map_or(f64::INFINITY, |p| p.time_s),
                start_qn,
                bpm: points[i].bpm,
                end_bpm: match next {
                    Some(next) if points[i].linear => next.bpm,
                    _ => points[i].bpm,
                },
            };
            if stretch.end_s.is_finite() {
                start_qn += stretch.length_qn();
            }
            stretch
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(time_s: f64, bpm: f64, linear: bool) -> TempoPoint {
        TempoPoint {
            time_s,
            bpm,
            signature: None,
            linear,
        }
    }

    #[test]
    fn a_constant_tempo_is_a_straight_line() {
        let map = TempoMap::default();
        assert_eq!(map.time_to_qn(2.0), 4.0);
        assert_eq!(map.qn_to_time(4.0), 2.0);
        assert_eq!(map.time_to_qn(-1.0), -2.0);
    }

    #[test]
    fn a_jump_counts_each_side_at_its_own_tempo() {
        let map = TempoMap {
            points: vec![point(2.0, 60.0, false)],
            ..TempoMap::default()
        };
        assert_eq!(map.time_to_qn(4.0), 4.0 + 2.0);
        assert_eq!(map.qn_to_time(6.0), 4.0);
        assert_eq!(map.bpm_at(1.9), 120.0);
        assert_eq!(map.bpm_at(2.0), 60.0);
    }

    #[test]
    fn a_glide_has_the_mean_tempo() {
        let map = TempoMap {
            points: vec![point(0.0, 60.0, true), point(10.0, 120.0, false)],
            ..TempoMap::default()
        };
        assert!((map.time_to_qn(10.0) - 15.0).abs() < 1e-9);
        for qn in [0.5, 7.0, 14.9, 15.0, 20.0] {
            assert!(
                (map.time_to_qn(map.qn_to_time(qn)) - qn).abs() < 1e-9,
                "{qn}"
            );
        }
    }
}
