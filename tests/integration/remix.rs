//! Mixing what was mixed before.

use super::harness::Case;

/// The second and third mix measure the sources, not the first mix, so they
/// find everything in place.
#[test]
fn mixing_again_changes_nothing() {
    let job = r#"
style = "indie_pop"

[[project]]
name = "song"
stems = { "Kick" = "tone.wav", "Gtr L" = "tone.wav", "Gtr R" = "tone.wav", "Lead Vox" = "tone.wav" }
step = [
    { configure_tracks = true },
    { engine_mix = {} },
    { engine_mix = {} },
    { engine_master = {} },
    { engine_mix = {} },
]
"#;
    let case = Case::new().file("job.toml", job).tone("tone.wav");
    let ran = case.run(&["run", "job.toml", "--out", "out"]);
    let mixes: Vec<&str> = ran
        .stderr
        .lines()
        .filter_map(|line| line.split_once("tracks matched, "))
        .map(|(_, rest)| rest.split(" (").next().unwrap_or(rest))
        .collect();
    assert_eq!(mixes.len(), 3, "{}", ran.stderr);
    assert_ne!(mixes[0], "0 values set");
    assert_eq!(mixes[1..], ["0 values set", "0 values set"]);
}
