//! The steps of a project, as bridge commands and measurements.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::folder::{extension, known_name, pattern, publish, stem_name};
use super::journal::Recorded;
use super::workbench::Workbench;
use super::{StepError, measure, targets};
use crate::bridge::{Bridge, Call};
use crate::compose::{self, Score};
use crate::files::write_whole;
use crate::job::{
    BitDepth, Format, MasterOptions, MixOptions, ProjectPlan, RenderOptions, Source, Step,
};
use crate::mix;
use crate::mix::master::MasterReading;
use crate::qc::{self, Check, Span};
use crate::report::{self, MasterPass, RoleMatch};

/// A render to be asked for.
struct Export<'a> {
    pattern: &'a str,
    format: &'a str,
    /// Tracks to render as stems; `None` is the mix.
    tracks: Option<&'a [i64]>,
}

/// The steps. Each returns what a progress line says of it.
impl Workbench {
    /// Opens the source, and goes on with a copy in the output folder.
    pub fn open(&mut self) -> Result<String, StepError> {
        if let Source::Project(path) = self.plan.source.clone() {
            self.call("project_open", json!({ "path": path }))?;
        }
        let copy = self.draft();
        self.call("project_save_as", json!({ "path": copy }))?;
        if let Some(bpm) = self.plan.tempo_bpm {
            self.call("transport_set_bpm", json!({ "bpm": bpm }))?;
        }
        let hello = self.hello();
        Ok(format!("{} {}", hello.host_name, hello.host_version))
    }

    /// Makes a track of every stem.
    pub fn configure_tracks(&mut self) -> Result<String, StepError> {
        let Source::Stems(stems) = self.plan.source.clone() else {
            let tracks = self.tracks()?.len();
            return Ok(format!("{tracks} tracks"));
        };
        let named: Vec<Value> = stems
            .iter()
            .enumerate()
            .map(|(index, stem)| json!({ "track_index": index, "name": stem.track }))
            .collect();
        // The bridge takes at most 50 tracks at a time.
        let mut calls: Vec<Call> = named
            .chunks(50)
            .map(|tracks| Call::new("configure_tracks", json!({ "tracks": tracks })))
            .collect();
        calls.extend(stems.iter().enumerate().map(|(index, stem)| {
            Call::new(
                "item_insert_media",
                json!({ "track_index": index, "path": stem.file, "position": 0.0 }),
            )
        }));
        self.batch(calls)?;
        Ok(format!("{} stems", stems.len()))
    }

    /// Puts a score into the project.
    pub fn compose(&mut self, score: &Score) -> Result<String, StepError> {
        self.batch(compose::calls(score))?;
        let notes: usize = score.parts.iter().map(|part| part.notes.len()).sum();
        Ok(format!("{} parts, {notes} notes", score.parts.len()))
    }

    /// Measures all stems, decides the mix and applies it.
    pub fn mix(&mut self, options: &MixOptions) -> Result<String, StepError> {
        let mut overview = mix::observe(&mut self.bridge())?;
        if self.plan.tempo_bpm.is_none() && matches!(self.plan.source, Source::Stems(_)) {
            // The new project's default says nothing about the song.
            overview.tempo_bpm = None;
        }
        let levels = if options.measured {
            self.measure_stems(&overview)?
        } else {
            Vec::new()
        };
        let style = targets::needed(self.style.as_ref())?;
        // The stems were measured through the faders of before the first mix.
        let mut bare = overview.clone();
        for track in &mut bare.tracks {
            if let Some(original) = track.original {
                track.volume_db = original.volume_db;
            }
        }
        let mut plan = mix::plan::mix(&bare, &levels, style, options)?;
        self.entry.roles = plan
            .tracks
            .iter()
            .map(|track| RoleMatch {
                track: track.name.clone(),
                role: track.role.clone(),
                confidence: track.confidence,
            })
            .collect();
        self.entry.unmatched = plan.unmatched.clone();
        self.entry
            .notes
            .extend(
                plan.notes
                    .iter()
                    .filter(|note| !note.detail)
                    .map(|note| match &note.track {
                        Some(track) => format!("{track}: {}", note.text),
                        None => note.text.clone(),
                    }),
            );
        if self.plan.require_roles && !plan.unmatched.is_empty() {
            return Err(StepError::Unmatched {
                tracks: plan.unmatched.join(", "),
            });
        }
        let mut changed = 0;
        if options.measured {
            // Effects first, at the faders as they are; then faders by what
            // comes out of the effects.
            let mut effects = plan.clone();
            for track in &mut effects.tracks {
                let now = overview
                    .tracks
                    .iter()
                    .find(|facts| facts.index == track.index);
                track.volume_db = now.map_or(track.volume_db, |facts| facts.volume_db);
            }
            changed += mix::apply::mix(&mut self.bridge(), &effects)?.changed;
            let processed = self.measure_tracks(&overview)?;
            mix::plan::trim(&mut plan, &overview, &processed);
        }
        changed += mix::apply::mix(&mut self.bridge(), &plan)?.changed;
        self.write_plan(&plan)?;
        Ok(format!(
            "{} of {} tracks matched, {changed} values set",
            plan.tracks.len(),
            plan.tracks.len() + plan.unmatched.len(),
        ))
    }

