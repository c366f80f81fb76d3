//! Changing the sample rate of a stream by FFT, with the delay taken out.

use super::Planar;
use rubato::{
    Fft, FixedSync, Resampler as _, WindowFunction,
    audioadapter_buffers::direct::SequentialSliceOfVecs,
};

/// Length of the FFT block on the slower side, about 43 ms at 48 kHz: the
/// pass band then reaches 98 % of the lower Nyquist frequency.
const BLOCK_FRAMES: u64 = 2048;

/// Why a pair of sample rates can't be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("can't resample {channels} channels from {from_hz} Hz to {to_hz} Hz: {problem}")]
pub struct ResampleError {
    pub channels: usize,
    pub from_hz: u32,
    pub to_hz: u32,
    pub problem: String,
}

/// Length of `frames` at another sample rate, rounded to the nearest frame.
pub fn resampled_frames(frames: u64, from_hz: u32, to_hz: u32) -> u64 {
    let from = u128::from(from_hz.max(1));
    let scaled = (u128::from(frames) * u128::from(to_hz) + from / 2) / from;
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Converts whole blocks: each takes [`Resampler::input_frames`] and gives
/// [`Resampler::output_frames`]. The state is one block long, so after one
/// block of run-in the output does not depend on where the stream started.
pub struct Resampler {
    fft: Fft<f64>,
    input: Vec<Vec<f64>>,
    output: Vec<Vec<f64>>,
}

impl std::fmt::Debug for Resampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resampler")
            .field("input_frames", &self.input_frames())
            .field("output_frames", &self.output_frames())
            .finish_non_exhaustive()
    }
}

impl Resampler {
    /// # Errors
    /// A rate of zero, or a pair without a usable common divisor.
    pub fn new(channels: usize, from_hz: u32, to_hz: u32) -> Result<Self, ResampleError> {
        let error = |problem: String| ResampleError {
            channels,
            from_hz,
            to_hz,
            problem,
        };
        if from_hz == 0 || to_hz == 0 || channels == 0 {
            return Err(error("rates and channels must be at least 1".into()));
        }
        let divisor = greatest_common_divisor(from_hz, to_hz);
        let (from, to) = (u64::from(from_hz / divisor), u64::from(to_hz / divisor));
        // An even number of units, so that half a block is whole on both sides.
        let units = BLOCK_FRAMES.div_ceil(from.min(to)).next_multiple_of(2);
        if units * from.max(to) > 1 << 22 {
            return Err(error("the rates differ too much".into()));
        }
        let chunk = usize::try_from(units * from).map_err(|e| error(e.to_string()))?;
        let fft = Fft::new_custom(
            from_hz as usize,
            to_hz as usize,
            chunk,
            1,
            channels,
            WindowFunction::BlackmanHarris2,
            FixedSync::Both,
        )
        .map_err(|e| error(e.to_string()))?;
        let input = vec![vec![0.0; fft.input_frames_next()]; channels];
        let output = vec![vec![0.0; fft.output_frames_next()]; channels];
        Ok(Self { fft, input, output })
    }

    /// Frames that one block takes.
    pub fn input_frames(&self) -> usize {
        self.fft.input_frames_next()
    }

    /// Frames that one block gives.
    pub fn output_frames(&self) -> usize {
        self.fft.output_frames_next()
    }

    /// Frames of output that come before the first input frame.
    pub fn delay(&self) -> usize {
        self.fft.output_delay()
    }

    /// Forgets everything before.
    pub fn reset(&mut self) {
        self.fft.reset();
    }

    /// Converts the input block and returns the output block.
    ///
    /// # Errors
    /// Never with the buffers this type owns; the resampler below can say so.
    pub fn process(&mut self) -> Result<&[Vec<f64>], ResampleError> {
        let channels = self.input.len();
        let (taken, given) = (self.input_frames(), self.output_frames());
        let error = |problem: String| ResampleError {
            channels,
            from_hz: taken as u32,
            to_hz: given as u32,
            problem,
        };
        let input = SequentialSliceOfVecs::new(&self.input, channels, taken)
            .map_err(|e| error(e.to_string()))?;
        let mut output = SequentialSliceOfVecs::new_mut(&mut self.output, channels, given)
            .map_err(|e| error(e.to_string()))?;
        self.fft
            .process_into_buffer(&input, &mut output, None)
            .map_err(|e| error(e.to_string()))?;
        Ok(&self.output)
    }

    /// Fills the input block from `block` and the rest with silence.
    pub(super) fn fill_input(&mut self, block: &Planar, from: usize) {
        for (input, channel) in self.input.iter_mut().zip(block.iter()) {
            for (sample, &value) in input[from..].iter_mut().zip(channel) {
                *sample = f64::from(value);
            }
        }
    }

    /// Silences the input block from a frame on.
    pub(super) fn silence_input(&mut self, from: usize) {
        for input in &mut self.input {
            input[from..].fill(0.0);
        }
    }

    pub(super) fn output(&self) -> &[Vec<f64>] {
        &self.output
    }
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
