//! How files are rendered: a project's table over the job's over the defaults.

use super::super::written::{FormatName, RenderTable};
use super::super::{BitDepth, Format, RenderOptions, code};
use super::Resolver;
use crate::diag::Diagnostic;

impl Resolver<'_> {
    pub(super) fn render(
        &mut self,
        job: Option<&RenderTable>,
        own: Option<&RenderTable>,
    ) -> RenderOptions {
        let none = RenderTable::default();
        let (job, own) = (job.unwrap_or(&none), own.unwrap_or(&none));
        let format = match own.format.as_ref().or(job.format.as_ref()) {
            Some(format) => match format.get_ref() {
                FormatName::Wav => Format::Wav,
                FormatName::Flac => Format::Flac,
            },
            None => Format::Wav,
        };
        let depth = own.bit_depth.as_ref().or(job.bit_depth.as_ref());
        let bit_depth = match depth.map(|depth| *depth.get_ref()) {
            Some(16) => BitDepth::Int16,
            Some(32) => BitDepth::Float32,
            _ => BitDepth::Int24,
        };
        if format == Format::Flac
            && bit_depth == BitDepth::Float32
            && let Some(depth) = depth
        {
            let place = own.format.as_ref().or(job.format.as_ref());
            let mut diagnostic = Diagnostic::error(
                code::CONFLICT,
                "`bit_depth` is 32, which is floating point; FLAC holds integers of 16 or 24 bit",
            )
            .at(depth.span(), "not in a FLAC file")
            .help("write `bit_depth = 24`, or `format = \"wav\"`");
            if let Some(place) = place {
                diagnostic = diagnostic.see(place.span(), "the format");
            }
            self.report(diagnostic);
        }
        let rate = own.sample_rate.as_ref().or(job.sample_rate.as_ref());
        let pattern = own.pattern.as_ref().or(job.pattern.as_ref());
        let tail = own.tail.as_ref().or(job.tail.as_ref());
        let stems = own.stems.as_ref().or(job.stems.as_ref());
        let overwrite = own.overwrite.as_ref().or(job.overwrite.as_ref());
        RenderOptions {
            format,
            bit_depth,
            sample_rate_hz: rate.map_or(48_000, |rate| *rate.get_ref()),
            pattern: pattern.map_or_else(|| "$project".to_owned(), |text| text.get_ref().clone()),
            tail_s: tail.map_or(1.0, |tail| *tail.get_ref()),
            stems: stems.is_some_and(|flag| *flag.get_ref()),
            overwrite: overwrite.is_some_and(|flag| *flag.get_ref()),
        }
    }
}
