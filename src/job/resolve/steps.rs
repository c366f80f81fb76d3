//! Steps, their options, and whether they fit together.

use std::ops::Range;

use serde_json::{Map, Value};
use serde_spanned::Spanned;

use super::super::written::{
    CommandTable, MasterTable, MixMode, MixTable, Pair, Pairs, ProjectTable, StepTable, Toggle,
};
use super::super::{MasterOptions, MixOptions, Source, Step, code};
use super::{Resolver, nearest};
use crate::compose::Score;
use crate::diag::{Diagnostic, suggest};

impl Resolver<'_> {
    pub(super) fn steps(
        &mut self,
        table: &ProjectTable,
        header: &Range<usize>,
        source: &Source,
        score: Option<Score>,
    ) -> Vec<Step> {
        let Some(written) = &table.step else {
            let mut steps = vec![Step::ConfigureTracks];
            steps.extend(score.map(Step::Compose));
            steps.extend([
                Step::EngineMix(mix_options(None)),
                Step::EngineMaster(master_options(None)),
                Step::Render,
                Step::Check,
            ]);
            return steps;
        };

        let steps: Vec<Step> = written
            .iter()
            .filter_map(|step| self.step(step.get_ref(), table, source, score.as_ref()))
            .collect();
        if let Some(compose) = &table.compose
            && !written.iter().any(|step| step.get_ref().compose.is_some())
        {
            self.report(
                Diagnostic::warning(code::STEPS, "the score is not used")
                    .at(compose.span(), "this score")
                    .see(header.clone(), "no step `compose` in this project")
                    .help("add a `[[project.step]]` with `compose = true`"),
            );
        }
        let render = steps.iter().position(|step| *step == Step::Render);
        let check = written
            .iter()
            .find_map(|step| step.get_ref().check.as_ref());
        let checked = steps.iter().position(|step| *step == Step::Check);
        if let (Some(check), Some(checked)) = (check, checked)
            && render.is_none_or(|render| checked < render)
        {
            self.report(
                Diagnostic::error(code::STEPS, "`check` comes before anything was rendered")
                    .at(check.span(), "nothing to check yet")
                    .help("put a step `render = true` before it"),
            );
        }
        steps
    }

    fn step(
        &mut self,
        step: &StepTable,
        table: &ProjectTable,
        source: &Source,
        score: Option<&Score>,
    ) -> Option<Step> {
        if step.configure_tracks.is_some() {
            return Some(Step::ConfigureTracks);
        }
        if let Some(compose) = &step.compose {
            if table.compose.is_none() {
                self.report(
                    Diagnostic::error(code::STEPS, "the project has no score to compose")
                        .at(compose.span(), "needs `compose` in the project")
                        .help("write `compose = \"….toml\"` or a table `[project.compose]`"),
                );
            }
            return score.cloned().map(Step::Compose);
        }
        if let Some(mix) = &step.engine_mix {
            let options = options(mix);
            if let Some(Pairs(pairs)) = options.and_then(|options| options.roles.as_ref()) {
                self.check_roles(pairs, source);
            }
            return Some(Step::EngineMix(mix_options(options)));
        }
        if let Some(master) = &step.engine_master {
            return Some(Step::EngineMaster(master_options(options(master))));
        }
        if step.render.is_some() {
            return Some(Step::Render);
        }
        if step.check.is_some() {
            return Some(Step::Check);
        }
        step.command.as_ref().map(|command| self.command(command))
    }

    fn check_roles(&mut self, pairs: &[Pair], source: &Source) {
        for (track, role) in pairs {
            let roles = &self.vocabulary.roles;
            if !roles.is_empty() && !roles.contains(role.get_ref()) {
                let help = nearest(role.get_ref(), roles)
                    .unwrap_or_else(|| format!("roles are {}", roles.join(", ")));
                self.report(
                    Diagnostic::error(
                        code::UNKNOWN_ROLE,
                        format!("role `{}` is unknown", role.get_ref()),
                    )
                    .at(role.span(), "not a role")
                    .help(help),
                );
            }
            // The tracks of a project file and of a score are not known here.
            if let Source::Stems(stems) = source
                && !stems.is_empty()
                && !stems.iter().any(|stem| stem.track == *track.get_ref())
            {
                let names = stems.iter().map(|stem| stem.track.as_str());
                let help =
                    suggest(track.get_ref(), names).map(|near| format!("did you mean `{near}`?"));
                self.report(
                    Diagnostic::warning(
                        code::UNKNOWN_TRACK,
                        format!("no stem makes a track `{}`", track.get_ref()),
                    )
                    .at(track.span(), "no such stem")
                    .help_if(help),
                );
            }
        }
    }

    fn command(&mut self, command: &Spanned<CommandTable>) -> Step {
        let CommandTable { name, params } = command.get_ref();
        let json: Map<String, Value> = params
            .iter()
            .map(|(key, value)| (key.get_ref().clone(), to_json(value)))
            .collect();
        let known = &self.vocabulary.commands;
        if known.contains(name.get_ref()) {
            for problem in (self.vocabulary.command_params)(name.get_ref(), &json) {
                let place = params
                    .iter()
                    .find(|(key, _)| problem.parameter.as_deref() == Some(key.get_ref()))
                    .map_or_else(|| name.span(), |(key, _)| key.span());
                self.report(
                    Diagnostic::error(code::COMMAND_PARAMETER, problem.message)
                        .at(place, "")
                        .help_if(problem.help),
                );
            }
        } else {
            let help = nearest(name.get_ref(), known)
                .unwrap_or_else(|| "`reaper-batch commands` lists them".to_owned());
            self.report(
                Diagnostic::error(
                    code::UNKNOWN_COMMAND,
                    format!("bridge command `{}` is unknown", name.get_ref()),
                )
                .at(name.span(), "not a command")
                .help(help),
            );
        }
        Step::Command {
            name: name.get_ref().clone(),
            params: json,
        }
    }
}

