//! The project model: plain data, REAPER's own meanings and defaults.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::rpp::{Chunk, Document, Node};
use super::{Guid, TempoMap};

/// A whole project.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    pub settings: Settings,
    pub tempo: TempoMap,
    /// The master track; its [`Track::sends`] do not exist, see [`Project::sends`].
    pub master: Arc<Track>,
    pub tracks: Vec<Arc<Track>>,
    /// All sends in the order of creation. The sends of a track are those with
    /// its GUID as source, its receives those with its GUID as destination.
    pub sends: Vec<Send>,
    /// Markers and regions, ordered by position.
    pub markers: Vec<Marker>,
    pub render: RenderSettings,
    /// Time selection, `(start, end)` in seconds; equal when there is none.
    pub time_selection_s: (f64, f64),
    pub loop_range_s: (f64, f64),
    pub edit_cursor_s: f64,
    /// Values that extensions and scripts keep in the project, by section and key.
    pub ext_state: BTreeMap<String, BTreeMap<String, String>>,
    /// The file as read, for lines that the model does not know.
    pub raw: Option<Arc<Document>>,
}

/// Project settings with an effect on sound, files or what people read.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where the project lives; `None` until it is saved.
    pub path: Option<PathBuf>,
    pub title: String,
    pub author: String,
    pub notes: String,
    pub sample_rate_hz: u32,
    /// The project rate is used instead of the device's.
    pub sample_rate_forced: bool,
    /// Project pan law as the gain at the centre: 1 is 0 dB.
    pub pan_law: f64,
    pub pan_law_flags: i32,
    pub pan_mode: PanMode,
    /// Media folder, relative to the project or absolute; empty is the project's own.
    pub record_path: String,
    pub play_rate: f64,
    /// Ripple editing: 0 off, 1 per track, 2 all tracks.
    pub ripple: i32,
    /// Grid division in whole notes (0.25 is a quarter note).
    pub grid: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            path: None,
            title: String::new(),
            author: String::new(),
            notes: String::new(),
            sample_rate_hz: 44_100,
            sample_rate_forced: false,
            pan_law: 1.0,
            pan_law_flags: 3,
            pan_mode: PanMode::StereoBalance,
            record_path: String::new(),
            play_rate: 1.0,
            ripple: 0,
            grid: 0.25,
        }
    }
}

/// How a stereo signal is panned; the numbers are REAPER's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanMode {
    OldBalance = 0,
    StereoBalance = 3,
    StereoPan = 5,
    DualPan = 6,
}

impl PanMode {
    /// The mode with REAPER's number, `None` for "project default" and unknown ones.
    pub fn from_number(number: i32) -> Option<Self> {
        match number {
            0 | 1 => Some(Self::OldBalance),
            3 => Some(Self::StereoBalance),
            5 => Some(Self::StereoPan),
            6 => Some(Self::DualPan),
            _ => None,
        }
    }
}

/// A track, or the master.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    pub guid: Guid,
    pub name: String,
    /// Fader, linear: 1 is 0 dB.
    pub volume: f64,
    /// -1 left to 1 right.
    pub pan: f64,
    /// -1 (swapped) to 1.
    pub width: f64,
    /// Left and right positions in dual-pan mode.
    pub dual_pan: (f64, f64),
    /// `None` is the project's mode.
    pub pan_mode: Option<PanMode>,
    /// `None` is the project's law.
    pub pan_law: Option<f64>,
    pub muted: bool,
    /// 0 off, 1 solo, 2 in place, 5 and 6 the safe forms.
    pub solo: i32,
    pub solo_defeat: bool,
    pub phase_inverted: bool,
    pub fx_enabled: bool,
    /// Even, 2 to 128.
    pub channels: u32,
    /// 1 opens a folder, 0 is plain, -n closes n folders after this track.
    pub folder_depth: i32,
    /// Feeds its parent or the master.
    pub main_send: bool,
    pub main_send_offset: u32,
    /// REAPER's native colour with the 0x1000000 bit; 0 is none.
    pub color: i32,
    pub selected: bool,
    pub armed: bool,
    pub record_input: i32,
    /// 0 trim, 1 read, 2 touch, 3 write, 4 latch.
    pub automation_mode: i32,
    pub fx: Vec<Fx>,
    pub items: Vec<Item>,
    pub envelopes: Vec<Envelope>,
    /// Persistent values set by scripts (`P_EXT:name`).
    pub ext: BTreeMap<String, String>,
    /// Other numeric values that scripts have set, by REAPER's key, without effect on sound.
    pub other: BTreeMap<String, f64>,
    pub raw: Option<Arc<Chunk>>,
}

