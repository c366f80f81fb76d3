//! Takes and media sources.

use std::path::{Path, PathBuf};

use super::{Entry, flag, on};
use crate::host::lua::{Answer, Call, Fail, Object, Out, answer};
use crate::host::state::{Area, Host, TakeAt, TrackAt};
use crate::project::{Guid, Source, Take, resolve_media};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("AddTakeToMediaItem", add),
    ("CountTakes", count),
    ("GetActiveTake", active),
    ("GetMediaItemNumTakes", count),
    ("GetMediaItemTake", get),
    ("GetMediaItemTakeByGUID", by_guid),
    ("GetMediaItemTakeInfo_Value", get_value),
    ("GetMediaItemTake_Item", item),
    ("GetMediaItemTake_Source", source),
    ("GetMediaItemTake_Track", track),
    ("GetMediaSourceFileName", file_name),
    ("GetMediaSourceLength", length),
    ("GetMediaSourceNumChannels", channels),
    ("GetMediaSourceParent", parent),
    ("GetMediaSourceSampleRate", sample_rate),
    ("GetMediaSourceType", kind),
    ("GetSetMediaItemTakeInfo_String", string),
    ("GetTake", get),
    ("GetTakeName", name),
    ("PCM_Source_CreateFromFile", create_source),
    ("PCM_Source_CreateFromFileEx", create_source),
    ("PCM_Source_Destroy", destroy_source),
    ("PCM_Source_GetSectionInfo", section_info),
    ("SetActiveTake", set_active),
    ("SetMediaItemTakeInfo_Value", set_value),
    ("SetMediaItemTake_Source", set_source),
    ("TakeIsMIDI", is_midi),
];

fn count(c: &mut Call) -> Answer {
    let at = c.item(0)?;
    answer![c.host.item(at).takes.len()]
}

fn get(c: &mut Call) -> Answer {
    let (item, index) = (c.item(0)?, c.index(1));
    let found = index
        .filter(|&take| take < c.host.item(item).takes.len())
        .map(|take| TakeAt { item, take });
    answer![found.map(|at| c.host.take_pointer(at))]
}

fn active(c: &mut Call) -> Answer {
    let item = c.item(0)?;
    let take = c.host.item(item).active_take;
    let found = (take < c.host.item(item).takes.len()).then_some(TakeAt { item, take });
    answer![found.map(|at| c.host.take_pointer(at))]
}

fn by_guid(c: &mut Call) -> Answer {
    let found = c
        .text(1)
        .parse::<Guid>()
        .ok()
        .and_then(|guid| c.host.find_take(Object::Take(guid)));
    answer![found.map(|at| c.host.take_pointer(at))]
}

fn add(c: &mut Call) -> Answer {
    let item = c.item(0)?;
    let take = Take {
        guid: c.host.fresh_guid(),
        ..Take::default()
    };
    let takes = &mut c.host.item_mut(item).takes;
    takes.push(take);
    let take = takes.len() - 1;
    c.host.touch(Area::Items);
    answer![c.host.take_pointer(TakeAt { item, take })]
}

fn set_active(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    c.host.item_mut(at.item).active_take = at.take;
    c.host.touch(Area::Items);
    answer![]
}

fn item(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    answer![c.host.item_pointer(at.item)]
}

fn track(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    answer![c.host.track_pointer(TrackAt::Index(at.item.track))]
}

fn name(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    answer![c.host.take(at).name.as_str()]
}

fn is_midi(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    answer![matches!(c.host.take(at).source, Source::Midi(_))]
}

/// Keys that are kept nowhere but exist, with their fixed values.
const FIXED: &[(&str, f64)] = &[
    ("D_PANLAW", -1.0),
    ("I_PITCHMODE", -1.0),
    ("I_STRETCHFLAGS", 0.0),
    ("F_STRETCHFADESIZE", 0.0025),
    ("I_RECPASSID", 0.0),
    ("I_TAKEFX_NCH", 2.0),
    ("I_CUSTOMCOLOR", 0.0),
];

