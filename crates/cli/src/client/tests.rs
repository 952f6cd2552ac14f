//! Tests of the client against a small server of their own, which keeps what it was sent and answers as it is told.

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tempfile::TempDir;
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Clock, Timestamp};

use super::input::{Encoding, Input};
use super::live::Stop;
use super::progress::{Progress, Totals};
use super::run::run;
use super::send::{RetryPolicy, Sender};
use super::split::Cutting;
use super::target::{Destination, Target};

/// What the server does with one request.
#[derive(Clone, Copy, Debug)]
enum Reply {
    Take,
    Status(u16, &'static str),
    /// Says that it takes it, and breaks off in the middle of the answer.
    LoseAnswer,
    Failures(&'static str),
}

#[derive(Debug, Default)]
struct Told {
    replies: VecDeque<Reply>,
    requests: Vec<Request>,
}

#[derive(Clone, Debug)]
struct Request {
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

type Shared = Arc<Mutex<Told>>;

struct Server {
    url: String,
    told: Shared,
}

impl Server {
    /// Answers with these replies in turn, and takes everything after them.
    async fn start(replies: &[Reply]) -> Self {
        let told = Shared::default();
        told.lock().unwrap().replies.extend(replies);
        let router = Router::new()
            .route("/v1/datasets/logs/ingest", post(answer))
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&told));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio_util::task::TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
        Self { url, told }
    }

    fn requests(&self) -> Vec<Request> {
        self.told.lock().unwrap().requests.clone()
    }
}

async fn answer(State(told): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let reply = {
        let mut told = told.lock().unwrap();
        told.requests.push(Request { headers, body: body.clone() });
        told.replies.pop_front().unwrap_or(Reply::Take)
    };
    let lines = memchr::memchr_iter(b'\n', &body).count();
    match reply {
        Reply::Take => format!(r#"{{"ingested":{lines},"failed":0,"failures":[],"processedBytes":0,"blocksCreated":0,"walLength":1}}"#).into_response(),
        Reply::Status(code, text) => {
            (StatusCode::from_u16(code).unwrap(), [("retry-after", "0")], text).into_response()
        }
        Reply::LoseAnswer => {
            let broken = futures_util::stream::iter([Ok("{\"ingested\":"), Err(std::io::Error::other("lost"))]);
            axum::body::Body::from_stream(broken).into_response()
        }
        Reply::Failures(text) => text.into_response(),
    }
}

/// A run with small batches and no waiting.
struct Case {
    folder: TempDir,
    files: Vec<PathBuf>,
    batch_bytes: usize,
    connections: usize,
    compress: Encoding,
    destination: Destination,
}

impl Case {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            files: Vec::new(),
            batch_bytes: 1_000,
            connections: 1,
            compress: Encoding::None,
            destination: Destination {
                dataset: "logs".into(),
                token: "xaat-1".into(),
                ..Destination::default()
            },
        }
    }

    fn file(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        self.files.push(path);
        self
    }

    async fn run(self, server: &Server) -> (anyhow::Result<()>, Totals) {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let inputs = self.files.iter().map(|path| Input::new(path, None).unwrap()).collect();
        let target = Target::new(&Destination { url: server.url.clone(), ..self.destination }).unwrap();
        let short = Duration::from_millis(1);
        let retry_policy = RetryPolicy { attempts: 4, first_wait: short, longest_wait: short };
        let rng = Arc::new(SeededRng::new(1));
        let sender =
            Sender::new(target, self.compress, self.connections, retry_policy, "run".into(), rng).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(Timestamp::from_micros(0)));
        let progress = Progress::start(Arc::clone(&clock), |_| {});
        let cutting =
            Cutting { batch_bytes: self.batch_bytes, csv_delimiter: b',', clock, stop: Stop::default() };
        let outcome = run(inputs, cutting, self.connections, &sender, &progress).await;
        (outcome, progress.totals())
    }
}

fn lines(count: usize) -> String {
    (0..count)
        .map(|number| format!("{{\"n\":{number},\"text\":\"{}\"}}\n", "x".repeat(number % 90)))
        .collect()
}