impl Default for Track {
    fn default() -> Self {
        Self {
            guid: Guid::default(),
            name: String::new(),
            volume: 1.0,
            pan: 0.0,
            width: 1.0,
            dual_pan: (-1.0, 1.0),
            pan_mode: None,
            pan_law: None,
            muted: false,
            solo: 0,
            solo_defeat: false,
            phase_inverted: false,
            fx_enabled: true,
            channels: 2,
            folder_depth: 0,
            main_send: true,
            main_send_offset: 0,
            color: 0,
            selected: false,
            armed: false,
            record_input: 0,
            automation_mode: 0,
            fx: Vec::new(),
            items: Vec::new(),
            envelopes: Vec::new(),
            ext: BTreeMap::new(),
            other: BTreeMap::new(),
            raw: None,
        }
    }
}

/// One effect or instrument in a chain.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fx {
    pub guid: Guid,
    /// Name as REAPER reports it: `VST: ReaEQ (Cockos)`, `JS: Volume Adjustment`.
    pub name: String,
    /// File or path part of the project line: `reaeq.dll`, `utility/volume`.
    pub file: String,
    /// The user's own name for the instance; empty when there is none.
    pub alias: String,
    pub bypassed: bool,
    pub offline: bool,
    /// 1 is fully wet.
    pub wet: f64,
    /// Output only the difference to the input.
    pub delta: bool,
    /// Raw values in parameter order, without REAPER's three common ones.
    /// Empty when the plug-in is not modelled.
    pub params: Vec<f64>,
    /// Named values that are not parameters (`BANDTYPE0`, `FILE0`).
    pub config: BTreeMap<String, String>,
    pub preset: String,
    /// Track channels each input pin takes, one bit mask a pin; empty is the
    /// plug-in's default.
    pub pins_in: Vec<u64>,
    pub pins_out: Vec<u64>,
    pub envelopes: Vec<FxEnvelope>,
    /// Plug-in state as saved, decoded from base64; written back untouched
    /// while `params` and `config` still say the same.
    pub state: Option<Arc<Vec<u8>>>,
    pub raw: Option<Arc<Vec<Node>>>,
}

/// Automation of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct FxEnvelope {
    /// Index into the parameters; past the end come bypass, wet and delta.
    pub param: usize,
    pub envelope: Envelope,
}

/// An automation lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    pub kind: EnvelopeKind,
    pub active: bool,
    /// Ordered by time.
    pub points: Vec<EnvelopePoint>,
    /// Volume points as written in the project are amplitudes in both modes.
    pub fader_scaling: bool,
    pub raw: Option<Arc<Chunk>>,
}

/// What a lane moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvelopeKind {
    Volume,
    VolumePreFx,
    VolumeTrim,
    Pan,
    PanPreFx,
    Width,
    WidthPreFx,
    Mute,
    FxParam,
}

/// A point of an automation lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnvelopePoint {
    pub time_s: f64,
    /// Volume: amplitude. Pan: +1 is left, as REAPER stores it.
    pub value: f64,
    /// 0 linear, 1 square, 2 slow start/end, 3 fast start, 4 fast end, 5 bezier.
    pub shape: i32,
    /// -1 to 1, bezier only.
    pub tension: f64,
    pub selected: bool,
}

/// A routing connection.
#[derive(Debug, Clone, PartialEq)]
pub struct Send {
    pub source: Guid,
    /// `None` is a hardware output, which a render leaves out.
    pub dest: Option<Guid>,
    pub mode: SendMode,
    pub volume: f64,
    pub pan: f64,
    pub muted: bool,
    pub mono: bool,
    pub phase_inverted: bool,
    /// REAPER's `I_SRCCHAN`: -1 none, low 10 bits offset, above them the width.
    pub source_channel: i32,
    /// REAPER's `I_DSTCHAN`.
    pub dest_channel: i32,
    /// REAPER's `I_MIDIFLAGS`; 31 in the low bits is no MIDI.
    pub midi_flags: i32,
    pub pan_law: Option<f64>,
    /// The receive line as read and the envelopes that belong to it.
    pub raw: Option<Arc<Vec<Node>>>,
}

/// Where a send taps its source; the numbers are REAPER's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendMode {
    PostFader = 0,
    PreFx = 1,
    PostFxOld = 2,
    PreFader = 3,
}

impl SendMode {
    /// The mode with REAPER's number.
    pub fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::PostFader),
            1 => Some(Self::PreFx),
            2 => Some(Self::PostFxOld),
            3 => Some(Self::PreFader),
            _ => None,
        }
    }
}

