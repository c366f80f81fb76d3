//! Which loudspeaker each channel of a file feeds.

/// Where a channel is heard. Named as in the WAVE channel mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    FrontLeft,
    FrontRight,
    FrontCenter,
    Lfe,
    BackLeft,
    BackRight,
    BackCenter,
    SideLeft,
    SideRight,
    /// Any other position, or none given.
    Other,
}

/// The loudspeakers of a file, in channel order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    speakers: Vec<Speaker>,
}

impl Layout {
    /// A layout from loudspeakers in channel order.
    pub fn new(speakers: Vec<Speaker>) -> Self {
        Self { speakers }
    }

    /// The usual meaning of a channel count without a mask: mono, stereo,
    /// L R C, quad, 5.0, 5.1, 7.1; other counts have no positions.
    pub fn from_count(channels: usize) -> Self {
        use Speaker::*;
        let speakers = match channels {
            1 => vec![FrontCenter],
            2 => vec![FrontLeft, FrontRight],
            3 => vec![FrontLeft, FrontRight, FrontCenter],
            4 => vec![FrontLeft, FrontRight, BackLeft, BackRight],
            5 => vec![FrontLeft, FrontRight, FrontCenter, BackLeft, BackRight],
            6 => vec![FrontLeft, FrontRight, FrontCenter, Lfe, BackLeft, BackRight],
            8 => vec![
                FrontLeft,
                FrontRight,
                FrontCenter,
                Lfe,
                BackLeft,
                BackRight,
                SideLeft,
                SideRight,
            ],
            n => vec![Other; n],
        };
        Self { speakers }
    }

    /// A layout from a WAVE channel mask. A mask of zero means "not given";
    /// channels beyond the mask have no position.
    pub fn from_wave_mask(mask: u32, channels: usize) -> Self {
        if mask == 0 {
            return Self::from_count(channels);
        }
        let named = (0..32).filter(|bit| mask & (1 << bit) != 0).map(|bit| {
            use Speaker::*;
            match bit {
                0 => FrontLeft,
                1 => FrontRight,
                2 => FrontCenter,
                3 => Lfe,
                4 => BackLeft,
                5 => BackRight,
                8 => BackCenter,
                9 => SideLeft,
                10 => SideRight,
                _ => Other,
            }
        });
        let speakers = named
            .chain(std::iter::repeat(Speaker::Other))
            .take(channels)
            .collect();
        Self { speakers }
    }

    /// Loudspeakers in channel order.
    pub fn speakers(&self) -> &[Speaker] {
        &self.speakers
    }

    /// Loudness weight of each channel, ITU-R BS.1770-5 tables 3 and 4:
    /// surrounds at 60° to 120° count 1.41, the LFE not at all, all others 1.
    /// The back pair of a layout without a side pair stands at 110°.
    pub fn loudness_weights(&self) -> Vec<f64> {
        let has_sides = self.speakers.contains(&Speaker::SideLeft);
        self.speakers
            .iter()
            .map(|speaker| match speaker {
                Speaker::Lfe => 0.0,
                Speaker::SideLeft | Speaker::SideRight => 1.41,
                Speaker::BackLeft | Speaker::BackRight if !has_sides => 1.41,
                _ => 1.0,
            })
            .collect()
    }

    /// The WAVE channel mask of this layout, 0 if a channel has no position
    /// or the order differs from the mask's.
    pub fn wave_mask(&self) -> u32 {
        let mut mask = 0u32;
        for speaker in &self.speakers {
            let bit = match speaker {
                Speaker::FrontLeft => 0,
                Speaker::FrontRight => 1,
                Speaker::FrontCenter => 2,
                Speaker::Lfe => 3,
                Speaker::BackLeft => 4,
                Speaker::BackRight => 5,
                Speaker::BackCenter => 8,
                Speaker::SideLeft => 9,
                Speaker::SideRight => 10,
                Speaker::Other => return 0,
            };
            if mask >> bit != 0 {
                return 0;
            }
            mask |= 1 << bit;
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrounds_weigh_1_41_and_the_lfe_nothing() {
        assert_eq!(
            Layout::from_count(6).loudness_weights(),
            [1.0, 1.0, 1.0, 0.0, 1.41, 1.41]
        );
        assert_eq!(
            Layout::from_count(8).loudness_weights(),
            [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.41, 1.41]
        );
    }

    #[test]
    fn masks_go_both_ways() {
        for channels in [1, 2, 3, 4, 5, 6, 8] {
            let layout = Layout::from_count(channels);
            assert_eq!(Layout::from_wave_mask(layout.wave_mask(), channels), layout);
        }
        assert_eq!(Layout::from_wave_mask(0, 2), Layout::from_count(2));
    }
}
