//! What people read about their input: code, severity, spans, help.
