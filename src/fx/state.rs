//! Saved plug-in states: the frame around a VST's state, and taking states
//! from and to a project.

use std::sync::Arc;

use super::bytes::Reader;
use super::model::Model;
use super::registry::model_of;
use crate::project::{Fx, Project};

/// Mark of a VST state that is the plug-in's own chunk.
const OWN_CHUNK: u32 = 0xFEED_5EEE;
/// Mark of a VST state that is a plain list of floats.
const FLOAT_LIST: u32 = 0xFEED_5EEF;
/// More pins than any plug-in has; a larger count means a broken header.
const MAX_PINS: usize = 1024;

/// A VST's saved state taken apart: what `Fx::state` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VstState {
    pub id: u32,
    /// The state is the plug-in's own chunk, not REAPER's list of floats.
    pub own_chunk: bool,
    /// One mask of track channels per input pin.
    pub pins_in: Vec<u64>,
    pub pins_out: Vec<u64>,
    /// Program number in the low half, preset flags in the high half.
    pub flags: u32,
    /// The plug-in's own bytes.
    pub state: Vec<u8>,
    /// Program name between zeros, then the flags again.
    pub trailer: Vec<u8>,
}

impl VstState {
    /// Takes the bytes of a saved state apart; `None` when the header is broken.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let id = reader.u32()?;
        let mark = reader.u32()?;
        if mark != OWN_CHUNK && mark != FLOAT_LIST {
            return None;
        }
        let pins_in = pins(&mut reader)?;
        let pins_out = pins(&mut reader)?;
        let length = reader.u32()? as usize;
        let _is_chunk = reader.u32()?;
        let flags = reader.u32()?;
        let state = reader.take(length)?.to_vec();
        Some(Self {
            id,
            own_chunk: mark == OWN_CHUNK,
            pins_in,
            pins_out,
            flags,
            state,
            trailer: reader.rest().to_vec(),
        })
    }

    /// The bytes of the header alone: the first of the three texts in a project.
    pub fn header(&self) -> Vec<u8> {
        let mark = if self.own_chunk {
            OWN_CHUNK
        } else {
            FLOAT_LIST
        };
        let mut bytes = Vec::new();
        bytes.extend(self.id.to_le_bytes());
        bytes.extend(mark.to_le_bytes());
        for pins in [&self.pins_in, &self.pins_out] {
            bytes.extend((pins.len() as u32).to_le_bytes());
            bytes.extend(pins.iter().flat_map(|pin| pin.to_le_bytes()));
        }
        bytes.extend((self.state.len() as u32).to_le_bytes());
        bytes.extend(u32::from(self.own_chunk).to_le_bytes());
        bytes.extend(self.flags.to_le_bytes());
        bytes
    }

    /// Header, state and trailer joined.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.header();
        bytes.extend(&self.state);
        bytes.extend(&self.trailer);
        bytes
    }

    /// The frame of a new instance, as REAPER saves it.
    fn new(model: &Model, id: u32) -> Self {
        let one_to_one = |pins: usize| (0..pins.min(64)).map(|pin| 1 << pin).collect();
        Self {
            id,
            own_chunk: model.plug.own_chunk(),
            pins_in: one_to_one(model.pins_in),
            pins_out: one_to_one(model.pins_out),
            flags: 0x0010_0000,
            state: Vec::new(),
            // An empty program name; the flags' high half again.
            trailer: [&[0, 0][..], &0x10_u32.to_le_bytes()].concat(),
        }
    }
}

impl Model {
    /// The plug-in's own bytes in the saved state of an instance.
    pub fn plugin_state(&self, fx: &Fx) -> Option<Vec<u8>> {
        let bytes = fx.state.as_deref()?;
        match self.id {
            Some(_) => Some(VstState::parse(bytes)?.state),
            None => Some(bytes.clone()),
        }
    }

    /// The whole saved state for the present parameters: with header and
    /// trailer for a VST, the parameter line of a script.
    pub fn whole_state(&self, fx: &Fx) -> Vec<u8> {
        let state = self.encode_state(fx);
        let Some(id) = self.id else { return state };
        let mut frame = fx
            .state
            .as_deref()
            .and_then(|bytes| VstState::parse(bytes))
            .unwrap_or_else(|| VstState::new(self, id));
        frame.state = state;
        for (pins, own) in [
            (&fx.pins_in, &mut frame.pins_in),
            (&fx.pins_out, &mut frame.pins_out),
        ] {
            if !pins.is_empty() {
                own.clone_from(pins);
            }
        }
        frame.to_bytes()
    }
}

/// Id in the saved state of a VST.
pub(crate) fn saved_id(fx: &Fx) -> Option<u32> {
    let bytes = fx.state.as_deref()?;
    Some(VstState::parse(bytes)?.id)
}