    /// Builds the master chain and finds its drive by rendering.
    pub fn master(&mut self, options: &MasterOptions) -> Result<String, StepError> {
        let format = "wav32f";
        let mut pass = 0;
        let renders = self.renders();
        let render_options = self.plan.render.clone();
        let options = self.aims(options)?;
        let cancel = Arc::clone(&self.cancel);
        let mut reading = |bridge: &mut dyn Bridge| -> Result<MasterReading, StepError> {
            pass += 1;
            let name = format!("master-pass-{pass}");
            let export = Export {
                pattern: &name,
                format,
                tracks: None,
            };
            let files = render(bridge, &render_options, &renders, &export)?;
            let reading = measure::master(&files[0], &cancel)?;
            for file in files {
                fs::remove_file(&file).map_err(StepError::io("cannot remove", &file))?;
            }
            Ok(reading)
        };
        let mut bridge = Recorded {
            client: self.host.client(),
            journal: &mut self.journal,
        };
        let style = targets::needed(self.style.as_ref())?;
        let outcome = mix::master::run(&mut bridge, style, &options, None, &mut reading)?;
        self.entry.master_passes = outcome
            .passes
            .iter()
            .map(|pass| MasterPass {
                drive_db: pass.drive_db,
                integrated_lufs: pass.integrated_lufs,
                true_peak_dbtp: pass.true_peak_dbtp,
                limiting_db: pass.limiting_db,
            })
            .collect();
        self.entry.notes.extend(outcome.notes.iter().cloned());
        let last = outcome.passes.last().and_then(|pass| pass.integrated_lufs);
        Ok(format!(
            "{} passes, {} against {:.1}",
            outcome.passes.len(),
            crate::units::level_text(last, "LUFS"),
            outcome.target_lufs
        ))
    }

    /// Renders under scratch names, then moves the files to their final ones.
    pub fn render(&mut self) -> Result<String, StepError> {
        let mut files = self.publish_mix()?;
        if self.plan.render.stems {
            files.extend(self.publish_stems()?);
        }
        let count = files.len();
        self.rendered.extend(files);
        Ok(match count {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        })
    }

