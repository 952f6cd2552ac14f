//! The parts of a message, where they lie. The form is seen from what stands behind the priority: a version, or a time.

use tidegauge_ingest::{read_leading_time, read_time};

use super::elements;
use super::zone::Zone;

const PRIORITY_MAX: u32 = 191;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// How a message is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// By RFC 5424, by RFC 3164, or in no form.
    #[default]
    Standard,
    /// By RFC 5424, but that the text stands where structured data would.
    Logplex,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub(super) priority: Option<u32>,
    pub(super) time: Option<i64>,
    /// What stands in the place of the time, if it is none.
    pub(super) time_text: Option<&'a str>,
    pub(super) hostname: &'a str,
    pub(super) appname: &'a str,
    pub(super) procid: &'a str,
    pub(super) msgid: &'a str,
    /// Structured data, with its brackets.
    pub(super) elements: &'a str,
    pub(super) message: &'a str,
}

impl<'a> Message<'a> {
    pub(super) fn parse(text: &'a str, form: Form, arrival_ns: i64, zone: Option<&Zone>) -> Self {
        let Some((priority, rest)) = priority(text) else {
            return Self { message: text, ..Self::default() };
        };
        let mut message = match rest.strip_prefix("1 ").and_then(|rest| new_form(rest, form)) {
            Some(message) => message,
            None => old_form(rest, arrival_ns, zone),
        };
        message.priority = Some(priority);
        message
    }
}

/// `<34>`, and what stands behind it.
fn priority(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.strip_prefix('<')?.split_once('>')?;
    let is_number = (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let priority = is_number.then(|| digits.parse().ok()).flatten()?;
    (priority <= PRIORITY_MAX).then_some((priority, rest))
}

/// A word, which is empty if it is `-`, and what stands behind it.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (if word == "-" { "" } else { word }, rest)
}

/// RFC 5424, behind its version.
fn new_form(text: &str, form: Form) -> Option<Message<'_>> {
    let (time_text, rest) = word(text);
    let (hostname, rest) = word(rest);
    let (appname, rest) = word(rest);
    let (procid, rest) = word(rest);
    let (msgid, rest) = word(rest);
    let (elements, message) = match (form, rest.strip_prefix('-')) {
        (Form::Logplex, _) => ("", rest),
        (Form::Standard, Some(rest)) => ("", rest.strip_prefix(' ').unwrap_or(rest)),
        (Form::Standard, None) => {
            let (elements, rest) = rest.split_at(elements::length(rest)?);
            (elements, rest.strip_prefix(' ').unwrap_or(rest))
        }
    };
    let time = read_time(time_text.as_bytes()).filter(|_| !time_text.is_empty());
    Some(Message {
        time,
        time_text: (time.is_none() && !time_text.is_empty()).then_some(time_text),
        hostname,
        appname,
        procid,
        msgid,
        elements,
        message: message.strip_prefix(BYTE_ORDER_MARK).unwrap_or(message),
        priority: None,
    })
}

/// RFC 3164 and what goes by its name: a time, a host and a tag, of which each may be missing.
fn old_form<'a>(text: &'a str, arrival_ns: i64, zone: Option<&Zone>) -> Message<'a> {
    let mut message = Message::default();
    let mut rest = text.trim_start();
    let (time, length) = leading_time(rest, arrival_ns, zone);
    if length > 0 {
        message.time = time;
        message.time_text = time.is_none().then(|| &rest[..length]);
        rest = rest[length..].trim_start_matches(':').trim_start();
        let (first, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        // Without a host, the tag comes first.
        if !first.is_empty() && !first.ends_with(':') && !first.contains('[') && !behind.is_empty() {
            message.hostname = first;
            rest = behind;
        }
    }
    if let Some((appname, procid, behind)) = tag(rest) {
        (message.appname, message.procid) = (appname, procid);
        rest = behind;
    }
    message.message = rest;
    message
}

/// The time that a text begins with, and its length.
fn leading_time(text: &str, arrival_ns: i64, zone: Option<&Zone>) -> (Option<i64>, usize) {
    let first = text.split(' ').next().unwrap_or_default();
    if first.starts_with(|it: char| it.is_ascii_digit()) && first.contains('T') && first.contains(':') {
        return (read_time(first.trim_end_matches(':').as_bytes()), first.len());
    }
    // `Nov  6 15:42:01`, with a year behind the day or a fraction behind the seconds.
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let (Some(month), Some(day), Some(mut clock)) = (words.next(), words.next(), words.next()) else {
        return (None, 0);
    };
    if month.len() != 3 || !month.starts_with(|it: char| it.is_ascii_alphabetic()) || day.len() > 2 {
        return (None, 0);
    }
    if clock.len() == 4 && clock.bytes().all(|byte| byte.is_ascii_digit()) {
        clock = words.next().unwrap_or_default();
    }
    if !clock.contains(':') {
        return (None, 0);
    }
    // All of them are parts of the text, so the place of the last tells the length.
    let length = clock.as_ptr() as usize - text.as_ptr() as usize + clock.trim_end_matches(':').len();
    let local = read_leading_time(&text.as_bytes()[..length], arrival_ns);
    let time = match zone {
        Some(zone) => local.and_then(|shown| zone.instant(shown, arrival_ns)),
        None => local,
    };
    (time, length)
}

