//! `init`: a job file to begin with.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::args::InitArgs;
use super::exit::Usage;
use super::{Exit, Ui, styles, vocabulary::vocabulary};
use crate::diag::plural;
use crate::job::AUDIO_EXTENSIONS;

pub(super) fn run(args: &InitArgs, ui: &Ui) -> anyhow::Result<Exit> {
    let style = styles::find(&args.style)?;
    let songs = songs(&args.folder)
        .with_context(|| format!("cannot list folder `{}`", args.folder.display()))?;
    if songs.is_empty() {
        return Err(Usage(format!(
            "folder `{}` holds no audio, and neither do the folders in it",
            args.folder.display()
        ))
        .into());
    }

    let job = std::path::absolute(&args.job)?;
    let base = job.parent().unwrap_or(Path::new("."));
    let name = file_name(&std::path::absolute(&args.folder)?.canonicalize()?);
    let text = job_text(&name, &style.name, &songs, base)?;
    write_new(&job, &text)?;
    ui.remark(&format!(
        "wrote {} with {}",
        args.job.display(),
        plural(songs.len(), "song")
    ));

    let schema = base.join("job.schema.json");
    if !schema.exists() {
        let value = crate::job::schema(&vocabulary());
        write_new(&schema, &format!("{value:#}\n"))?;
        ui.remark("wrote job.schema.json, from which editors complete and check the job file");
    }
    ui.remark(&format!("next: reaper-batch plan {}", args.job.display()));
    Ok(Exit::Passed)
}

/// The folder itself when it holds audio, else the folders in it that do.
fn songs(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if holds_audio(folder)? {
        return Ok(vec![folder.to_owned()]);
    }
    let mut songs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = file_name(&path).starts_with('.');
        if path.is_dir() && !hidden && holds_audio(&path)? {
            songs.push(path);
        }
    }
    songs.sort();
    Ok(songs)
}

fn holds_audio(folder: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        if AUDIO_EXTENSIONS.contains(&extension.as_str())
            && !file_name(&path).starts_with('.')
            && path.is_file()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn job_text(name: &str, style: &str, songs: &[PathBuf], base: &Path) -> anyhow::Result<String> {
    let mut text = format!(
        "#:schema ./job.schema.json\n\
         # Every key is described in docs/job-file.md of reaper-batch.\n\
         name  = {}\n\
         style = {}            # `reaper-batch styles` lists them\n\
         spec  = \"style\"          # the style's own targets, or a name of `reaper-batch specs`\n\
         \n\
         [render]\n\
         format = \"wav\"           # or flac\n\
         bit_depth = 24           # 16, 24, or 32 (floating point)\n\
         sample_rate = 48000\n\
         # tail = 1.0             # seconds past the end\n\
         # stems = true           # every track to a file of its own, too\n",
        quoted(name),
        quoted(style),
    );
    for song in songs {
        let absolute = std::path::absolute(song)?.canonicalize()?;
        let base = base.canonicalize()?;
        let shown = absolute.strip_prefix(&base).unwrap_or(&absolute);
        let shown = if shown.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            shown.to_string_lossy().replace('\\', "/")
        };
        text.push_str(&format!(
            "\n[[project]]\n\
             name  = {}\n\
             stems = {}\n\
             # style = \"…\"            # another style for this song\n\
             # require_roles = true   # fail when a track's role is not found\n",
            quoted(&file_name(&absolute)),
            quoted(&shown),
        ));
    }
    Ok(text)
}

/// Never replaces a file.
fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
    {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let message = format!(
                "`{}` exists and is left alone; name another with `--job`",
                path.display()
            );
            return Err(Usage(message).into());
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot write `{}`", path.display()));
        }
    };
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write `{}`", path.display()))
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