fn get_value(c: &mut Call) -> Answer {
    let (at, key) = (c.take(0)?, c.text(1));
    let key = key.as_str();
    let pointer = match key {
        "P_TRACK" => Some(c.host.track_pointer(TrackAt::Index(at.item.track))),
        "P_ITEM" => Some(c.host.item_pointer(at.item)),
        "P_SOURCE" => {
            let guid = c.host.take(at).guid;
            Some(c.host.pointer(Object::TakeSource(guid, 0)))
        }
        _ => None,
    };
    if let Some(pointer) = pointer {
        return answer![pointer];
    }
    let take = c.host.take(at);
    answer![match key {
        "D_STARTOFFS" => take.start_offset_s,
        "D_VOL" => take.volume,
        "D_PAN" => take.pan,
        "D_PLAYRATE" => take.play_rate,
        "D_PITCH" => take.pitch_semitones,
        "B_PPITCH" => flag(take.preserve_pitch),
        "I_CHANMODE" => f64::from(take.channel_mode),
        "IP_TAKENUMBER" => at.take as f64,
        _ => FIXED
            .iter()
            .find(|(name, _)| *name == key)
            .map_or(0.0, |(_, value)| *value),
    }]
}

fn set_value(c: &mut Call) -> Answer {
    let (at, key, value) = (c.take(0)?, c.text(1), c.num(2));
    if value.is_nan() {
        return answer![false];
    }
    let take = c.host.take_mut(at);
    match key.as_str() {
        "D_STARTOFFS" => take.start_offset_s = value,
        "D_VOL" => take.volume = value,
        "D_PAN" => take.pan = value.clamp(-1.0, 1.0),
        // REAPER's own limits of the take rate.
        "D_PLAYRATE" if value > 0.0 => take.play_rate = value.clamp(0.01, 100.0),
        "D_PITCH" => take.pitch_semitones = value,
        "B_PPITCH" => take.preserve_pitch = on(value),
        "I_CHANMODE" => take.channel_mode = value as i32,
        _ => return answer![false],
    }
    c.host.touch(Area::Items);
    answer![true]
}

fn string(c: &mut Call) -> Answer {
    let (at, key, text, set) = (c.take(0)?, c.text(1), c.text(2), c.bool(3));
    match key.as_str() {
        "P_NAME" if set => {
            c.host.take_mut(at).name = text.clone();
            c.host.touch(Area::Items);
            answer![true, text]
        }
        "P_NAME" => answer![true, c.host.take(at).name.as_str()],
        "GUID" => answer![!set, c.host.take(at).guid.to_string()],
        _ => answer![false, ""],
    }
}

fn source(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let take = c.host.take(at);
    if take.source == Source::Empty {
        return answer![Out::Nil];
    }
    let guid = take.guid;
    answer![c.host.pointer(Object::TakeSource(guid, 0))]
}

/// The source behind a pointer argument.
fn source_at<'a>(c: &'a Call, index: usize) -> Result<&'a Source, Fail> {
    let object = c.object(index);
    let found = match object {
        Some(Object::FreeSource(number)) => c.host.free_sources.get(&number),
        Some(Object::TakeSource(guid, up)) => c
            .host
            .find_take(Object::Take(guid))
            .and_then(|at| ancestor(&c.host.take(at).source, up)),
        _ => None,
    };
    found.ok_or(Fail::Argument {
        index: index + 1,
        expected: "PCM_source*",
    })
}

fn ancestor(source: &Source, up: u32) -> Option<&Source> {
    match (up, source) {
        (0, source) => Some(source),
        (_, Source::Section { source, .. }) => ancestor(source, up - 1),
        _ => None,
    }
}

fn parent(c: &mut Call) -> Answer {
    let section = matches!(source_at(c, 0)?, Source::Section { .. });
    let above = match c.object(0) {
        Some(Object::TakeSource(guid, up)) if section => Some(Object::TakeSource(guid, up + 1)),
        _ => None,
    };
    answer![above.map(|object| c.host.pointer(object))]
}

fn create_source(c: &mut Call) -> Answer {
    let file = c.text(0);
    let source = c.host.source_of_file(Path::new(&file));
    answer![source.map(|source| {
        let object = c.host.add_free_source(source);
        c.host.pointer(object)
    })]
}

fn destroy_source(c: &mut Call) -> Answer {
    if let Some(Object::FreeSource(number)) = c.object(0) {
        c.host.free_sources.remove(&number);
    }
    answer![]
}