    /// Measures what lies on disk and judges it.
    pub fn check(&mut self) -> Result<String, StepError> {
        let told = self.told();
        let spec = targets::spec(
            &self.plan,
            self.style.as_ref(),
            told.target_lufs,
            told.ceiling_dbtp,
        )?;
        let spans = self.regions()?;
        let rendered = std::mem::take(&mut self.rendered);
        let stems = self.folder.root.join("stems");
        let mut checks = 0;
        for path in &rendered {
            let is_stem = path.starts_with(&stems);
            let report = measure::file(path, if is_stem { &[] } else { &spans }, &self.cancel)?;
            // Stems have no loudness target of their own.
            let nothing = qc::Spec::default();
            let all = qc::judge_report(&report, if is_stem { &nothing } else { &spec });
            let all: Vec<Check> = all
                .into_iter()
                // A single track rests where it has nothing to play.
                .filter(|check| !(is_stem && check.id == "defect.silence"))
                .collect();
            checks += all.len();
            let (of_regions, of_file): (Vec<Check>, Vec<Check>) =
                all.into_iter().partition(|check| check.region.is_some());
            let regions = report
                .regions
                .into_iter()
                .map(|(span, measurements)| report::Region {
                    findings: of_regions
                        .iter()
                        .filter(|check| check.region.as_deref() == Some(&span.name))
                        .cloned()
                        .collect(),
                    name: span.name,
                    start_s: span.start_s,
                    end_s: span.end_s,
                    measurements,
                })
                .collect();
            self.entry.renders.push(report::Render {
                path: self.relative(path),
                sha256: measure::sha256(path)?,
                file: report.file,
                measurements: report.measurements,
                checks: of_file,
                regions,
            });
        }
        self.rendered = rendered;
        Ok(format!("{checks} checks against {}", spec.name))
    }

    /// Any single bridge command.
    pub fn command(
        &mut self,
        name: &str,
        params: &Map<String, Value>,
    ) -> Result<String, StepError> {
        let mut params = params.clone();
        if let Some(Value::String(track)) = params.get("track") {
            let index = self.track_named(&track.clone())?;
            params.remove("track");
            params.insert("track_index".to_owned(), json!(index));
        }
        self.bridge().call(Call {
            command: name.to_owned(),
            params,
        })?;
        Ok("done".to_owned())
    }

    /// Saves the working copy.
    pub fn save(&mut self) -> Result<String, StepError> {
        self.call("project_save", json!({}))?;
        let (draft, project) = (self.draft(), self.folder.project());
        let text = fs::read(&draft).map_err(StepError::io("cannot read", &draft))?;
        write_whole(&project, &text).map_err(StepError::io("cannot write", &project))?;
        Ok(self.relative(&project))
    }

    /// Runs one bridge command and returns its data.
    pub fn call(&mut self, command: &str, params: Value) -> Result<Value, StepError> {
        Ok(self.bridge().call(Call::new(command, params))?)
    }

    /// Runs commands in one round trip; the first that was refused fails the step.
    fn batch(&mut self, calls: Vec<Call>) -> Result<(), StepError> {
        for result in self.bridge().batch(calls)? {
            result?;
        }
        Ok(())
    }

    /// Index of the track with a name; job files name tracks, not numbers.
    fn track_named(&mut self, name: &str) -> Result<i64, StepError> {
        let overview = mix::observe(&mut self.bridge())?;
        let mut found = overview.tracks.iter().filter(|track| track.name == name);
        match (found.next(), found.next()) {
            (Some(track), None) => Ok(track.index),
            (Some(_), Some(_)) => Err(StepError::SeveralTracks {
                name: name.to_owned(),
            }),
            (None, _) => {
                let names = overview
                    .tracks
                    .iter()
                    .map(|track| format!("`{}`", track.name));
                Err(StepError::NoTrack {
                    name: name.to_owned(),
                    known: names.collect::<Vec<_>>().join(", "),
                })
            }
        }
    }

    /// Index, GUID and name of all tracks that have items.
    fn tracks(&mut self) -> Result<Vec<(i64, String, String)>, StepError> {
        let overview = mix::observe(&mut self.bridge())?;
        Ok(with_items(&overview))
    }

    /// Loudness of all tracks without what the engine added to them.
    fn measure_stems(
        &mut self,
        overview: &mix::Overview,
    ) -> Result<Vec<mix::StemLevels>, StepError> {
        let own = mix::bare::set_aside(&mut self.bridge())?;
        let levels = self.measure_tracks(overview);
        mix::bare::restore(&mut self.bridge(), &own)?;
        levels
    }

