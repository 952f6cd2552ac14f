//! Logplex of Heroku: frames, what the headers announce, and frames that are broken.

use tidegauge_ingest::{Labels, Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::logplex::{self, Head};

use crate::support::{Gate, Read, read, read_with};

const STARTED: &str = "<40>1 2026-06-01T00:06:26+00:00 host app web.3 - State changed from starting to up";
const LISTED: &str = "<190>1 2026-06-01T00:06:27.5+00:00 host heroku router - [info] at=info status=200\n";

fn framed(message: &str) -> String {
    format!("{} {message}", message.len())
}

fn taken(body: &str, messages: Option<u64>) -> Result<Read, Problem> {
    read(|events| logplex::read(body.as_bytes(), Head { messages, drain: Some("d.1") }, events))
}

#[test]
fn each_frame_is_an_event() {
    let expected = [
        "@1780272386000000000 appname=\"app\" drain=\"d.1\" facility=\"syslog\" hostname=\"host\" \
         message=\"State changed from starting to up\" priority=40 procid=\"web.3\" severity=\"emergency\"",
        "@1780272387500000000 appname=\"heroku\" drain=\"d.1\" facility=\"local7\" hostname=\"host\" \
         message=\"[info] at=info status=200\" priority=190 procid=\"router\" severity=\"info\"",
    ];
    let body = [framed(STARTED), framed(LISTED)];
    // Some senders put the end of the line into the count, some behind it, and some write none.
    for between in ["", "\n", "\r\n"] {
        let read = taken(&body.join(between), Some(2)).unwrap();
        assert_eq!(read.events, expected, "{between:?}");
        assert_eq!((read.outcome.ingested, read.outcome.failed), (2, 0));
    }
    assert_eq!(taken(&body.concat(), None).unwrap().events, expected);
    let long = "ä".repeat(1000);
    let head = Head { messages: None, drain: Some(&long) };
    let cut = read(|events| logplex::read(framed(STARTED).as_bytes(), head, events)).unwrap();
    assert!(cut.events[0].contains(&format!("drain=\"{}\" ", "ä".repeat(128))), "{:?}", cut.events);
    let without = read(|events| logplex::read(framed(STARTED).as_bytes(), Head::default(), events)).unwrap();
    assert!(!without.events[0].contains("drain"), "{:?}", without.events);
    assert_eq!(taken("", Some(0)).unwrap().events, [""; 0]);
}

#[test]
fn a_message_may_have_lines_and_digits_in_it() {
    let text = "<14>1 2026-06-01T00:06:26+00:00 host app web.1 - one\n83 two\n";
    let read = taken(&[framed(text), framed(STARTED)].concat(), Some(2)).unwrap();
    assert!(read.events[0].contains(r#"message="one\n83 two""#), "{:?}", read.events);
    assert_eq!(read.events.len(), 2);
}

#[test]
fn a_broken_frame_and_what_is_announced_behind_it_are_counted_and_told() {
    let good = framed(STARTED);
    let cut = &good[..good.len() - 10];
    let whole = STARTED.len();
    for (broken, messages, failed, said) in [
        (
            format!("{good}{cut}"),
            None,
            1,
            format!("frame 1 is to have {whole} bytes, and {} are there", whole - 10),
        ),
        (format!("{good}{cut}"), Some(2), 1, format!("is to have {whole} bytes")),
        (format!("{good}{STARTED}"), Some(4), 3, "does not begin with the count".to_owned()),
        (format!("{good}83"), Some(2), 1, "does not begin with the count".to_owned()),
        (format!("{good}9999999999 x"), None, 1, "does not begin with the count".to_owned()),
        (good.clone(), Some(3), 2, "3 messages are announced, and there are 1".to_owned()),
        (good.clone(), Some(u64::MAX), 1_000, "are announced".to_owned()),
    ] {
        let read = taken(&broken, messages).unwrap();
        assert_eq!((read.outcome.ingested, read.outcome.failed), (1, failed), "{broken}");
        let failures = &read.outcome.failures;
        assert_eq!((failures.len() as u64, failures[0].index), (failed, 1), "{broken}");
        assert!(failures[0].error.contains(&said), "{broken}: {}", failures[0].error);
    }
    let more = taken(&good.repeat(3), Some(2)).unwrap();
    assert_eq!((more.outcome.ingested, more.outcome.failed), (3, 0), "what is there counts");
}

#[test]
fn a_body_without_a_frame_is_refused() {
    for (body, messages) in
        [(STARTED, None), ("{\"a\":1}", Some(1)), ("99 <40>1 cut", Some(1)), ("-1 x", None), ("", Some(1))]
    {
        let problem = taken(body, messages).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Malformed, "{body}");
        assert!(problem.message.contains(logplex::MEDIA_TYPE), "{problem}");
    }
}

#[test]
fn a_message_whose_label_is_not_taken_fails_and_the_rest_is_read() {
    let gate = Gate { refuses: vec!["region"] };
    let labels = Some(Labels::parse("{\"region\":\"eu\"}").expect("labels"));
    let body = [framed(STARTED), framed(LISTED)].concat();
    let read = read_with(Limits::default(), Options { labels, ..Options::default() }, &gate, |events| {
        logplex::read(body.as_bytes(), Head { messages: Some(2), drain: None }, events)
    })
    .unwrap();
    assert_eq!((read.outcome.ingested, read.outcome.failed), (0, 2));
    assert_eq!(read.outcome.failures[1].index, 1);
}
