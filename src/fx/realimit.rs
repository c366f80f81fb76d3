//! `VST: ReaLimit (Cockos)`: a look-ahead limiter that watches true peaks.
//!
//! Threshold and ceiling laws and the state are measured; look-ahead time,
//! release law and the scale of the release parameter are not published, ours
//! are an approximation: see `docs/fx-models.md`. The true-peak switch is not
//! located in the state, the limiter always watches true peaks.

use std::collections::BTreeMap;

use super::bytes::Reader;
use super::group::Core;
use super::model::{Kind, Model, Plug, processor};
use super::param::{Param, Text};
use super::processor::{Processor, SLOTS, Setup};
use crate::dsp::delay::Delay;
use crate::dsp::lookahead::{WindowMean, WindowMin};
use crate::dsp::true_peak::{self, TruePeak};
use crate::dsp::{Frame, LANES, max, min};
use crate::project::Fx;

pub(super) static MODEL: Model = Model {
    name: "VST: ReaLimit (Cockos)",
    file: "realimit.dll",
    id: Some(1_919_708_532),
    kind: Kind::Effect,
    type_text: "VST",
    pins_in: 2,
    pins_out: 2,
    plug: &ReaLimit,
};

const THRESHOLD: usize = 0;
const CEILING: usize = 1;
const RELEASE: usize = 2;

static PARAMS: [Param; 3] = [
    Param::new(
        "Threshold",
        (0.0, 1.0, 0.5),
        60.0 / 72.0,
        Text::Number {
            scale: 72.0,
            offset: -60.0,
            decimals: 1,
        },
    ),
    Param::new(
        "Ceiling",
        (0.0, 1.0, 0.5),
        1.0,
        Text::Number {
            scale: 24.0,
            offset: -24.0,
            decimals: 1,
        },
    ),
    // 10^(-15/20): the default shows 15 dB/s.
    Param::new(
        "Release",
        (0.0, 1.0, 0.5),
        0.177_827_941_003_892_3,
        Text::By(|x| format!("{:.1}", release_db_per_s(x))),
    ),
];

/// The state holds the release as an amplitude; taking the parameter for the
/// same is a guess. Displays were seen from about 6 dB/s upward.
fn release_db_per_s(x: f64) -> f64 {
    -20.0 * x.clamp(1e-25, 0.501).log10()
}

fn threshold_db(x: f64) -> f64 {
    -60.0 + 72.0 * x
}

fn ceiling_db(x: f64) -> f64 {
    -24.0 + 24.0 * x
}

/// Size of the state.
const STATE: usize = 48;

struct ReaLimit;

impl Plug for ReaLimit {
    fn param_count(&self, _fx: &Fx) -> usize {
        PARAMS.len()
    }

    fn param(&self, _fx: &Fx, index: usize) -> Option<Param> {
        PARAMS.get(index).cloned()
    }

    fn get_config(&self, fx: &Fx, key: &str) -> Option<String> {
        match key {
            "THRESHOLD" => Some(format!(
                "{:.6}",
                threshold_db(PARAMS[THRESHOLD].value(fx, THRESHOLD))
            )),
            "CEILING" => Some(format!(
                "{:.6}",
                ceiling_db(PARAMS[CEILING].value(fx, CEILING))
            )),
            "TRUEPEAK" => Some("1".to_owned()),
            _ => None,
        }
    }

    fn set_config(&self, fx: &mut Fx, key: &str, value: &str) -> bool {
        let Ok(number) = value.trim().parse::<f64>() else {
            return false;
        };
        let (index, raw) = match key {
            "THRESHOLD" => (THRESHOLD, (number + 60.0) / 72.0),
            "CEILING" => (CEILING, (number + 24.0) / 24.0),
            // Switching it off is not modelled; on is what it always is.
            "TRUEPEAK" => return number == 1.0,
            _ => return false,
        };
        match fx.params.get_mut(index) {
            Some(place) if raw.is_finite() => {
                *place = raw.clamp(0.0, 1.0);
                true
            }
            _ => false,
        }
    }

    fn decode(&self, state: &[u8]) -> Option<(Vec<f64>, BTreeMap<String, String>)> {
        let mut reader = Reader::new(state);
        reader.take(8)?;
        let threshold = reader.finite()?;
        let ceiling = reader.finite()?;
        reader.take(16)?;
        let release = reader.finite()?;
        let params = vec![(threshold + 60.0) / 72.0, (ceiling + 24.0) / 24.0, release];
        Some((params, BTreeMap::new()))
    }

