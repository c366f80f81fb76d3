//! Which drive to try next. Pure.
//!
//! Loudness rises with drive, by less and less the more the limiter works. The
//! next drive lies on the line through the two nearest passes, held inside of
//! the bracket of what was too quiet and what was too loud.

use super::master::Pass;

/// A reading this near to the target, in LU, ends the search.
pub const AIM_LU: f64 = 0.1;

/// A reading this near to the target, in LU, is a pass when the search ends.
pub const TOLERANCE_LU: f64 = 0.5;

/// How much lower than needed a ceiling is set after an overshoot, in dB.
const CEILING_MARGIN_DB: f64 = 0.05;

/// A loudness gain below this, in LU per dB of drive, is a saturated limiter.
const FLAT: f64 = 0.1;

/// Largest change of drive between two passes, in dB.
const MAX_STEP_DB: f64 = 12.0;

/// What is searched for, within which limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solver {
    pub target_lufs: f64,
    /// Highest allowed true peak, in dBTP.
    pub ceiling_dbtp: f64,
    pub max_passes: usize,
    /// Most loudness that the limiter may take, in dB.
    pub max_limiting_db: f64,
    /// Lowest and highest drive, in dB.
    pub drive_range_db: (f64, f64),
}

/// What to do after some passes.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Render and measure with these.
    Try { drive_db: f64, ceiling_db: f64 },
    /// The pass at this position meets the target.
    Reached { best: usize },
    /// The target cannot be met; the pass at this position comes nearest.
    Unreachable { best: usize, reason: String },
}

impl Solver {
    /// First drive, from the loudness of the mix where it is known.
    pub fn first(&self, mix_lufs: Option<f64>) -> Decision {
        let guess = mix_lufs.map_or(0.0, |lufs| self.target_lufs - lufs);
        Decision::Try {
            drive_db: self.held(guess),
            ceiling_db: self.ceiling_dbtp,
        }
    }

    /// What to do after these passes; there must be at least one.
    pub fn next(&self, passes: &[Pass]) -> Decision {
        let Some(last) = passes.last() else {
            return self.first(None);
        };
        let Some(lufs) = last.integrated_lufs else {
            return self.give_up(passes, "the mix is silent".into());
        };
        let error = self.target_lufs - lufs;
        let limited = self.over_limit(last);
        if error.abs() <= AIM_LU && self.peak_fits(last) && limited <= 0.0 {
            return Decision::Reached {
                best: passes.len() - 1,
            };
        }
        let ceiling_db = last.ceiling_db - self.overshoot(last);
        let drive_db = match self.next_drive(passes, error, limited) {
            Ok(drive) => self.held(drive),
            Err(reason) => return self.give_up(passes, reason),
        };
        let same = (drive_db - last.drive_db).abs() < 0.005;
        if same && ceiling_db == last.ceiling_db {
            return self.give_up(passes, self.why_held(error, drive_db));
        }
        if passes.len() >= self.max_passes {
            let reason = format!("{} passes were not enough", passes.len());
            return self.give_up(passes, reason);
        }
        Decision::Try {
            drive_db,
            ceiling_db,
        }
    }

    fn next_drive(&self, passes: &[Pass], error: f64, limited: f64) -> Result<f64, String> {
        let last = &passes[passes.len() - 1];
        if limited > 0.0 {
            // Less drive takes away at most as much limiting.
            return Ok(self.inside_limits(passes, last.drive_db - limited - 0.1));
        }
        if error.abs() <= AIM_LU {
            return Ok(last.drive_db);
        }
        let slope = slope(passes);
        if let Some(slope) = slope
            && slope < FLAT
            && error > AIM_LU
        {
            return Err(format!(
                "the limiter is saturated: {slope:.2} LU for each dB of drive"
            ));
        }
        let step = error / slope.unwrap_or(1.0).clamp(FLAT, 1.0);
        let step = step.clamp(-MAX_STEP_DB, MAX_STEP_DB);
        let wanted = self.inside_bracket(passes, last.drive_db + step);
        let held = self.inside_limits(passes, wanted);
        if held < wanted - 0.005 && held <= last.drive_db + 0.02 {
            return Err(format!(
                "more would take over {} dB of limiting",
                self.max_limiting_db
            ));
        }
        Ok(held)
    }

