//! Measures of a tempo map. A change of metre starts a new measure.

use crate::project::TempoMap;

/// A measure: counted from 0, with its extent in quarter notes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    pub(super) number: i64,
    pub(super) start_qn: f64,
    pub(super) end_qn: f64,
    pub(super) signature: (u32, u32),
}

/// A stretch with one metre.
struct Stretch {
    first: i64,
    start_qn: f64,
    end_qn: f64,
    signature: (u32, u32),
}

impl Stretch {
    fn length_qn(&self) -> f64 {
        f64::from(self.signature.0) * 4.0 / f64::from(self.signature.1)
    }

    /// The `index`-th measure of the stretch, cut where the metre changes.
    fn measure(&self, index: i64) -> Measure {
        let start_qn = self.start_qn + index as f64 * self.length_qn();
        Measure {
            number: self.first + index,
            start_qn,
            end_qn: (start_qn + self.length_qn()).min(self.end_qn),
            signature: self.signature,
        }
    }
}

/// The measure that holds a position.
pub(super) fn at_qn(map: &TempoMap, qn: f64) -> Measure {
    let stretches = stretches(map);
    let stretch = stretches
        .iter()
        .rev()
        .find(|stretch| stretch.start_qn <= qn + 1e-9)
        .unwrap_or(&stretches[0]);
    let index = ((qn - stretch.start_qn) / stretch.length_qn() + 1e-9).floor() as i64;
    stretch.measure(index)
}

/// The measure with a number, from 0.
pub(super) fn by_number(map: &TempoMap, number: i64) -> Measure {
    let stretches = stretches(map);
    let stretch = stretches
        .iter()
        .rev()
        .find(|stretch| stretch.first <= number)
        .unwrap_or(&stretches[0]);
    stretch.measure(number - stretch.first)
}

/// Never empty: the first one starts at 0.
fn stretches(map: &TempoMap) -> Vec<Stretch> {
    let mut list = vec![Stretch {
        first: 0,
        start_qn: 0.0,
        end_qn: f64::INFINITY,
        signature: map.signature,
    }];
    for point in &map.points {
        let Some(signature) = point.signature else {
            continue;
        };
        let qn = map.time_to_qn(point.time_s);
        let last = list.len() - 1;
        let stretch = &mut list[last];
        if qn <= stretch.start_qn + 1e-9 {
            stretch.signature = signature;
            continue;
        }
        let count = ((qn - stretch.start_qn) / stretch.length_qn() - 1e-9).ceil() as i64;
        stretch.end_qn = qn;
        let first = stretch.first + count;
        list.push(Stretch {
            first,
            start_qn: qn,
            end_qn: f64::INFINITY,
            signature,
        });
    }
    list
}
