//! `VST: ReaVerbate (Cockos)`: a small reverb of the Freeverb family.
//!
//! Parameters and state are measured. The algorithm is not published; ours is
//! an approximation: eight damped combs side by side and four all-passes in a
//! row per channel, with Freeverb's published delays (Jezar at Dreampoint,
//! public domain). See `docs/fx-models.md`.

use super::float_list::float_list;
use super::group::Core;
use super::model::{Kind, Model, Plug, processor};
use super::param::Param;
use super::processor::{BLOCK, Processor, SLOTS, Setup};
use crate::dsp::delay::Ring;
use crate::dsp::onepole::low_pass_coef;
use crate::dsp::{Frame, LANES, flush};
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VST: ReaVerbate (Cockos)",
    file: "reaverbate.dll",
    id: Some(1_920_361_016),
    kind: Kind::Effect,
    type_text: "VST",
    pins_in: 2,
    pins_out: 2,
    plug: &ReaVerbate,
};

const WET: usize = 0;
const DRY: usize = 1;
const ROOM_SIZE: usize = 2;
const DAMPENING: usize = 3;
const WIDTH: usize = 4;
const DELAY: usize = 5;
const LOWPASS: usize = 6;
const HIPASS: usize = 7;

/// Longest initial delay; the scale of the parameter is a guess.
const MAX_DELAY_MS: f64 = 200.0;

static PARAMS: [Param; 8] = [
    Param::gain("Wet", 0.5, 1.0),
    Param::gain("Dry", 1.0, 1.0),
    // 20/68: shows 50.
    Param::scaled("Room size", 0.294_117_66, 68.0, 0).shown(|x| format!("{:.0}", 30.0 + 68.0 * x)),
    Param::scaled("Dampening", 0.5, 100.0, 0),
    Param::scaled("Width", 1.0, 1.0, 2).shown(|x| format!("{:.2}", 2.0 * x - 1.0)),
    Param::scaled("Initial delay", 0.0, MAX_DELAY_MS, 0),
    Param::scaled("Lowpass", 1.0, 20_000.0, 0),
    Param::scaled("Hipass", 0.0, 20_000.0, 0),
];

/// Delays of the combs and all-passes in frames at 44.1 kHz, left channel;
/// the right one has `SPREAD` more.
const COMBS: [f64; 8] = [
    1116.0, 1188.0, 1277.0, 1356.0, 1422.0, 1491.0, 1557.0, 1617.0,
];
const ALL_PASSES: [f64; 4] = [556.0, 441.0, 341.0, 225.0];
const SPREAD: f64 = 23.0;

/// Level into the combs, and what makes up for it at the output.
const INPUT_GAIN: f64 = 0.015;
const OUTPUT_GAIN: f64 = 3.0;

struct ReaVerbate;

impl Plug for ReaVerbate {
    float_list!(PARAMS);

    fn group(&self, setup: Setup, slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        // The lines of eight channels do not fit into the L2 cache, so few
        // instances get narrow ones.
        match slots.iter().rposition(Option::is_some) {
            None | Some(0) => processor(Reverb::<2>::new(setup), slots),
            Some(1) => processor(Reverb::<4>::new(setup), slots),
            Some(_) => processor(Reverb::<LANES>::new(setup), slots),
        }
    }
}

/// A ring with one distance for left lanes and one for right lanes.
struct Line<const N: usize> {
    ring: Ring<[f64; N]>,
    left: usize,
    right: usize,
}

impl<const N: usize> Line<N> {
    fn new(frames_at_44100: f64, sample_rate_hz: f64) -> Self {
        let frames =
            |at_44100: f64| ((at_44100 * sample_rate_hz / 44_100.0).round() as usize).max(1);
        let right = frames(frames_at_44100 + SPREAD);
        Self {
            ring: Ring::new(right),
            left: frames(frames_at_44100),
            right,
        }
    }

    #[inline(always)]
    fn read(&self) -> [f64; N] {
        let (left, right) = (self.ring.back(self.left), self.ring.back(self.right));
        let mut x = [0.0; N];
        for lane in 0..N {
            x[lane] = if lane % 2 == 0 {
                left[lane]
            } else {
                right[lane]
            };
        }
        x
    }
}

