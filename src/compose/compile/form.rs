//! The song's form: sections in time, and which text belongs to which.

use serde_spanned::Spanned;

use super::text::{Errors, known, span_of};
use crate::compose::chords::{self, Progression};
use crate::compose::notation::MAX_BARS;
use crate::compose::theory::Key;
use crate::compose::{Content, ContentKind, ScoreSource, Section, SectionSource, TextError};
use crate::diag::suggest;

/// Sections in playing order.
pub(super) struct Form {
    pub(super) bar_qn: f64,
    pub(super) sections: Vec<Placed>,
}

/// A section with its place in the song.
pub(super) struct Placed {
    pub(super) name: String,
    /// The section whose texts it plays when it has none of its own.
    model: Option<usize>,
    pub(super) bars: u32,
    pub(super) start_qn: f64,
}

/// Texts of one key after reading, by section index.
pub(super) struct BySection<T>(Vec<Option<std::rc::Rc<T>>>);

impl<T> BySection<T> {
    pub(super) fn get(&self, section: usize) -> Option<&T> {
        self.0.get(section)?.as_deref()
    }

    fn none(sections: usize) -> Self {
        Self((0..sections).map(|_| None).collect())
    }
}

impl Form {
    pub(super) fn new(source: &ScoreSource, bar_qn: f64, errors: &mut Errors) -> Self {
        let mut form = Self {
            bar_qn,
            sections: Vec::new(),
        };
        let mut bars_before = 0_u32;
        for section in &source.sections {
            let placed = form.place(section, bars_before, errors);
            bars_before = bars_before.saturating_add(placed.bars);
            form.sections.push(placed);
        }
        if source.sections.is_empty() {
            errors.push(
                "sections",
                None,
                "the score has no sections",
                Some("write `sections = [{ name = \"Verse\", bars = 8 }]`"),
            );
        }
        if bars_before > MAX_BARS {
            let message = format!("the song has {bars_before} bars, the most is {MAX_BARS}");
            errors.push("sections", None, &message, None);
            // Nothing is played from a form without bounds.
            form.sections.clear();
        }
        form
    }

    fn place(&self, source: &Spanned<SectionSource>, before: u32, errors: &mut Errors) -> Placed {
        let section = source.get_ref();
        let path = format!("sections.{}", section.name);
        let mut fault = |message: &str, help: Option<&str>| {
            errors.push(&path, span_of(source), message, help);
        };
        if section.name.trim().is_empty() {
            fault("a section has no name", None);
        }
        if self.index(&section.name).is_some() {
            fault(
                &format!("there are two sections called `{}`", section.name),
                Some("give it a name of its own, and `like = \"…\"` to play the same"),
            );
        }
        let model = section.like.as_ref().and_then(|like| {
            let index = self.index(like);
            if index.is_none() {
                let names = self.sections.iter().map(|s| s.name.as_str());
                let close = suggest(like, names).map(|name| format!("did you mean `{name}`?"));
                fault(
                    &format!("no earlier section is called `{like}`"),
                    close.as_deref(),
                );
            }
            index
        });
        let bars = match (section.bars, model) {
            (Some(bars), _) => bars,
            (None, Some(model)) => self.sections[model].bars,
            (None, None) => {
                if section.like.is_none() {
                    fault(
                        &format!("section `{}` has no length", section.name),
                        Some("add `bars = 8`"),
                    );
                }
                1
            }
        };
        if !(1..=MAX_BARS).contains(&bars) {
            let range = format!("`bars` is {bars}, outside 1 to {MAX_BARS}");
            fault(&range, None);
        }
        Placed {
            name: section.name.clone(),
            // A copy of a copy plays what the first one plays, unless it has
            // texts of its own: the chain is followed when texts are chosen.
            model,
            bars: bars.clamp(1, MAX_BARS),
            start_qn: f64::from(before) * self.bar_qn,
        }
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.sections
            .iter()
            .position(|section| section.name == name)
    }

    pub(super) fn end_qn(&self) -> f64 {
        self.sections.last().map_or(0.0, |last| {
            last.start_qn + f64::from(last.bars) * self.bar_qn
        })
    }

    pub(super) fn regions(&self) -> Vec<Section> {
        self.sections
            .iter()
            .map(|section| Section {
                name: section.name.clone(),
                start_qn: section.start_qn,
                end_qn: section.start_qn + f64::from(section.bars) * self.bar_qn,
            })
            .collect()
    }

