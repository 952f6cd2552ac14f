//! Prometheus remote write in both versions.

use tidegauge_model::ErrorKind;
use tidegauge_protocols::Problem;
use tidegauge_protocols::remote_write::{Version, Written, accepted, read as read_write, refused};

use crate::loki::snap_block;
use crate::support::{Proto, Read, read};

fn write(version: Version, message: Proto) -> Result<Read<Written>, Problem> {
    let body = snap_block(&message.0);
    read(|events| read_write(version, &body, 1 << 20, events))
}

fn label(name: &str, value: &str) -> Proto {
    Proto::default().bytes(1, name).bytes(2, value)
}

fn sample(value: f64, time_ms: u64) -> Proto {
    Proto::default().double(1, value).varint(2, time_ms)
}

#[test]
fn the_first_version_has_labels_in_each_series() {
    let series = Proto::default()
        .message(1, label("__name__", "up"))
        .message(1, label("job", "node"))
        .message(2, sample(1.0, 1_794_000_000_123))
        .message(2, sample(f64::from_bits(0x7ff0_0000_0000_0002), 1_794_000_000_124))
        .message(2, sample(f64::NAN, 1_794_000_000_125));
    let read = write(Version::V1, Proto::default().message(1, series)).unwrap();
    assert_eq!(
        read.without_series(),
        [
            "@1794000000123000000 labels.job=\"node\" metric=\"up\" value=1.0",
            "@1794000000124000000 labels.job=\"node\" metric=\"up\" stale=true",
            "@1794000000125000000 labels.job=\"node\" metric=\"up\" value=\"NaN\"",
        ]
    );
    let answer = accepted(Version::V1, read.told, &read.outcome);
    assert_eq!((answer.status, answer.headers.len()), (204, 0));
}

#[test]
fn the_second_version_refers_to_symbols() {
    let series = Proto::default()
        .bytes(1, [1, 2, 3, 4])
        .message(2, sample(2.5, 1000).varint(3, 500))
        .message(5, Proto::default().varint(1, 1).varint(4, 5));
    let symbols = ["", "__name__", "requests_total", "job", "web", "s"];
    let message = symbols.iter().fold(Proto::default().message(5, series), |all, it| all.bytes(4, it));
    let read = write(Version::V2, message).unwrap();
    assert_eq!(
        read.without_series(),
        [
            "@1000000000 labels.job=\"web\" metric=\"requests_total\" start_time=500000000 type=\"counter\" unit=\"s\" value=2.5"
        ]
    );
    let answer = accepted(Version::V2, read.told, &read.outcome);
    assert_eq!(
        answer.headers,
        [
            ("x-prometheus-remote-write-samples-written", "1".to_owned()),
            ("x-prometheus-remote-write-histograms-written", "0".to_owned()),
            ("x-prometheus-remote-write-exemplars-written", "0".to_owned()),
        ]
    );
}

#[test]
fn native_histograms_are_laid_out_as_exponential_ones() {
    let span = |offset: i64, length: u64| Proto::default().zigzag(1, offset).varint(2, length);
    let zigzags =
        |deltas: &[i64]| deltas.iter().map(|delta| ((delta << 1) ^ (delta >> 63)) as u8).collect::<Vec<u8>>();
    let histogram = Proto::default()
        .varint(1, 9)
        .double(3, 12.5)
        .zigzag(4, 3)
        .double(5, 0.001)
        .varint(6, 1)
        .message(11, span(-1, 2))
        .message(11, span(2, 1))
        .bytes(12, zigzags(&[1, 2, -1]))
        .varint(15, 1000);
    let series = Proto::default().message(1, label("__name__", "h")).message(4, histogram);
    let read = write(Version::V1, Proto::default().message(1, series)).unwrap();
    assert_eq!(
        read.without_series(),
        ["@1000000000 count=9 metric=\"h\" positive.counts=[1,3,0,0,2] positive.offset=-2 scale=3 sum=12.5 \
          type=\"exponential_histogram\" zero_count=1 zero_threshold=0.001"]
    );
    assert_eq!(read.told, Written { samples: 0, histograms: 1, exemplars: 0 });
    let bounds: Vec<u8> = [0.5_f64, 1.0].iter().flat_map(|bound| bound.to_le_bytes()).collect();
    let custom = Proto::default()
        .varint(1, 2)
        .zigzag(4, -53)
        .message(11, span(1, 2))
        .bytes(12, zigzags(&[1, 0]))
        .bytes(16, bounds)
        .varint(15, 1000);
    let series = Proto::default().message(1, label("__name__", "h")).message(4, custom);
    let read = write(Version::V1, Proto::default().message(1, series)).unwrap();
    assert_eq!(
        read.without_series(),
        ["@1000000000 bounds=[0.5,1.0] count=2 counts=[0,1,1] metric=\"h\" sum=0.0 type=\"histogram\""]
    );
}

