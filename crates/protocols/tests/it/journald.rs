//! Entries of a journal, cut anywhere.

use tidegauge_ingest::{Limits, Options};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::journald::{Journal, accepted};

use crate::support::{Gate, Read, read_with};

fn journal(body: &[u8], piece: usize, limits: Limits, gate: &Gate) -> Result<Read, Problem> {
    read_with(limits, Options::default(), gate, |events| {
        let mut journal = Journal::default();
        for piece in body.chunks(piece) {
            journal.feed(piece, events)?;
        }
        journal.finish(events)
    })
}

fn binary(name: &str, value: &[u8]) -> Vec<u8> {
    let mut field = format!("{name}\n").into_bytes();
    field.extend_from_slice(&(value.len() as u64).to_le_bytes());
    field.extend_from_slice(value);
    field.push(b'\n');
    field
}

fn upload() -> Vec<u8> {
    let mut body =
        b"__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1794000000000001\nPRIORITY=3\n_PID=12\nMESSAGE=a=b\n\n"
            .to_vec();
    body.extend(b"__REALTIME_TIMESTAMP=1794000000000002\n");
    body.extend(binary("MESSAGE", b"two\nlines"));
    body.extend(binary("EMPTY", b""));
    body.extend(binary("BYTES", &[0xff, b'x']));
    body.extend(b"\n\n");
    body
}

#[test]
fn entries_are_the_same_however_they_are_cut() {
    let expected = [
        "@1794000000000001000 PRIORITY=\"3\" _PID=\"12\" __CURSOR=\"s=1;i=2\" message=\"a=b\" severity=\"error\"",
        "@1794000000000002000 BYTES=\"\u{fffd}x\" EMPTY=\"\" message=\"two\\nlines\"",
    ];
    let body = upload();
    for piece in 1..body.len() {
        let read = journal(&body, piece, Limits::default(), &Gate::default()).unwrap();
        assert_eq!(read.events, expected, "{piece}");
    }
    let answer = accepted();
    assert_eq!(answer.status, 202);
    assert_eq!(answer.headers, [("accept-encoding", "zstd".to_owned())]);
}

#[test]
fn an_entry_may_end_with_the_upload_but_not_inside_a_field() {
    let read = journal(b"MESSAGE=x\n", 100, Limits::default(), &Gate::default()).unwrap();
    assert_eq!(read.events, ["message=\"x\""]);
    let whole = binary("MESSAGE", b"abc");
    for cut in 1..whole.len() {
        let problem = journal(&whole[..cut], 100, Limits::default(), &Gate::default()).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Malformed, "{cut}");
    }
}

#[test]
fn long_values_are_cut_and_the_rest_is_read_on() {
    let limits = Limits { string_bytes_max: 10, event_bytes_max: 200, ..Limits::default() };
    let mut body = format!("A={}\n", "x".repeat(1000)).into_bytes();
    body.extend(binary("B", &[b'y'; 5000]));
    body.extend(b"C=z\n\nD=1\n\n");
    let read = journal(&body, 64, limits, &Gate::default()).unwrap();
    assert_eq!(
        read.events,
        [
            "A=\"<invalid string: too long>\" B=\"<invalid string: too long>\" C=\"z\" truncated=true",
            "D=\"1\""
        ]
    );
}

#[test]
fn fields_without_end_take_no_memory() {
    let limits = || Limits { event_bytes_max: 1 << 20, ..Limits::default() };
    let many: Vec<u8> = (0..200_000).flat_map(|number| format!("F{}=v\n", number % 3).into_bytes()).collect();
    let read = journal(&many, 4096, limits(), &Gate::default()).unwrap();
    assert_eq!(read.events, ["F0=\"v\" F1=\"v\" F2=\"v\" truncated=true"]);
    let endless = vec![b'N'; 1 << 20];
    assert_eq!(journal(&endless, 4096, limits(), &Gate::default()).unwrap_err().kind, ErrorKind::Malformed);
    let mut declared = b"HUGE\n".to_vec();
    declared.extend(u64::MAX.to_le_bytes());
    declared.extend(vec![b'x'; 3 << 20]);
    assert_eq!(journal(&declared, 4096, limits(), &Gate::default()).unwrap_err().kind, ErrorKind::Malformed);
}

#[test]
fn fields_that_the_dataset_does_not_take_are_in_a_map() {
    let gate = Gate { refuses: vec!["MINE"] };
    let read = journal(b"MESSAGE=x\nMINE=1\n\n", 100, Limits::default(), &gate).unwrap();
    assert_eq!(read.events, ["custom=map{\"MINE\":\"1\"} message=\"x\""]);
}

#[test]
fn what_is_no_journal_is_refused() {
    for body in [&b"=x\n"[..], b"A\n\x01\0\0\0\0\0\0\0xy\n"] {
        assert_eq!(
            journal(body, 100, Limits::default(), &Gate::default()).unwrap_err().kind,
            ErrorKind::Malformed
        );
    }
}
