//! The bridge script in this host.