#[test]
fn a_series_has_one_name_in_both_versions() {
    let first = |labels: &[(&str, &str)]| {
        let series = labels.iter().fold(Proto::default().message(2, sample(1.0, 1)), |all, (name, value)| {
            all.message(1, label(name, value))
        });
        write(Version::V1, Proto::default().message(1, series)).unwrap().with_series().1.remove(0)
    };
    let name = first(&[("__name__", "up"), ("job", "web"), ("zone", "a")]);
    assert_eq!(first(&[("zone", "a"), ("job", "web"), ("__name__", "up")]), name);
    assert_ne!(first(&[("__name__", "up"), ("job", "a"), ("zone", "web")]), name);
    let series = Proto::default().bytes(1, [0, 1, 2, 3, 4, 5]).message(2, sample(1.0, 1));
    let symbols = ["__name__", "up", "job", "web", "zone", "a"];
    let message = symbols.iter().fold(Proto::default().message(5, series), |all, it| all.bytes(4, it));
    assert_eq!(write(Version::V2, message).unwrap().with_series().1, [name]);
}

#[test]
fn exemplars_are_events_of_their_own() {
    let exemplar = Proto::default()
        .message(1, label("trace_id", "abc"))
        .message(1, label("path", "/"))
        .double(2, 0.25)
        .varint(3, 900);
    let series = Proto::default()
        .message(1, label("__name__", "took_bucket"))
        .message(3, exemplar)
        .message(2, sample(3.0, 1000));
    let read = write(Version::V1, Proto::default().message(1, series)).unwrap();
    let shown = "exemplars=[{\"timestamp\":900000000,\"value\":0.25,\"trace_id\":\"abc\",\"attributes\":{\"path\":\"/\"}}]";
    assert_eq!(
        read.without_series(),
        [
            format!("@900000000 {shown} metric=\"took_bucket\""),
            "@1000000000 metric=\"took_bucket\" value=3.0".to_owned(),
        ]
    );
    let series = Proto::default()
        .bytes(1, [0, 1])
        .message(4, Proto::default().bytes(1, [2, 3]).double(2, 1.5).varint(3, 7));
    let symbols = ["__name__", "took", "trace_id", "def"];
    let message = symbols.iter().fold(Proto::default().message(5, series), |all, it| all.bytes(4, it));
    let read = write(Version::V2, message).unwrap();
    assert_eq!(
        read.without_series(),
        ["@7000000 exemplars=[{\"timestamp\":7000000,\"value\":1.5,\"trace_id\":\"def\"}] metric=\"took\""]
    );
    assert_eq!(read.told, Written { samples: 0, histograms: 0, exemplars: 1 });
    let headers = accepted(Version::V2, read.told, &read.outcome).headers;
    assert_eq!(headers[2], ("x-prometheus-remote-write-exemplars-written", "1".to_owned()));
}

#[test]
fn a_histogram_tells_when_it_began() {
    let histogram = Proto::default().varint(1, 0).varint(15, 1000).varint(17, 400);
    let series = Proto::default().bytes(1, [0, 1]).message(3, histogram);
    let message =
        ["__name__", "h"].iter().fold(Proto::default().message(5, series), |all, it| all.bytes(4, it));
    let event = &write(Version::V2, message).unwrap().events[0];
    assert!(event.contains("start_time=400000000"), "{event}");
}