    /// Between what was too quiet and what was too loud; a wanted drive that
    /// does not lie clearly between them becomes their middle.
    fn inside_bracket(&self, passes: &[Pass], wanted: f64) -> f64 {
        let ceiling = passes.last().map(|pass| pass.ceiling_db);
        let same = passes
            .iter()
            .filter(|pass| Some(pass.ceiling_db) == ceiling);
        let mut low = f64::NEG_INFINITY;
        let mut high = f64::INFINITY;
        for pass in same {
            match pass.integrated_lufs {
                Some(lufs) if lufs < self.target_lufs => low = low.max(pass.drive_db),
                Some(_) => high = high.min(pass.drive_db),
                None => {}
            }
        }
        if low >= high || wanted > low && wanted < high {
            return wanted;
        }
        if low.is_finite() && high.is_finite() {
            return (low + high) / 2.0;
        }
        wanted
    }

    /// Below every drive that took too much limiting. Between one that did
    /// and one that did not, the middle.
    fn inside_limits(&self, passes: &[Pass], wanted: f64) -> f64 {
        let over = |pass: &&Pass| self.over_limit(pass) > 0.0;
        let drives = |over_limit: bool| {
            passes
                .iter()
                .filter(move |pass| over(pass) == over_limit)
                .map(|pass| pass.drive_db)
        };
        let lowest = drives(true).fold(f64::INFINITY, f64::min);
        let fits = drives(false)
            .filter(|drive| *drive < lowest)
            .fold(f64::NEG_INFINITY, f64::max);
        if wanted < lowest - 0.1 {
            wanted
        } else if fits.is_finite() {
            // An end that is near enough is not worth another pass.
            if lowest - fits < 0.3 {
                fits
            } else {
                (lowest + fits) / 2.0
            }
        } else {
            wanted.min(lowest - 0.1)
        }
    }

    fn held(&self, drive_db: f64) -> f64 {
        let (low, high) = self.drive_range_db;
        // To a hundredth, so that a report reads well.
        (drive_db.clamp(low, high) * 100.0).round() / 100.0
    }

    fn why_held(&self, error: f64, drive_db: f64) -> String {
        let (low, high) = self.drive_range_db;
        if drive_db <= low + 0.01 && error < 0.0 {
            format!("the limiter cannot turn down further than {low:.1} dB; lower the mix")
        } else if drive_db >= high - 0.01 {
            format!("the limiter cannot drive more than {high:.1} dB")
        } else {
            format!(
                "more would take over {} dB of limiting",
                self.max_limiting_db
            )
        }
    }

    fn peak_fits(&self, pass: &Pass) -> bool {
        self.overshoot(pass) == 0.0
    }

    /// By how much the ceiling has to come down.
    fn overshoot(&self, pass: &Pass) -> f64 {
        let over = pass
            .true_peak_dbtp
            .map_or(0.0, |peak| peak - self.ceiling_dbtp);
        if over > 0.0 {
            over + CEILING_MARGIN_DB
        } else {
            0.0
        }
    }

    fn over_limit(&self, pass: &Pass) -> f64 {
        pass.limiting_db.unwrap_or(0.0) - self.max_limiting_db
    }

    /// The nearest pass that keeps all limits; with none, the nearest one.
    fn give_up(&self, passes: &[Pass], reason: String) -> Decision {
        let miss = |pass: &Pass| {
            let distance = pass
                .integrated_lufs
                .map_or(f64::INFINITY, |lufs| (lufs - self.target_lufs).abs());
            let broken = !self.peak_fits(pass) || self.over_limit(pass) > 0.0;
            (broken, distance)
        };
        let best = (0..passes.len())
            .min_by(|&a, &b| {
                let (a, b) = (miss(&passes[a]), miss(&passes[b]));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            })
            .unwrap_or(0);
        let (broken, distance) = miss(&passes[best]);
        if !broken && distance <= TOLERANCE_LU {
            Decision::Reached { best }
        } else {
            Decision::Unreachable { best, reason }
        }
    }
}

/// Loudness per dB of drive between the last pass and the nearest other one.
///
/// Raising drive and ceiling together raises everything by as much, so the
/// loudness above the ceiling depends on the drive above the ceiling alone.
/// Seen that way, passes with different ceilings lie on one curve.
fn slope(passes: &[Pass]) -> Option<f64> {
    let above_ceiling = |pass: &Pass| {
        Some((
            pass.drive_db - pass.ceiling_db,
            pass.integrated_lufs? - pass.ceiling_db,
        ))
    };
    let (last, before) = passes.split_last()?;
    let (last_drive, last_lufs) = above_ceiling(last)?;
    before
        .iter()
        .filter_map(|pass| {
            let (drive, lufs) = above_ceiling(pass)?;
            let step = last_drive - drive;
            (step.abs() > 0.01).then_some((step.abs(), (last_lufs - lufs) / step))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, slope)| slope)
}

#[cfg(test)]
#[path = "solver_tests.rs"]
mod tests;