struct Comb<const N: usize> {
    line: Line<N>,
    damped: [f64; N],
}

/// A reverb on the first `N` lanes; the others stay as they are.
struct Reverb<const N: usize> {
    sample_rate_hz: f64,
    before: Ring<[f64; N]>,
    before_frames: [usize; SLOTS],
    combs: [Comb<N>; 8],
    all_passes: [Line<N>; 4],
    low_coef: [f64; N],
    high_coef: [f64; N],
    low: [f64; N],
    high: [f64; N],
    feedback: [f64; N],
    damping: [f64; N],
    dry: [f64; N],
    /// Wet gain of the own and of the other channel: width.
    own: [f64; N],
    other: [f64; N],
    input: Box<[[f64; N]; BLOCK]>,
    sum: Box<[[f64; N]; BLOCK]>,
}

impl<const N: usize> Reverb<N> {
    fn new(setup: Setup) -> Self {
        let fs = setup.sample_rate_hz;
        Self {
            sample_rate_hz: fs,
            before: Ring::new((MAX_DELAY_MS * 1e-3 * fs).ceil() as usize + 1),
            before_frames: [0; SLOTS],
            combs: COMBS.map(|frames| Comb {
                line: Line::new(frames, fs),
                damped: [0.0; N],
            }),
            all_passes: ALL_PASSES.map(|frames| Line::new(frames, fs)),
            low_coef: [1.0; N],
            high_coef: [0.0; N],
            low: [0.0; N],
            high: [0.0; N],
            feedback: [0.0; N],
            damping: [0.0; N],
            dry: [1.0; N],
            own: [0.0; N],
            other: [0.0; N],
            input: Box::new([[0.0; N]; BLOCK]),
            sum: Box::new([[0.0; N]; BLOCK]),
        }
    }

    /// The mono sum of each slot, after its initial delay.
    #[inline(always)]
    fn read_input(&mut self, main: &[Frame]) {
        let undelayed = self.before_frames == [0; SLOTS];
        for (frame, input) in main.iter().zip(self.input.iter_mut()) {
            let mut mono = [0.0; N];
            for lane in 0..N {
                mono[lane] = INPUT_GAIN * (frame[lane & !1] + frame[lane | 1]);
            }
            self.before.push(mono);
            if undelayed {
                *input = mono;
            } else {
                for lane in 0..N {
                    input[lane] = self.before.back(1 + self.before_frames[lane / 2])[lane];
                }
            }
        }
    }
}

impl<const N: usize> Core for Reverb<N> {
    fn tail_frames(&self) -> u64 {
        // Until the slowest comb has decayed by 60 dB, and the initial delay.
        let slowest = self.feedback.iter().copied().fold(0.0, f64::max);
        let round = self.combs[7].line.right as f64;
        let turns = if slowest > 0.0 {
            -3.0 / slowest.log10()
        } else {
            1.0
        };
        let before = self.before_frames.iter().copied().max().unwrap_or(0);
        (round * turns).ceil() as u64 + before as u64
    }

