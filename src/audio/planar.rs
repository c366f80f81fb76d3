//! A block of audio: one slice per channel, all of the same length.

/// A reusable block of up to `capacity` frames. Setting the length never
/// allocates.
#[derive(Debug, Clone, PartialEq)]
pub struct Planar<T = f32> {
    channels: Vec<Vec<T>>,
    frames: usize,
    capacity: usize,
}

impl<T: Copy + Default> Planar<T> {
    /// A silent block without frames that can hold `capacity` of them.
    pub fn new(channels: usize, capacity: usize) -> Self {
        Self {
            channels: vec![vec![T::default(); capacity]; channels],
            frames: 0,
            capacity,
        }
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Frames that are in use.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Frames that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Sets the frames in use, at most [`Planar::capacity`]; samples that come
    /// into use keep whatever they held.
    pub fn set_frames(&mut self, frames: usize) {
        self.frames = frames.min(self.capacity);
    }

    /// Sets every sample to zero and keeps the length.
    pub fn silence(&mut self) {
        for channel in &mut self.channels {
            channel.fill(T::default());
        }
    }

    /// The frames in use of a channel.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn channel(&self, index: usize) -> &[T] {
        &self.channels[index][..self.frames]
    }

    /// The frames in use of a channel, to write to.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn channel_mut(&mut self, index: usize) -> &mut [T] {
        &mut self.channels[index][..self.frames]
    }

    /// The frames in use, channel by channel.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.channels.iter().map(|channel| &channel[..self.frames])
    }
}