/// Fills parameters, named values and pins from the saved states of all
/// plug-ins that are modelled; defaults stand where a state is missing.
pub fn load_states(project: &mut Project) {
    for_each_fx(project, load_state, |fx| {
        model_of(fx).is_some() && fx.params.is_empty()
    });
}

/// Writes the saved states of all modelled plug-ins whose parameters, named
/// values or pins are not what the saved state says.
pub fn store_states(project: &mut Project) {
    for_each_fx(project, store_state, differs);
}

/// Runs `change` on the effects that `wanted` names; tracks without any are
/// not copied.
fn for_each_fx(project: &mut Project, change: fn(&mut Fx), wanted: fn(&Fx) -> bool) {
    let tracks = std::iter::once(&mut project.master).chain(&mut project.tracks);
    for track in tracks {
        if track.fx.iter().any(wanted) {
            let fxs = &mut Arc::make_mut(track).fx;
            fxs.iter_mut().filter(|fx| wanted(fx)).for_each(change);
        }
    }
}

fn load_state(fx: &mut Fx) {
    let Some(model) = model_of(fx) else { return };
    let decoded = model
        .plugin_state(fx)
        .and_then(|state| model.decode_state(&state));
    if let Some((params, config)) = decoded {
        fx.params = params;
        fx.config = config;
    } else {
        let fresh = model.instantiate();
        fx.params = fresh.params;
        fx.config = fresh.config;
    }
    let frame = model
        .id
        .and(fx.state.as_deref())
        .and_then(|bytes| VstState::parse(bytes));
    if let Some(frame) = frame {
        if fx.pins_in.is_empty() {
            fx.pins_in = frame.pins_in;
        }
        if fx.pins_out.is_empty() {
            fx.pins_out = frame.pins_out;
        }
    }
}

fn store_state(fx: &mut Fx) {
    if let Some(model) = model_of(fx) {
        fx.state = Some(Arc::new(model.whole_state(fx)));
    }
}

fn differs(fx: &Fx) -> bool {
    let Some(model) = model_of(fx) else {
        return false;
    };
    if fx.params.is_empty() && fx.config.is_empty() && fx.state.is_some() {
        // Never loaded: what is saved stands.
        return false;
    }
    let Some(state) = model.plugin_state(fx) else {
        return true;
    };
    // A state of an unknown form stands until someone changes something.
    let (params, config) = model.decode_state(&state).unwrap_or_else(|| {
        let fresh = model.instantiate();
        (fresh.params, fresh.config)
    });
    if params != fx.params || config != fx.config {
        return true;
    }
    let frame = model
        .id
        .and(fx.state.as_deref())
        .and_then(|bytes| VstState::parse(bytes));
    frame.is_some_and(|frame| {
        (!fx.pins_in.is_empty() && fx.pins_in != frame.pins_in)
            || (!fx.pins_out.is_empty() && fx.pins_out != frame.pins_out)
    })
}

fn pins(reader: &mut Reader) -> Option<Vec<u64>> {
    let count = reader.u32()? as usize;
    if count > MAX_PINS {
        return None;
    }
    (0..count).map(|_| reader.u64()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saved states in real projects, as whole decoded chunks.
    fn saved_states(text: &str) -> Vec<Vec<u8>> {
        use base64::Engine as _;
        let engine = base64::engine::general_purpose::STANDARD;
        let mut states = Vec::new();
        let mut lines = text.lines().map(str::trim);
        while let Some(line) = lines.next() {
            if line.starts_with("<VST ") {
                let body = lines.by_ref().take_while(|line| *line != ">");
                let bytes = body.map(|line| engine.decode(line).unwrap_or_default());
                states.push(bytes.collect::<Vec<_>>().concat());
            }
        }
        states
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
    fn states_of_real_projects_come_back_byte_for_byte() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = ["../shared/corpus/rpp", "../../shared/corpus/rpp"]
            .iter()
            .find_map(|folder| std::fs::read_dir(root.join(folder)).ok());
        let Some(entries) = found else {
            eprintln!("skipped: no project corpus beside {}", root.display());
            return;
        };
        let mut count = 0;
        for entry in entries {
            let path = entry.unwrap().path();
            let text =
                String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
            for bytes in saved_states(&text) {
                let mut fx = Fx {
                    state: Some(Arc::new(bytes.clone())),
                    wet: 1.0,
                    ..Fx::default()
                };
                let Some(model) = model_of(&fx) else { continue };
                load_state(&mut fx);
                assert!(
                    !differs(&fx),
                    "{}: {} would be written again",
                    path.display(),
                    model.name
                );
                assert_eq!(
                    *model.whole_state(&fx),
                    *bytes,
                    "{}: {}",
                    path.display(),
                    model.name
                );
                count += 1;
            }
        }
        assert!(count > 50, "only {count} states were found");
    }
}