fn options<T>(toggle: &Spanned<Toggle<T>>) -> Option<&T> {
    match toggle.get_ref() {
        Toggle::On => None,
        Toggle::Options(options) => Some(options),
    }
}

fn mix_options(table: Option<&MixTable>) -> MixOptions {
    let none = MixTable::default();
    let table = table.unwrap_or(&none);
    let pairs = table.roles.as_ref().map_or(&[][..], |Pairs(pairs)| pairs);
    MixOptions {
        roles: pairs
            .iter()
            .map(|(track, role)| (track.get_ref().clone(), role.get_ref().clone()))
            .collect(),
        measured: table
            .mode
            .as_ref()
            .is_none_or(|mode| *mode.get_ref() == MixMode::Measured),
    }
}

fn master_options(table: Option<&MasterTable>) -> MasterOptions {
    let none = MasterTable::default();
    let table = table.unwrap_or(&none);
    let defaults = MasterOptions::default();
    MasterOptions {
        target_lufs: table.target_lufs.as_ref().map(|value| *value.get_ref()),
        ceiling_dbtp: table.ceiling_dbtp.as_ref().map(|value| *value.get_ref()),
        max_passes: table
            .max_passes
            .as_ref()
            .map_or(defaults.max_passes, |value| *value.get_ref()),
        max_limiting_db: table
            .max_limiting_db
            .as_ref()
            .map_or(defaults.max_limiting_db, |value| *value.get_ref()),
    }
}

fn to_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(integer) => Value::from(*integer),
        toml::Value::Float(float) => Value::from(*float),
        toml::Value::Boolean(flag) => Value::from(*flag),
        toml::Value::Datetime(date) => Value::from(date.to_string()),
        toml::Value::Array(items) => items.iter().map(to_json).collect(),
        toml::Value::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| (key.clone(), to_json(value)));
            Value::Object(entries.collect())
        }
    }
}
