//! From units to the numbers that a plug-in wants, and back.
