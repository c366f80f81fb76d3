//! Lane groups: what is the same for every effect — bypass, wet, delta,
//! latency of the dry signal, SIMD dispatch — around the effect itself.

use super::model::{FxError, Model};
use super::processor::{BLOCK, Processor, SLOTS, Setup};
use crate::dsp::simd::{self, Kernel};
use crate::dsp::{Frame, LANES, SILENCE};
use crate::project::Fx;

/// Makes the processor of a group. `slots` holds up to [`SLOTS`] instances of
/// the model; `None` leaves a slot unused. Latency is fixed here: it is the
/// largest that an instance asks for, and all slots get it.
///
/// # Errors
/// [`FxError::NotAnEffect`] when the model is an instrument.
pub fn new_group(
    model: &Model,
    setup: Setup,
    slots: &[Option<&Fx>],
) -> Result<Box<dyn Processor>, FxError> {
    let slots = &slots[..slots.len().min(SLOTS)];
    model
        .plug
        .group(setup, slots)
        .ok_or(FxError::NotAnEffect { fx: model.name })
}

/// The effect proper, fully wet. `process` gets at most [`BLOCK`] frames and
/// must be `#[inline(always)]`. A new core is neutral or silent, never
/// undefined, in slots that are not set.
pub(crate) trait Core: std::marker::Send {
    fn latency_frames(&self) -> usize {
        0
    }

    fn tail_frames(&self) -> u64 {
        0
    }

    fn set(&mut self, slot: usize, fx: &Fx);
    fn process(&mut self, main: &mut [Frame], aux: Option<&[Frame]>);

    /// Called after every [`BLOCK`] frames of the stream, whatever the block
    /// size of the caller: the place to flush denormals.
    fn flush(&mut self) {}

    fn reset(&mut self);
}

/// A [`Core`] with the controls every effect in REAPER has.
pub(crate) struct Group<C> {
    core: C,
    /// Share of the processed and of the dry signal.
    wet: Frame,
    dry: Frame,
    /// 1 in lanes whose output is the processed signal untouched.
    plain: Frame,
    all_plain: bool,
    /// Input of the last `latency` frames, then of the present block.
    input: Box<[Frame]>,
    latency: usize,
    /// Frames since the last flush.
    since_flush: usize,
}

impl<C: Core> Group<C> {
    pub(crate) fn new(core: C, slots: &[Option<&Fx>]) -> Self {
        let latency = core.latency_frames();
        let mut group = Self {
            core,
            wet: [1.0; LANES],
            dry: SILENCE,
            plain: [1.0; LANES],
            all_plain: true,
            input: vec![SILENCE; latency + BLOCK].into(),
            latency,
            since_flush: 0,
        };
        for (slot, fx) in slots.iter().enumerate() {
            if let Some(fx) = fx {
                group.set(slot, fx);
            }
        }
        group
    }

    fn process_block(&mut self, main: &mut [Frame], aux: Option<&[Frame]>) {
        let frames = main.len();
        let keep_input = self.latency > 0 || !self.all_plain;
        if keep_input {
            self.input[self.latency..][..frames].copy_from_slice(main);
        }
        simd::dispatch(Run {
            core: &mut self.core,
            main,
            aux,
        });
        if !self.all_plain {
            for (frame, input) in main.iter_mut().zip(self.input.iter()) {
                for lane in 0..LANES {
                    let mixed = self.wet[lane] * frame[lane] + self.dry[lane] * input[lane];
                    frame[lane] = if self.plain[lane] != 0.0 {
                        frame[lane]
                    } else {
                        mixed
                    };
                }
            }
        }
        if self.latency > 0 {
            self.input.copy_within(frames..frames + self.latency, 0);
        }
    }
}

impl<C: Core> Processor for Group<C> {
    fn latency_frames(&self) -> usize {
        self.latency
    }

    fn tail_frames(&self) -> u64 {
        self.core.tail_frames()
    }

    fn set(&mut self, slot: usize, fx: &Fx) {
        if slot >= SLOTS {
            return;
        }
        self.core.set(slot, fx);
        let wet = if fx.wet.is_finite() {
            fx.wet.clamp(0.0, 1.0)
        } else {
            1.0
        };
        let (wet, dry) = match (fx.bypassed || fx.offline, fx.delta) {
            (true, _) => (0.0, 1.0),
            (false, true) => (wet, -wet),
            (false, false) => (wet, 1.0 - wet),
        };
        for lane in [2 * slot, 2 * slot + 1] {
            self.wet[lane] = wet;
            self.dry[lane] = dry;
            self.plain[lane] = f64::from(wet == 1.0 && dry == 0.0);
        }
        self.all_plain = self.plain == [1.0; LANES];
    }

    fn process(&mut self, main: &mut [Frame], aux: Option<&[Frame]>) {
        // Blocks are cut where the stream is to be flushed, so that the
        // caller's block size does not show in the bits.
        let mut from = 0;
        while from < main.len() {
            let to = main.len().min(from + BLOCK - self.since_flush);
            let aux = aux.and_then(|aux| aux.get(from..to));
            self.process_block(&mut main[from..to], aux);
            self.since_flush += to - from;
            if self.since_flush == BLOCK {
                self.since_flush = 0;
                self.core.flush();
            }
            from = to;
        }
    }

    fn reset(&mut self) {
        self.core.reset();
        self.input.fill(SILENCE);
        self.since_flush = 0;
    }
}

struct Run<'a, C> {
    core: &'a mut C,
    main: &'a mut [Frame],
    aux: Option<&'a [Frame]>,
}

impl<C: Core> Kernel for Run<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.core.process(self.main, self.aux);
    }
}
