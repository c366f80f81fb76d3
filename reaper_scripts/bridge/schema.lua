-- Generated from the command table of reaper-batch; do not edit.
-- `cargo xtask codegen` writes it.

local schema = {}

schema.protocol = 2
schema.version = "0.1.0"

-- name = { number, retryable }
schema.errors = {
  CONNECTION_REFUSED = { 1001, true },
  CONNECTION_LOST = { 1003, true },
  COMMAND_FAILED = { 2000, false },
  COMMAND_NOT_FOUND = { 2001, false },
  COMMAND_TIMEOUT = { 2002, true },
  COMMAND_REJECTED = { 2003, false },
  INTERNAL_ERROR = { 2004, false },
  UNSUPPORTED = { 2005, false },
  READBACK_MISMATCH = { 2006, false },
  RENDER_FAILED = { 2007, false },
  INVALID_PARAMETER = { 3001, false },
  MISSING_PARAMETER = { 3002, false },
  INVALID_PATH = { 3003, false },
  INVALID_FORMAT = { 3004, false },
  VALUE_OUT_OF_RANGE = { 3006, false },
  INVALID_JSON = { 3007, false },
  NOT_FOUND = { 4000, false },
  STALE_INDEX = { 4001, false },
}

schema.commands = {
  hello = { params = {
    { name = "protocol", kind = "int", min = 1, max = 1000 },
    { name = "client", kind = "text", max = 1000 },
  } },
  command_status = { params = {
    { name = "id", kind = "text", max = 1000, required = true },
  } },
  batch = { params = {
    { name = "calls", kind = "list", max = 200, required = true },
    { name = "stop_on_error", kind = "bool", default = false },
  }, long = true },
  undo_group_begin = { params = {
    { name = "name", kind = "text", max = 100, required = true },
  } },
  undo_group_end = { params = {} },
  transport_play = { params = {} },
  transport_stop = { params = {} },
  transport_pause = { params = {} },
  transport_record = { params = {} },
  transport_get_state = { params = {} },
  transport_set_position = { params = {
    { name = "seconds", kind = "number", min = 0.0, max = 1000000.0, required = true },
  } },
  transport_set_bpm = { params = {
    { name = "bpm", kind = "number", min = 20.0, max = 999.0, required = true },
  }, undo = "P" },
  transport_set_time_signature = { params = {
    { name = "numerator", kind = "int", min = 1, max = 255, required = true },
    { name = "denominator", kind = "int", min = 1, max = 64, required = true },
  }, undo = "P" },
  transport_toggle_repeat = { params = {} },
  transport_toggle_metronome = { params = {} },
  transport_set_playrate = { params = {
    { name = "rate", kind = "number", min = 0.25, max = 4.0, required = true },
  } },
  tempo_list_markers = { params = {} },
  tempo_add_marker = { params = {
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "bpm", kind = "number", min = 0.0, max = 999.0, default = 0 },
    { name = "time_sig_num", kind = "int", min = 0, max = 255, default = 0 },
    { name = "time_sig_denom", kind = "int", min = 0, max = 64, default = 0 },
    { name = "linear", kind = "bool", default = false },
  }, undo = "P" },
  tempo_delete_marker = { params = {
    { name = "index", kind = "index", required = true },
  }, undo = "P" },
  tempo_clear_all = { params = {}, undo = "P" },
  tempo_time_map = { params = {
    { name = "beats", kind = "list", max = 10000 },
    { name = "times", kind = "list", max = 10000 },
  } },
  track_get_all = { params = {} },
  track_get_info = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  track_create = { params = {
    { name = "index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "name", kind = "text", max = 1000, default = "" },
  }, undo = "B" },
  track_delete_batch = { params = {
    { name = "entries", kind = "list", max = 200, required = true },
  }, undo = "B" },
  track_rename = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "name", kind = "text", max = 1000, required = true },
  }, undo = "P" },
  track_set_volume = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "volume_db", kind = "number", min = -1000.0, max = 60.0, required = true },
  }, undo = "P" },
  track_set_pan = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "pan", kind = "number", min = -1.0, max = 1.0, required = true },
    { name = "width", kind = "number", min = -1.0, max = 1.0 },
  }, undo = "P" },
  track_set_mute = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "mute", kind = "bool", required = true },
  }, undo = "P" },
  track_set_solo = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "solo", kind = "bool", required = true },
  }, undo = "P" },
  track_set_phase = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "invert", kind = "bool", required = true },
  }, undo = "P" },
  track_set_color = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "r", kind = "int", min = 0, max = 255, required = true },
    { name = "g", kind = "int", min = 0, max = 255, required = true },
    { name = "b", kind = "int", min = 0, max = 255, required = true },
  }, undo = "P" },
  track_set_record_arm = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "arm", kind = "bool", required = true },
  }, undo = "P" },
  track_set_input = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "input_index", kind = "int", min = -1, max = 8191, required = true },
  }, undo = "P" },
  track_set_folder = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "folder_depth", kind = "int", min = -64, max = 1, required = true },
  }, undo = "P" },
  track_set_main_send = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "enabled", kind = "bool", required = true },
  }, undo = "P" },
  track_set_channels = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "channels", kind = "int", min = 2, max = 128, required = true },
  }, undo = "P" },
  track_set_ext = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "key", kind = "text", max = 64, required = true },
    { name = "value", kind = "text", max = 65536, required = true },
  }, undo = "P" },
  track_get_ext = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "key", kind = "text", max = 64, required = true },
  } },
  track_select = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "selected", kind = "bool", default = true },
    { name = "exclusive", kind = "bool", default = false },
  } },
  track_get_mixer_state = { params = {} },
  track_get_peak = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  track_freeze = { params = {
    { name = "track_index", kind = "track", required = true },
  }, long = true },
  track_unfreeze = { params = {
    { name = "track_index", kind = "track", required = true },
  }, long = true },
  track_get_state_chunk = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  track_set_state_chunk = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "chunk", kind = "text", max = 16777216, required = true },
  }, undo = "I" },
  project_get_info = { params = {} },
  project_get_change_count = { params = {} },
  project_get_overview = { params = {
    { name = "include_tracks", kind = "bool", default = true },
    { name = "include_media", kind = "bool", default = true },
  } },
  project_new = { params = {} },
  project_open = { params = {
    { name = "path", kind = "path", required = true },
  }, long = true },
  project_save = { params = {}, long = true },
  project_save_as = { params = {
    { name = "path", kind = "path", required = true },
  }, long = true },
  project_backup = { params = {
    { name = "path", kind = "path", required = true },
  }, long = true },
  project_export_audio = { params = {
    { name = "render_dir", kind = "path", required = true },
    { name = "render_pattern", kind = "text", max = 1000, required = true },
    { name = "format", kind = "text", max = 1000 },
    { name = "format_code", kind = "text", max = 1000 },
    { name = "source", kind = "one_of", words = { "master", "stems", "stems_and_master", "stems_via_master" }, default = "master" },
    { name = "track_indices", kind = "list", max = 1000 },
    { name = "tail_ms", kind = "int", min = 0, max = 600000 },
    { name = "sample_rate", kind = "int", min = 0, max = 768000 },
    { name = "channels", kind = "int", min = 1, max = 128 },
    { name = "bounds", kind = "one_of", words = { "project", "custom", "time_selection", "regions", "markers", "keep" }, default = "project" },
    { name = "start", kind = "number", min = 0.0, max = 1000000.0 },
    { name = "end", kind = "number", min = 0.0, max = 1000000.0 },
    { name = "dither", kind = "int", min = 0, max = 31 },
    { name = "normalize", kind = "int", min = 0, max = 16777215 },
  }, long = true },
  project_undo = { params = {
    { name = "steps", kind = "int", min = 1, max = 100, default = 1 },
  } },
  project_redo = { params = {
    { name = "steps", kind = "int", min = 1, max = 100, default = 1 },
  } },
  project_undo_group = { params = {} },
  project_get_notes = { params = {} },
  project_set_notes = { params = {
    { name = "notes", kind = "text", max = 102400, required = true },
  } },
  project_get_metadata = { params = {} },
  project_set_metadata = { params = {
    { name = "title", kind = "text", max = 1024 },
    { name = "artist", kind = "text", max = 1024 },
    { name = "author", kind = "text", max = 1024 },
    { name = "album", kind = "text", max = 1024 },
    { name = "comment", kind = "text", max = 1024 },
    { name = "genre", kind = "text", max = 1024 },
    { name = "year", kind = "text", max = 1024 },
    { name = "track_number", kind = "text", max = 1024 },
    { name = "composer", kind = "text", max = 1024 },
    { name = "isrc", kind = "text", max = 1024 },
    { name = "copyright", kind = "text", max = 1024 },
  }, undo = "P" },
  project_get_notes_info = { params = {} },
  project_set_notes_info = { params = {
    { name = "title", kind = "text", max = 1024 },
    { name = "author", kind = "text", max = 1024 },
  }, undo = "P" },
  project_set_sample_rate = { params = {
    { name = "sample_rate", kind = "int", min = 0, max = 768000, required = true },
  }, undo = "P" },
  project_set_ext = { params = {
    { name = "section", kind = "text", max = 64, required = true },
    { name = "key", kind = "text", max = 64, required = true },
    { name = "value", kind = "text", max = 1048576, required = true },
  } },
  project_get_ext = { params = {
    { name = "section", kind = "text", max = 64, required = true },
    { name = "key", kind = "text", max = 64, required = true },
  } },
  project_main_action = { params = {
    { name = "command_id", kind = "int", min = 1, max = 2147483647, required = true },
  }, long = true },
  project_set_grid = { params = {
    { name = "grid_division", kind = "number", min = 1e-5, max = 1000.0, required = true },
  } },
  project_set_ripple_mode = { params = {
    { name = "mode", kind = "int", min = 0, max = 2, required = true },
  } },
  fx_add = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_name", kind = "text", max = 1000, required = true },
    { name = "add_mode", kind = "one_of", words = { "add", "find_or_add", "find_only" }, default = "add" },
  }, undo = "P" },
  fx_remove_batch = { params = {
    { name = "entries", kind = "list", max = 200, required = true },
  }, undo = "B" },
  fx_get_chain = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  fx_get_params = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "max_results", kind = "int", min = 1, max = 2000, default = 300 },
    { name = "include_hidden", kind = "bool", default = false },
  } },
  fx_set_param = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "param_index", kind = "index", required = true },
    { name = "value", kind = "number", min = -1000000000.0, max = 1000000000.0, required = true },
    { name = "raw", kind = "bool", default = false },
  }, undo = "P" },
  fx_set_param_by_name = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "param_name", kind = "text", max = 1000, required = true },
    { name = "value", kind = "number", min = -1000000000.0, max = 1000000000.0, required = true },
    { name = "raw", kind = "bool", default = false },
  }, undo = "P" },
  fx_scan_params = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "max_params", kind = "int", min = 1, max = 200, default = 200 },
  }, long = true },
  fx_set_named_config = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "key", kind = "text", max = 1000, required = true },
    { name = "value", kind = "text", max = 1048576, required = true },
  }, undo = "P" },
  fx_get_named_config = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "key", kind = "text", max = 1000, required = true },
  } },
  fx_enable = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
  }, undo = "P" },
  fx_disable = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
  }, undo = "P" },
  fx_show_ui = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
  } },
  fx_get_preset = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
  } },
  fx_set_preset = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "preset_name", kind = "text", max = 1000, required = true },
    { name = "include_params", kind = "bool", default = false },
  }, undo = "P" },
  fx_navigate_preset = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "direction", kind = "int", min = -1, max = 1, required = true },
  }, undo = "P" },
  fx_get_instrument = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  fx_move = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "new_index", kind = "index", required = true },
  }, undo = "P" },
  fx_rename = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
    { name = "new_name", kind = "text", max = 1000, required = true },
  }, undo = "P" },
  fx_list_installed = { params = {} },
  fx_get_pin_mappings = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "fx_index", kind = "index", required = true },
  } },
  item_get_all = { params = {
    { name = "track_index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "max_results", kind = "int", min = 1, max = 2000, default = 200 },
  } },
  item_get_info = { params = {
    { name = "item_index", kind = "item", required = true },
  } },
  item_select = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "selected", kind = "bool", default = true },
    { name = "exclusive", kind = "bool", default = false },
  } },
  item_insert_media = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "path", kind = "path", required = true },
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, default = 0 },
    { name = "name", kind = "text", max = 1000 },
  }, undo = "I" },
  item_create_midi = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, default = 0 },
    { name = "length", kind = "number", min = 0.001, max = 1000000.0, default = 60 },
  }, undo = "I" },
  item_split = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, required = true },
  }, undo = "I" },
  item_delete = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I" },
  item_move = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "new_position", kind = "number", min = 0.0, max = 1000000.0, required = true },
  }, undo = "I" },
  item_set_length = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "length", kind = "number", min = 1e-6, max = 1000000.0, required = true },
  }, undo = "I" },
  item_set_volume = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "volume_db", kind = "number", min = -1000.0, max = 60.0, required = true },
  }, undo = "I" },
  item_set_mute = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "mute", kind = "bool", required = true },
  }, undo = "I" },
  item_set_fade = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "fade_in", kind = "number", min = -1.0, max = 60.0, default = -1 },
    { name = "fade_out", kind = "number", min = -1.0, max = 60.0, default = -1 },
  }, undo = "I" },
  item_move_to_track = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "dest_track_index", kind = "track", required = true },
  }, undo = "I" },
  items_apply = { params = {
    { name = "entries", kind = "list", max = 200, required = true },
  }, undo = "I" },
  item_split_at_positions = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "positions", kind = "list", max = 500, required = true },
  }, undo = "I" },
  item_split_at_transients = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I", long = true },
  item_duplicate = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "count", kind = "int", min = 1, max = 100, required = true },
    { name = "spacing_sec", kind = "number", min = -1.0, max = 1000000.0, default = 0 },
  }, undo = "I" },
  item_clone_to_position = { params = {
    { name = "source_item_index", kind = "item", required = true },
    { name = "target_position_sec", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "target_track_index", kind = "track" },
  }, undo = "I" },
  item_get_source_info = { params = {
    { name = "item_index", kind = "item", required = true },
  } },
  chops_create_virtual_slice = { params = {
    { name = "source_item_index", kind = "item", required = true },
    { name = "target_track_index", kind = "track", required = true },
    { name = "target_position_sec", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "source_offset_sec", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "length_sec", kind = "number", min = 1e-6, max = 1000000.0, required = true },
    { name = "pitch_semis", kind = "number", min = -60.0, max = 60.0, default = 0 },
    { name = "playrate", kind = "number", min = 0.05, max = 16.0, default = 1 },
    { name = "fade_len_sec", kind = "number", min = 0.0, max = 60.0, default = 0.005 },
  }, undo = "I" },
  take_set_pitch = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "semitones", kind = "number", min = -60.0, max = 60.0, required = true },
    { name = "take_index", kind = "int", min = -1, max = 1000, default = -1 },
  }, undo = "I" },
  take_set_playrate = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "rate", kind = "number", min = 0.05, max = 16.0, required = true },
    { name = "preserve_pitch", kind = "bool", default = true },
  }, undo = "I" },
  take_set_reversed = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I" },
  item_take_list = { params = {
    { name = "item_index", kind = "item", required = true },
  } },
  item_take_set_active = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "take_index", kind = "index", required = true },
  }, undo = "I" },
  item_take_add = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I" },
  item_take_delete_active = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I" },
  midi_insert_note = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "channel", kind = "int", min = 0, max = 15, default = 0 },
    { name = "pitch", kind = "int", min = 0, max = 127, required = true },
    { name = "velocity", kind = "int", min = 1, max = 127, required = true },
    { name = "start_position", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end_position", kind = "number", min = 0.0, max = 1000000.0, required = true },
  }, undo = "I" },
  midi_insert_notes_batch = { params = {
    { name = "track_index", kind = "track" },
    { name = "item_index", kind = "item", required = true },
    { name = "notes", kind = "list", max = 10000, required = true },
  }, undo = "I", long = true },
  midi_get_notes = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "max_results", kind = "int", min = 1, max = 10000, default = 500 },
  } },
  midi_get_ccs = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "max_results", kind = "int", min = 1, max = 10000, default = 2000 },
  } },
  midi_set_note = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "note_index", kind = "index", required = true },
    { name = "pitch", kind = "int", min = -1, max = 127, default = -1 },
    { name = "velocity", kind = "int", min = -1, max = 127, default = -1 },
    { name = "channel", kind = "int", min = -1, max = 15, default = -1 },
    { name = "start_position", kind = "number", min = -1.0, max = 1000000.0, default = -1 },
    { name = "end_position", kind = "number", min = -1.0, max = 1000000.0, default = -1 },
  }, undo = "I" },
  midi_delete_note = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "note_index", kind = "index", required = true },
  }, undo = "I" },
  midi_delete_all_notes = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I" },
  midi_select_notes = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "select_all", kind = "bool", default = true },
  } },
  midi_insert_program_change = { params = {
    { name = "track_index", kind = "track" },
    { name = "item_index", kind = "item", required = true },
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "channel", kind = "int", min = 0, max = 15, default = 0 },
    { name = "program", kind = "int", min = 0, max = 127, required = true },
    { name = "bank_msb", kind = "int", min = 0, max = 127 },
    { name = "bank_lsb", kind = "int", min = 0, max = 127 },
  }, undo = "I" },
  midi_list_programs = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  midi_insert_cc = { params = {
    { name = "track_index", kind = "track" },
    { name = "item_index", kind = "item", required = true },
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "channel", kind = "int", min = 0, max = 15, default = 0 },
    { name = "cc_number", kind = "int", min = 0, max = 127, required = true },
    { name = "cc_value", kind = "int", min = 0, max = 127, required = true },
  }, undo = "I" },
  midi_delete_cc = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "cc_index", kind = "index", required = true },
  }, undo = "I" },
  midi_get_note_names = { params = {} },
  midi_count_events = { params = {
    { name = "item_index", kind = "item", required = true },
  } },
  midi_sort = { params = {
    { name = "item_index", kind = "item", required = true },
  }, undo = "I" },
  midi_set_item_extents = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "start_qn", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end_qn", kind = "number", min = 0.0, max = 1000000.0, required = true },
  }, undo = "I" },
  midi_quantize = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "grid_seconds", kind = "number", min = 0.0001, max = 60.0 },
    { name = "grid_qn", kind = "number", min = 0.001, max = 64.0 },
    { name = "strength", kind = "number", min = 0.0, max = 1.0, default = 1 },
  }, undo = "I" },
  midi_humanize = { params = {
    { name = "item_index", kind = "item", required = true },
    { name = "timing_ms", kind = "number", min = 0.0, max = 500.0, default = 15 },
    { name = "velocity_amount", kind = "int", min = 0, max = 64, default = 8 },
    { name = "seed", kind = "int", min = 0, max = 2147483646, default = 1 },
  }, undo = "I" },
  marker_get_all = { params = {
    { name = "max_results", kind = "int", min = 1, max = 5000, default = 500 },
  } },
  marker_add = { params = {
    { name = "position", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "name", kind = "text", max = 1000, default = "" },
    { name = "color_r", kind = "int", min = 0, max = 255, default = 0 },
    { name = "color_g", kind = "int", min = 0, max = 255, default = 0 },
    { name = "color_b", kind = "int", min = 0, max = 255, default = 0 },
  }, undo = "P" },
  marker_add_region = { params = {
    { name = "start", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "name", kind = "text", max = 1000, default = "" },
    { name = "color_r", kind = "int", min = 0, max = 255, default = 0 },
    { name = "color_g", kind = "int", min = 0, max = 255, default = 0 },
    { name = "color_b", kind = "int", min = 0, max = 255, default = 0 },
  }, undo = "P" },
  marker_delete = { params = {
    { name = "marker_index", kind = "index", required = true },
  }, undo = "P" },
  marker_edit = { params = {
    { name = "marker_index", kind = "index", required = true },
    { name = "position", kind = "number", min = -1.0, max = 1000000.0, default = -1 },
    { name = "name", kind = "text", max = 1000 },
  }, undo = "P" },
  marker_go_to = { params = {
    { name = "marker_number", kind = "int", min = 0, max = 1000000, required = true },
  } },
  markers_apply = { params = {
    { name = "entries", kind = "list", max = 200, required = true },
  }, undo = "B" },
  add_markers_batch = { params = {
    { name = "markers", kind = "list", max = 200, required = true },
  }, undo = "B" },
  selection_set_time = { params = {
    { name = "start", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end", kind = "number", min = 0.0, max = 1000000.0, required = true },
  } },
  selection_get_time = { params = {} },
  selection_set_loop = { params = {
    { name = "start", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end", kind = "number", min = 0.0, max = 1000000.0, required = true },
  } },
  selection_select_all_items = { params = {} },
  selection_deselect_all_items = { params = {} },
  selection_select_all_tracks = { params = {} },
  selection_deselect_all_tracks = { params = {} },
  selection_get_selected_tracks = { params = {} },
  selection_get_selected_items = { params = {} },
  send_create = { params = {
    { name = "source_track", kind = "track", required = true },
    { name = "dest_track", kind = "track", required = true },
    { name = "midi_source_channel", kind = "int", min = 0, max = 31 },
    { name = "midi_dest_channel", kind = "int", min = 0, max = 31 },
    { name = "volume_db", kind = "number", min = -1000.0, max = 60.0 },
    { name = "pan", kind = "number", min = -1.0, max = 1.0 },
    { name = "mode", kind = "one_of", words = { "post_fader", "pre_fx", "pre_fader" } },
    { name = "reuse", kind = "bool", default = false },
  }, undo = "P" },
  send_remove = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "send_index", kind = "index", required = true },
  }, undo = "P" },
  send_set_volume = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "send_index", kind = "index", required = true },
    { name = "volume_db", kind = "number", min = -1000.0, max = 60.0, required = true },
  }, undo = "P" },
  send_set_pan = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "send_index", kind = "index", required = true },
    { name = "pan", kind = "number", min = -1.0, max = 1.0, required = true },
  }, undo = "P" },
  send_set_mute = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "send_index", kind = "index", required = true },
    { name = "mute", kind = "bool", required = true },
  }, undo = "P" },
  send_set_midi_channel = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "send_index", kind = "index", required = true },
    { name = "midi_source_channel", kind = "int", min = 0, max = 31, required = true },
    { name = "midi_dest_channel", kind = "int", min = 0, max = 31, required = true },
  }, undo = "P" },
  send_set_mode = { params = {
    { name = "track_index", kind = "track", required = true },
    { name = "send_index", kind = "index", required = true },
    { name = "mode", kind = "one_of", words = { "post_fader", "pre_fx", "pre_fader" }, required = true },
  }, undo = "P" },
  send_get_all = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  send_get_routing_diagram = { params = {} },
  envelope_get_points = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "envelope_name", kind = "text", max = 1000, default = "Volume" },
    { name = "fx_index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "param_index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "max_results", kind = "int", min = 1, max = 20000, default = 2000 },
  } },
  envelope_add_points = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "points", kind = "list", max = 50000, required = true },
    { name = "envelope_name", kind = "text", max = 1000, default = "Volume" },
    { name = "fx_index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "param_index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "create", kind = "bool", default = true },
  }, undo = "P" },
  envelope_clear_range = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
    { name = "start_time", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end_time", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "envelope_name", kind = "text", max = 1000, default = "Volume" },
    { name = "fx_index", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "param_index", kind = "int", min = -1, max = 100000, default = -1 },
  }, undo = "P" },
  configure_tracks = { params = {
    { name = "tracks", kind = "list", max = 1000, required = true },
  }, undo = "B" },
  setup_routing = { params = {
    { name = "sends", kind = "list", max = 2000, required = true },
  }, undo = "B" },
  setup_fx_chain = { params = {
    { name = "tracks", kind = "list", max = 1000, required = true },
  }, undo = "B", long = true },
  setup_effect_bus = { params = {
    { name = "bus_name", kind = "text", max = 1000, required = true },
    { name = "fx_chain", kind = "list", max = 50 },
    { name = "sends_from", kind = "list", max = 1000 },
    { name = "bus_position", kind = "int", min = -1, max = 100000, default = -1 },
    { name = "bus_volume_db", kind = "number", min = -1000.0, max = 60.0, default = 0 },
    { name = "bus_color", kind = "any" },
    { name = "reuse", kind = "bool", default = false },
  }, undo = "B", long = true },
  setup_master_chain = { params = {
    { name = "fx_chain", kind = "list", max = 50, required = true },
    { name = "clean", kind = "bool", default = false },
    { name = "clean_prefix", kind = "text", max = 1000, default = "[MIX] " },
  }, undo = "B", long = true },
  setup_sidechain = { params = {
    { name = "source_track", kind = "track", required = true },
    { name = "target_track", kind = "track", required = true },
    { name = "amount", kind = "number", min = 0.0, max = 1.0, default = 0.7 },
    { name = "threshold_db", kind = "number", min = -150.0, max = 24.0 },
    { name = "ratio", kind = "number", min = 0.0, max = 100.0 },
    { name = "attack_ms", kind = "number", min = 0.0, max = 500.0, default = 5 },
    { name = "release_ms", kind = "number", min = 0.0, max = 5000.0, default = 180 },
    { name = "compressor_name", kind = "text", max = 1000, default = "ReaComp" },
    { name = "fx_index", kind = "int", min = -1, max = 10000, default = -1 },
    { name = "send_db", kind = "number", min = -1000.0, max = 60.0, default = 0 },
    { name = "renamed_name", kind = "text", max = 1000 },
    { name = "detector_highpass_hz", kind = "number", min = 0.0, max = 20000.0 },
    { name = "detector_lowpass_hz", kind = "number", min = 0.0, max = 20000.0 },
  }, undo = "B" },
  clean_tagged = { params = {
    { name = "fx_prefix", kind = "text", max = 64, required = true },
    { name = "track_prefix", kind = "text", max = 64 },
    { name = "track_indices", kind = "list", max = 1000 },
  }, undo = "B" },
  get_track_instruments = { params = {} },
  track_find = { params = {
    { name = "name", kind = "text", max = 1000, required = true },
    { name = "exact", kind = "bool", default = true },
  } },
  track_measure_live = { params = {
    { name = "track_index", kind = "track", master = true, required = true },
  } },
  compose_ensure_tracks = { params = {
    { name = "max_track_index", kind = "int", min = 0, max = 10000, required = true },
  }, undo = "P" },
  compose_single_track = { params = {
    { name = "track_data", kind = "object", required = true },
    { name = "clear_existing", kind = "bool", default = false },
  }, undo = "I", long = true },
  compose_arrangement = { params = {
    { name = "tracks", kind = "list", max = 200, required = true },
    { name = "clear_existing", kind = "bool", default = false },
  }, undo = "I", long = true },
  wipe_all_midi = { params = {
    { name = "tracks", kind = "list", max = 1000 },
  }, undo = "I" },
  edit_section = { params = {
    { name = "tracks", kind = "any", required = true },
    { name = "start_time", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "end_time", kind = "number", min = 0.0, max = 1000000.0, required = true },
    { name = "mode", kind = "one_of", words = { "all", "notes_only", "ccs_only" }, default = "all" },
    { name = "trim_item", kind = "bool", default = false },
  }, undo = "I", long = true },
  analyze_score = { params = {
    { name = "tracks", kind = "any", default = "all" },
    { name = "start_time", kind = "number", min = 0.0, max = 1000000.0, default = 0 },
    { name = "end_time", kind = "number", min = -1.0, max = 1000000.0, default = -1 },
  }, long = true },
}

return schema