    /// Loudness of all tracks as they are.
    fn measure_tracks(
        &mut self,
        overview: &mix::Overview,
    ) -> Result<Vec<mix::StemLevels>, StepError> {
        let tracks = with_items(overview);
        if tracks.is_empty() {
            return Ok(Vec::new());
        }
        let files = self.export_stems(&tracks, "wav32f")?;
        let stems: Vec<_> = tracks
            .into_iter()
            .zip(files)
            .map(|((_, guid, name), file)| (guid, name, file))
            .collect();
        let levels = measure::stems(&stems, &self.cancel)?;
        let folder = self.renders().join("stems");
        fs::remove_dir_all(&folder).map_err(StepError::io("cannot remove", &folder))?;
        Ok(levels)
    }

    fn write_plan(&self, plan: &mix::MixPlan) -> Result<(), StepError> {
        let path = self.folder.plan();
        let text = serde_json::to_string_pretty(plan)
            .map_err(std::io::Error::other)
            .map_err(StepError::io("cannot write", &path))?;
        fs::write(&path, text + "\n").map_err(StepError::io("cannot write", &path))
    }

    /// Renders the mix. A name that needs nothing from the engine is given
    /// here, so that no engine has to understand what is in it.
    fn publish_mix(&mut self) -> Result<Vec<PathBuf>, StepError> {
        let folder = self.renders().join("final");
        let known = known_name(&self.plan, &self.job);
        let pattern = pattern(&self.plan, &self.job);
        let export = Export {
            pattern: if known.is_some() { "mix" } else { &pattern },
            format: format_name(&self.plan),
            tracks: None,
        };
        let options = self.plan.render.clone();
        let files = render(&mut self.bridge(), &options, &folder, &export)?;
        let mut published = Vec::with_capacity(files.len());
        for file in files {
            let below = match &known {
                Some(name) => Path::new(name),
                None => file
                    .strip_prefix(&folder)
                    .map_err(|_| StepError::RenderMissing {
                        path: folder.join(&pattern),
                    })?,
            };
            let target = self.folder.root.join(below);
            publish(&file, &target, self.overwrite)?;
            published.push(target);
        }
        Ok(published)
    }

    /// Renders every track to a file with its number and name.
    fn publish_stems(&mut self) -> Result<Vec<PathBuf>, StepError> {
        let tracks = self.tracks()?;
        if tracks.is_empty() {
            return Ok(Vec::new());
        }
        let stems = self.export_stems(&tracks, format_name(&self.plan))?;
        let mut published = Vec::with_capacity(tracks.len());
        for ((index, _, name), file) in tracks.iter().zip(stems) {
            let name = stem_name(index + 1, name);
            let target = self
                .folder
                .root
                .join("stems")
                .join(format!("{name}.{}", extension(&self.plan)));
            publish(&file, &target, self.overwrite)?;
            published.push(target);
        }
        Ok(published)
    }

    /// Renders tracks under scratch names; one file for each, in their order.
    fn export_stems(
        &mut self,
        tracks: &[(i64, String, String)],
        format: &str,
    ) -> Result<Vec<PathBuf>, StepError> {
        let indices: Vec<i64> = tracks.iter().map(|(index, ..)| *index).collect();
        let folder = self.renders().join("stems");
        let export = Export {
            pattern: "$tracknumber",
            format,
            tracks: Some(&indices),
        };
        let options = self.plan.render.clone();
        let files = render(&mut self.bridge(), &options, &folder, &export)?;
        let find = |index: &i64| {
            let file = files
                .iter()
                .find(|file| track_number(file) == Some(index + 1));
            file.cloned().ok_or_else(|| StepError::RenderMissing {
                path: folder.join((index + 1).to_string()),
            })
        };
        indices.iter().map(find).collect()
    }

    /// Regions of the project; the render starts at project time 0.
    fn regions(&mut self) -> Result<Vec<Span>, StepError> {
        let answer = self.call("marker_get_all", json!({ "max_results": 5000 }))?;
        let markers = answer["markers"].as_array().ok_or(StepError::Answer {
            command: "marker_get_all",
            field: "markers",
        })?;
        Ok(markers
            .iter()
            .filter(|marker| marker["is_region"].as_bool() == Some(true))
            .filter_map(|region| {
                let number = region["number"].as_i64().unwrap_or(0);
                let name = region["name"].as_str().filter(|name| !name.is_empty());
                Some(Span {
                    name: name.map_or_else(|| format!("region {number}"), str::to_owned),
                    start_s: region["position"].as_f64()?,
                    end_s: region["region_end"].as_f64()?,
                })
            })
            .collect())
    }

