//! Run-time choice of the instruction set.
//!
//! A default x86-64 build may only use SSE2. [`dispatch`] runs a [`Kernel`]
//! either as compiled by default or compiled once more for AVX2, whichever
//! the CPU has. FMA stays off and nothing is reassociated, so both give the
//! same bits. Other architectures run the default build.

#![allow(
    unsafe_code,
    reason = "calling a function with a target feature needs a promise that the CPU has it"
)]

/// A piece of work that is worth compiling for several instruction sets.
///
/// `run` and everything it calls must be `#[inline(always)]`: only code that
/// is inlined into the dispatching function takes on its instruction set.
pub trait Kernel {
    /// What the work yields.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` with the best instruction set that the CPU has.
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && !forced_plain() {
        // SAFETY: the line above made sure that the CPU has AVX2.
        return unsafe { with_avx2(kernel) };
    }
    plain(kernel)
}

/// Runs `kernel` with the instruction set of the build alone.
#[inline(never)]
pub fn plain<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(test)]
thread_local! {
    static FORCE_PLAIN: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `work` with [`dispatch`] using the instruction set of the build alone.
#[cfg(test)]
pub(crate) fn force_plain<R>(work: impl FnOnce() -> R) -> R {
    FORCE_PLAIN.set(true);
    let result = work();
    FORCE_PLAIN.set(false);
    result
}

#[cfg(target_arch = "x86_64")]
fn forced_plain() -> bool {
    #[cfg(test)]
    return FORCE_PLAIN.get();
    #[cfg(not(test))]
    false
}

// SAFETY: callers must have found AVX2 on this CPU.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsp::biquad::{Bank, Coefs, Shape, Width, cascade};
    use crate::dsp::noise::Noise;
    use crate::dsp::{Frame, LANES, SILENCE, poly};

    struct Everything(Vec<Frame>);

    impl Kernel for Everything {
        type Output = Vec<Frame>;

        #[inline(always)]
        fn run(self) -> Vec<Frame> {
            let mut block = self.0;
            let mut banks = [Bank::new(), Bank::new(), Bank::new()];
            for (index, bank) in banks.iter_mut().enumerate() {
                for lane in 0..LANES {
                    let hz = 50.0 * (lane + 1) as f64 * (index + 1) as f64;
                    let shape = Shape::Bell(0.3 + lane as f64 / 3.0);
                    bank.set(lane, Coefs::new(shape, hz, Width::Octaves(1.0), 48_000.0));
                }
            }
            cascade(&mut banks, &mut block);
            for frame in &mut block {
                *frame = poly::exp2(poly::log2(frame.map(|x| x.abs() + 1e-9)).map(|x| 0.7 * x));
            }
            block
        }
    }

    #[test]
    fn both_instruction_sets_give_the_same_bits() {
        let mut noise = Noise::new(3);
        let block: Vec<Frame> = (0..1000).map(|_| SILENCE.map(|_| noise.sample())).collect();
        let bits = |block: Vec<Frame>| -> Vec<[u64; LANES]> {
            block
                .into_iter()
                .map(|frame| frame.map(f64::to_bits))
                .collect()
        };
        assert_eq!(
            bits(dispatch(Everything(block.clone()))),
            bits(plain(Everything(block)))
        );
    }
}