impl Send {
    /// A send as REAPER makes it: 0 dB, post-fader, channels 1/2 to 1/2.
    pub fn new(source: Guid, dest: Option<Guid>) -> Self {
        Self {
            source,
            dest,
            mode: SendMode::PostFader,
            volume: 1.0,
            pan: 0.0,
            muted: false,
            mono: false,
            phase_inverted: false,
            source_channel: 0,
            dest_channel: 0,
            midi_flags: 0,
            pan_law: None,
            raw: None,
        }
    }
}

/// A media item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub guid: Guid,
    pub position_s: f64,
    pub length_s: f64,
    pub snap_offset_s: f64,
    /// Item volume, linear.
    pub volume: f64,
    pub muted: bool,
    pub selected: bool,
    pub loop_source: bool,
    pub fade_in: Fade,
    pub fade_out: Fade,
    pub color: i32,
    pub notes: String,
    pub takes: Vec<Take>,
    pub active_take: usize,
    /// Other numeric values that scripts have set, by REAPER's key.
    pub other: BTreeMap<String, f64>,
    pub raw: Option<Arc<Chunk>>,
}

impl Default for Item {
    fn default() -> Self {
        Self {
            guid: Guid::default(),
            position_s: 0.0,
            length_s: 0.0,
            snap_offset_s: 0.0,
            volume: 1.0,
            muted: false,
            selected: false,
            loop_source: true,
            fade_in: Fade::default(),
            fade_out: Fade::default(),
            color: 0,
            notes: String::new(),
            takes: Vec::new(),
            active_take: 0,
            other: BTreeMap::new(),
            raw: None,
        }
    }
}

impl Item {
    /// The take that plays.
    pub fn take(&self) -> Option<&Take> {
        self.takes.get(self.active_take)
    }

    /// End of the item in seconds.
    pub fn end_s(&self) -> f64 {
        self.position_s + self.length_s
    }
}

/// A fade of an item.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fade {
    pub length_s: f64,
    /// Length of the automatic fade; negative or zero is none. It wins when set.
    pub auto_length_s: f64,
    /// 0 linear, 1 fast start, 2 fast end, 3 and 4 the steep forms,
    /// 5 slow start and end, 6 its steep form.
    pub shape: i32,
    /// -1 to 1.
    pub curvature: f64,
}

/// A take of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Take {
    pub guid: Guid,
    pub name: String,
    /// Linear; negative inverts.
    pub volume: f64,
    pub pan: f64,
    pub start_offset_s: f64,
    pub play_rate: f64,
    pub preserve_pitch: bool,
    pub pitch_semitones: f64,
    /// 0 normal, 1 reversed, 2 downmix, 3 left, 4 right.
    pub channel_mode: i32,
    pub source: Source,
    /// Effects and envelopes of takes are kept but not modelled.
    pub raw: Option<Arc<Vec<Node>>>,
}

impl Default for Take {
    fn default() -> Self {
        Self {
            guid: Guid::default(),
            name: String::new(),
            volume: 1.0,
            pan: 0.0,
            start_offset_s: 0.0,
            play_rate: 1.0,
            preserve_pitch: true,
            pitch_semitones: 0.0,
            channel_mode: 0,
            source: Source::Empty,
            raw: None,
        }
    }
}

/// What a take plays.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    Empty,
    /// An audio file. `file` is as written: absolute or relative to the project.
    Audio {
        file: String,
        kind: String,
    },
    Midi(Arc<MidiSource>),
    /// A part of another source, possibly reversed.
    Section {
        start_s: f64,
        length_s: f64,
        reversed: bool,
        source: Box<Source>,
    },
    /// Kinds without a model (sub-projects, video, click): kept as they are.
    Other {
        kind: String,
        file: Option<String>,
    },
}

/// MIDI data of a take.
#[derive(Debug, Clone, PartialEq)]
pub struct MidiSource {
    pub ticks_per_qn: u32,
    pub pool: Guid,
    /// Events by ascending tick; equal ticks keep their order.
    pub events: Vec<MidiEvent>,
    /// Length in ticks (where the closing all-notes-off stands).
    pub length_ticks: u64,
}

impl Default for MidiSource {
    fn default() -> Self {
        Self {
            ticks_per_qn: 960,
            pool: Guid::default(),
            events: Vec::new(),
            length_ticks: 0,
        }
    }
}

/// One MIDI event.
#[derive(Debug, Clone, PartialEq)]
pub struct MidiEvent {
    pub tick: u64,
    pub selected: bool,
    pub muted: bool,
    pub message: MidiMessage,
}

/// A channel message or a longer one.
#[derive(Debug, Clone, PartialEq)]
pub enum MidiMessage {
    /// Status and two data bytes.
    Short([u8; 3]),
    /// System exclusive or text, with REAPER's own framing bytes.
    Long(Vec<u8>),
}

