//! Whatever the events, their arrangement and the cuts: what is read equals a plain reading of the rules.

use proptest::collection::vec;
use proptest::prelude::*;
use tidegauge_ingest::{Format, Labels, Limits, Options, Reader};

use crate::support::{Cell, Event, Gate, read_with};

/// A JSON value that keeps equal names and their order, unlike a map.
#[derive(Clone, Debug)]
enum Json {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn write(&self, out: &mut String, pretty: bool) {
        let gap = if pretty { " \n\t" } else { "" };
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(value) => out.push_str(&value.to_string()),
            Self::Integer(value) => out.push_str(&value.to_string()),
            Self::Float(value) => out.push_str(&format!("{value:?}")),
            Self::Text(value) => out.push_str(&serde_json::to_string(value).unwrap()),
            Self::List(values) => {
                out.push('[');
                for (index, value) in values.iter().enumerate() {
                    out.push_str(if index == 0 { gap } else { "," });
                    value.write(out, pretty);
                    out.push_str(gap);
                }
                out.push(']');
            }
            Self::Object(pairs) => {
                out.push('{');
                for (index, (name, value)) in pairs.iter().enumerate() {
                    out.push_str(if index == 0 { gap } else { "," });
                    out.push_str(&serde_json::to_string(name).unwrap());
                    out.push_str(gap);
                    out.push(':');
                    out.push_str(gap);
                    value.write(out, pretty);
                }
                out.push('}');
            }
        }
    }

    fn text(&self, pretty: bool) -> String {
        let mut out = String::new();
        self.write(&mut out, pretty);
        out
    }

    /// The rules of flattening in their plainest form.
    fn flatten(&self, name: &str, event: &mut Event) {
        let cell = match self {
            Self::Null => {
                event.remove(name);
                return;
            }
            Self::Boolean(value) => Cell::Boolean(*value),
            Self::Integer(value) => Cell::Integer(*value),
            Self::Float(value) => Cell::Float(*value),
            Self::Text(value) => Cell::String(value.clone()),
            Self::List(_) => Cell::Array(self.text(false)),
            Self::Object(pairs) => {
                for (inner, value) in pairs {
                    value.flatten(&format!("{name}.{inner}"), event);
                }
                return;
            }
        };
        event.insert(name.to_owned(), cell);
    }
}

fn flattened(pairs: &[(String, Json)]) -> Event {
    let mut event = Event::new();
    for (name, value) in pairs {
        value.flatten(name, &mut event);
    }
    event
}

/// Few names, so that events share some and repeat others.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-d]",
        2 => "[a-c]\\.[a-c]",
        1 => "[a-z]{1,12}",
        1 => Just("ä\"\\\n".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Boolean),
        any::<i64>().prop_map(Json::Integer),
        (-1000..1000_i64).prop_map(Json::Integer),
        any::<f64>().prop_filter("JSON has no others", |value| value.is_finite()).prop_map(Json::Float),
        (-1e6..1e6_f64).prop_map(Json::Float),
        any::<String>().prop_map(Json::Text),
        "[ -~]{0,40}".prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::List),
            vec((name(), inner), 0..5).prop_map(Json::Object),
        ]
    })
}

fn event() -> impl Strategy<Value = Vec<(String, Json)>> {
    vec((name(), value()), 0..8)
}

fn arranged(events: &[Vec<(String, Json)>], arrangement: usize, pretty: bool) -> String {
    let texts: Vec<String> = events.iter().map(|event| Json::Object(event.clone()).text(pretty)).collect();
    match arrangement {
        0 => format!("[{}]", texts.join(",")),
        1 => texts.join("\n"),
        2 => texts.concat(),
        _ => texts.iter().map(|text| format!(" [ {text} ]\r\n")).collect(),
    }
}

