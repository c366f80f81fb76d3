//! Loudness from the energies of 10 ms steps: momentary, short-term,
//! integrated and range. ITU-R BS.1770-5, EBU Tech 3341 and 3342.
//!
//! Windows are sums of steps, so samples are never added up twice. The maxima
//! move in steps of 10 ms (Tech 3341 cases 13 and 14 need 20 ms or less); the
//! blocks of the gates are 100 ms apart.

/// Steps of 10 ms in 100 ms, 400 ms and 3 s.
const GRID: usize = 10;
const MOMENTARY: usize = 40;
const SHORT_TERM: usize = 300;

/// Loudness of a mean square of 1, BS.1770-5 annex 1 equation 2.
const OFFSET_LUFS: f64 = -0.691;
/// Absolute gate in LUFS.
const ABSOLUTE_GATE_LUFS: f64 = -70.0;
/// Relative gates as power ratios: 10 LU for I, 20 LU for the range.
const INTEGRATED_GATE: f64 = 0.1;
const RANGE_GATE: f64 = 0.01;

/// Energy and length of a stretch, kept exact where a step is not a whole
/// number of frames long.
#[derive(Debug, Clone, Copy, Default)]
struct Stretch {
    energy: f64,
    frames: u64,
}

impl Stretch {
    fn add(&mut self, other: Self) {
        self.energy += other.energy;
        self.frames += other.frames;
    }

    fn power(self) -> f64 {
        self.energy / self.frames.max(1) as f64
    }
}

/// Collects steps. Memory: 16 bytes for every 100 ms.
#[derive(Debug, Clone)]
pub(super) struct Loudness {
    steps: usize,
    /// The last steps, and the last sums of ten steps, as rings.
    recent: [Stretch; GRID],
    tens: Vec<Stretch>,
    /// Power of each 400 ms block and each 3 s window on the 100 ms grid.
    blocks: Vec<f64>,
    short_terms: Vec<f64>,
    max_momentary: f64,
    max_short_term: f64,
}

impl Default for Loudness {
    fn default() -> Self {
        Self {
            steps: 0,
            recent: [Stretch::default(); GRID],
            tens: vec![Stretch::default(); SHORT_TERM],
            blocks: Vec::new(),
            short_terms: Vec::new(),
            max_momentary: 0.0,
            max_short_term: 0.0,
        }
    }
}

impl Loudness {
    /// Adds a whole step: the channel energies, weighted and summed.
    pub(super) fn push(&mut self, energy: f64, frames: u64) {
        let at = self.steps % SHORT_TERM;
        self.recent[self.steps % GRID] = Stretch { energy, frames };
        self.steps += 1;
        let mut ten = Stretch::default();
        for back in (0..GRID).rev() {
            ten.add(self.recent[(self.steps + GRID - 1 - back) % GRID]);
        }
        self.tens[at] = ten;
        let on_grid = self.steps.is_multiple_of(GRID);
        if self.steps >= MOMENTARY {
            let power = self.window(MOMENTARY);
            self.max_momentary = self.max_momentary.max(power);
            if on_grid {
                self.blocks.push(power);
            }
        }
        if self.steps >= SHORT_TERM {
            let power = self.window(SHORT_TERM);
            self.max_short_term = self.max_short_term.max(power);
            if on_grid {
                self.short_terms.push(power);
            }
        }
    }

    /// Whole steps so far.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Integrated loudness in LUFS.
    pub(super) fn integrated(&self) -> Option<f64> {
        gated_lufs(&self.blocks)
    }

    /// Highest momentary loudness in LUFS.
    pub(super) fn max_momentary(&self) -> Option<f64> {
        lufs(self.max_momentary)
    }

    /// Highest short-term loudness in LUFS.
    pub(super) fn max_short_term(&self) -> Option<f64> {
        lufs(self.max_short_term)
    }

    /// Loudness range in LU.
    pub(super) fn range(&self) -> Option<f64> {
        range_lu(self.short_terms.iter().copied())
    }

    #[cfg(test)]
    pub(super) fn short_terms(&self) -> &[f64] {
        &self.short_terms
    }

    /// Power over the last `steps` steps.
    fn window(&self, steps: usize) -> f64 {
        let mut sum = Stretch::default();
        for back in (0..steps).step_by(GRID).rev() {
            sum.add(self.tens[(self.steps - 1 - back) % SHORT_TERM]);
        }
        sum.power()
    }
}

/// Loudness of a mean square, `None` for silence.
pub(super) fn lufs(power: f64) -> Option<f64> {
    (power > 0.0).then(|| OFFSET_LUFS + 10.0 * power.log10())
}

/// Integrated loudness of block powers: the blocks above -70 LUFS, and of those
/// the ones above their mean less 10 LU.
fn gated_lufs(blocks: &[f64]) -> Option<f64> {
    let absolute = power(ABSOLUTE_GATE_LUFS);
    let relative =
        mean(blocks.iter().copied().filter(|&block| block > absolute))? * INTEGRATED_GATE;
    let gate = absolute.max(relative);
    lufs(mean(blocks.iter().copied().filter(|&block| block > gate))?)
}

/// Loudness range of short-term powers, EBU Tech 3342: from the 10th to the
/// 95th percentile of those at or above -70 LUFS and within 20 LU below their
/// mean. No silence is appended, so that a file reads the same as a live meter.
pub(super) fn range_lu(short_terms: impl Iterator<Item = f64>) -> Option<f64> {
    let absolute = power(ABSOLUTE_GATE_LUFS);
    let mut kept: Vec<f64> = short_terms.filter(|&power| power >= absolute).collect();
    let relative = mean(kept.iter().copied())? * RANGE_GATE;
    kept.retain(|&power| power >= relative);
    kept.sort_by(f64::total_cmp);
    let at = |share: f64| kept.get(((kept.len() - 1) as f64 * share).round() as usize);
    match (at(0.10), at(0.95)) {
        (Some(low), Some(high)) => Some(10.0 * (high / low).log10()),
        _ => None,
    }
}

fn power(lufs: f64) -> f64 {
    10f64.powf((lufs - OFFSET_LUFS) / 10.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}
