//! Reading and writing project files.

use std::path::Path;

use super::*;
use crate::project::{Item, Marker, Project, Source, TempoPoint};

const SMALL: &str = "<REAPER_PROJECT 0.1 \"7.34/x64\" 1\r
  RIPPLE 0\r
  SAMPLERATE 48000 1 0\r
  TEMPO 96.5 3 4\r
  MASTER_VOLUME 0.50000000000000 0 -1\r
  MARKER 1 2.5 Verse 0\r
  MARKER 1 4 \"The end\" 1 0 1 R {0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9} 0\r
  MARKER 1 8 \"\" 1\r
  <TRACK {11111111-2222-4333-8444-555555555555}\r
    NAME \"Lead <Vox>\"\r
    VOLPAN 0.7125 -0.25 -1 -1 1\r
    MUTESOLO 0 0 0\r
    ISBUS 0 0\r
    NCHAN 4\r
    FUTURE_LINE a \"b c\" 3\r
    <ITEM\r
      POSITION 1.5\r
      LENGTH 2\r
      LOOP 0\r
      NAME `it's \"it\"`\r
      VOLPAN 1 0 0.5 -1\r
      <SOURCE WAVE\r
        FILE \"media\\take 1.wav\"\r
      >\r
    >\r
  >\r
  <TRACK {21111111-2222-4333-8444-555555555555}\r
    NAME 5.50\r
    AUXRECV 0 0 0.5 0 0 0 0 0 2 -1:U 0 -1 ''\r
  >\r
>";

fn small() -> Project {
    parse(SMALL.as_bytes()).unwrap().0
}

#[test]
fn an_untouched_project_is_written_byte_for_byte() {
    assert_eq!(
        String::from_utf8(write(&small())).unwrap(),
        SMALL,
        "carriage returns, unknown lines and the missing last line feed stay"
    );
}

#[test]
fn the_model_holds_what_the_lines_say() {
    let project = small();
    assert_eq!(project.settings.sample_rate_hz, 48_000);
    assert_eq!(project.tempo.bpm, 96.5);
    assert_eq!(project.tempo.signature, (3, 4));
    assert_eq!(project.master.volume, 0.5);
    let track = &project.tracks[0];
    assert_eq!(track.name, "Lead <Vox>");
    assert_eq!((track.volume, track.pan), (0.7125, -0.25));
    assert_eq!(track.channels, 4);
    let item = &track.items[0];
    assert_eq!((item.position_s, item.length_s), (1.5, 2.0));
    assert_eq!(item.takes[0].name, "it's \"it\"");
    assert_eq!(item.takes[0].volume, 0.5);
    assert_eq!(
        item.takes[0].source,
        Source::Audio {
            file: "media\\take 1.wav".to_owned(),
            kind: "WAVE".to_owned()
        }
    );
    assert_eq!(project.tracks[1].name, "5.50");
    assert_eq!(project.sends.len(), 1);
    assert_eq!(project.sends[0].source, track.guid);
    assert_eq!(project.sends[0].dest, Some(project.tracks[1].guid));
    assert_eq!(
        (project.sends[0].volume, project.sends[0].dest_channel),
        (0.5, 2)
    );
    let spans: Vec<_> = project
        .markers
        .iter()
        .map(|m| (m.name.as_str(), m.position_s, m.end_s))
        .collect();
    assert_eq!(spans, [("Verse", 2.5, None), ("The end", 4.0, Some(8.0))]);
}

#[test]
fn a_change_touches_only_its_own_field() {
    let mut project = small();
    project.track_mut(0).unwrap().volume = 0.5;
    let text = String::from_utf8(write(&project)).unwrap();
    assert_eq!(text, SMALL.replace("0.7125", "0.5"));
}

