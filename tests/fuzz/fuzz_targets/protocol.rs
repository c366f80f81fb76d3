//! Replies of a bridge: any bytes are a reply or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reaper_batch::bridge::{Lock, Progress, Response};

fuzz_target!(|bytes: &[u8]| {
    let _ = serde_json::from_slice::<Response>(bytes);
    let _ = serde_json::from_slice::<Lock>(bytes);
    let _ = serde_json::from_slice::<Progress>(bytes);
});
