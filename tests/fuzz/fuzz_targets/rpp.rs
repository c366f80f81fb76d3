//! Project files: what parses is written back and parses again to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reaper_batch::project::rpp;

fuzz_target!(|bytes: &[u8]| {
    if let Ok((project, _)) = rpp::parse(bytes) {
        let written = rpp::write(&project);
        let (again, _) = rpp::parse(&written).expect("a written project parses");
        assert_eq!(rpp::write(&again), written);
    }
});