    fn encode(&self, fx: &Fx, old: Option<&[u8]>) -> Vec<u8> {
        let mut bytes = match old {
            Some(old) if old.len() >= STATE && self.decode(old).is_some() => old.to_vec(),
            _ => {
                let mut fresh = vec![0; STATE];
                fresh[0] = 3;
                fresh[24] = 2;
                fresh
            }
        };
        let known = self
            .decode(&bytes)
            .map(|(params, _)| params)
            .unwrap_or_default();
        // Whole hundred-thousandths of a decibel, so that -1 dB stays -1 dB.
        let round = |db: f64| (db * 1e5).round() / 1e5;
        let value = |index: usize| PARAMS[index].value(fx, index);
        for (index, at, number) in [
            (THRESHOLD, 8, round(threshold_db(value(THRESHOLD)))),
            (CEILING, 16, round(ceiling_db(value(CEILING)))),
            (RELEASE, 40, value(RELEASE)),
        ] {
            // Values that still say the same keep their exact bytes.
            if known.get(index) != fx.params.get(index) {
                bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
            }
        }
        bytes
    }

    fn latency_frames(&self, _fx: &Fx, setup: Setup) -> usize {
        let window = window_frames(setup);
        true_peak::DELAY + 2 * (window - 1)
    }

    fn group(&self, setup: Setup, slots: &[Option<&Fx>]) -> Option<Box<dyn Processor>> {
        // A lone limiter, the usual one on a master, only computes its own
        // channels: the interpolation is most of the work.
        if slots.iter().skip(1).all(Option::is_none) {
            processor(Limit::<2>::new(setup), slots)
        } else {
            processor(Limit::<LANES>::new(setup), slots)
        }
    }
}

/// Length of each of the two means that smooth the gain: 1.5 ms.
fn window_frames(setup: Setup) -> usize {
    ((1.5e-3 * setup.sample_rate_hz).round() as usize).max(2)
}

/// Limits below the ceiling by this much: what is left over when the gain
/// moves between the points that were measured (0.02 dB).
const MARGIN: f64 = 0.997_7;

/// A limiter on the first `N` lanes.
struct Limit<const N: usize> {
    sample_rate_hz: f64,
    peaks: TruePeak<N>,
    delay: Delay<Frame>,
    least: WindowMin<SLOTS>,
    smooth: [WindowMean<SLOTS>; 2],
    /// Gain of the input: ceiling minus threshold.
    drive: Frame,
    /// Largest peak at the input that needs no limiting.
    limit: [f64; SLOTS],
    /// Factor per frame at which the gain comes back.
    recover: [f64; SLOTS],
    gain: [f64; SLOTS],
}

impl<const N: usize> Limit<N> {
    fn new(setup: Setup) -> Self {
        let window = window_frames(setup);
        Self {
            sample_rate_hz: setup.sample_rate_hz,
            peaks: TruePeak::new(),
            delay: Delay::new(true_peak::DELAY + 2 * (window - 1)),
            // The minimum holds while both means pass over it, and a frame on
            // each side for peaks between two frames.
            least: WindowMin::new(2 * window, 1.0),
            smooth: [WindowMean::new(window, 1.0), WindowMean::new(window, 1.0)],
            drive: [1.0; LANES],
            limit: [1.0; SLOTS],
            recover: [1.0; SLOTS],
            gain: [1.0; SLOTS],
        }
    }
}

impl<const N: usize> Core for Limit<N> {
    fn latency_frames(&self) -> usize {
        self.delay.frames()
    }

    fn set(&mut self, slot: usize, fx: &Fx) {
        let value = |index: usize| PARAMS[index].value(fx, index);
        let amplitude = |db: f64| 10f64.powf(db / 20.0);
        let threshold = amplitude(threshold_db(value(THRESHOLD)));
        let ceiling = amplitude(ceiling_db(value(CEILING)));
        self.drive[2 * slot..2 * slot + 2].fill(ceiling / threshold);
        self.limit[slot] = threshold * MARGIN;
        self.recover[slot] = amplitude(release_db_per_s(value(RELEASE)) / self.sample_rate_hz);
    }

    #[inline(always)]
    fn process(&mut self, main: &mut [Frame], _aux: Option<&[Frame]>) {
        let mut gains = [[1.0; SLOTS]; super::BLOCK];
        for (frame, gains) in main.iter().zip(gains.iter_mut()) {
            let mut x = [0.0; N];
            x.copy_from_slice(&frame[..N]);
            let peaks = self.peaks.next(x);
            let mut needed = [1.0; SLOTS];
            for slot in 0..N / 2 {
                let peak = max(peaks[2 * slot], peaks[2 * slot + 1]);
                needed[slot] = self.limit[slot] / max(peak, self.limit[slot]);
            }
            let least = self.least.next(needed);
            for slot in 0..SLOTS {
                let recovered = min(self.gain[slot] * self.recover[slot], 1.0);
                self.gain[slot] = min(recovered, least[slot]);
            }
            let [first, second] = &mut self.smooth;
            *gains = second.next(first.next(self.gain));
        }
        self.delay.process(main);
        for (frame, gains) in main.iter_mut().zip(&gains) {
            for lane in 0..LANES {
                frame[lane] *= gains[lane / 2] * self.drive[lane];
            }
        }
    }

