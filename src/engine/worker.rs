//! The private folder of one host process.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ini;
use crate::bridge::{new_token, script};

/// Files a user's REAPER needs in every resource folder: the licence, and the
/// caches of plug-in scans, which save minutes.
const FROM_USER: [&str; 6] = [
    "reaper-license.rk",
    "reaper-vstplugins64.ini",
    "reaper-vstplugins_arm64.ini",
    "reaper-jsfx.ini",
    "reaper-clap-linux-x86_64.ini",
    "reaper-auplugins64.ini",
];

/// Folders of one host process: resources, scripts, protocol, scratch files.
/// Dropping it removes them.
#[derive(Debug)]
pub struct Worker {
    root: PathBuf,
    token: String,
    script: PathBuf,
}

impl Worker {
    /// Makes the folders below `root`, which must not exist or be a left-over
    /// of an earlier worker, and installs the bridge. The licence and scan
    /// caches are copied from `user_resources`, when given; whether a copied
    /// licence is accepted can only be seen on a real REAPER.
    pub fn create(root: &Path, user_resources: Option<&Path>) -> io::Result<Self> {
        if root.exists() {
            fs::remove_dir_all(root)?;
        }
        for folder in ["resources", "ipc", "tmp", "cache", "render", "draft"] {
            fs::create_dir_all(root.join(folder))?;
        }
        fs::write(root.join("resources/reaper.ini"), ini::text())?;
        if let Some(user) = user_resources {
            for name in FROM_USER {
                let from = user.join(name);
                if from.is_file() {
                    fs::copy(from, root.join("resources").join(name))?;
                }
            }
        }
        let script = script::install(&root.join("scripts"))?;
        Ok(Self {
            root: root.to_owned(),
            token: new_token(),
            script,
        })
    }

    /// The `reaper.ini`; its folder is the host's resource folder.
    pub fn ini(&self) -> PathBuf {
        self.root.join("resources/reaper.ini")
    }

    /// Where the bridge and its client meet.
    pub fn ipc(&self) -> PathBuf {
        self.root.join("ipc")
    }

    /// The host's folder for temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// The embedded host's folder for mixes before the master chain.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Where projects are worked on.
    pub fn drafts(&self) -> PathBuf {
        self.root.join("draft")
    }

    /// Where renders go before they are checked and moved.
    pub fn renders(&self) -> PathBuf {
        self.root.join("render")
    }

    /// Entry script of the bridge.
    pub fn script(&self) -> &Path {
        &self.script
    }

    /// What tells this instance from all others.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.root) {
            tracing::warn!(folder = %self.root.display(), %error, "cannot remove the worker folder");
        }
    }
}
