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
    if std::arch::is_x86_feature_detected!("avx2") {
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

// SAFETY: callers must have found AVX2 on this CPU.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