fn joined(requests: &[Request]) -> Vec<u8> {
    requests.iter().flat_map(|request| request.body.to_vec()).collect()
}

#[tokio::test]
async fn parts_together_are_the_file_and_end_with_a_line() {
    for content in [lines(500), lines(500).trim_end().to_owned(), format!("{}\n{}", lines(3), lines(90))] {
        let server = Server::start(&[]).await;
        let (outcome, totals) = Case::new().file("a.ndjson", &content).run(&server).await;
        outcome.unwrap();
        let requests = server.requests();
        assert!(requests.len() > 2);
        assert!(requests.iter().all(|request| request.body.len() <= 1_000));
        let (_, but_last) = requests.split_last().unwrap();
        assert!(but_last.iter().all(|request| request.body.ends_with(b"\n")));
        assert_eq!(joined(&requests), content.as_bytes());
        assert_eq!(totals.text_bytes, content.len() as u64);
        let first = &requests[0];
        assert_eq!(first.header("authorization"), "Bearer xaat-1");
        assert_eq!(first.header("content-type"), "application/x-ndjson");
    }
}

#[tokio::test]
async fn an_event_longer_than_a_batch_is_a_part_of_its_own() {
    let content = format!("{{\"a\":1}}\n{{\"text\":\"{}\"}}\n{{\"b\":2}}\n", "y".repeat(5_000));
    let server = Server::start(&[]).await;
    Case::new().file("a.ndjson", &content).run(&server).await.0.unwrap();
    assert_eq!(joined(&server.requests()), content.as_bytes());
    assert!(server.requests().iter().all(|request| request.body.ends_with(b"}\n")));
}

#[tokio::test]
async fn several_connections_send_every_part_once() {
    let content = lines(3_000);
    let server = Server::start(&[]).await;
    let case = Case { connections: 7, ..Case::new() }.file("a.ndjson", &content).file("b.ndjson", &content);
    let (outcome, totals) = case.run(&server).await;
    outcome.unwrap();
    assert_eq!(totals, Totals { events: 6_000, failed: 0, text_bytes: 2 * content.len() as u64 });
    let requests = server.requests();
    let mut keys: Vec<&str> = requests.iter().map(|request| request.header("idempotency-key")).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), requests.len(), "also two files with the same parts have different keys");
    let mut sent: Vec<u8> = joined(&requests);
    let mut expected = [content.as_bytes(), content.as_bytes()].concat();
    sent.sort_unstable();
    expected.sort_unstable();
    assert!(sent == expected);
}

#[tokio::test]
async fn passing_faults_are_tried_again_with_the_same_key() {
    let faults = [Reply::Status(429, "slow"), Reply::LoseAnswer, Reply::Status(503, "busy")];
    for replies in [&faults[..], &[Reply::Status(500, "")], &[Reply::LoseAnswer, Reply::LoseAnswer]] {
        let server = Server::start(replies).await;
        let (outcome, totals) = Case::new().file("a.ndjson", lines(5)).run(&server).await;
        outcome.unwrap();
        assert_eq!(totals.events, 5);
        let requests = server.requests();
        assert_eq!(requests.len(), replies.len() + 1);
        for request in &requests {
            assert_eq!(request.header("idempotency-key"), requests[0].header("idempotency-key"));
            assert_eq!(request.header("idempotency-key").len(), 32);
            assert_eq!(request.body, requests[0].body);
        }
    }
}

