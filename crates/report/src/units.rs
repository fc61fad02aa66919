//! Times and sizes as people write them in settings, once for Rust tests and for the command.

use std::time::Duration;

/// A time like `500ms`, `90s`, `10m`, `2h`, `30d`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (count, unit) = split(text)?;
    match unit {
        "ms" => Some(Duration::from_millis(count)),
        "s" => Some(Duration::from_secs(count)),
        "m" => count.checked_mul(60).map(Duration::from_secs),
        "h" => count.checked_mul(3600).map(Duration::from_secs),
        "d" => count.checked_mul(24 * 3600).map(Duration::from_secs),
        _ => None,
    }
}

/// A number of bytes like `4096`, `64K`, `512M`, `2G`, `2GiB`.
#[must_use]
pub fn parse_size(text: &str) -> Option<u64> {
    let (count, unit) = split(text)?;
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    count.checked_mul(1 << shift)
}

fn split(text: &str) -> Option<(u64, &str)> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..digits].parse().ok()?, text[digits..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_duration("90s"), Some(Duration::from_secs(90)));
        assert_eq!(parse_duration("2h"), Some(Duration::from_secs(7200)));
        assert_eq!(parse_duration("30d"), Some(Duration::from_secs(2_592_000)));
        assert_eq!(
            [
                parse_duration("90"),
                parse_duration("s"),
                parse_duration(""),
                parse_duration("99999999999999999999s")
            ],
            [None; 4]
        );
        assert_eq!(
            [parse_size("4096"), parse_size("2G"), parse_size("64KiB")],
            [Some(4096), Some(2 << 30), Some(64 << 10)]
        );
        assert_eq!([parse_size("2X"), parse_size("G"), parse_size("99999999999T")], [None; 3]);
    }
}
