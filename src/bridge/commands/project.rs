//! The project: files, overview, notes, undo, render.

use super::{CommandSpec, Kind, LABEL, SECONDS, Undo, def, opt, read, req};

const D: &str = "Project";
const STEPS: Kind = Kind::Int { min: 1, max: 100 };
const FIELD: Kind = Kind::Text { max_len: 1024 };

pub(super) const COMMANDS: &[CommandSpec] = &[
    read(
        D,
        "project_get_info",
        &[],
        "Reads facts of the project.",
        "name, path (media folder), file_path, sample_rate, bpm, time_sig_num, time_sig_den, track_count, item_count, marker_count, length, dirty",
    ),
    read(D, "project_get_change_count", &[], "Reads the state change counter.", "change_count"),
    read(
        D,
        "project_get_overview",
        &[
            def("include_tracks", Kind::Bool, "true", "list the tracks"),
            def("include_media", Kind::Bool, "true", "list the media files of each track"),
        ],
        "Reads everything a mix plan needs, in one call.",
        "the keys of project_get_info, change_count, regions[], markers[], selection{track_indices, item_indices, time_selection}, tracks[{index, guid, name, volume_db, pan, width, mute, solo, phase_invert, channel_count, folder_depth, main_send, color, selected, fx[{index, guid, name, enabled, offline}], sends[{index, dest_track_index, dest_track_guid, volume_db, pan, mute, mode}], receive_count, item_count, media_files[], has_midi, has_audio, start, end}], master{…}",
    ),
    read(D, "project_new", &[], "Replaces the project by an empty one, without asking.", "name, track_count, item_count"),
    read(
        D,
        "project_open",
        &[req("path", Kind::Path, "an existing project file")],
        "Opens a project without asking; unsaved changes of the present one are lost.",
        "name, file_path, track_count, item_count",
    )
    .long(),
    read(D, "project_save", &[], "Saves to the project's own file; an unsaved project is an error.", "saved, file_path").long(),
    read(
        D,
        "project_save_as",
        &[req("path", Kind::Path, "where")],
        "Saves, and goes on with the new file.",
        "saved, file_path",
    )
    .long(),
    read(
        D,
        "project_backup",
        &[req("path", Kind::Path, "where")],
        "Saves a copy; the project keeps its file.",
        "saved, file_path (of the copy)",
    )
    .long(),
    read(
        D,
        "project_export_audio",
        &[
            req("render_dir", Kind::Path, "output folder"),
            req("render_pattern", LABEL, "file name without extension, may hold wildcards such as `$track`"),
            opt("format", LABEL, "wav16, wav24, wav32f, wav64f, flac16, flac24, aiff16, aiff24, mp3-320, mp3-192, mp3-128, ogg, or a sink block as base64"),
            opt("format_code", LABEL, "the same, as the classic protocol names it: `evaw`, `calf`, …"),
            def("source", Kind::OneOf(&["master", "stems", "stems_and_master", "stems_via_master"]), "\"master\"", "the mix, or the selected tracks"),
            opt("track_indices", Kind::List { max: 1000 }, "select these tracks first; for stems"),
            opt("tail_ms", Kind::Int { min: 0, max: 600_000 }, "time after the end; 0 is none, left out keeps the project's"),
            opt("sample_rate", Kind::Int { min: 0, max: 768_000 }, "in Hz, 0 is the project's"),
            opt("channels", Kind::Int { min: 1, max: 128 }, "channels of the files"),
            def("bounds", Kind::OneOf(&["project", "custom", "time_selection", "regions", "markers", "keep"]), "\"project\"", "what part"),
            opt("start", SECONDS, "for custom bounds"),
            opt("end", SECONDS, "for custom bounds"),
            opt("dither", Kind::Int { min: 0, max: 31 }, "REAPER's dither bits; left out is none"),
            opt("normalize", Kind::Int { min: 0, max: 16_777_215 }, "REAPER's normalise bits; left out is off"),
        ],
        "Renders, and checks that the files are there.",
        "rendered, format_ok, selected_track_count, targets[{path, exists, bytes}], stats (raw), stats_parsed[{file, …}], sent{}, readback{render_file, pattern, format, settings, bounds, sample_rate, channels}",
    )
    .long(),
    read(D, "project_undo", &[def("steps", STEPS, "1", "how many")], "Undoes steps.", "undone, list[], count, next_undo, next_redo"),
    read(D, "project_redo", &[def("steps", STEPS, "1", "how many")], "Redoes steps.", "redone, list[], count, next_undo, next_redo"),
    read(
        D,
        "project_undo_group",
        &[],
        "Undoes all steps of the group that the newest step belongs to.",
        "group, undone_steps[], steps_undone, next_undo, next_redo",
    ),
    read(D, "project_get_notes", &[], "Reads the notes.", "notes"),
    read(
        D,
        "project_set_notes",
        &[req("notes", Kind::Text { max_len: 102_400 }, "free text")],
        "Writes the notes.",
        "notes (as read back)",
    ),
    read(
        D,
        "project_get_metadata",
        &[],
        "Names the render tags that are set; REAPER does not give their values.",
        "raw, tags_present[], fields_set{}",
    ),
    read(
        D,
        "project_set_metadata",
        &[
            opt("title", FIELD, ""),
            opt("artist", FIELD, ""),
            opt("author", FIELD, "the same as `artist`"),
            opt("album", FIELD, ""),
            opt("comment", FIELD, ""),
            opt("genre", FIELD, ""),
            opt("year", FIELD, ""),
            opt("track_number", FIELD, ""),
            opt("composer", FIELD, ""),
            opt("isrc", FIELD, ""),
            opt("copyright", FIELD, ""),
        ],
        "Sets render tags for ID3, Vorbis and APE.",
        "written[], tags_present_after[]",
    )
    .undo(Undo::Project),
    read(D, "project_get_notes_info", &[], "Reads title and author of the project.", "title, author"),
    read(
        D,
        "project_set_notes_info",
        &[opt("title", FIELD, "title"), opt("author", FIELD, "author")],
        "Sets title and author of the project.",
        "written[], notes_info{title, author}",
    )
    .undo(Undo::Project),
    read(
        D,
        "project_set_sample_rate",
        &[req("sample_rate", Kind::Int { min: 0, max: 768_000 }, "in Hz; 0 follows the device")],
        "Forces the project's sample rate.",
        "sample_rate, forced",
    )
    .undo(Undo::Project),
    read(
        D,
        "project_set_ext",
        &[
            req("section", Kind::Text { max_len: 64 }, "name of the extension"),
            req("key", Kind::Text { max_len: 64 }, "key"),
            req("value", Kind::Text { max_len: 1 << 20 }, "empty text deletes it"),
        ],
        "Stores a text in the project file.",
        "section, key, value (as read back)",
    ),
    read(
        D,
        "project_get_ext",
        &[
            req("section", Kind::Text { max_len: 64 }, "name of the extension"),
            req("key", Kind::Text { max_len: 64 }, "key"),
        ],
        "Reads a text stored in the project file.",
        "section, key, value (empty text when there is none)",
    ),
    read(
        D,
        "project_main_action",
        &[req("command_id", Kind::Int { min: 1, max: 2_147_483_647 }, "number of an action of the main section")],
        "Runs one of REAPER's actions.",
        "command_id, name",
    )
    .long(),
    read(
        D,
        "project_set_grid",
        &[req("grid_division", Kind::Number { min: 0.000_01, max: 1000.0 }, "in quarter notes: 1 is a quarter")],
        "Sets the grid.",
        "grid_division",
    ),
    read(
        D,
        "project_set_ripple_mode",
        &[req("mode", Kind::Int { min: 0, max: 2 }, "0 off, 1 per track, 2 all tracks")],
        "Sets ripple editing.",
        "mode",
    ),
];