    fn reset(&mut self) {
        self.peaks.reset();
        self.delay.reset();
        self.least.reset();
        self.smooth.iter_mut().for_each(WindowMean::reset);
        self.gain = [1.0; SLOTS];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fx::tests::{SETUP, run, sine};
    use std::f64::consts::PI;

    fn limiter(threshold: f64, ceiling: f64) -> Fx {
        let mut fx = MODEL.instantiate();
        assert!(MODEL.set_config(&mut fx, "THRESHOLD", &threshold.to_string()));
        assert!(MODEL.set_config(&mut fx, "CEILING", &ceiling.to_string()));
        fx
    }

    /// True peak by another meter than the limiter's own: the crate of the
    /// loudness standard.
    fn true_peak_dbtp(frames: &[Frame]) -> f64 {
        let samples: Vec<f64> = frames.iter().map(|frame| frame[0]).collect();
        let mut meter = ebur128::EbuR128::new(1, 48_000, ebur128::Mode::TRUE_PEAK).unwrap();
        meter.add_frames_f64(&samples).unwrap();
        20.0 * meter.true_peak(0).unwrap().log10()
    }

    #[test]
    fn texts_are_those_of_reaper() {
        let fx = MODEL.instantiate();
        assert_eq!(MODEL.format(&fx, THRESHOLD, fx.params[THRESHOLD]), "0.0");
        assert_eq!(MODEL.format(&fx, CEILING, 1.0), "0.0");
        assert_eq!(MODEL.format(&fx, RELEASE, fx.params[RELEASE]), "15.0");
        assert_eq!(
            MODEL.get_config(&limiter(-6.0, -1.0), "CEILING").as_deref(),
            Some("-1.000000")
        );
    }

    #[test]
    fn a_burst_stays_under_the_ceiling() {
        let mut input = sine(997.0, 0.1, 48_000);
        for (n, frame) in input[20_000..20_100].iter_mut().enumerate() {
            *frame = [2.0 * (2.0 * PI * 5000.0 * n as f64 / 48_000.0).sin(); LANES];
        }
        let out = run(&MODEL, &limiter(-1.0, -1.0), &input);
        let peak = true_peak_dbtp(&out);
        assert!(peak <= -0.95, "{peak} dBTP");
    }

    #[test]
    fn steady_tones_reach_the_ceiling_and_stay_under_it() {
        for hz in [50.0, 997.0, 6000.0, 11_999.0, 15_000.0] {
            let out = run(&MODEL, &limiter(-1.0, -1.0), &sine(hz, 1.9, 96_000));
            let peak = true_peak_dbtp(&out);
            assert!(peak <= -0.95, "{hz} Hz: {peak} dBTP");
            assert!(peak > -1.3, "{hz} Hz: {peak} dBTP");
        }
    }

    #[test]
    fn noise_stays_under_the_ceiling() {
        let loud: Vec<Frame> = crate::fx::tests::noise(5, 96_000)
            .into_iter()
            .map(|frame| frame.map(|x| 4.0 * x))
            .collect();
        let peak = true_peak_dbtp(&run(&MODEL, &limiter(-3.0, -1.0), &loud));
        assert!(peak <= -0.95, "{peak} dBTP");
    }

    #[test]
    fn output_gain_is_ceiling_minus_threshold() {
        let input = sine(997.0, 0.1, 4800);
        let out = run(&MODEL, &limiter(-6.0, -1.0), &input);
        let latency = MODEL.latency_frames(&limiter(-6.0, -1.0), SETUP);
        let gain = out[2000 + latency][0] / input[2000][0];
        assert!((20.0 * gain.log10() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn gain_comes_back_at_the_release_in_decibels_per_second() {
        let mut input = sine(997.0, 0.1, 96_000);
        input[..4800].copy_from_slice(&sine(997.0, 2.0, 4800));
        let out = run(&MODEL, &limiter(0.0, 0.0), &input);
        let level = |at: usize| {
            let peak = out[at..at + 480]
                .iter()
                .fold(0.0, |peak, frame| f64::max(peak, frame[0].abs()));
            20.0 * f64::log10(peak)
        };
        let rise = level(10_000 + 9600) - level(10_000);
        assert!((rise - 3.0).abs() < 0.05, "{rise} dB in 0.2 s");
    }
}
