//! What stands by itself: version, pointers, GUIDs, number texts, colours,
//! console.

use super::{Entry, envelope, fader};
use crate::host::lua::{Answer, Call, Object, answer};
use crate::host::state::Host;
use crate::project::Guid;
use crate::units::{SILENCE_DB, db_to_gain, gain_to_db};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("APIExists", api_exists),
    ("ClearConsole", nothing),
    ("ColorFromNative", color_from_native),
    ("ColorToNative", color_to_native),
    ("DB2SLIDER", db_to_slider),
    ("EnumPitchShiftModes", none_text),
    ("GetAppVersion", app_version),
    ("GetAudioDeviceInfo", none_text),
    ("GetNumAudioInputs", zero),
    ("GetNumAudioOutputs", zero),
    ("GetOS", os),
    ("MB", message_box),
    ("ReaScriptError", script_error),
    ("SLIDER2DB", slider_to_db),
    ("ShowConsoleMsg", console),
    ("ShowMessageBox", message_box),
    ("Track_GetPeakHoldDB", peak_hold),
    ("Track_GetPeakInfo", peak),
    ("UpdateArrange", nothing),
    ("UpdateTimeline", nothing),
    ("ValidatePtr", validate),
    ("ValidatePtr2", validate2),
    ("genGuid", gen_guid),
    ("get_action_context", action_context),
    ("guidToString", guid_text),
    ("mkpanstr", pan_text),
    ("mkvolpanstr", volume_pan_text),
    ("mkvolstr", volume_text),
    ("parsepanstr", parse_pan),
    ("stringToGuid", guid_text),
    ("time_precise", time),
];

fn nothing(_: &mut Call) -> Answer {
    answer![]
}

fn zero(_: &mut Call) -> Answer {
    answer![0]
}

fn none_text(_: &mut Call) -> Answer {
    answer![false, ""]
}

fn api_exists(c: &mut Call) -> Answer {
    let name = c.text(0);
    let machine = ["defer", "runloop", "atexit"];
    answer![machine.contains(&name.as_str()) || super::functions().any(|f| f.name == name)]
}

/// REAPER's form `version/system`; the middle part says that this is not it.
fn app_version(_: &mut Call) -> Answer {
    let system = match std::env::consts::OS {
        "macos" => "macOS",
        "windows" => "win",
        other => other,
    };
    answer![format!(
        "7.77-reaper-batch-{}/{system}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH
    )]
}

fn os(_: &mut Call) -> Answer {
    answer![match (std::env::consts::OS, std::env::consts::ARCH) {
        ("windows", _) => "Win64",
        ("macos", "aarch64") => "macOS-arm64",
        ("macos", _) => "OSX64",
        _ => "Other",
    }]
}

fn time(c: &mut Call) -> Answer {
    answer![c.host.started.elapsed().as_secs_f64()]
}

fn action_context(c: &mut Call) -> Answer {
    let path = c.script.path.to_string_lossy().into_owned();
    answer![false, path, 0, c.script.command, -1, -1, -1, ""]
}

fn gen_guid(c: &mut Call) -> Answer {
    answer![c.host.fresh_guid().to_string()]
}

/// Scripts see GUIDs as text only, so this checks and repeats it.
fn guid_text(c: &mut Call) -> Answer {
    let text = c.text(0);
    answer![if text.parse::<Guid>().is_ok() {
        text
    } else {
        String::new()
    }]
}

fn validate(c: &mut Call) -> Answer {
    let (object, kind) = (c.object(0), c.text(1));
    answer![is_valid(c.host, object, &kind)]
}

fn validate2(c: &mut Call) -> Answer {
    let (object, kind) = (c.object(1), c.text(2));
    answer![is_valid(c.host, object, &kind)]
}

