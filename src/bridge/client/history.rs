//! One record per finished command in `history/`, in the shape of the classic
//! protocol, with a hash of the whole parameters beside their preview.

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::bridge::{Call, CallError, folder::unix_time_s};
use crate::{files::exchange, units::hex_text};

/// Longest preview of parameters or result, in bytes.
const PREVIEW: usize = 2000;

/// Writes the record. A failure is logged only: the command itself is over.
pub(super) fn write(
    folder: &Path,
    call: &Call,
    id: &str,
    duration: Duration,
    result: &Result<Value, CallError>,
) {
    let now = unix_time_s();
    let params = serde_json::to_string(&call.params).unwrap_or_default();
    let mut record = json!({
        "id": id,
        "timestamp": timestamp(now),
        "pid": std::process::id(),
        "command": call.command,
        "params_preview": preview(&params),
        "params_truncated": params.len() > PREVIEW,
        "params_sha256": hex_text(&Sha256::digest(params.as_bytes())),
        "success": result.is_ok(),
        "duration_sec": (duration.as_secs_f64() * 1000.0).round() / 1000.0,
    });
    match result {
        Ok(data) => record["result_preview"] = preview(&data.to_string()).into(),
        Err(error) => record["error"] = error.to_string().into(),
    }
    let history = folder.join("history");
    let name = format!("{now:.6}_{}.json", id.get(..8).unwrap_or(id));
    let written = fs::create_dir_all(&history)
        .and_then(|()| exchange(&history.join(name), record.to_string().as_bytes()));
    if let Err(error) = written {
        tracing::debug!(%error, "could not keep a history record");
    }
}

fn preview(text: &str) -> &str {
    let mut end = text.len().min(PREVIEW);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Unix seconds as ISO 8601 in UTC, to the second.
fn timestamp(unix_s: f64) -> String {
    let seconds = unix_s as i64;
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days to a civil date, with years that begin in March so that the leap
    // day comes last; era of 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_dates() {
        assert_eq!(timestamp(0.0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(951_782_399.9), "2000-02-28T23:59:59Z");
        assert_eq!(timestamp(951_782_400.0), "2000-02-29T00:00:00Z");
        assert_eq!(timestamp(1_709_251_200.0), "2024-03-01T00:00:00Z");
    }
}
