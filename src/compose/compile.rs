//! From the written form to notes.
//!
//! Sections are laid out first, then every text is read once, then each part
//! plays through the sections. All faults are collected.

mod form;
mod part;
mod performance;
mod text;

use super::theory::{self, Key};
use super::{ComposeError, Score, ScoreSource};
use crate::units::decimal_text;
use form::Form;
use text::{Errors, span_of};

/// The most notes that one score may have.
const MAX_NOTES: usize = 200_000;

/// Works out a score. Either the whole score, or every fault that was found.
///
/// The result depends on nothing but the source; deviations come from
/// `humanize.seed`.
///
/// # Errors
///
/// At least one [`ComposeError`]: an unknown chord, a bar that does not add
/// up, a section that does not exist, a value out of its range.
pub fn compile(source: &ScoreSource) -> Result<Score, Vec<ComposeError>> {
    let mut errors = Errors::default();
    let bpm = bpm(source, &mut errors);
    let signature = signature(source, &mut errors);
    let bar_qn = f64::from(signature.0) * 4.0 / f64::from(signature.1);
    let key = key(source, &mut errors);
    let swing = swing(source, &mut errors);
    humanize(source, &mut errors);
    let form = Form::new(source, bar_qn, &mut errors);
    let harmony = form.harmony(source, key.as_ref(), &mut errors);

    let mut parts = Vec::new();
    for (index, part) in source.parts.iter().enumerate() {
        let played = part::play(part, &form, &harmony, &mut errors);
        for (track, events) in played {
            let hand = performance::Hand {
                swing,
                humanize: source.humanize,
                part: index as u64,
                end_qn: form.end_qn(),
            };
            parts.push(track.with(hand.play(events)));
        }
    }
    if source.parts.is_empty() {
        errors.push(
            "part",
            None,
            "the score has no parts",
            Some("add a `[[project.compose.part]]`"),
        );
    }
    let notes: usize = parts.iter().map(|part| part.notes.len()).sum();
    if notes > MAX_NOTES {
        let message = format!("the score has {notes} notes, the most is {MAX_NOTES}");
        errors.push("part", None, &message, Some("make the sections shorter"));
    }
    errors.finish()?;
    Ok(Score {
        bpm,
        signature,
        parts,
        sections: form.regions(),
    })
}

fn bpm(source: &ScoreSource, errors: &mut Errors) -> f64 {
    let Some(bpm) = &source.bpm else {
        return 120.0;
    };
    let value = *bpm.get_ref();
    if !(20.0..=999.0).contains(&value) {
        errors.push(
            "bpm",
            span_of(bpm),
            &format!("`bpm` is {}, outside 20 to 999", decimal_text(value, 3)),
            None,
        );
        return 120.0;
    }
    value
}

fn signature(source: &ScoreSource, errors: &mut Errors) -> (u32, u32) {
    let Some(signature) = &source.signature else {
        return (4, 4);
    };
    let parsed = signature
        .get_ref()
        .split_once('/')
        .and_then(|(above, below)| {
            Some((
                above.trim().parse::<u32>().ok()?,
                below.trim().parse::<u32>().ok()?,
            ))
        });
    match parsed {
        Some((above, below))
            if (1..=32).contains(&above) && [1, 2, 4, 8, 16, 32].contains(&below) =>
        {
            (above, below)
        }
        _ => {
            errors.push(
                "signature",
                span_of(signature),
                &format!("`{}` is not a time signature", signature.get_ref()),
                Some("write beats per bar and beat unit: `4/4`, `6/8`"),
            );
            (4, 4)
        }
    }
}

fn key(source: &ScoreSource, errors: &mut Errors) -> Option<Key> {
    let key = source.key.as_ref()?;
    errors.text("key", key, theory::key(key.get_ref()))
}

fn swing(source: &ScoreSource, errors: &mut Errors) -> f64 {
    let Some(swing) = &source.swing else {
        return 0.5;
    };
    let value = *swing.get_ref();
    if !(0.5..=0.75).contains(&value) {
        errors.push(
            "swing",
            span_of(swing),
            &format!("`swing` is {}, outside 0.5 to 0.75", decimal_text(value, 3)),
            Some("0.5 is straight, 0.667 is a triplet feel"),
        );
        return 0.5;
    }
    value
}

fn humanize(source: &ScoreSource, errors: &mut Errors) {
    let Some(humanize) = source.humanize else {
        return;
    };
    if !(0.0..=0.1).contains(&humanize.timing) {
        let message = format!(
            "`timing` is {}, outside 0 to 0.1",
            decimal_text(humanize.timing, 3)
        );
        errors.push(
            "humanize.timing",
            None,
            &message,
            Some("it counts quarter notes"),
        );
    }
    if humanize.velocity > 40 {
        let message = format!("`velocity` is {}, outside 0 to 40", humanize.velocity);
        errors.push("humanize.velocity", None, &message, None);
    }
}
