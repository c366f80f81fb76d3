//! Scores as data: parts with an instrument and notes in quarter notes.

use serde::Serialize;

/// A composed song.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    pub bpm: f64,
    /// Beats per measure and beat unit.
    pub signature: (u32, u32),
    pub parts: Vec<Part>,
    /// Song sections, which become regions.
    pub sections: Vec<Section>,
}

/// One track of a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Track name; the mixer reads the role from it.
    pub name: String,
    /// Name of an instrument that the host has, with its parameters.
    pub instrument: Instrument,
    /// Ordered by start, then pitch.
    pub notes: Vec<Note>,
}

/// An instrument plug-in and how it is set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instrument {
    /// As `TrackFX_AddByName` takes it: `ReaSynth`.
    pub fx: String,
    /// Raw parameter values by name.
    pub params: Vec<(String, f64)>,
    /// Named values (`TrackFX_SetNamedConfigParm`).
    pub config: Vec<(String, String)>,
}

/// A note; positions count from the start of the song.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Note {
    pub start_qn: f64,
    pub length_qn: f64,
    /// MIDI number, 60 is C4.
    pub pitch: u8,
    /// 1 to 127.
    pub velocity: u8,
    /// 0 to 15; drums are on 9.
    pub channel: u8,
}

/// A named stretch of a song.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    pub name: String,
    pub start_qn: f64,
    pub end_qn: f64,
}
