//! Signal processing on slices: filters, envelopes, delays, SIMD dispatch. No files.
