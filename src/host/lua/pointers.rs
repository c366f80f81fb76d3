//! Stable addresses for the objects of a project.
//!
//! An address is a number that Lua holds as light userdata; nothing is ever
//! read through it. Objects are known by GUID, so an address stays good
//! through reordering and comes back to life when a deletion is undone.

use std::collections::HashMap;

use crate::project::{EnvelopeKind, Guid};

/// What an address stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    Project,
    Master,
    Track(Guid),
    Item(Guid),
    Take(Guid),
    /// A lane of a track; `None` is the master.
    Envelope(Option<Guid>, EnvelopeId),
    /// The source of a take, and how many parents up from it.
    TakeSource(Guid, u32),
    /// A source that no take plays yet, by running number.
    FreeSource(u64),
}

/// Which lane of a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EnvelopeId {
    /// By [`EnvelopeKind`], which is not hashable as it stands.
    Track(u8),
    /// A parameter of the effect with this GUID.
    Fx(Guid, usize),
}

impl EnvelopeId {
    pub(crate) fn of(kind: EnvelopeKind) -> Self {
        Self::Track(kind as u8)
    }
}

impl Object {
    /// REAPER's name of the type.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::Project => "ReaProject*",
            Self::Master | Self::Track(_) => "MediaTrack*",
            Self::Item(_) => "MediaItem*",
            Self::Take(_) => "MediaItem_Take*",
            Self::Envelope(..) => "TrackEnvelope*",
            Self::TakeSource(..) | Self::FreeSource(_) => "PCM_source*",
        }
    }
}

/// All addresses given out.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    objects: Vec<Object>,
    addresses: HashMap<Object, usize>,
}

const BASE: usize = 0x5000_0000;
const STEP: usize = 0x40;

impl Handles {
    /// The address of an object, the same one each time.
    pub(crate) fn address(&mut self, object: Object) -> usize {
        if let Some(&address) = self.addresses.get(&object) {
            return address;
        }
        let address = BASE + STEP * self.objects.len();
        self.objects.push(object);
        self.addresses.insert(object, address);
        address
    }

    /// What an address was given out for; the object may be gone since.
    pub(crate) fn object(&self, address: usize) -> Option<Object> {
        let offset = address.checked_sub(BASE)?;
        if offset % STEP != 0 {
            return None;
        }
        self.objects.get(offset / STEP).copied()
    }

    /// Makes the address of `old` stand for `new`: the object has changed its
    /// identity (a state chunk with other GUIDs, a source given to a take).
    pub(crate) fn retarget(&mut self, old: Object, new: Object) {
        if old == new {
            return;
        }
        if let Some(address) = self.addresses.remove(&old) {
            self.objects[(address - BASE) / STEP] = new;
            self.addresses.insert(new, address);
        }
    }
}