#[test]
fn buckets_far_apart_fail_their_sample() {
    let span = |offset: i64, length: u64| Proto::default().zigzag(1, offset).varint(2, length);
    for (spans, deltas) in [
        (vec![span(0, 1), span(2_000_000_000, 1)], vec![2, 2]),
        (vec![span(0, u64::from(u32::MAX))], vec![2]),
        (vec![span(0, 1)], vec![2, 2]),
        (vec![span(0, 1), span(-5, 1)], vec![2, 2]),
    ] {
        let histogram = spans.into_iter().fold(Proto::default().varint(15, 1), |all, it| all.message(11, it));
        let series = Proto::default()
            .message(1, label("__name__", "h"))
            .message(4, histogram.bytes(12, deltas))
            .message(2, sample(1.0, 1));
        let read = write(Version::V1, Proto::default().message(1, series)).unwrap();
        assert_eq!((read.outcome.ingested, read.outcome.failed), (1, 1));
        assert_eq!(accepted(Version::V1, read.told, &read.outcome).status, 400);
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    for references in [&[1_u8, 9][..], &[1]] {
        let series = Proto::default().bytes(1, references).message(2, sample(1.0, 1));
        let message = Proto::default().bytes(4, "").bytes(4, "x").message(5, series);
        assert_eq!(write(Version::V2, message).unwrap_err().kind, ErrorKind::Malformed);
    }
    let nameless = Proto::default().message(1, Proto::default().message(2, sample(1.0, 1)));
    assert_eq!(write(Version::V1, nameless).unwrap().outcome.failed, 1);
}

#[test]
fn what_passes_by_itself_is_refused_so_that_prometheus_comes_back() {
    for kind in [ErrorKind::Busy, ErrorKind::Unavailable, ErrorKind::StorageFull, ErrorKind::TimedOut] {
        let answer = refused(Version::V1, &Problem::new(kind, "no"));
        assert_eq!(answer.status, 503, "{kind:?}");
        assert_eq!(answer.headers, [("retry-after", "1".to_owned())], "{kind:?}");
        assert_eq!(refused(Version::V2, &Problem::new(kind, "no")).headers.len(), 4);
    }
    for (kind, status) in [(ErrorKind::Forbidden, 403), (ErrorKind::TooLarge, 413)] {
        assert_eq!(refused(Version::V1, &Problem::new(kind, "no")).status, status);
    }
}

#[test]
fn a_series_has_only_so_many_labels() {
    for (count, is_read) in [(1024_usize, true), (1025, false)] {
        let labels = (0..count).fold(Proto::default(), |all, _| all.message(1, label("a", "b")));
        let message = Proto::default().message(1, labels.message(2, sample(1.0, 1)));
        assert_eq!(write(Version::V1, message).is_ok(), is_read);
        let references = vec![0_u8; 2 * count];
        let series = Proto::default().bytes(1, references).message(2, sample(1.0, 1));
        let message = Proto::default().bytes(4, "a").message(5, series);
        assert_eq!(write(Version::V2, message).is_ok(), is_read);
    }
}

/// What labels of a small request mean, written for each sample, is at most four times what a request may have.
#[test]
fn a_small_request_means_only_so_much_text() {
    const SYMBOL: usize = 1 << 16;
    let symbol = "a".repeat(SYMBOL);
    let read_then = (4 << 20) / (2 * SYMBOL);
    for (count, is_read) in [(read_then - 1, true), (read_then + 1, false)] {
        // Of a reference to a name and to a value, the value is long. It is read once, and written with its sample.
        let series = || Proto::default().bytes(1, vec![0_u8, 1, 2, 3]).message(2, sample(1.0, 1));
        let symbols = ["__name__", "a", "b", symbol.as_str()];
        let message = symbols.iter().fold(Proto::default(), |all, symbol| all.bytes(4, *symbol));
        let message = (0..count).fold(message, |all, _| all.message(5, series()));
        assert_eq!(write(Version::V2, message).is_ok(), is_read, "{count} series");

        let labels = Proto::default().message(1, label("__name__", "a")).message(1, label("b", &symbol));
        let series = (0..2 * count).fold(labels, |all, at| all.message(2, sample(1.0, at as u64)));
        let written = write(Version::V1, Proto::default().message(1, series));
        assert_eq!(written.is_ok(), is_read, "{count} samples");
    }
}

#[test]
fn the_version_is_in_the_media_type() {
    for (content_type, version) in [
        ("application/x-protobuf", Some(Version::V1)),
        ("application/x-protobuf;proto=prometheus.WriteRequest", Some(Version::V1)),
        ("application/x-protobuf; proto=io.prometheus.write.v2.Request", Some(Version::V2)),
        ("application/x-protobuf;proto=other", None),
        ("application/json", None),
    ] {
        assert_eq!(Version::of(content_type), version, "{content_type}");
    }
}
