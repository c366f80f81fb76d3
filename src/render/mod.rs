//! Renders a project to audio files: graph, schedule, process.
