//! Points of metrics in protobuf, of each kind.

use tidegauge_protocols::otlp::{Encoding, Signal, read as read_otlp};

use crate::support::{ORIGIN, Proto, Read, any_text, otlp_request, pair, read};

fn metrics(metrics: impl IntoIterator<Item = Proto>) -> Read {
    let body = otlp_request(metrics);
    read(|events| read_otlp(Signal::Metrics, Encoding::Protobuf, &body, events)).expect("a good request")
}

fn metric(kind: u32, data: Proto) -> Proto {
    Proto::default().bytes(1, "m").bytes(3, "ms").message(kind, data)
}

#[test]
fn numbers_have_a_value_each() {
    let gauge = Proto::default()
        .message(1, Proto::default().fixed64(3, 20).double(4, 1.5).message(7, pair("mine", any_text("x"))))
        .message(1, Proto::default().fixed64(2, 5).fixed64(3, 21).fixed64(6, (-4_i64) as u64))
        .message(1, Proto::default().fixed64(3, 22).varint(8, 1).double(4, 9.0));
    assert_eq!(
        metrics([metric(5, gauge)]).without_series(),
        [
            format!(
                "@20 attributes.custom=map{{\"mine\":\"x\"}} metric=\"m\" {ORIGIN} type=\"gauge\" unit=\"ms\" value=1.5"
            ),
            format!("@21 metric=\"m\" {ORIGIN} start_time=5 type=\"gauge\" unit=\"ms\" value=-4"),
            format!("@22 metric=\"m\" not_recorded=true {ORIGIN} type=\"gauge\" unit=\"ms\""),
        ]
    );
    let sum =
        Proto::default().message(1, Proto::default().fixed64(3, 20).double(4, 1.0)).varint(2, 2).varint(3, 1);
    assert_eq!(
        metrics([metric(7, sum)]).without_series(),
        [format!(
            "@20 is_monotonic=true metric=\"m\" {ORIGIN} temporality=\"cumulative\" type=\"sum\" unit=\"ms\" value=1.0"
        )]
    );
}

#[test]
fn histograms_have_bounds_and_counts() {
    let counts: Vec<u8> = [1_u64, 0, 2].iter().flat_map(|count| count.to_le_bytes()).collect();
    let bounds: Vec<u8> = [0.5_f64, 10.0].iter().flat_map(|bound| bound.to_le_bytes()).collect();
    let exemplar = Proto::default().fixed64(2, 19).double(3, 0.25).bytes(5, [3; 16]);
    let point = Proto::default()
        .fixed64(3, 20)
        .fixed64(4, 3)
        .double(5, 11.5)
        .bytes(6, counts)
        .bytes(7, bounds)
        .message(8, exemplar)
        .double(11, 0.1)
        .double(12, 9.0);
    let event = &metrics([metric(9, Proto::default().message(1, point).varint(2, 1))]).without_series()[0];
    assert_eq!(
        *event,
        format!(
            "@20 bounds=[0.5,10.0] count=3 counts=[1,0,2] \
             exemplars=[{{\"timestamp\":19,\"value\":0.25,\"trace_id\":\"{}\"}}] max=9.0 metric=\"m\" min=0.1 \
             {ORIGIN} sum=11.5 temporality=\"delta\" type=\"histogram\" unit=\"ms\"",
            "03".repeat(16)
        )
    );
}

#[test]
fn exponential_histograms_keep_scale_and_sides() {
    let positive = Proto::default().zigzag(1, -2).bytes(2, [1, 0x80, 1]);
    let negative = Proto::default().varint(2, 3).varint(2, 4);
    let point = Proto::default()
        .fixed64(3, 20)
        .fixed64(4, 140)
        .zigzag(6, -1)
        .fixed64(7, 4)
        .message(8, positive)
        .message(9, negative)
        .double(14, 0.001);
    let event = &metrics([metric(10, Proto::default().message(1, point).varint(2, 2))]).without_series()[0];
    assert_eq!(
        *event,
        format!(
            "@20 count=140 metric=\"m\" negative.counts=[3,4] negative.offset=0 positive.counts=[1,128] \
             positive.offset=-2 {ORIGIN} scale=-1 temporality=\"cumulative\" type=\"exponential_histogram\" \
             unit=\"ms\" zero_count=4 zero_threshold=0.001"
        )
        .replace(&format!("{ORIGIN} scale=-1"), &ORIGIN.replace("scope.name", "scale=-1 scope.name"))
    );
}

#[test]
fn summaries_have_quantiles() {
    let quantile = Proto::default().double(1, 0.99).double(2, f64::INFINITY);
    let point = Proto::default().fixed64(3, 20).fixed64(4, 2).double(5, 3.0).message(6, quantile);
    let event = &metrics([metric(11, Proto::default().message(1, point))]).events[0];
    assert!(event.contains("count=2"), "{event}");
    assert!(event.contains("quantiles=[{\"quantile\":0.99,\"value\":\"Infinity\"}]"), "{event}");
}

#[test]
fn a_metric_without_a_name_fails_alone() {
    let data = || Proto::default().message(1, Proto::default().fixed64(3, 20).double(4, 1.0));
    let read = metrics([Proto::default().message(5, data()), metric(5, data())]);
    assert_eq!((read.outcome.ingested, read.outcome.failed), (1, 1));
}

#[test]
fn points_of_one_series_have_one_name() {
    let point = |attributes: &[(&str, &str)], time: u64| {
        let point = Proto::default().fixed64(3, time).double(4, 1.0);
        attributes.iter().fold(point, |all, (name, value)| all.message(7, pair(name, any_text(value))))
    };
    let sum = |points: Vec<Proto>, monotonic: u64| {
        points
            .into_iter()
            .fold(Proto::default().varint(2, 2).varint(3, monotonic), |all, point| all.message(1, point))
    };
    let same = [("a", "1"), ("b", "2")];
    let points = vec![point(&same, 1), point(&[("b", "2"), ("a", "1")], 2), point(&[("a", "1")], 3)];
    let names = metrics([metric(7, sum(points, 1))]).with_series().1;
    assert_eq!(names[0], names[1]);
    assert_ne!(names[0], names[2]);
    let other = metrics([metric(7, sum(vec![point(&same, 1)], 0))]).with_series().1;
    assert_ne!(names[0], other[0], "a metric that may fall is another");
}
