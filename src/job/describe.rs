//! A plan for people: what would happen, song by song.

use std::fmt::Write as _;
use std::path::Path;

use super::{BitDepth, Job, ProjectPlan, Source, Step};
use crate::diag::plural;

/// What a run of the job would do. Paths are relative to the job file where
/// they are below it.
pub fn describe(job: &Job) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = write_job(&mut text, job);
    text
}

fn write_job(out: &mut String, job: &Job) -> std::fmt::Result {
    writeln!(
        out,
        "{}: {}",
        job.name,
        plural(job.projects.len(), "project")
    )?;
    let folder = job.path.parent().unwrap_or(Path::new(""));
    for project in &job.projects {
        write_project(out, project, folder)?;
    }
    Ok(())
}

fn write_project(out: &mut String, project: &ProjectPlan, folder: &Path) -> std::fmt::Result {
    writeln!(out, "\n{}", project.name)?;
    match &project.source {
        Source::Stems(stems) => {
            writeln!(out, "  source   {}", plural(stems.len(), "stem"))?;
            for stem in stems {
                writeln!(
                    out,
                    "           {} = {}",
                    stem.track,
                    shown(&stem.file, folder)
                )?;
            }
        }
        Source::Project(path) => {
            writeln!(out, "  source   a copy of {}", shown(path, folder))?;
        }
        Source::Empty => writeln!(out, "  source   what is composed")?,
    }
    if !project.style.is_empty() {
        writeln!(
            out,
            "  style    {}",
            shown(Path::new(&project.style), folder)
        )?;
    }
    let spec = match project.spec.as_str() {
        "style" => "the style's own targets".to_owned(),
        spec => shown(Path::new(spec), folder),
    };
    writeln!(out, "  target   {spec}")?;
    if let Some(bpm) = project.tempo_bpm {
        writeln!(out, "  tempo    {bpm} bpm")?;
    }
    if project.require_roles {
        writeln!(out, "  roles    every track must have one")?;
    }
    for (index, step) in project.steps.iter().enumerate() {
        let label = if index == 0 { "steps" } else { "" };
        writeln!(
            out,
            "  {label:<7} {:>2}. {}",
            index + 1,
            step_text(step, project)
        )?;
    }
    Ok(())
}

fn step_text(step: &Step, project: &ProjectPlan) -> String {
    let name = step.name();
    match step {
        Step::ConfigureTracks => match &project.source {
            Source::Stems(stems) => format!("{name}: import {}", plural(stems.len(), "stem")),
            Source::Project(_) => format!("{name}: open the copy"),
            Source::Empty => format!("{name}: start empty"),
        },
        Step::Compose(score) => {
            let notes: usize = score.parts.iter().map(|part| part.notes.len()).sum();
            format!(
                "{name}: {}, {}, {}, {} bpm",
                plural(score.parts.len(), "part"),
                plural(notes, "note"),
                plural(score.sections.len(), "section"),
                score.bpm
            )
        }
        Step::EngineMix(options) => {
            let mode = if options.measured {
                "measured"
            } else {
                "static"
            };
            let mut text = format!("{name}: {mode}");
            for (track, role) in &options.roles {
                let _ = write!(text, ", {track} is {role}");
            }
            text
        }
        Step::EngineMaster(options) => {
            let mut text = format!("{name}: ");
            match options.target_lufs {
                Some(target) => {
                    let _ = write!(text, "to {target:.1} LUFS");
                }
                None if project.spec == "style" => text.push_str("to the style's loudness"),
                None => {
                    let spec = &project.spec;
                    let _ = write!(
                        text,
                        "to the loudness of `{spec}`, or the style's where that is only advice"
                    );
                }
            }
            if let Some(ceiling) = options.ceiling_dbtp {
                let _ = write!(text, ", at most {ceiling:.1} dBTP");
            }
            let _ = write!(
                text,
                ", at most {} and {:.1} dB of limiting",
                passes(options.max_passes),
                options.max_limiting_db
            );
            text
        }
        Step::Render => {
            let render = &project.render;
            let depth = match render.bit_depth {
                BitDepth::Int16 => "16 bit",
                BitDepth::Int24 => "24 bit",
                BitDepth::Float32 => "32 bit float",
            };
            format!(
                "{name}: {}/{}.{}, {depth}, {} Hz, {} s tail{}{}",
                project.name,
                render.pattern,
                render.format.name(),
                render.sample_rate_hz,
                render.tail_s,
                if render.stems { ", stems" } else { "" },
                if render.overwrite {
                    ", may overwrite"
                } else {
                    ""
                },
            )
        }
        Step::Check => format!("{name}: measure the files and judge them"),
        Step::Command { name, params } => {
            let params = serde_json::Value::Object(params.clone());
            format!("command {name} {params}")
        }
    }
}

fn passes(count: u32) -> String {
    if count == 1 {
        "1 pass".to_owned()
    } else {
        format!("{count} passes")
    }
}

fn shown(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder)
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/")
}
