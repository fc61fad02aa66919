//! Numbers as the tables of all benchmarks show them.

/// What stands for a number that there is not.
pub fn dash() -> String {
    "–".to_owned()
}

/// Three digits after the point, more for what would read as nothing.
pub fn duration(seconds: f64) -> String {
    if seconds < 0.01 { format!("{seconds:.6}") } else { format!("{seconds:.3}") }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
