use std::fs;
use std::path::Path;

use super::*;
use crate::diag;

fn vocabulary() -> Vocabulary {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Vocabulary {
        styles: names(&["synthwave", "techno", "deep_house"]),
        specs: names(&["spotify", "ebu-r128"]),
        commands: names(&["track_set_mute", "track_add"]),
        roles: names(&["kick", "snare", "pad"]),
        style_file: Box::new(|_| Ok(())),
        spec_file: Box::new(|_| Err("`integrated` is missing".to_owned())),
        command_params: Box::new(|_, params| {
            let unknown = params
                .keys()
                .find(|name| *name != "track_index" && *name != "mute");
            let problem = unknown.map(|name| Problem {
                parameter: Some(name.clone()),
                message: format!("no parameter `{name}`"),
                help: None,
            });
            problem.into_iter().collect()
        }),
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "neon/kick.wav",
        "neon/snare.flac",
        "neon/.hidden.wav",
        "neon/notes.txt",
        "song.rpp",
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::create_dir(folder.path().join("empty")).unwrap();
    folder
}

fn load_text(folder: &Path, text: &str) -> Loaded {
    let path = folder.join("job.toml");
    fs::write(&path, text).unwrap();
    read(&path, &vocabulary())
}

/// What `short` says about a text, without the path of the folder.
fn problems(text: &str) -> String {
    let folder = folder();
    let mut loaded = load_text(folder.path(), text);
    loaded.source.name = "job.toml".to_owned();
    diag::short(&loaded.source, &loaded.diagnostics)
}

fn good(text: &str) -> Job {
    let folder = folder();
    let loaded = load_text(folder.path(), text);
    let said = diag::short(&loaded.source, &loaded.diagnostics);
    assert_eq!(said, "");
    loaded.job.unwrap()
}

#[test]
fn defaults_fill_what_is_left_out() {
    let job = good("name = 'a'\nstyle = 'techno'\n\n[[project]]\nname = 'neon'\nstems = 'neon'\n");
    assert_eq!(job.sha256.len(), 64);
    let [project] = &job.projects[..] else {
        panic!("one project")
    };
    assert_eq!(project.line, 4);
    assert_eq!(
        (project.style.as_str(), project.spec.as_str()),
        ("techno", "style")
    );
    let Source::Stems(stems) = &project.source else {
        panic!("stems")
    };
    let tracks: Vec<&str> = stems.iter().map(|stem| stem.track.as_str()).collect();
    assert_eq!(tracks, ["kick", "snare"]);
    assert!(stems.iter().all(|stem| stem.file.is_absolute()));
    let steps: Vec<&str> = project.steps.iter().map(Step::name).collect();
    assert_eq!(
        steps,
        [
            "configure_tracks",
            "engine_mix",
            "engine_master",
            "render",
            "check"
        ]
    );
    assert_eq!(
        project.render,
        RenderOptions {
            format: Format::Wav,
            bit_depth: BitDepth::Int24,
            sample_rate_hz: 48_000,
            pattern: "$project".to_owned(),
            tail_s: 1.0,
            stems: false,
            overwrite: false,
        }
    );
}

#[test]
fn projects_override_the_job() {
    let job = good(
        "name = 'a'\nstyle = 'techno'\nspec = 'spotify'\ntempo = 120\n\
         [render]\nformat = 'flac'\nbit_depth = 16\n\
         [[project]]\nname = 'n'\nproject = 'song.rpp'\nstyle = 'Deep House'\nspec = 'ebu-r128'\n\
         tempo = 96.5\nrequire_roles = true\n[project.render]\nbit_depth = 24\ntail = 0\n\
         [[project.step]]\nengine_mix = { mode = 'static', roles = { 'Aux 7' = 'pad' } }\n\
         [[project.step]]\nengine_master = { target_lufs = -9, max_passes = 2 }\n\
         [[project.step]]\ncommand = { name = 'track_set_mute', track_index = 3, mute = true }\n\
         [[project.step]]\nrender = {}\n[[project.step]]\ncheck = true\n",
    );
    let project = &job.projects[0];
    assert!(matches!(&project.source, Source::Project(path) if path.ends_with("song.rpp")));
    assert_eq!(
        project.style, "deep_house",
        "the name as the catalogue writes it"
    );
    assert_eq!(project.spec, "ebu-r128");
    assert_eq!(project.tempo_bpm, Some(96.5));
    assert!(project.require_roles);
    assert_eq!(project.render.format, Format::Flac);
    assert_eq!(project.render.bit_depth, BitDepth::Int24);
    assert_eq!(project.render.tail_s, 0.0);
    let Step::EngineMix(mix) = &project.steps[0] else {
        panic!("mix")
    };
    assert!(!mix.measured);
    assert_eq!(mix.roles["Aux 7"], "pad");
    let Step::EngineMaster(master) = &project.steps[1] else {
        panic!("master")
    };
    assert_eq!((master.target_lufs, master.max_passes), (Some(-9.0), 2));
    let Step::Command { name, params } = &project.steps[2] else {
        panic!("command")
    };
    assert_eq!(name, "track_set_mute");
    assert_eq!(params["track_index"], 3);
}

#[test]
fn stems_are_a_folder_a_glob_a_list_or_a_table() {
    let check = |stems: &str, expected: &[(&str, &str)]| {
        let job = good(&format!(
            "name = 'a'\nstyle = 'techno'\n[[project]]\nname = 'n'\nstems = {stems}\n"
        ));
        let Source::Stems(stems) = &job.projects[0].source else {
            panic!("stems")
        };
        let found: Vec<(&str, &str)> = stems
            .iter()
            .map(|stem| {
                let file = stem.file.file_name().unwrap().to_str().unwrap();
                (stem.track.as_str(), file)
            })
            .collect();
        assert_eq!(found, expected);
    };
    check("'neon'", &[("kick", "kick.wav"), ("snare", "snare.flac")]);
    check("'neon/*.wav'", &[("kick", "kick.wav")]);
    check("'**/k*'", &[("kick", "kick.wav")]);
    check(
        "['neon/snare.flac', 'neon/kick.wav']",
        &[("snare", "snare.flac"), ("kick", "kick.wav")],
    );
    check(
        "{ 'Big Kick' = 'neon/kick.wav' }",
        &[("Big Kick", "kick.wav")],
    );
}

#[test]
fn everything_wrong_is_reported_at_once() {
    insta::assert_snapshot!(problems(
        r#"name = "Night/Drive"
stlye = "techno"
style = "tecno"
spec = "house.toml"
tempo = 5

[render]
format = "wave"
bit_depth = 20
sample_rate = 48000.5
tail = nan

[[project]]
name = "neon"
stems = "nein"
require_roles = "yes"

[[project]]
name = "Neon"
stems = "empty"
project = "song.rp"

[[project]]
stems = ["neon/kick.wav", "neon/kik.wav", 3, "neon/notes.txt"]

[[project.step]]
engine_mix = { mode = "measure", roles = { "kick" = "kik", "snar" = "snare" } }

[[project.step]]
check = true

[[project.step]]
engine_master = { target_lufs = 14 }
render = true

[[project.step]]
compose = false

[[project.step]]
command = { name = "track_set_mut" }

[[project.step]]
command = { name = "track_set_mute", trak = 1 }

[[project.step]]
command = { track = 1 }

[[project]]
name = "nothing"
[project.render]
format = "flac"
bit_depth = 32
"#
    ));
}

#[test]
fn syntax_errors_are_all_reported_and_nothing_is_guessed() {
    let said = problems("name = \nstyle = 'techno\n[[project]\n");
    assert!(said.lines().count() >= 2, "{said}");
    assert!(said.lines().all(|line| line.contains("RB0101")), "{said}");
    assert!(said.starts_with("job.toml:1:"), "{said}");
}

#[test]
fn single_problems_name_the_fix() {
    let check = |text: &str, expected: &str| {
        let said = problems(text);
        assert!(
            said.contains(expected),
            "{said}\nshould contain\n{expected}"
        );
    };
    let song = "[[project]]\nname = 'n'\nstems = 'neon'\n";
    check("", "RB0106]: the job has no projects");
    check(
        &format!("name = 'a'\n{song}"),
        "2:1: error[RB0106]: project `n` has no style",
    );
    check(
        &format!("name = 'CON'\nstyle = 'techno'\n{song}"),
        "is a device",
    );
    check(
        &format!("name = 'a'\nstyle = 'techno'\n{song}{song}"),
        "7:8: error[RB0130]: two projects are called `n`",
    );
    check(
        "name = 'a'\nstyle = 'techno'\n[[project]]\nname = 'n'\nstems = '.'\n",
        "there is audio in folders below it",
    );
    check(
        "name = 'a'\nstyle = 'techno'\n[[project]]\nname = 'n'\nstems = 'neon/kick.wav'\n",
        "a single file is written as a list",
    );
    check(
        "name = 'a'\nstyle = 'techno'\n[[project]]\nname = 'n'\ncompose = 'none.toml'\n",
        "score file `none.toml` does not exist",
    );
}

#[test]
fn a_missing_job_file_is_a_problem_of_its_own() {
    let loaded = read(Path::new("/nowhere/job.toml"), &vocabulary());
    assert!(loaded.job.is_none());
    assert_eq!(loaded.diagnostics[0].code, "RB0102");
    assert!(loaded.diagnostics[0].message.contains("no such file"));
}

#[test]
fn a_fault_in_a_score_file_is_shown_there() {
    let folder = folder();
    fs::write(
        folder.path().join("song.toml"),
        "bpm = 100\nsections = [{ name = 'A', bars = 2 }]\n[[part]]\nname = 'Lead'\nnots = 'c4'\n",
    )
    .unwrap();
    let loaded = load_text(
        folder.path(),
        "name = 'a'\nstyle = 'techno'\n[[project]]\nname = 'n'\ncompose = 'song.toml'\n",
    );
    let said = diag::short(&loaded.source, &loaded.diagnostics);
    assert!(
        said.starts_with("song.toml:5:1: error[RB0103]: unknown key `nots` in `part`"),
        "{said}"
    );
    assert!(said.contains("did you mean `notes`?"), "{said}");
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema = schema(&vocabulary());
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let check = |text: &str, expected: bool| {
        let table: toml::Table = text.parse().unwrap();
        let value = serde_json::to_value(table).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(errors.is_empty(), expected, "{text}\n{errors:?}");
        let folder = folder();
        let loaded = load_text(folder.path(), text);
        let said = diag::short(&loaded.source, &loaded.diagnostics);
        assert_eq!(loaded.job.is_some(), expected, "{text}\n{said}");
    };
    let song = "style = 'techno'\n[[project]]\nname = 'n'\nstems = 'neon'\n";
    check(&format!("name = 'a'\n{song}"), true);
    check(song, true);
    check("name = 'a'\nstyle = 'techno'\n", false);
    check(&format!("name = 'a'\nnam = 'b'\n{song}"), false);
    check(&format!("name = 'a'\n{song}tempo = 961\n"), false);
    check(&format!("name = 'a'\n{song}tempo = 960\n"), true);
    check(
        &format!("name = 'a'\n{song}render = {{ bit_depth = 20 }}\n"),
        false,
    );
    check(
        &format!("name = 'a'\n{song}render = {{ bit_depth = 16 }}\n"),
        true,
    );
    check(
        &format!("name = 'a'\n{song}step = [{{ render = true }}]\n"),
        true,
    );
    check(
        &format!("name = 'a'\n{song}step = [{{ render = false }}]\n"),
        false,
    );
    check(
        &format!("name = 'a'\n{song}step = [{{ render = true, compose = true }}]\n"),
        false,
    );
    check(
        &format!("name = 'a'\n{song}step = [{{ command = {{ name = 'track_add' }} }}]\n"),
        true,
    );
    check(
        &format!("name = 'a'\n{song}step = [{{ command = {{ nam = 'track_add' }} }}]\n"),
        false,
    );
}

#[test]
fn the_schema_offers_names_and_forbids_others() {
    let schema = schema(&vocabulary());
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["style"]["examples"][1], "techno");
    assert_eq!(
        schema["properties"]["project"]["items"]["additionalProperties"],
        false
    );
    let text = schema.to_string();
    assert!(!text.contains("\"null\""), "TOML has no null");
    assert!(!text.contains("$ref"), "editors get it in one piece");
}