    pub(super) fn harmony(
        &self,
        source: &ScoreSource,
        key: Option<&Key>,
        errors: &mut Errors,
    ) -> BySection<Progression> {
        let Some(content) = &source.harmony else {
            return BySection::none(self.sections.len());
        };
        self.read(content, "harmony", None, errors, |text| {
            let progression = chords::progression(text, self.bar_qn, key)?;
            let bars = progression.bars;
            Ok((progression, bars))
        })
    }

    /// Reads every text of `content` once and gives each section its own.
    /// `read` returns the value and how many bars it has.
    pub(super) fn read<T>(
        &self,
        content: &Content,
        path: &str,
        only: Option<&[Spanned<String>]>,
        errors: &mut Errors,
        read: impl Fn(&str) -> Result<(T, u32), TextError>,
    ) -> BySection<T> {
        let mut by_section = BySection::none(self.sections.len());
        match content.get_ref() {
            ContentKind::All(text) => {
                let span = content.span();
                if let Some((value, bars)) = errors.text_at(path, &span, text, read(text)) {
                    let value = std::rc::Rc::new(value);
                    for (index, section) in self.sections.iter().enumerate() {
                        if self.plays(index, only) {
                            fits(bars, section, path, &span, errors);
                            by_section.0[index] = Some(value.clone());
                        }
                    }
                }
            }
            ContentKind::Sections(pairs) => {
                if only.is_some() {
                    errors.push(
                        path,
                        known(content.span()),
                        "`sections` limits only a text for all sections",
                        Some("take `sections` away: the table says where each text plays"),
                    );
                }
                for (name, text) in pairs {
                    self.section_exists(name, path, errors);
                    let path = format!("{path}.{}", name.get_ref());
                    if text.get_ref().trim().is_empty() {
                        continue;
                    }
                    let Some((value, bars)) = errors.text(&path, text, read(text.get_ref())) else {
                        continue;
                    };
                    let value = std::rc::Rc::new(value);
                    for (index, section) in self.sections.iter().enumerate() {
                        if self.chosen(index, pairs) == Some(name.get_ref().as_str()) {
                            fits(bars, section, &path, &text.span(), errors);
                            by_section.0[index] = Some(value.clone());
                        }
                    }
                }
            }
        }
        by_section
    }

    /// Reports a section name that does not exist.
    pub(super) fn section_exists(&self, name: &Spanned<String>, path: &str, errors: &mut Errors) {
        if self.sections.is_empty() || self.index(name.get_ref()).is_some() {
            return;
        }
        let names: Vec<&str> = self.sections.iter().map(|s| s.name.as_str()).collect();
        let help = match suggest(name.get_ref(), names.iter().copied()) {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("sections are {}", names.join(", ")),
        };
        let message = format!("there is no section `{}`", name.get_ref());
        errors.push(path, span_of(name), &message, Some(&help));
    }

    /// The section whose text plays in section `index`: itself, or the nearest
    /// that it is like.
    fn chosen<'a>(
        &self,
        index: usize,
        pairs: &'a [(Spanned<String>, Spanned<String>)],
    ) -> Option<&'a str> {
        self.chain(index).find_map(|section| {
            pairs
                .iter()
                .map(|(name, _)| name.get_ref().as_str())
                .find(|name| *name == section.name)
        })
    }

    fn plays(&self, index: usize, only: Option<&[Spanned<String>]>) -> bool {
        only.is_none_or(|only| {
            self.chain(index)
                .any(|section| only.iter().any(|name| *name.get_ref() == section.name))
        })
    }

    /// A section and those that it is like.
    fn chain(&self, index: usize) -> impl Iterator<Item = &Placed> {
        // A model always stands earlier, so this ends.
        std::iter::successors(self.sections.get(index), |section| {
            section.model.and_then(|model| self.sections.get(model))
        })
    }
}

fn fits(
    bars: u32,
    section: &Placed,
    path: &str,
    span: &std::ops::Range<usize>,
    errors: &mut Errors,
) {
    if bars == 0 || section.bars.is_multiple_of(bars) {
        return;
    }
    let message = format!(
        "the text is {bars} bars long and section `{}` {}: not a whole number of repeats",
        section.name, section.bars
    );
    errors.push(
        path,
        known(span.clone()),
        &message,
        Some("give the section a text of its own, or change its `bars`"),
    );
}
