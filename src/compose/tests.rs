//! Tables of texts with what they mean, and laws that hold for any of them.

use proptest::prelude::*;

use super::notation::{Stress, melody};
use super::*;

#[track_caller]
fn score(text: &str) -> Score {
    compile(&source(text)).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

#[track_caller]
fn source(text: &str) -> ScoreSource {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Compiles `text` and compares the marked texts and messages of all faults.
#[track_caller]
fn faults(text: &str, expected: &[(&str, &str)]) {
    let errors = compile(&source(text)).expect_err("the score must be refused");
    let found: Vec<(String, String)> = errors
        .iter()
        .map(|error| {
            let marked = error.span.clone().map_or("", |span| &text[span]);
            (marked.to_owned(), error.message.clone())
        })
        .collect();
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

/// Start, length and pitch of every note.
fn notes(part: &Part) -> Vec<(f64, f64, u8)> {
    part.notes
        .iter()
        .map(|note| (note.start_qn, note.length_qn, note.pitch))
        .collect()
}

#[test]
fn note_names_give_midi_numbers() {
    for (text, expected) in [
        ("C4", 60),
        ("A4", 69),
        ("c-1", 0),
        ("G9", 127),
        ("F#3", 54),
        ("Bb2", 46),
        ("Cb4", 59),
        ("B#3", 60),
        ("Ebb4", 62),
    ] {
        assert_eq!(theory::pitch(text), Ok(expected), "{text}");
    }
    for (text, marked) in [
        ("H4", "H4"),
        ("C", "C"),
        ("Cx4", "x4"),
        ("G#9", "G#9"),
        ("C99999999999", "99999999999"),
    ] {
        let error = theory::pitch(text).expect_err(text);
        assert_eq!(&text[error.span], marked, "{text}");
    }
}

#[test]
fn chord_names_give_their_tones() {
    for (text, tones) in [
        ("C", vec![60, 64, 67]),
        ("Am", vec![69, 72, 76]),
        ("A-", vec![69, 72, 76]),
        ("F#m7b5", vec![66, 69, 72, 76]),
        ("Bbmaj7", vec![70, 74, 77, 81]),
        ("C-7", vec![60, 63, 67, 70]),
        ("Cmin7", vec![60, 63, 67, 70]),
        ("C7b9", vec![60, 64, 67, 70, 73]),
        ("Dsus4", vec![62, 67, 69]),
        ("G13", vec![67, 71, 74, 77, 81, 88]),
        ("C6/9", vec![60, 64, 67, 69, 74]),
    ] {
        let chord = theory::chord(text, None).expect(text);
        assert_eq!(chord.tones_from(60), tones, "{text}");
    }
    let slash = theory::chord("C6/9/E", None).expect("two slashes");
    assert_eq!((slash.root, slash.bass), (0, Some(4)));
}

#[test]
fn roman_numerals_follow_the_key() {
    let minor = theory::key("A minor").expect("a key");
    for (text, root, minor_third) in [
        ("i", 9, true),
        ("VI", 5, false),
        ("III", 0, false),
        ("VII", 7, false),
        ("bII", 10, false),
        ("iv7", 2, true),
    ] {
        let chord = theory::chord(text, Some(&minor)).expect(text);
        assert_eq!(chord.root, root, "{text}");
        assert_eq!(chord.intervals.contains(&3), minor_third, "{text}");
    }
    let tonic = theory::chord("imaj7", Some(&minor)).expect("a minor chord");
    assert_eq!(tonic.intervals, [0, 3, 7, 11]);
    assert!(
        theory::chord("i7b9", Some(&minor)).is_err(),
        "a minor chord never gets a major third"
    );
    assert!(theory::chord("IV", None).is_err());
}

#[test]
fn an_unknown_quality_is_an_error_with_its_place() {
    for (text, marked) in [
        ("Cm7x", "m7x"),
        ("Cfoo", "foo"),
        ("H", "H"),
        ("c", "c"),
        ("C/H", "/H"),
        ("C/E4", "/E4"),
    ] {
        let error = theory::chord(text, None).expect_err(text);
        assert_eq!(&text[error.span], marked, "{text}");
    }
    let error = theory::chord("Cmaj8", None).expect_err("no such chord");
    assert_eq!(error.help.as_deref(), Some("did you mean `Cmaj`?"));
}

#[test]
fn smooth_voicing_moves_less_than_root_position() {
    let chords = ["Am", "F", "C", "G"].map(|name| theory::chord(name, None).expect("a chord"));
    let motion = |voicing| {
        let mut before: Option<Vec<u8>> = None;
        let mut sum = 0;
        for chord in &chords {
            let now = theory::voice(chord, voicing, 60, before.as_deref());
            assert!(now.iter().all(|note| (45..=79).contains(note)), "{now:?}");
            if let Some(before) = before {
                sum += now
                    .iter()
                    .zip(&before)
                    .map(|(a, b)| a.abs_diff(*b) as u32)
                    .sum::<u32>();
            }
            before = Some(now);
        }
        sum
    };
    assert!(motion(Voicing::Smooth) < motion(Voicing::Close));
}

#[test]
fn a_slash_puts_its_bass_below() {
    for voicing in [
        Voicing::Close,
        Voicing::Smooth,
        Voicing::Open,
        Voicing::Spread,
    ] {
        let chord = theory::chord("C/E", None).expect("a chord");
        let notes = theory::voice(&chord, voicing, 60, None);
        assert_eq!(notes[0] % 12, 4, "{voicing:?} {notes:?}");
        assert_eq!(notes.iter().filter(|note| *note % 12 == 4).count(), 1);
    }
}

#[test]
fn notation_reads_lengths_chords_rests_and_ties() {
    let melody = melody(
        "C4:1 E4:.5! r:.5 [C4 E4 G4]:2 | D4:1/3@40 E4 F4, ~:3 // the end",
        4.0,
    )
    .expect("good notation");
    let found: Vec<(f64, u8, Stress)> = melody
        .events
        .iter()
        .map(|e| (e.start_qn, e.pitch, e.stress))
        .collect();
    assert_eq!(melody.bars, 2);
    assert_eq!(
        found[..5],
        [
            (0.0, 60, Stress::Plain),
            (1.0, 64, Stress::Accent),
            (2.0, 60, Stress::Plain),
            (2.0, 64, Stress::Plain),
            (2.0, 67, Stress::Plain),
        ]
    );
    assert_eq!(found[5], (4.0, 62, Stress::Exactly(40)));
    assert_eq!(found[7].2, Stress::Soft);
    assert!((melody.events[7].length_qn - (1.0 / 3.0 + 3.0)).abs() < 1e-9);
}

#[test]
fn bad_notation_is_marked() {
    for (text, marked, message) in [
        (
            "C4:1 E4:1 | C4:4",
            "C4:1 E4:1 ",
            "bar 1 is 2 quarter notes long, not 4",
        ),
        (
            "C4:4 | C4:5",
            "C4:5",
            "bar 2 is 5 quarter notes long, not 4",
        ),
        ("C4:4 || C4:4", "|", "bar 2 is 0 quarter notes long, not 4"),
        (
            "C4:3",
            "C4:3",
            "the notes are 3 quarter notes long, not a whole number of bars of 4",
        ),
        ("C4:4 | H4:4", "H4", "`H4` is not a note"),
        ("[C4 X4]:4", "X4", "`X4` is not a note"),
        ("C4:x", "x", "`x` is not a length"),
        ("C4:-1", "-1", "`-1` is not a length"),
        ("C4:1/0", "1/0", "`1/0` is not a length"),
        ("C4:1@200 r:3", "@200", "`@200` does not end a note"),
        ("[C4 E4:4", "[", "`[` is never closed"),
        ("~:4", "~:4", "`~` has no note before it to prolong"),
        ("[]:4", "[]:4", "`[]` holds no notes"),
        ("", "", "there are no notes"),
    ] {
        let error = melody(text, 4.0).expect_err(text);
        assert_eq!(
            (&text[error.span], error.message.as_str()),
            (marked, message),
            "{text}"
        );
    }
}

#[test]
fn progressions_share_bars_and_repeat() {
    let p = chords::progression("| Am | F . G . | % | - |", 4.0, None).expect("good chords");
    let found: Vec<(f64, f64, Option<u8>)> = p
        .spans
        .iter()
        .map(|s| (s.start_qn, s.end_qn, s.chord.as_ref().map(|c| c.root)))
        .collect();
    assert_eq!(
        found,
        [
            (0.0, 4.0, Some(9)),
            (4.0, 6.0, Some(5)),
            (6.0, 8.0, Some(7)),
            (8.0, 10.0, Some(5)),
            (10.0, 12.0, Some(7)),
            (12.0, 16.0, None),
        ]
    );
    for (text, marked) in [
        ("Am | Fq", "q"),
        ("% | Am", "%"),
        ("Am |  | F", "  "),
        (". Am", "."),
    ] {
        let error = chords::progression(text, 4.0, None).expect_err(text);
        assert_eq!(&text[error.span], marked, "{text}");
    }
}

#[test]
fn drum_lines_read_names_letters_and_rolls() {
    let text = "kick x...x...x...x...\nhat  ..o. ..X. ..=. ..x.\nsnare .x.x\n";
    let drums = patterns::drums(text, 4.0).expect("good drums");
    assert_eq!(drums.bars, 1);
    assert_eq!(
        drums.strokes.iter().filter(|s| s.voice.note == 36).count(),
        4
    );
    assert_eq!(
        drums.strokes.iter().filter(|s| s.voice.note == 42).count(),
        5
    );
    let snares: Vec<f64> = drums
        .strokes
        .iter()
        .filter(|s| s.voice.note == 38)
        .map(|s| s.start_qn)
        .collect();
    assert_eq!(snares, [1.0, 3.0]);
    let letters = patterns::drums("k.h.S.h.", 4.0).expect("good letters");
    assert_eq!(letters.strokes.len(), 4);
    assert_eq!(letters.strokes[2].stress, Stress::Accent);

    for (text, marked) in [
        ("kick x..q", "q"),
        ("snaer x...", "snaer"),
        ("kick x... | x...\nhat x. | x. | x.", "kick x... | x..."),
        ("kz.", "z"),
        ("  ", "  "),
    ] {
        let error = patterns::drums(text, 4.0).expect_err(text);
        assert_eq!(&text[error.span], marked, "{text}");
    }
}

const SMALL: &str = r#"
bpm = 120
sections = [{ name = "A", bars = 2 }, { name = "B", bars = 1 }, { name = "C", like = "A" }]
harmony = { A = "Am | F", B = "C G" }

[[part]]
name = "Pad"
chords = "x---"
voicing = "close"
sections = ["A"]

[[part]]
name = "Sub"
bass = "r.5.8.r-"

[[part]]
name = "Arp"
gate = 0.5
arp = { A = "1234", B = "4321" }

[[part]]
name = "Drums"
split = true
drums = """
kick  x.x.
snare .X.X
"""
"#;

#[test]
fn parts_play_through_the_form() {
    let score = score(SMALL);
    let names: Vec<&str> = score.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["Pad", "Sub", "Arp", "Kick", "Snare"]);
    let regions: Vec<(&str, f64, f64)> = score
        .sections
        .iter()
        .map(|s| (s.name.as_str(), s.start_qn, s.end_qn))
        .collect();
    assert_eq!(
        regions,
        [("A", 0.0, 8.0), ("B", 8.0, 12.0), ("C", 12.0, 20.0)]
    );

    let pad = notes(&score.parts[0]);
    assert_eq!(pad.len(), 12, "two chords in A and C: {pad:?}");
    assert_eq!(pad[..3], [(0.0, 4.0, 57), (0.0, 4.0, 60), (0.0, 4.0, 64)]);
    let sub = notes(&score.parts[1]);
    assert_eq!(
        sub[..4],
        [
            (0.0, 0.5, 33),
            (1.0, 0.5, 40),
            (2.0, 0.5, 45),
            (3.0, 1.0, 33)
        ]
    );
    let in_b: Vec<u8> = sub
        .iter()
        .filter(|n| (8.0..12.0).contains(&n.0))
        .map(|n| n.2)
        .collect();
    assert_eq!(in_b, [36, 43, 43, 31], "C, its fifth; G's octave and root");
    assert_eq!(notes(&score.parts[2])[0], (0.0, 0.5, 57));
    assert_eq!(score.parts[3].notes.len(), 10);
    assert!(score.parts[3].notes.iter().all(|note| note.channel == 9));
}

#[test]
fn held_chords_follow_the_harmony() {
    let score = score(
        "sections = [{ name = \"A\", bars = 2 }]\nharmony = \"Am . F . | F\"\n[[part]]\nname = \"Pad\"\nchords = \"x------- | --------\"\nvoicing = \"close\"\n",
    );
    let starts: Vec<(f64, f64)> = score.parts[0]
        .notes
        .iter()
        .step_by(3)
        .map(|n| (n.start_qn, n.length_qn))
        .collect();
    assert_eq!(starts, [(0.0, 2.0), (2.0, 6.0)]);
}

#[test]
fn faults_are_all_reported_with_their_places() {
    faults(
        r#"
signature = "4/5"
key = "A mnor"
sections = [{ name = "A", bars = 4 }, { name = "B", bars = 3 }]
harmony = { A = "Am | Fz", C = "C" }
[[part]]
name = "Lead"
notes = { A = """
C4:4 | D4:4
E4:3 | r:4""" }
[[part]]
name = "Bas"
bass = "r.r."
sections = ["A"]
[[part]]
name = "Drums"
drums = "kick x... | x..."
"#,
        &[
            ("\"4/5\"", "`4/5` is not a time signature"),
            ("A mnor", "`mnor` is not a mode"),
            ("z", "`z` is not a chord quality in `Fz`"),
            ("C", "there is no section `C`"),
            ("D4:4\nE4:3 ", "bar 2 is 7 quarter notes long, not 4"),
            ("\"Bas\"", "there is no instrument preset `Bas`"),
            (
                "\"r.r.\"",
                "`bass` in section `A` has no harmony to play over",
            ),
            (
                "\"kick x... | x...\"",
                "the text is 2 bars long and section `B` 3: not a whole number of repeats",
            ),
        ],
    );
}

#[test]
fn options_without_an_effect_are_refused() {
    faults(
        "sections = [{ name = \"A\", bars = 1 }]\n[[part]]\nname = \"Lead\"\nnotes = \"C4:4\"\nvoicing = \"open\"\nsplit = true\nvelocity = 0\n",
        &[
            ("\"Lead\"", "`split` needs `drums`"),
            ("\"Lead\"", "`voicing` needs `chords`"),
            ("\"Lead\"", "`velocity` is 0, outside 1 to 127"),
        ],
    );
    faults(
        "sections = [{ name = \"A\", bars = 1 }, { name = \"A\", bars = 1 }]\n[[part]]\nname = \"Lead\"\n",
        &[
            (
                "{ name = \"A\", bars = 1 }",
                "there are two sections called `A`",
            ),
            ("\"Lead\"", "part `Lead` plays nothing"),
        ],
    );
    assert!(toml::from_str::<ScoreSource>("tempo = 3\nsections = []").is_err());
}

#[test]
fn the_same_seed_gives_the_same_notes() {
    let text = format!(
        "humanize = {{ timing = 0.02, velocity = 8, seed = 7 }}\nswing = 0.6\n{}",
        SMALL.trim_start()
    );
    let first = score(&text);
    assert_eq!(first, score(&text));
    assert_ne!(first, score(&text.replace("seed = 7", "seed = 8")));
    assert_ne!(first, score(SMALL));
    for part in &first.parts {
        for note in &part.notes {
            assert!(note.start_qn >= 0.0 && note.start_qn + note.length_qn <= 20.0 + 1e-9);
        }
    }
}

#[test]
fn swing_delays_only_the_second_sixteenth() {
    let text = "swing = 0.6\nsections = [{ name = \"A\", bars = 1 }]\n[[part]]\nname = \"Drums\"\ndrums = \"hat xxxxxxxxxxxxxxxx\"\n";
    let score = score(text);
    let starts: Vec<f64> = score.parts[0].notes.iter().map(|n| n.start_qn).collect();
    assert!((starts[1] - 0.3).abs() < 1e-9 && (starts[2] - 0.5).abs() < 1e-9);
    assert!((starts[15] - 3.8).abs() < 1e-9);
}

#[test]
fn a_job_may_name_a_file_or_hold_the_score() {
    #[derive(serde::Deserialize)]
    struct Project {
        compose: ComposeSource,
    }
    let file: Project = toml::from_str("compose = \"neon.compose\"").expect("a path");
    assert_eq!(file.compose, ComposeSource::File("neon.compose".to_owned()));
    let text = "[compose]\nsections = [{ name = \"A\", bars = 1 }]\nkey = \"Q\"\n[[compose.part]]\nname = \"Lead\"\nnotes = \"C4:4\"\n";
    let inline: Project = toml::from_str(text).expect("a score");
    let ComposeSource::Inline(source) = inline.compose else {
        panic!("an inline score");
    };
    let errors = compile(&source).expect_err("a bad key");
    assert_eq!(errors[0].span.clone().map(|span| &text[span]), Some("Q"));
}

#[test]
fn calls_carry_absolute_seconds() {
    let calls = calls(&score(SMALL));
    let names: Vec<&str> = calls.iter().map(|call| call.command.as_str()).collect();
    assert_eq!(
        names[..4],
        [
            "transport_set_bpm",
            "transport_set_time_signature",
            "configure_tracks",
            "setup_fx_chain"
        ]
    );
    assert_eq!(names[4..9], ["compose_single_track"; 5]);
    assert_eq!(names[9..], ["add_markers_batch"]);
    let sub = &calls[5].params["track_data"];
    assert_eq!(sub["track_index"], 1);
    assert_eq!(sub["length"], 10.0);
    assert_eq!(sub["notes"][1]["start"], 0.5);
    assert_eq!(sub["notes"][1]["end"], 0.75);
    assert_eq!(calls[9].params["markers"][1]["start"], 4.0);
    assert_eq!(
        calls_at(&score(SMALL), 7)[4].params["track_data"]["track_index"],
        7
    );
}

/// Any bar of a melody that adds up, as text, with its length in sixteenths.
fn bar() -> impl Strategy<Value = String> {
    proptest::collection::vec((1_u32..=8, 0_u8..4, 21_u8..100), 1..12).prop_map(|words| {
        let mut left = 16;
        let mut text = String::new();
        for (length, kind, pitch) in words {
            let length = length.min(left);
            if length == 0 {
                break;
            }
            left -= length;
            let names = [
                "C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B",
            ];
            let name = format!(
                "{}{}",
                names[usize::from(pitch % 12)],
                i32::from(pitch / 12) - 1
            );
            let value = f64::from(length) / 4.0;
            text += &match kind {
                0 => format!("r:{value} "),
                1 => format!("[{name} C8]:{value} "),
                _ => format!("{name}:{value} "),
            };
        }
        if left > 0 {
            text += &format!("r:{}/4 ", left);
        }
        text
    })
}

proptest! {
    #[test]
    fn bars_that_add_up_are_read(bars in proptest::collection::vec(bar(), 1..5)) {
        let melody = melody(&bars.join("|"), 4.0).expect("good notation");
        prop_assert_eq!(melody.bars as usize, bars.len());
        for event in &melody.events {
            prop_assert!(event.length_qn > 0.0);
            prop_assert!(event.start_qn + event.length_qn <= bars.len() as f64 * 4.0 + 1e-9);
        }
    }

    #[test]
    fn no_text_panics_or_marks_outside_itself(text in "[A-Ha-h0-9#b:|.\\-~\\[\\]@!, xXor/%é\n]{0,60}") {
        let key = theory::key("D dorian").expect("a key");
        let errors = [
            melody(&text, 4.0).err(),
            patterns::drums(&text, 3.0).err(),
            patterns::grid(&text, generate::CHORD_STEPS).err(),
            chords::progression(&text, 4.0, Some(&key)).err(),
            theory::pitch(&text).err(),
            theory::key(&text).err(),
            theory::chord(&text, Some(&key)).err(),
        ];
        for error in errors.into_iter().flatten() {
            prop_assert!(text.get(error.span.clone()).is_some(), "{:?} in {:?}", error, text);
        }
    }

    #[test]
    fn notes_are_positive_ordered_and_never_doubled(
        rhythm in "[.xXo\\-]{1,16}",
        arp in "[.1-9\\-]{1,16}",
        bass in "[.rR3578a\\-]{1,16}",
        swing in 0.5_f64..0.75,
        seed in 0_u64..1000,
    ) {
        let text = format!(
            "swing = {swing}\nhumanize = {{ timing = 0.1, velocity = 40, seed = {seed} }}\n\
             sections = [{{ name = \"A\", bars = 4 }}]\nharmony = \"Am F | Cmaj7/E . - G7 | % | F#m7b5\"\n\
             [[part]]\nname = \"Pad\"\nchords = \"{rhythm}\"\n\
             [[part]]\nname = \"Arp\"\narp = \"{arp}\"\n\
             [[part]]\nname = \"Bass\"\nbass = \"{bass}\"\n"
        );
        for part in &score(&text).parts {
            for pair in part.notes.windows(2) {
                prop_assert!(pair[0].start_qn <= pair[1].start_qn);
            }
            for (i, note) in part.notes.iter().enumerate() {
                prop_assert!(note.length_qn > 0.0 && note.start_qn >= 0.0);
                prop_assert!(note.start_qn + note.length_qn <= 16.0 + 1e-3);
                prop_assert!((1..=127).contains(&note.velocity));
                let next = part.notes[i + 1..].iter().find(|n| n.pitch == note.pitch);
                if let Some(next) = next {
                    prop_assert!(note.start_qn + note.length_qn <= next.start_qn + 1e-9);
                }
            }
        }
    }
}

/// The song that the demo album composes.
#[test]
fn the_album_s_own_song_compiles() {
    #[derive(serde::Deserialize)]
    struct Job {
        project: Vec<Project>,
    }
    #[derive(serde::Deserialize)]
    struct Project {
        compose: Option<ComposeSource>,
    }
    let text = include_str!("../../jobs/album.toml");
    let job: Job = toml::from_str(text).unwrap_or_else(|error| panic!("{error}"));
    let Some(ComposeSource::Inline(source)) = &job.project[0].compose else {
        panic!("the first project is composed inline");
    };
    let score = compile(source).unwrap_or_else(|errors| {
        let marked: Vec<_> = errors
            .iter()
            .map(|e| (e, e.span.clone().map(|s| &text[s])))
            .collect();
        panic!("{marked:#?}")
    });
    let seconds = length_qn(&score) * 60.0 / score.bpm;
    assert!((60.0..75.0).contains(&seconds), "{seconds} s");
    assert!(
        score.parts.iter().all(|part| part.notes.len() >= 4),
        "every part plays"
    );
    assert_eq!(score.sections.len(), 6);
    let last = score
        .parts
        .iter()
        .flat_map(|part| &part.notes)
        .map(|note| note.start_qn + note.length_qn)
        .fold(0.0, f64::max);
    assert!(last <= length_qn(&score) + 1e-3);
}
