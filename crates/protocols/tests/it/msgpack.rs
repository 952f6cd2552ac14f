//! Bodies of MessagePack, as Fluent Bit sends them.

use tidegauge_ingest::Limits;
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::msgpack::read as read_msgpack;

use crate::support::{Read, read};

/// Writes MessagePack.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pack(pub(crate) Vec<u8>);

impl Pack {
    pub(crate) fn array(mut self, count: u8) -> Self {
        self.0.push(0x90 | count);
        self
    }

    pub(crate) fn map(mut self, count: u8) -> Self {
        self.0.push(0x80 | count);
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.push(0xd9);
        self.0.push(text.len() as u8);
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        match u16::try_from(bytes.len()) {
            Ok(length) => {
                self.0.push(0xc5);
                self.0.extend_from_slice(&length.to_be_bytes());
            }
            Err(_) => {
                self.0.push(0xc6);
                self.0.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            }
        }
        self.raw(bytes)
    }

    pub(crate) fn integer(mut self, value: i64) -> Self {
        self.0.push(0xd3);
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// The time of Fluentd: an extension of eight bytes.
    pub(crate) fn time(self, seconds: u32, nanoseconds: u32) -> Self {
        self.raw(&[0xd7, 0]).raw(&seconds.to_be_bytes()).raw(&nanoseconds.to_be_bytes())
    }

    /// A record with one field.
    pub(crate) fn record(self, name: &str, value: i64) -> Self {
        self.map(1).text(name).integer(value)
    }
}

fn msgpack(body: &[u8]) -> Result<Read, Problem> {
    read(|events| read_msgpack(body, events))
}

#[test]
fn pairs_of_time_and_record_stand_one_behind_the_other() {
    let body = Pack::default()
        .array(2)
        .time(1_794_000_000, 7)
        .map(6)
        .text("text")
        .bytes(b"x\xff")
        .text("nested")
        .record("a", -1)
        .text("list")
        .array(3)
        .integer(1)
        .raw(&[0xc0, 0xc3])
        .text("float")
        .raw(&[0xca, 0x3f, 0xc0, 0, 0])
        .text("big")
        .raw(&[0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
        .text("nil")
        .raw(&[0xc0])
        .array(2)
        .integer(1_794_000_001)
        .record("b", 2)
        .array(2)
        .array(2)
        .time(1_794_000_002, 0)
        .map(0)
        .record("c", 3);
    assert_eq!(
        msgpack(&body.0).unwrap().events,
        [
            "@1794000000000000007 big=18446744073709551615 float=1.5 list=[1,null,true] nested.a=-1 text=\"x\u{fffd}\"",
            "@1794000001000000000 b=2",
            "@1794000002000000000 c=3",
        ]
    );
}

#[test]
fn records_come_alone_and_in_arrays() {
    let alone = Pack::default().record("a", 1).record("a", 2);
    assert_eq!(msgpack(&alone.0).unwrap().events, ["a=1", "a=2"]);
    let array = Pack::default().array(3).record("a", 1).record("a", 2).record("a", 3);
    assert_eq!(msgpack(&array.0).unwrap().events.len(), 3);
    let pairs =
        Pack::default().array(2).array(2).time(5, 0).record("a", 1).array(2).time(6, 0).record("a", 2);
    assert_eq!(msgpack(&pairs.0).unwrap().events, ["@5000000000 a=1", "@6000000000 a=2"]);
    assert_eq!(msgpack(b"").unwrap().events.len(), 0);
}

#[test]
fn what_is_cut_or_declares_too_much_is_refused() {
    let whole = Pack::default().array(2).time(5, 0).map(1).text("a").array(2).integer(1).text("b").0;
    for length in 1..whole.len() {
        assert_eq!(msgpack(&whole[..length]).unwrap_err().kind, ErrorKind::Malformed, "{length}");
    }
    for head in [0xc6, 0xc9, 0xdb, 0xdd, 0xdf] {
        let declared = [0x81, 0xa1, b'a', head, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(msgpack(&declared).unwrap_err().kind, ErrorKind::Malformed, "{head:x}");
        assert_eq!(msgpack(&declared[3..]).unwrap_err().kind, ErrorKind::Malformed, "{head:x}");
    }
    for body in [&[0xc1][..], &[5], &[0x93, 5, 5, 5]] {
        assert_eq!(msgpack(body).unwrap_err().kind, ErrorKind::Malformed, "{body:?}");
    }
}

#[test]
fn nesting_beyond_the_limit_is_null() {
    let depth = Limits::default().depth_max * 100;
    let arrays = [&[0x81, 0xa1, b'a'][..], &vec![0x91; depth], &[1]].concat();
    let events = msgpack(&arrays).unwrap().events;
    assert!(events[0].contains("[null]"), "{}", events[0]);
    let maps = [&[0x81, 0xa1, b'a'][..].repeat(depth), &[1][..]].concat();
    assert_eq!(msgpack(&maps).unwrap().events, [""]);
}