    fn set(&mut self, slot: usize, fx: &Fx) {
        if slot >= N / 2 {
            return;
        }
        let value = |index: usize| PARAMS[index].value(fx, index);
        let fs = self.sample_rate_hz;
        self.before_frames[slot] = (MAX_DELAY_MS * 1e-3 * value(DELAY) * fs).round() as usize;
        let width = 2.0 * value(WIDTH) - 1.0;
        let wet = value(WET) * OUTPUT_GAIN;
        for lane in [2 * slot, 2 * slot + 1] {
            // Freeverb's range of feedback and damping over the same knobs.
            self.feedback[lane] = 0.7 + 0.28 * value(ROOM_SIZE);
            self.damping[lane] = 0.4 * value(DAMPENING);
            self.dry[lane] = value(DRY);
            self.own[lane] = wet * (0.5 + 0.5 * width);
            self.other[lane] = wet * (0.5 - 0.5 * width);
            self.low_coef[lane] = if value(LOWPASS) >= 1.0 {
                1.0
            } else {
                low_pass_coef(20_000.0 * value(LOWPASS), fs)
            };
            self.high_coef[lane] = low_pass_coef(20_000.0 * value(HIPASS), fs);
        }
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        let frames = main.len().min(BLOCK);
        self.read_input(&main[..frames]);
        let input = &self.input[..frames];
        let sum = &mut self.sum[..frames];
        sum.fill([0.0; N]);
        let (feedback, damping) = (self.feedback, self.damping);
        for comb in &mut self.combs {
            let mut damped = comb.damped;
            for (input, sum) in input.iter().zip(sum.iter_mut()) {
                let out = comb.line.read();
                let mut back = [0.0; N];
                for lane in 0..N {
                    damped[lane] = out[lane] + damping[lane] * (damped[lane] - out[lane]);
                    back[lane] = input[lane] + feedback[lane] * damped[lane];
                    sum[lane] += out[lane];
                }
                comb.line.ring.push(back);
            }
            comb.damped = damped;
        }
        for line in &mut self.all_passes {
            for frame in sum.iter_mut() {
                let out = line.read();
                let mut back = [0.0; N];
                for lane in 0..N {
                    back[lane] = frame[lane] + 0.5 * out[lane];
                    frame[lane] = out[lane] - frame[lane];
                }
                line.ring.push(back);
            }
        }
        for (frame, sum) in main.iter_mut().zip(sum.iter()) {
            let mut wet = [0.0; N];
            for lane in 0..N {
                self.low[lane] += self.low_coef[lane] * (sum[lane] - self.low[lane]);
                self.high[lane] += self.high_coef[lane] * (self.low[lane] - self.high[lane]);
                wet[lane] = self.low[lane] - self.high[lane];
            }
            for lane in 0..N {
                frame[lane] = self.dry[lane] * frame[lane]
                    + (self.own[lane] * wet[lane] + self.other[lane] * wet[lane ^ 1]);
            }
        }
    }

    fn flush(&mut self) {
        // The newest entries of the rings are what the recursions go on with;
        // cleaning them keeps the whole ring clean.
        for comb in &mut self.combs {
            flush(&mut comb.damped);
            comb.line.ring.flush_last(BLOCK);
        }
        for line in &mut self.all_passes {
            line.ring.flush_last(BLOCK);
        }
        flush(&mut self.low);
        flush(&mut self.high);
    }

    fn reset(&mut self) {
        self.before.reset();
        for comb in &mut self.combs {
            comb.line.ring.reset();
            comb.damped = [0.0; N];
        }
        for line in &mut self.all_passes {
            line.ring.reset();
        }
        self.low = [0.0; N];
        self.high = [0.0; N];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsp::SILENCE;
    use crate::fx::tests::run;

    fn energies(fx: &Fx) -> Vec<f64> {
        let mut impulse = vec![SILENCE; 48_000 * 3];
        impulse[0] = [1.0; LANES];
        let out = run(&MODEL, fx, &impulse);
        out.chunks(24_000)
            .map(|part| part.iter().map(|frame| frame[0] * frame[0]).sum())
            .collect()
    }

    fn wet_only() -> Fx {
        let mut fx = MODEL.instantiate();
        fx.params[DRY] = 0.0;
        fx
    }

    #[test]
    fn energy_decays_and_larger_rooms_decay_slower() {
        let small = energies(&wet_only());
        assert!(small[0] > 0.0);
        assert!(
            small.windows(2).all(|pair| pair[1] < 0.1 * pair[0]),
            "{small:?}"
        );
        let mut fx = wet_only();
        fx.params[ROOM_SIZE] = 0.9;
        let large = energies(&fx);
        assert!(large.windows(2).all(|pair| pair[1] < pair[0]), "{large:?}");
        assert!(large[4] / large[0] > 100.0 * small[4] / small[0]);
    }

    #[test]
    fn half_width_is_mono() {
        let mut fx = wet_only();
        fx.params[WIDTH] = 0.5;
        let mut impulse = vec![SILENCE; 10_000];
        impulse[0] = [1.0; LANES];
        for frame in run(&MODEL, &fx, &impulse) {
            assert!((frame[0] - frame[1]).abs() < 1e-15);
        }
    }

    #[test]
    fn texts_are_those_of_reaper() {
        let fx = MODEL.instantiate();
        assert_eq!(MODEL.format(&fx, ROOM_SIZE, fx.params[ROOM_SIZE]), "50");
        assert_eq!(MODEL.format(&fx, WET, 0.5), "-6.0");
    }
}