#[test]
fn everything_that_is_added_reads_back() {
    let mut project = small();
    let guid = crate::project::Guid::from_seed("new");
    let mut track = crate::project::Track {
        guid,
        name: "all \"three\" 'kinds' `of` quotes".to_owned(),
        folder_depth: 1,
        pan: 0.5,
        muted: true,
        ..Default::default()
    };
    track.ext.insert("role".to_owned(), "lead vocal".to_owned());
    track.items.push(Item {
        guid: crate::project::Guid::from_seed("item"),
        position_s: 0.25,
        length_s: 3.0,
        notes: "line one\nline \"two\"".to_owned(),
        takes: vec![crate::project::Take {
            guid: crate::project::Guid::from_seed("take"),
            name: String::new(),
            source: Source::Midi(std::sync::Arc::new(crate::project::MidiSource {
                pool: guid,
                events: vec![crate::project::MidiEvent {
                    tick: 480,
                    selected: false,
                    muted: true,
                    message: crate::project::MidiMessage::Short([0x90, 60, 100]),
                }],
                length_ticks: 960,
                ..Default::default()
            })),
            ..Default::default()
        }],
        ..Default::default()
    });
    project.tracks.push(std::sync::Arc::new(track));
    project.sends.push(crate::project::Send::new(
        project.tracks[0].guid,
        Some(guid),
    ));
    project.tempo.points.push(TempoPoint {
        time_s: 2.0,
        bpm: 140.25,
        signature: Some((7, 8)),
        linear: true,
    });
    project.markers.push(Marker {
        number: 2,
        name: "Outro # 2".to_owned(),
        position_s: 9.0,
        end_s: Some(10.0),
        color: 0x0100_00ff,
        guid,
    });
    project.settings.notes = "a note".to_owned();
    project.render.format = b"evaw\x18\x00\x01".to_vec();
    project
        .ext_state
        .entry("TOOL".to_owned())
        .or_default()
        .insert("key".to_owned(), "some value".to_owned());
    let (back, warnings) = parse(&write(&project)).unwrap();
    assert_eq!(warnings, []);
    let strip = |project: &Project| {
        let mut project = project.clone();
        project.raw = None;
        for send in &mut project.sends {
            send.raw = None;
        }
        for i in 0..project.tracks.len() {
            let track = project.track_mut(i).unwrap();
            track.raw = None;
            for item in &mut track.items {
                item.raw = None;
                for take in &mut item.takes {
                    take.raw = None;
                }
            }
        }
        project
    };
    pretty(&strip(&back), &strip(&project));
    assert_eq!(write(&back), write(&project));
}

fn pretty(left: &Project, right: &Project) {
    assert_eq!(format!("{left:#?}"), format!("{right:#?}"));
}

#[test]
fn a_new_project_reads_back_as_the_default() {
    let project = Project::default();
    let (mut back, _) = parse(&write(&project)).unwrap();
    back.raw = None;
    pretty(&back, &project);
}

#[test]
fn cut_off_and_foreign_files_are_errors_that_say_where() {
    let cut = &SMALL[..SMALL.find("FILE").unwrap()];
    let error = parse(cut.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 22: the file ends inside `<SOURCE`, which was opened here"
    );
    assert!(matches!(parse(b"RIFF"), Err(RppError::NoRoot { .. })));
    let deep = format!("<REAPER_PROJECT\n{}", "<A\n".repeat(100));
    assert!(matches!(
        parse(deep.as_bytes()),
        Err(RppError::TooDeep { .. })
    ));
}

#[test]
fn receives_of_missing_tracks_are_dropped_with_a_warning() {
    let text = SMALL.replace("AUXRECV 0 ", "AUXRECV 9 ");
    let (project, warnings) = parse(text.as_bytes()).unwrap();
    assert!(project.sends.is_empty());
    assert_eq!(warnings.len(), 1);
}

#[test]
fn a_track_chunk_round_trips_through_its_state_text() {
    let project = small();
    let text = track_chunk(&project, 1).unwrap();
    let (track, sends) = parse_track(&text, &project).unwrap();
    assert_eq!(track, *project.tracks[1]);
    assert_eq!(sends, project.sends);
}

#[test]
fn quoting_follows_the_table() {
    for (text, written) in [
        ("Synth", "Synth"),
        ("hel\"lo", "hel\"lo"),
        ("", "\"\""),
        ("a b", "\"a b\""),
        ("#1", "\"#1\""),
        ("say \"hi\"", "'say \"hi\"'"),
        ("it's \"it\" ok", "`it's \"it\" ok`"),
    ] {
        assert_eq!(quote(text), written);
        assert_eq!(tokens(written.as_bytes()), [text]);
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_parse_or_fail_without_a_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
        let mut text = b"<REAPER_PROJECT 0.1\n".to_vec();
        text.extend(bytes);
        text.extend(b"\n>\n");
        if let Ok((project, _)) = parse(&text) {
            let _ = write(&project);
        }
    }

    #[test]
    fn any_name_survives(name in "[ -~äöü😀]{0,24}") {
        let mut project = small();
        project.track_mut(0).unwrap().name = name.clone();
        let (back, _) = parse(&write(&project)).unwrap();
        proptest::prop_assert_eq!(&back.tracks[0].name, &name);
    }
}

/// Real project files, where they are at hand: every one must come back byte
/// for byte.
#[test]
fn corpus_files_are_written_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/rpp");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
        {
            eprintln!("skipped: no project corpus beside the repository");
        }
        return;
    };
    let mut files = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rpp") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let (project, _) = parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let written = write(&project);
        if written != bytes {
            let old: Vec<_> = bytes.split(|&b| b == b'\n').collect();
            let new: Vec<_> = written.split(|&b| b == b'\n').collect();
            let at = old.iter().zip(&new).position(|(a, b)| a != b);
            let line = at.map(|i| {
                (
                    i + 1,
                    String::from_utf8_lossy(old[i]).into_owned(),
                    String::from_utf8_lossy(new[i]).into_owned(),
                )
            });
            panic!(
                "{}: differs at {line:?}, {} and {} lines",
                path.display(),
                old.len(),
                new.len()
            );
        }
        files += 1;
    }
    assert!(files > 0, "no .rpp file in the corpus folder");
}
