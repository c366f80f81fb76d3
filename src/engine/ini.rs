//! The `reaper.ini` of a worker: no device, no dialogs, repeatable defaults.

/// Keys that projects which drive REAPER without a person agree on. The union
/// is not proven on a real REAPER.
///
/// `linux_audio_mode=2` and `mode=4` are the dummy devices, `<none>` the one
/// of macOS; `errnowarn=5` silences missing audio and control surfaces;
/// `renderclosewhendone` 1 closes the render window, 16 numbers a file that
/// exists instead of asking. Pan law and mode are REAPER's own defaults, set
/// so that results do not depend on the user's.
const INI: &str = "\
[audioconfig]
mode=4
[REAPER]
linux_audio_mode=2
audiocfgopen=0
coreaudioindevnew=<none>
coreaudiooutdevnew=<none>
coreaudiobs=512
verchk=0
errnowarn=5
loadlastproj=0
splash=0
newprojdo=0
newprojtmpl=
autosaveint=0
audiocloseinactive=0
audioclosestop=0
renderclosewhendone=17
panlaw=1
panmode=3
projsrate=48000
";

/// The text of a worker's `reaper.ini`.
pub(super) fn text() -> &'static str {
    INI
}
