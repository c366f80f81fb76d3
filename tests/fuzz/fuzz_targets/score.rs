//! Scores: any text compiles or fails, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reaper_batch::compose;

fuzz_target!(|text: &str| {
    if let Ok(source) = toml::from_str::<compose::ScoreSource>(text) {
        let _ = compose::compile(&source);
    }
});
