//! Syslog: both forms, both framings.

use tidegauge_protocols::syslog::{Frames, MESSAGE_BYTES_MAX, Messages, Origin};

use crate::support::read;

fn written(messages: &[&[u8]], origin: Origin<'_>) -> Vec<String> {
    let read = read(|events| {
        let mut writer = Messages::default();
        messages.iter().try_for_each(|message| writer.write(message, origin, events))
    });
    read.expect("nothing is refused").events
}

/// The messages in a stream of bytes that is cut into pieces.
fn framed(bytes: &[u8], piece: usize) -> Vec<(String, bool)> {
    let (mut frames, mut seen) = (Frames::default(), Vec::new());
    let mut keep =
        |message: &[u8], is_cut: bool| seen.push((String::from_utf8_lossy(message).into_owned(), is_cut));
    for piece in bytes.chunks(piece) {
        frames.feed(piece, &mut keep);
    }
    frames.finish(true, &mut keep);
    seen
}

#[test]
fn a_message_has_its_parts_as_fields() {
    let origin = Origin { source_ip: Some("10.0.0.1"), ..Origin::default() };
    let new = b"<165>1 2026-11-14T00:00:00Z host app 12 ID47 [x@1 k=\"v\" e=\"\\]\"] \xef\xbb\xbfhi";
    let old = b"<34>Nov 14 00:00:00 host su[77]: failed\n";
    assert_eq!(
        written(&[new, old, b"no form", b" \n"], origin),
        [
            r#"@1794614400000000000 appname="app" facility="local4" hostname="host" message="hi" msgid="ID47" priority=165 procid="12" sd.x@1.e="]" sd.x@1.k="v" severity="notice" source.ip="10.0.0.1""#,
            r#"@1794614400000000000 appname="su" facility="auth" hostname="host" message="failed" priority=34 procid="77" severity="critical" source.ip="10.0.0.1""#,
            r#"message="no form" source.ip="10.0.0.1""#,
        ]
    );
}

#[test]
fn a_time_that_cannot_be_read_is_kept() {
    let events = written(&[b"<13>1 yesterday host - - - - x"], Origin::default());
    assert!(events[0].ends_with("unreadable_time=\"yesterday\""), "{}", events[0]);
}

#[test]
fn long_messages_are_cut_and_marked() {
    let long = [b"<13>".as_slice(), &vec![b'x'; 100_000]].concat();
    let event = &written(&[&long], Origin::default())[0];
    assert!(event.ends_with("truncated=true"));
    assert!(event.len() < MESSAGE_BYTES_MAX + 200);
    assert!(
        written(&[b"<13>x"], Origin { is_cut: true, ..Origin::default() })[0].ends_with("truncated=true")
    );
}

#[test]
fn each_frame_has_its_own_framing() {
    let stream = b"9 <13>a b c<13>line one\n5 <1>\nx<13>line two\r\n\n12345 is a text\n4 <13>";
    let expected = ["<13>a b c", "<13>line one", "<1>\nx", "<13>line two\r", "<13>"];
    let stream = &stream[..stream.len() - 23];
    let stream = [stream, b"4 <13>"].concat();
    for piece in 1..stream.len() {
        let seen: Vec<String> = framed(&stream, piece).into_iter().map(|(text, _)| text).collect();
        assert_eq!(seen, expected, "{piece}");
    }
}

#[test]
fn lines_that_begin_with_digits_are_lines() {
    assert_eq!(
        framed(b"12:30 text\n1234567890123 x\n", 3),
        [("12:30 text".to_owned(), false), ("1234567890123 x".to_owned(), false)]
    );
}

#[test]
fn frames_without_end_take_no_memory() {
    let endless = vec![b'x'; 1 << 20];
    let seen = framed(&endless, 4096);
    assert_eq!((seen.len(), seen[0].0.len(), seen[0].1), (1, MESSAGE_BYTES_MAX, true));
    let counted = [b"999999999 ".as_slice(), &endless].concat();
    let seen = framed(&counted, 4096);
    assert_eq!((seen.len(), seen[0].0.len(), seen[0].1), (1, MESSAGE_BYTES_MAX, true));
    assert_eq!(framed(b"10 <13>", 4), [("<13>".to_owned(), true)]);
}

#[test]
fn a_line_that_is_not_read_to_its_end_is_cut() {
    for (is_read_to_its_end, is_cut) in [(true, false), (false, true)] {
        let (mut frames, mut seen) = (Frames::default(), Vec::new());
        frames.feed(b"<13>whole\n<13>half", |message, is_cut| seen.push((message.to_vec(), is_cut)));
        frames.finish(is_read_to_its_end, |message, is_cut| seen.push((message.to_vec(), is_cut)));
        assert_eq!(seen, [(b"<13>whole".to_vec(), false), (b"<13>half".to_vec(), is_cut)]);
    }
}
