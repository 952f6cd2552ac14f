//! What OTLP answers: by what senders do with it, as the facts about them say.

use tidegauge_ingest::{Failure, Outcome};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::otlp::{Encoding, Signal, accepted, accepted_message, grpc_failure, refused};

use crate::support::Proto;

fn part_refused() -> Outcome {
    let failures = vec![Failure { index: 3, error: "event fails: no".to_owned() }];
    Outcome { ingested: 5, failed: 2, failures, ..Outcome::default() }
}

#[test]
fn success_is_an_empty_message() {
    let good = Outcome { ingested: 5, ..Outcome::default() };
    let answer = accepted(Signal::Logs, Encoding::Protobuf, &good);
    assert_eq!((answer.status, answer.content_type), (200, Some("application/x-protobuf")));
    assert!(answer.body.is_empty());
    let answer = accepted(Signal::Traces, Encoding::Json, &good);
    assert_eq!((answer.content_type, answer.body.as_slice()), (Some("application/json"), &b"{}"[..]));
}

#[test]
fn what_was_refused_is_counted() {
    let partial = Proto::default().varint(1, 2).bytes(2, "the first, number 3: event fails: no");
    assert_eq!(accepted_message(&part_refused()), Proto::default().message(1, partial).0);
    for (signal, name) in [
        (Signal::Logs, "rejectedLogRecords"),
        (Signal::Traces, "rejectedSpans"),
        (Signal::Metrics, "rejectedDataPoints"),
    ] {
        let answer = accepted(signal, Encoding::Json, &part_refused());
        let expected = format!(
            "{{\"partialSuccess\":{{\"{name}\":\"2\",\"errorMessage\":\"the first, number 3: event fails: no\"}}}}"
        );
        assert_eq!(String::from_utf8(answer.body).unwrap(), expected);
    }
}

#[test]
fn what_passes_by_itself_is_tried_again_soon() {
    for kind in [
        ErrorKind::Unavailable,
        ErrorKind::StorageFull,
        ErrorKind::TimedOut,
        ErrorKind::OutOfMemory,
        ErrorKind::Internal,
        ErrorKind::Corrupt,
    ] {
        let answer = refused(Encoding::Json, &Problem::new(kind, "later"));
        assert_eq!(answer.status, 503, "{kind:?}");
        assert_eq!(answer.headers, [("retry-after", "1".to_owned())]);
        assert_eq!(grpc_failure(&Problem::new(kind, "later")).code, 14);
    }
    assert_eq!(refused(Encoding::Json, &Problem::new(ErrorKind::Busy, "x")).status, 429);
}

#[test]
fn what_does_not_is_final() {
    for (kind, status, code) in [
        (ErrorKind::Malformed, 400, 3),
        (ErrorKind::Unauthenticated, 401, 16),
        (ErrorKind::QuotaUsedUp, 403, 7),
        (ErrorKind::TooLarge, 413, 8),
    ] {
        let problem = Problem::new(kind, "no");
        let answer = refused(Encoding::Protobuf, &problem);
        assert_eq!((answer.status, answer.headers.len()), (status, 0));
        assert_eq!(answer.body, Proto::default().varint(1, code).bytes(2, "no").0);
        let failure = grpc_failure(&problem);
        assert_eq!((u64::from(failure.code), failure.retry_info), (code, None));
    }
}

#[test]
fn a_call_that_may_be_repeated_says_when() {
    let failure = grpc_failure(&Problem::new(ErrorKind::Busy, "slow down"));
    let info = Proto::default().message(1, Proto::default().varint(1, 1)).0;
    assert_eq!(failure.retry_info.as_deref(), Some(info.as_slice()));
    let any = Proto::default().bytes(1, "type.googleapis.com/google.rpc.RetryInfo").bytes(2, info);
    let status = Proto::default().varint(1, 8).bytes(2, "slow down").message(3, any);
    assert_eq!(failure.details, status.0);
}