    /// What the job told the mastering step.
    fn told(&self) -> MasterOptions {
        let told = self.plan.steps.iter().find_map(|step| match step {
            Step::EngineMaster(options) => Some(options.clone()),
            _ => None,
        });
        told.unwrap_or_default()
    }

    /// What the master loop aims at: what the job says, else the delivery
    /// spec where it is binding, else the style. The lower ceiling wins.
    fn aims(&self, options: &MasterOptions) -> Result<MasterOptions, StepError> {
        let mut aims = options.clone();
        if self.plan.spec == "style" {
            return Ok(aims);
        }
        let style = targets::needed(self.style.as_ref())?;
        let spec = targets::spec(&self.plan, Some(style), None, None)?;
        if aims.target_lufs.is_none() && !spec.advisory {
            aims.target_lufs = spec.integrated.map(|integrated| integrated.target);
        }
        if aims.ceiling_dbtp.is_none() {
            let style = style.master.true_peak_max_dbtp;
            aims.ceiling_dbtp = spec.true_peak_max_dbtp.map(|ceiling| ceiling.min(style));
        }
        Ok(aims)
    }

    /// A path below the output folder, as reports write it.
    fn relative(&self, path: &Path) -> String {
        let out = self.folder.root.parent().unwrap_or(&self.folder.root);
        let below = path.strip_prefix(out).unwrap_or(path);
        let parts: Vec<_> = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        parts.join("/")
    }
}

/// Has the engine render, and returns the files it wrote.
fn render(
    bridge: &mut dyn Bridge,
    options: &RenderOptions,
    folder: &Path,
    export: &Export<'_>,
) -> Result<Vec<PathBuf>, StepError> {
    fs::create_dir_all(folder).map_err(StepError::io("cannot create", folder))?;
    let mut params = json!({
        "render_dir": folder,
        "render_pattern": export.pattern,
        "format": export.format,
        "source": "master",
        "bounds": "project",
        "sample_rate": options.sample_rate_hz,
        "channels": 2,
        "tail_ms": (options.tail_s * 1000.0).round(),
    });
    if let Some(tracks) = export.tracks {
        params["source"] = json!("stems");
        params["track_indices"] = json!(tracks);
    }
    let answer = bridge.call(Call::new("project_export_audio", params))?;
    let targets = answer["targets"].as_array().ok_or(StepError::Answer {
        command: "project_export_audio",
        field: "targets",
    })?;
    let files: Vec<PathBuf> = targets
        .iter()
        .filter_map(|target| target["path"].as_str().map(PathBuf::from))
        .collect();
    match files.iter().find(|file| !file.is_file()) {
        Some(missing) => Err(StepError::RenderMissing {
            path: missing.clone(),
        }),
        None if files.is_empty() => Err(StepError::RenderMissing {
            path: folder.join(export.pattern),
        }),
        None => Ok(files),
    }
}

fn with_items(overview: &mix::Overview) -> Vec<(i64, String, String)> {
    overview
        .tracks
        .iter()
        .filter(|track| track.items > 0 && !track.mute)
        .map(|track| (track.index, track.guid.clone(), track.name.clone()))
        .collect()
}

/// Number in the name of a stem rendered with `$tracknumber`.
fn track_number(file: &Path) -> Option<i64> {
    file.file_stem()?.to_str()?.parse().ok()
}

fn format_name(plan: &ProjectPlan) -> &'static str {
    match (plan.render.format, plan.render.bit_depth) {
        (Format::Wav, BitDepth::Int16) => "wav16",
        (Format::Wav, BitDepth::Int24) => "wav24",
        (Format::Wav, BitDepth::Float32) => "wav32f",
        (Format::Flac, BitDepth::Int16) => "flac16",
        // FLAC holds no floats; the job check refuses that combination.
        (Format::Flac, BitDepth::Int24 | BitDepth::Float32) => "flac24",
    }
}