/// Cuts a body at places given as parts of its length.
fn cut<'a>(body: &'a [u8], cuts: &[u16]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut) * body.len() / 65_536).collect();
    places.extend([0, body.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn events_are_read_as_the_rules_say(
        requests in vec(vec(event(), 0..6), 1..4),
        arrangement in 0..4_usize,
        pretty: bool,
        cuts in vec(any::<u16>(), 0..6),
    ) {
        // One reader for all requests, as in a pool: what it learnt must not change what it reads.
        let mut pooled = Reader::new(Limits::default());
        for events in requests {
            let body = arranged(&events, arrangement, pretty);
            let expected: Vec<Event> = events.iter().map(|event| flattened(event)).collect();
            let chunks = cut(body.as_bytes(), &cuts);
            let read = read_with(&mut pooled, Options::default(), &chunks, &Gate::default()).unwrap();
            prop_assert_eq!(&read.events, &expected, "{}", body);
            let mut fresh = Reader::new(Limits::default());
            let whole = read_with(&mut fresh, Options::default(), &[body.as_bytes()], &Gate::default()).unwrap();
            prop_assert_eq!(&whole.events, &expected, "{}", body);
        }
    }

    #[test]
    fn labels_are_read_as_if_they_stood_in_the_event(event in event(), labels in event()) {
        let options = || Options { labels: Some(Labels::parse(&Json::Object(labels.clone()).text(true)).unwrap()), ..Options::default() };
        let body = Json::Object(event.clone()).text(false).repeat(2);
        let mut reader = Reader::new(Limits::default());
        let expected = flattened(&[event, labels.clone()].concat());
        for _ in 0..2 {
            let read = read_with(&mut reader, options(), &[body.as_bytes()], &Gate::default()).unwrap();
            prop_assert_eq!(read.events, [expected.clone(), expected.clone()]);
        }
    }

    #[test]
    fn no_bytes_make_it_panic_and_cuts_do_not_matter(
        body in prop_oneof![
            vec(any::<u8>(), 0..200),
            vec(prop::sample::select(b"{}[]\",:\\ \n01.-eutrfalsn\xc3\xa4\xff".to_vec()), 0..60),
            vec(prop::sample::select(vec!["{", "}", "[", "]", "\"a\"", ":", ",", "1", "-2.5e3", "null", "true", "\"\\u00", "\"_time\"", "\\ud800", " "]), 0..40)
                .prop_map(|words| words.concat().into_bytes()),
        ],
        cuts in vec(any::<u16>(), 0..6),
        is_csv: bool,
    ) {
        let options = || Options { format: if is_csv { Format::Csv } else { Format::Json }, ..Options::default() };
        let mut reader = Reader::new(Limits::default());
        let whole = read_with(&mut reader, options(), &[&body], &Gate::default());
        let pieces = read_with(&mut reader, options(), &cut(&body, &cuts), &Gate::default());
        match (whole, pieces) {
            (Ok(whole), Ok(pieces)) => {
                prop_assert_eq!(whole.events, pieces.events);
                prop_assert_eq!(whole.outcome, pieces.outcome);
            }
            (Err(whole), Err(pieces)) => prop_assert_eq!(whole, pieces),
            (whole, pieces) => prop_assert!(false, "{whole:?} but in pieces {pieces:?}"),
        }
    }

    #[test]
    fn what_serde_json_accepts_is_accepted_and_nothing_else(
        words in vec(prop::sample::select(vec!["{", "}", "[", "]", "\"a\":", "\"b\"", ":", ",", "1", "-0", "01", "1.5", "1.", "1e5", "null", "tru", "true", " ", "\"\\n\"", "\"\\x\"", "\n"]), 0..12),
    ) {
        let value = words.concat();
        let body = format!("{{\"v\":{value}}}");
        // Raw, because a number that is too large for a float is well-formed and becomes null here.
        let expected = serde_json::from_str::<Box<serde_json::value::RawValue>>(&body).is_ok();
        let mut reader = Reader::new(Limits::default());
        let read = read_with(&mut reader, Options::default(), &[body.as_bytes()], &Gate::default());
        // Several values are one for serde_json's caller, but a body of several events here.
        let several = serde_json::Deserializer::from_str(&body).into_iter::<Box<serde_json::value::RawValue>>().all(|one| one.is_ok());
        prop_assert_eq!(read.is_ok(), expected || several, "{}", body);
    }
}
