//! Times and browsers as people say them.

use tidegauge_model::Timestamp;

const SECOND: i64 = 1_000_000;

/// How long ago something was.
pub fn ago(time: Timestamp, now: Timestamp) -> String {
    let seconds = now.as_micros().saturating_sub(time.as_micros()) / SECOND;
    let (count, unit) = match seconds {
        ..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    counted(count, unit) + " ago"
}

/// How long it is until a time, never less than it really is.
pub fn until(time: Timestamp, now: Timestamp) -> String {
    let micros = time.as_micros().saturating_sub(now.as_micros()).max(0);
    let seconds = micros.saturating_add(SECOND - 1) / SECOND;
    match seconds {
        ..=90 => counted(seconds, "second"),
        _ => counted((seconds + 59) / 60, "minute"),
    }
}

fn counted(count: i64, unit: &str) -> String {
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// The browser and the system that a browser says it is, as far as that is known.
pub fn browser_name(agent: &str) -> String {
    // The first that fits: most browsers also claim to be others.
    let browsers = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari/", "Safari"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name)
    };
    match (find(&browsers), find(&systems)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) if agent.is_empty() => "Unknown browser".to_owned(),
        (None, _) => agent.chars().take(60).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * SECOND)
    }

    #[test]
    fn times_are_told_in_one_unit() {
        for (seconds, expected) in [
            (-5, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7_200, "2 hours ago"),
            (86_400 * 3, "3 days ago"),
        ] {
            assert_eq!(ago(at(0), at(seconds)), expected);
        }
        for (seconds, expected) in
            [(1, "1 second"), (90, "90 seconds"), (91, "2 minutes"), (900, "15 minutes")]
        {
            assert_eq!(until(at(seconds), at(0)), expected);
        }
    }

    #[test]
    fn browsers_are_known_by_what_they_say() {
        for (agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
            ("Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19 Safari/605",
                "Safari on iPhone",
            ),
            ("curl/8.1", "curl/8.1"),
            ("", "Unknown browser"),
        ] {
            assert_eq!(browser_name(agent), expected);
        }
    }
}