/// A marker or a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Marker {
    /// The number people see; markers and regions count apart.
    pub number: i32,
    pub name: String,
    pub position_s: f64,
    /// Set for regions.
    pub end_s: Option<f64>,
    pub color: i32,
    pub guid: Guid,
}

/// What action 42230 renders. Numbers are those of REAPER's render keys.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderSettings {
    /// `RENDER_FILE`: output folder.
    pub folder: String,
    /// `RENDER_PATTERN`: file name without extension, may hold wildcards.
    pub pattern: String,
    /// `RENDER_FORMAT`: decoded sink block (`evaw…`).
    pub format: Vec<u8>,
    /// `RENDER_SETTINGS` bits.
    pub settings: u32,
    /// `RENDER_BOUNDSFLAG`: 0 custom, 1 project, 2 time selection, 3 all regions.
    pub bounds: u32,
    pub start_s: f64,
    pub end_s: f64,
    /// `RENDER_SRATE`: 0 is the project's.
    pub sample_rate_hz: u32,
    pub channels: u32,
    pub tail_flags: u32,
    pub tail_ms: f64,
    /// `RENDER_DITHER` bits.
    pub dither: u32,
    /// Keys without an effect here, kept for whoever reads them back.
    pub other: BTreeMap<String, f64>,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            folder: String::new(),
            pattern: String::new(),
            format: Vec::new(),
            settings: 0,
            bounds: 1,
            start_s: 0.0,
            end_s: 0.0,
            sample_rate_hz: 0,
            channels: 2,
            tail_flags: 18,
            tail_ms: 1000.0,
            dither: 0,
            other: BTreeMap::new(),
        }
    }
}

impl Default for Project {
    fn default() -> Self {
        let master = Track {
            guid: Guid::from_seed("master"),
            name: "MASTER".to_owned(),
            ..Track::default()
        };
        Self {
            settings: Settings::default(),
            tempo: TempoMap::default(),
            master: Arc::new(master),
            tracks: Vec::new(),
            sends: Vec::new(),
            markers: Vec::new(),
            render: RenderSettings::default(),
            time_selection_s: (0.0, 0.0),
            loop_range_s: (0.0, 0.0),
            edit_cursor_s: 0.0,
            ext_state: BTreeMap::new(),
            raw: None,
        }
    }
}

impl Project {
    /// A track for writing; copies it when an undo step still shares it.
    pub fn track_mut(&mut self, index: usize) -> Option<&mut Track> {
        self.tracks.get_mut(index).map(Arc::make_mut)
    }

    /// The master for writing.
    pub fn master_mut(&mut self) -> &mut Track {
        Arc::make_mut(&mut self.master)
    }

    /// Position of the track with a GUID; the master has none.
    pub fn track_index(&self, guid: Guid) -> Option<usize> {
        self.tracks.iter().position(|track| track.guid == guid)
    }

    /// Latest end of items, markers, regions and tempo points, in seconds.
    pub fn length_s(&self) -> f64 {
        let items = self
            .tracks
            .iter()
            .flat_map(|track| track.items.iter().map(Item::end_s));
        let markers = self
            .markers
            .iter()
            .map(|marker| marker.end_s.unwrap_or(marker.position_s));
        let tempo = self.tempo.points.iter().map(|point| point.time_s);
        items.chain(markers).chain(tempo).fold(0.0, f64::max)
    }

    /// Parent folder of each track, by index; `None` feeds the master.
    /// Depths that never return to zero or go below it are accepted.
    pub fn parents(&self) -> Vec<Option<usize>> {
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(self.tracks.len());
        for (index, track) in self.tracks.iter().enumerate() {
            parents.push(open.last().copied());
            match track.folder_depth {
                depth if depth > 0 => open.push(index),
                depth => {
                    for _ in 0..depth.unsigned_abs() {
                        open.pop();
                    }
                }
            }
        }
        parents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_depths(depths: &[i32]) -> Project {
        Project {
            tracks: depths
                .iter()
                .map(|&folder_depth| {
                    Arc::new(Track {
                        folder_depth,
                        ..Track::default()
                    })
                })
                .collect(),
            ..Project::default()
        }
    }

    #[test]
    fn folders_nest_by_running_depth() {
        let project = with_depths(&[1, 1, -2, 0]);
        assert_eq!(project.parents(), [None, Some(0), Some(1), None]);
    }

    #[test]
    fn depths_out_of_balance_are_accepted() {
        assert_eq!(with_depths(&[-3, 1, 0]).parents(), [None, None, Some(1)]);
    }

    #[test]
    fn length_is_the_latest_end() {
        let mut project = with_depths(&[0]);
        project.track_mut(0).unwrap().items.push(Item {
            position_s: 1.0,
            length_s: 2.5,
            ..Item::default()
        });
        assert_eq!(project.length_s(), 3.5);
    }
}