/// `name[pid]: `, and what stands behind it.
fn tag(text: &str) -> Option<(&str, &str, &str)> {
    let (tag, behind) = text.split_once(':')?;
    if tag.is_empty() || tag.len() > 128 || tag.contains(' ') {
        return None;
    }
    let behind = behind.strip_prefix(' ').unwrap_or(behind);
    match tag.strip_suffix(']').and_then(|tag| tag.split_once('[')) {
        Some((name, procid)) => Some((name, procid, behind)),
        None => Some((tag, "", behind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARRIVAL: i64 = 1_794_700_800_000_000_000;

    fn parse(text: &str) -> Message<'_> {
        Message::parse(text, Form::Standard, ARRIVAL, None)
    }

    #[test]
    fn the_new_form_has_all_parts() {
        let text = "<165>1 2026-11-11T22:14:15.003Z mymachine evntslog 12 ID47 \
            [exampleSDID@32473 iut=\"3\" x=\"a\\]\\\"b\"][y] \u{feff}An application event";
        let message = parse(text);
        assert_eq!(message.priority, Some(165));
        assert_eq!(message.time, Some(1_794_435_255_003_000_000));
        assert_eq!(
            (message.hostname, message.appname, message.procid, message.msgid),
            ("mymachine", "evntslog", "12", "ID47")
        );
        assert_eq!(message.elements, "[exampleSDID@32473 iut=\"3\" x=\"a\\]\\\"b\"][y]");
        assert_eq!(message.message, "An application event");
        let bare = parse("<13>1 - - - - - -");
        assert_eq!(bare, Message { priority: Some(13), ..Message::default() });
    }

    #[test]
    fn the_old_form_is_read_as_senders_write_it() {
        let expected = Message {
            priority: Some(34),
            time: Some(1_794_435_255_000_000_000),
            hostname: "host",
            appname: "su",
            procid: "77",
            message: "failed",
            ..Message::default()
        };
        for text in [
            "<34>Nov 11 22:14:15 host su[77]: failed",
            "<34>Nov 11 2026 22:14:15 host su[77]: failed",
            "<34>2026-11-11T22:14:15Z host su[77]: failed",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        let without_host = parse("<34>Nov 11 22:14:15 su: failed");
        assert_eq!((without_host.hostname, without_host.appname), ("", "su"));
        assert_eq!(parse("<34>Nov  1 22:14:15 host no tag here").message, "no tag here");
        for name in ["+01:00", "Europe/Berlin"] {
            let zone = name.parse().unwrap();
            let ahead = "<34>Nov 11 22:14:15 host x: y";
            let ahead = Message::parse(ahead, Form::Standard, ARRIVAL, Some(&zone));
            assert_eq!(ahead.time, Some(1_794_431_655_000_000_000), "{name}");
        }
    }

    #[test]
    fn the_text_of_logplex_stands_where_structured_data_would() {
        for said in ["Started", "[info] x=\"1\"] up", "- a list", "-", ""] {
            let text = format!("<40>1 2026-11-11T22:14:15+00:00 host app web.3 - {said}");
            let expected = Message {
                priority: Some(40),
                time: Some(1_794_435_255_000_000_000),
                hostname: "host",
                appname: "app",
                procid: "web.3",
                message: said,
                ..Message::default()
            };
            assert_eq!(Message::parse(&text, Form::Logplex, ARRIVAL, None), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_form_is_a_text() {
        for text in ["plain text", "<999>x", "<>x", "<1", "<12x>y", "<0192>1 - - - - - -"] {
            assert_eq!(parse(text), Message { message: text, ..Message::default() }, "{text}");
        }
        assert_eq!(parse("<13>hello world").message, "hello world");
        let open = parse("<13>1 - host app - - [never=\"closed");
        assert_eq!(open.message, "1 - host app - - [never=\"closed");
        let unreadable = parse("<13>1 yesterday host app - - - x");
        assert_eq!((unreadable.time, unreadable.time_text), (None, Some("yesterday")));
    }
}