fn is_valid(host: &Host, object: Option<Object>, kind: &str) -> bool {
    let Some(object) = object.filter(|object| object.type_name() == kind) else {
        return false;
    };
    match object {
        Object::Project | Object::Master => true,
        Object::Track(_) => host.find_track(object).is_some(),
        Object::Item(_) => host.find_item(object).is_some(),
        Object::Take(_) => host.find_take(object).is_some(),
        Object::Envelope(..) => envelope::exists(host, object),
        Object::TakeSource(guid, _) => host.find_take(Object::Take(guid)).is_some(),
        Object::FreeSource(number) => host.free_sources.contains_key(&number),
    }
}

/// Red is the high byte but on Windows.
fn color_to_native(c: &mut Call) -> Answer {
    let [r, g, b] = [0, 1, 2].map(|index| c.int(index) & 255);
    answer![if cfg!(windows) {
        b << 16 | g << 8 | r
    } else {
        r << 16 | g << 8 | b
    }]
}

fn color_from_native(c: &mut Call) -> Answer {
    let color = c.int(0);
    let (high, middle, low) = (color >> 16 & 255, color >> 8 & 255, color & 255);
    if cfg!(windows) {
        answer![low, middle, high]
    } else {
        answer![high, middle, low]
    }
}

fn db_to_slider(c: &mut Call) -> Answer {
    answer![fader::from_amplitude(db_to_gain(c.num(0)))]
}

fn slider_to_db(c: &mut Call) -> Answer {
    answer![gain_to_db(fader::to_amplitude(c.num(0)))]
}

fn volume(amplitude: f64) -> String {
    let db = gain_to_db(amplitude);
    if db <= SILENCE_DB {
        "-inf dB".to_owned()
    } else {
        format!("{db:+.2}dB")
    }
}

fn pan(value: f64) -> String {
    let percent = (value.abs() * 100.0).round();
    match (percent, value) {
        (0.0, _) => "center".to_owned(),
        (_, left) if left < 0.0 => format!("{percent:.0}%L"),
        _ => format!("{percent:.0}%R"),
    }
}

fn volume_text(c: &mut Call) -> Answer {
    answer![volume(c.num(1))]
}

fn pan_text(c: &mut Call) -> Answer {
    answer![pan(c.num(1))]
}

fn volume_pan_text(c: &mut Call) -> Answer {
    answer![format!("{} {}", volume(c.num(1)), pan(c.num(2)))]
}

fn parse_pan(c: &mut Call) -> Answer {
    let text = c.text(0);
    let number: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let value: f64 = number.parse().unwrap_or(0.0) / 100.0;
    let left = text.trim_end().to_ascii_uppercase().ends_with('L');
    answer![if left { -value } else { value }]
}

/// The console is the log. An empty text clears a window that is not there.
fn console(c: &mut Call) -> Answer {
    let text = c.text(0);
    let text = text.strip_prefix("!SHOW:").unwrap_or(&text).trim_end();
    if !text.is_empty() {
        tracing::info!(script = %c.script.path.display(), "{text}");
    }
    answer![]
}

fn script_error(c: &mut Call) -> Answer {
    let text = c.text(0);
    let text = text.strip_prefix('!').unwrap_or(&text);
    tracing::error!(script = %c.script.path.display(), "{text}");
    answer![]
}

/// Nobody is there to answer: the default button is pressed at once.
fn message_box(c: &mut Call) -> Answer {
    let (text, title, kind) = (c.text(0), c.text(1), c.int(2));
    // OK, OK, Abort, Yes, Yes, Retry by the kinds of buttons.
    let button = match kind {
        2 => 3,
        3 | 4 => 6,
        5 => 4,
        _ => 1,
    };
    tracing::warn!(title, button, "message box: {text}");
    answer![button]
}

/// Nothing sounds, so meters are at rest.
fn peak(c: &mut Call) -> Answer {
    c.track(0)?;
    answer![0.0]
}

fn peak_hold(c: &mut Call) -> Answer {
    c.track(0)?;
    answer![-1.5]
}
