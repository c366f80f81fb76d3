//! Sound files: any bytes decode or fail, within bounded memory.
#![no_main]

use std::io::Write as _;

use libfuzzer_sys::fuzz_target;
use reaper_batch::qc;

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("a temporary file takes bytes");
    let _ = qc::measure(file.path(), &[], &mut |_| ());
});