#[tokio::test]
async fn a_fault_that_does_not_pass_names_the_place() {
    let server =
        Server::start(&[Reply::Take, Reply::Status(400, r#"{"code":400,"message":"not JSON"}"#)]).await;
    let (outcome, totals) = Case::new().file("a.ndjson", lines(500)).run(&server).await;
    let message = format!("{:#}", outcome.unwrap_err());
    let first = memchr::memchr_iter(b'\n', &server.requests()[0].body).count();
    assert_eq!(totals.events, first as u64);
    assert!(message.contains(&format!("a.ndjson, lines {} to ", first + 1)), "{message}");
    assert!(message.ends_with("the server answered 400: not JSON"), "{message}");
    assert_eq!(server.requests().len(), 2, "nothing is sent after it");

    let server = Server::start(&[Reply::Status(503, "busy"); 4]).await;
    let (outcome, _) = Case::new().file("a.ndjson", lines(5)).run(&server).await;
    let message = format!("{:#}", outcome.unwrap_err());
    assert!(message.contains("a.ndjson, lines 1 to 5 (tried 4 times)"), "{message}");
    assert!(message.contains("busy"), "{message}");
}

#[tokio::test]
async fn a_server_of_another_scheme_is_not_tried_again() {
    let mut server = Server::start(&[]).await;
    server.url = server.url.replace("http://", "https://");
    let (outcome, totals) = Case::new().file("a.ndjson", lines(5)).run(&server).await;
    let message = format!("{:#}", outcome.unwrap_err());
    assert!(message.contains("does not speak TLS"), "{message}");
    assert!(!message.contains("tried"), "{message}");
    assert_eq!((totals.events, server.requests().len()), (0, 0));
}

#[tokio::test]
async fn events_that_are_not_taken_are_counted() {
    let failures = r#"{"ingested":3,"failed":2,"failures":[{"timestamp":"2030-01-01T00:00:00Z","error":"event 3: no"},
        {"timestamp":"2030-01-01T00:00:00Z","error":"event 4: no"}],"processedBytes":9,"blocksCreated":0,"walLength":1}"#;
    let server = Server::start(&[Reply::Failures(failures)]).await;
    let (outcome, totals) = Case::new().file("a.ndjson", lines(5)).run(&server).await;
    outcome.unwrap();
    assert_eq!((totals.events, totals.failed), (3, 2));

    let server = Server::start(&[Reply::Failures("<html>")]).await;
    let (outcome, _) = Case::new().file("a.ndjson", lines(5)).run(&server).await;
    assert!(format!("{:#}", outcome.unwrap_err()).contains("not an answer to ingest: <html>"));
}

fn csv_records() -> String {
    (0..200).map(|number| format!("{number},\"two\nlines, \"\"{number}\"\"\"\n")).collect()
}

#[tokio::test]
async fn csv_is_cut_between_records_and_later_parts_name_the_fields() {
    let content = format!("n,\"a b\"\n{}", csv_records());
    let server = Server::start(&[]).await;
    Case::new().file("a.csv", &content).run(&server).await.0.unwrap();
    let requests = server.requests();
    assert!(requests.len() > 3);
    assert_eq!(joined(&requests), content.as_bytes());
    assert!(requests[0].headers.get("x-tidegauge-csv-fields").is_none());
    for request in &requests[1..] {
        assert_eq!(request.header("x-tidegauge-csv-fields"), "n,a b");
        assert!(request.body.ends_with(b"\"\"\"\n"), "a record is whole");
        assert!(request.body[0].is_ascii_digit());
    }
}

#[tokio::test]
async fn csv_fields_that_a_header_cannot_hold_stand_before_every_part() {
    let head = "n,\"größe, innen\"\n";
    for batch_bytes in [10, 1_000] {
        let server = Server::start(&[]).await;
        let case = Case { batch_bytes, ..Case::new() };
        case.file("a.csv", format!("{head}{}", csv_records())).run(&server).await.0.unwrap();
        let mut records = String::new();
        for request in server.requests() {
            assert!(request.headers.get("x-tidegauge-csv-fields").is_none());
            let body = String::from_utf8(request.body.to_vec()).unwrap();
            records.push_str(body.strip_prefix(head).unwrap());
        }
        assert_eq!(records, csv_records(), "{batch_bytes}");
    }
}

#[tokio::test]
async fn a_json_array_is_cut_between_elements() {
    let element = |number: usize| serde_json::json!({"n": number, "deep": [[{"s": "],[\\\"}"}], ","], "t": "é".repeat(number % 50)});
    let elements: Vec<serde_json::Value> = (0..300).map(element).collect();
    let compact = serde_json::to_string(&elements).unwrap();
    let pretty = format!("\n {}\n\n", serde_json::to_string_pretty(&elements).unwrap());
    let one_after_the_other: String = elements.iter().map(|element| format!("{element:#}\n")).collect();
    for content in [&compact, &pretty, &one_after_the_other] {
        for batch_bytes in [64, 1_000, 100_000] {
            let server = Server::start(&[]).await;
            let case = Case { batch_bytes, ..Case::new() }.file("a.json", content);
            case.run(&server).await.0.unwrap();
            let mut found = Vec::new();
            for request in server.requests() {
                assert_eq!(request.header("content-type"), "application/json");
                for value in serde_json::Deserializer::from_slice(&request.body).into_iter() {
                    match value.unwrap() {
                        serde_json::Value::Array(values) => found.extend(values),
                        value => found.push(value),
                    }
                }
            }
            assert_eq!(found, elements, "{batch_bytes}");
        }
    }
}

#[tokio::test]
async fn what_is_no_array_is_not_sent_as_one() {
    for (content, expected) in
        [("3", "neither a JSON array"), ("[1] [2]", "more text follows the JSON array")]
    {
        let server = Server::start(&[]).await;
        let (outcome, _) = Case::new().file("a.json", content).run(&server).await;
        let message = format!("{:#}", outcome.unwrap_err());
        assert!(message.contains(expected), "{message}");
    }
}

fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn compressed_files_go_as_they_are_if_they_fit_into_one_request() {
    let (small, large) = (lines(5), lines(400));
    let stored = [gz(small.as_bytes()), zstd::bulk::compress(small.as_bytes(), 3).unwrap()];
    let server = Server::start(&[]).await;
    let case = Case::new().file("a.ndjson.gz", &stored[0]).file("b.ndjson.zst", &stored[1]);
    let (outcome, totals) = case.run(&server).await;
    outcome.unwrap();
    let requests = server.requests();
    assert_eq!(requests.iter().map(|it| it.header("content-encoding")).collect::<Vec<_>>(), ["gzip", "zstd"]);
    assert_eq!([requests[0].body.to_vec(), requests[1].body.to_vec()], stored);
    assert_eq!(totals.text_bytes, 2 * small.len() as u64);

    // Two members one after the other are one file.
    let members = [gz(large.as_bytes()), gz(large.as_bytes())].concat();
    let server = Server::start(&[]).await;
    Case::new().file("a.ndjson.gz", members).run(&server).await.0.unwrap();
    assert_eq!(joined(&server.requests()), large.repeat(2).as_bytes());

    let server = Server::start(&[]).await;
    let (outcome, _) = Case::new().file("a.ndjson.gz", &gz(large.as_bytes())[..200]).run(&server).await;
    assert!(format!("{:#}", outcome.unwrap_err()).contains("a.ndjson.gz, line "));
}

#[tokio::test]
async fn requests_are_compressed_when_asked() {
    let content = lines(30);
    for (compress, name) in [(Encoding::Zstd, "zstd"), (Encoding::Gzip, "gzip")] {
        let server = Server::start(&[]).await;
        let case = Case { compress, batch_bytes: 1_000_000, ..Case::new() }.file("a.ndjson", &content);
        case.run(&server).await.0.unwrap();
        let requests = server.requests();
        assert_eq!(requests[0].header("content-encoding"), name);
        let mut text = String::new();
        let body = &requests[0].body[..];
        let mut reader: Box<dyn std::io::Read> = match compress {
            Encoding::Zstd => Box::new(zstd::stream::read::Decoder::new(body).unwrap()),
            _ => Box::new(flate2::read::GzDecoder::new(body)),
        };
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        assert_eq!(text, content);
    }
}

#[tokio::test]
async fn empty_files_send_nothing_and_missing_ones_are_named() {
    let server = Server::start(&[]).await;
    let case = Case::new().file("a.ndjson", "").file("b.csv", "").file("c.json", "\n \n");
    case.run(&server).await.0.unwrap();
    assert!(server.requests().is_empty());
    let mut case = Case::new();
    case.files.push("/nowhere/a.ndjson".into());
    let (outcome, _) = case.run(&server).await;
    assert!(format!("{:#}", outcome.unwrap_err()).contains("opening /nowhere/a.ndjson"));
}