#[test]
fn a_plan_reads_as_what_would_happen() {
    let folder = folder();
    let loaded = load_text(
        folder.path(),
        "name = 'Night Drive'\nstyle = 'synthwave'\n\
         [[project]]\nname = 'neon'\nstems = 'neon'\ntempo = 96\n\
         [[project]]\nname = 'arrival'\nproject = 'song.rpp'\nspec = 'spotify'\n\
         [[project.step]]\nengine_mix = { mode = 'static', roles = { 'Aux 7' = 'pad' } }\n\
         [[project.step]]\nengine_master = { target_lufs = -14, max_passes = 1 }\n\
         [[project.step]]\ncommand = { name = 'track_set_mute', track_index = 0, mute = true }\n\
         [[project.step]]\nrender = true\n[[project.step]]\ncheck = true\n",
    );
    insta::assert_snapshot!(describe(&loaded.job.unwrap()));
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,80}|(name|style|\\[\\[project\\]\\]|=|'|\"|\n|\\[|\\]|\\{|\\}|stems|1|,){0,30}") {
        let mut diagnostics = Vec::new();
        let read: Option<super::written::JobFile> = super::shape::read(&text, &mut diagnostics);
        proptest::prop_assert!(read.is_some() || !diagnostics.is_empty());
    }
}