fn set_source(c: &mut Call) -> Answer {
    let at = c.take(0)?;
    let source = source_at(c, 1)?.clone();
    let guid = c.host.take(at).guid;
    c.host.take_mut(at).source = source;
    if let Some(object @ Object::FreeSource(number)) = c.object(1) {
        c.host.free_sources.remove(&number);
        c.host.handles.retarget(object, Object::TakeSource(guid, 0));
    }
    c.host.touch(Area::Items);
    answer![true]
}

fn file_name(c: &mut Call) -> Answer {
    let source = source_at(c, 0)?.clone();
    answer![c.host.source_file(&source).unwrap_or_default()]
}

fn length(c: &mut Call) -> Answer {
    let source = source_at(c, 0)?.clone();
    let (length, in_qn) = c.host.source_length(&source);
    answer![length, in_qn]
}

fn sample_rate(c: &mut Call) -> Answer {
    let source = source_at(c, 0)?.clone();
    answer![
        c.host
            .source_fact(&source)
            .map_or(0, |fact| fact.sample_rate_hz)
    ]
}

fn channels(c: &mut Call) -> Answer {
    let source = source_at(c, 0)?.clone();
    let midi = u32::from(matches!(source, Source::Midi(_)));
    answer![
        c.host
            .source_fact(&source)
            .map_or(midi, |fact| fact.channels)
    ]
}

fn kind(c: &mut Call) -> Answer {
    answer![match source_at(c, 0)? {
        Source::Empty => "EMPTY",
        Source::Audio { kind, .. } | Source::Other { kind, .. } => kind.as_str(),
        Source::Midi(_) => "MIDI",
        Source::Section { .. } => "SECTION",
    }]
}

fn section_info(c: &mut Call) -> Answer {
    match source_at(c, 0)? {
        Source::Section {
            start_s,
            length_s,
            reversed,
            ..
        } => answer![true, *start_s, *length_s, *reversed],
        _ => answer![false, 0.0, 0.0, false],
    }
}

impl Host {
    /// A source that plays a file; `None` when it cannot be read.
    pub(in crate::host) fn source_of_file(&mut self, file: &Path) -> Option<Source> {
        let file = std::path::absolute(file).ok()?;
        self.media.get(&file)?;
        Some(Source::Audio {
            kind: kind_of(&file).to_owned(),
            file: file.to_string_lossy().into_owned(),
        })
    }

    /// Where the file of a source lies.
    pub(in crate::host) fn source_file(&self, source: &Source) -> Option<String> {
        match source {
            Source::Audio { file, .. }
            | Source::Other {
                file: Some(file), ..
            } => Some(self.resolve_media(file).to_string_lossy().into_owned()),
            Source::Section { source, .. } => self.source_file(source),
            _ => None,
        }
    }

    pub(in crate::host) fn source_fact(
        &mut self,
        source: &Source,
    ) -> Option<crate::host::files::MediaFact> {
        let file = self.source_file(source)?;
        self.media.get(Path::new(&file))
    }

    /// Length in seconds, or in quarter notes for MIDI (then true).
    pub(in crate::host) fn source_length(&mut self, source: &Source) -> (f64, bool) {
        match source {
            Source::Midi(midi) => (
                midi.length_ticks as f64 / f64::from(midi.ticks_per_qn.max(1)),
                true,
            ),
            Source::Section { length_s, .. } => (*length_s, false),
            _ => (
                self.source_fact(source).map_or(0.0, |fact| fact.length_s),
                false,
            ),
        }
    }

    /// A path of the project file as a path of this system.
    pub(in crate::host) fn resolve_media(&self, file: &str) -> PathBuf {
        let folder = self.project.settings.path.as_deref().and_then(Path::parent);
        resolve_media(file, folder.unwrap_or(Path::new("")))
    }
}

/// REAPER's name for the kind of an audio file.
fn kind_of(file: &Path) -> &'static str {
    let extension = file
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("flac") => "FLAC",
        Some("mp3") => "MP3",
        Some("ogg" | "oga") => "VORBIS",
        Some("wv") => "WAVPACK",
        _ => "WAVE",
    }
}
