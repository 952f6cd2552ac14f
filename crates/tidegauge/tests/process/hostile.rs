//! Bodies that are made to break the service: it answers with the right status, stays within its memory, and serves
//! the next request.

use std::io::{Read, Write};
use std::net::TcpStream;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::database::Backend;
use crate::process::{Installation, Service, client};

const MEGABYTE: usize = 1 << 20;

/// What the process may take while it reads these, of which most are of no use to it.
const MEMORY_MAX: u64 = 512 << 20;

/// What it may take while the memory for bodies (256 MB, and the same again as it goes to the log) and the buffer
/// (192 MB, and the segment that is made of it) are all in full use.
const MEMORY_MAX_AT_ONCE: u64 = 1536 << 20;

async fn ingest(service: &Service, token: &str, encoding: &str, body: Vec<u8>) -> (u16, Value) {
    let request = client().post(format!("{}/v1/datasets/d/ingest", service.url)).bearer_auth(token);
    let request = request.header("content-type", "application/json").header("content-encoding", encoding);
    let response = request.body(body).send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A gigabyte in about a megabyte, of spaces, which JSON allows anywhere, or inside of one string.
fn bombs() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let spaces = vec![b' '; 16 * MEGABYTE];
    let (gzipped, zstd) = (gzip(&spaces), zstd::encode_all(&spaces[..], 1).unwrap());
    let text = [&b"[{\"a\":\""[..], &vec![b'x'; 16 * MEGABYTE]].concat();
    vec![
        ("a gzip bomb", "gzip", gzipped.repeat(64)),
        ("a zstd bomb", "zstd", zstd.repeat(64)),
        ("a gzip bomb in a string", "gzip", gzip(&text)),
        ("a zstd bomb in a string", "zstd", zstd::encode_all(&text[..], 1).unwrap()),
        (
            "a window that is larger than memory",
            "zstd",
            vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8, 0x01, 0x00, 0x00],
        ),
    ]
}

pub(crate) async fn bodies(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let token = installation.first_token();
    for (what, encoding, body) in bombs() {
        let (status, answer) = ingest(&service, &token, encoding, body).await;
        assert!(status == 413 || status == 400, "{what}: {status} {answer}");
        still_serves(&service, &token, what).await;
    }
    let levels = 1_000_000;
    let deep = |open: &str, inner: &str, close: &str| {
        format!("[{{\"a\":{}{inner}{}}}]", open.repeat(levels), close.repeat(levels)).into_bytes()
    };
    let many_keys: Vec<String> = (0..200_000).map(|key| format!("\"k{key}\":1")).collect();
    let cases: Vec<(&str, Vec<u8>, u16)> = vec![
        ("one line of 60 MB", format!("{{\"a\":\"{}\"}}", "x".repeat(60 * MEGABYTE)).into_bytes(), 413),
        ("60 MB of digits", [b"[".as_slice(), &vec![b'1'; 60 * MEGABYTE]].concat(), 413),
        ("lists in a million levels", deep("[", "", "]"), 200),
        ("objects in a million levels", deep("{\"a\":", "1", "}"), 200),
        ("a million levels that do not end", deep("[", "", ""), 400),
        ("a million opening brackets", "[".repeat(levels).into_bytes(), 400),
        ("bytes that are no text", [b"[{\"a\":\"".as_slice(), &[0xFF; 1000], b"\"}]"].concat(), 200),
        ("bytes that are no JSON", vec![0xFF; MEGABYTE], 400),
        ("zeros", vec![0; MEGABYTE], 400),
        ("a number of a million digits", format!("[{{\"a\":{}}}]", "9".repeat(levels)).into_bytes(), 200),
        (
            "an exponent of a million digits",
            format!("[{{\"a\":1e{}}}]", "9".repeat(levels)).into_bytes(),
            200,
        ),
        (
            "a key a hundred thousand times",
            format!("[{{{}\"k\":1}}]", "\"k\":1,".repeat(100_000)).into_bytes(),
            200,
        ),
        ("two hundred thousand keys", format!("[{{{}}}]", many_keys.join(",")).into_bytes(), 200),
        ("a name of a megabyte", format!("[{{\"{}\":1}}]", "n".repeat(MEGABYTE)).into_bytes(), 200),
        ("a million empty events", format!("[{}{{}}]", "{},".repeat(levels - 1)).into_bytes(), 200),
        ("one event more", format!("[{}{{}}]", "{},".repeat(levels)).into_bytes(), 413),
        ("a million numbers", format!("[{}1]", "1,".repeat(levels)).into_bytes(), 200),
        ("backslashes", format!("[{{\"a\":\"{}\"}}]", "\\\\".repeat(levels)).into_bytes(), 200),
    ];
    for (what, body, wanted) in cases {
        let (status, answer) = ingest(&service, &token, "", body).await;
        let shown: String = answer.to_string().chars().take(300).collect();
        assert_eq!(status, wanted, "{what}: {shown}");
        assert!(shown.len() < 100_000, "{what}");
        still_serves(&service, &token, what).await;
    }
    announced(&service, &token);
    tiny_chunks(&service, &token);
    still_serves(&service, &token, "tiny chunks").await;
    let peak = service.peak_memory();
    assert!(peak < MEMORY_MAX, "the process has taken {} MB", peak >> 20);
}

async fn still_serves(service: &Service, token: &str, after: &str) {
    let (status, answer) = loop {
        let (status, answer) = ingest(service, token, "", b"[{\"ok\":true}]".to_vec()).await;
        // What came before may still be on its way to disk: then there is no room for more yet.
        if status != 503 {
            break (status, answer);
        }
    };
    assert_eq!((status, &answer["ingested"]), (200, &Value::from(1)), "after {after}: {answer}");
}

/// A body that is announced to be too large is refused before it is sent.
fn announced(service: &Service, token: &str) {
    let mut connection = TcpStream::connect(service.address()).unwrap();
    let head = format!(
        "POST /v1/datasets/d/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
         content-length: {}\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n",
        100 * MEGABYTE
    );
    connection.write_all(head.as_bytes()).unwrap();
    assert!(to_the_end(connection).starts_with("HTTP/1.1 413"));
}

/// Who is refused while it sends is not cut off: it has the answer at once, and goes on with the next request.
pub(crate) async fn refused_while_sending(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-ingest-body-bytes", "1000000"]);
    let length = 30 * MEGABYTE;
    let mut connection = TcpStream::connect(service.address()).unwrap();
    let head = format!(
        "POST /v1/datasets/d/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
         content-length: {length}\r\n\r\n",
        installation.first_token()
    );
    connection.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    connection.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    connection.write_all(&vec![b' '; length]).unwrap();
    connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let answers = to_the_end(connection);
    assert!(answers.contains("HTTP/1.1 200"), "{answers}");
}

/// Heads that two servers could read in different ways are 400, and bodies with such line ends are not touched.
pub(crate) async fn ambiguous_heads(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let token = installation.first_token();
    let asked = |text: &str| {
        let mut connection = TcpStream::connect(service.address()).unwrap();
        connection.write_all(text.as_bytes()).unwrap();
        to_the_end(connection)
    };
    let close = "connection: close\r\n\r\n";
    let ok = "GET /healthz HTTP/1.1\r\nhost: x\r\n";
    assert!(asked(&format!("{ok}{close}")).starts_with("HTTP/1.1 200"));
    for wrong in [
        "GET /healthz HTTP/1.1\r\n",
        &format!("{ok}host: x\r\n"),
        &format!("{ok}authorization: Bearer {token}\r\nauthorization: Bearer {token}\r\n"),
        "GET /healthz HTTP/1.1\nhost: x\r\n",
        "GET /healthz HTTP/1.1\r\nhost: x\n",
        &format!("{ok}content-length: 0\r\ntransfer-encoding: chunked\r\n"),
        &format!("{ok}transfer-encoding: chunked\r\ncontent-length: 0\r\n"),
        &format!("{ok}x-axiom-org-id: a\r\nx-axiom-org-id: b\r\n"),
    ] {
        let answer = asked(&format!("{wrong}{close}"));
        assert!(answer.starts_with("HTTP/1.1 400"), "{wrong:?}: {answer}");
    }
    let answers = asked(&format!("{ok}\r\nGET /healthz HTTP/1.1\nhost: x\r\n{close}"));
    assert!(answers.starts_with("HTTP/1.1 200") && answers.contains("HTTP/1.1 400"), "{answers}");

    let body = "{\"a\":1}\n{\"a\":2}\n\n";
    let head = format!(
        "POST /v1/datasets/d/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
         content-type: application/x-ndjson\r\ncontent-length: {}\r\n",
        body.len()
    );
    let answers = asked(&format!("{head}\r\n{body}{head}{close}{body}"));
    assert_eq!(answers.matches("\"ingested\":2").count(), 2, "{answers}");
}

/// A body in chunks of one byte.
fn tiny_chunks(service: &Service, token: &str) {
    let mut connection = TcpStream::connect(service.address()).unwrap();
    let head = format!(
        "POST /v1/datasets/d/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    let body = format!("[{}{{\"a\":1}}]", "{\"a\":1},".repeat(20_000));
    let mut bytes = head.into_bytes();
    for byte in body.bytes() {
        bytes.extend(b"1\r\n");
        bytes.push(byte);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    connection.write_all(&bytes).unwrap();
    let answer = to_the_end(connection);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"ingested\":20001"), "{answer}");
}

/// What comes until the connection is closed.
fn to_the_end(mut connection: TcpStream) -> String {
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// A small body whose labels are repeated for each of its many events, many times at once.
pub(crate) async fn labels(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let token = installation.first_token();
    let labels = format!("{{\"label\":\"{}\"}}", "l".repeat(50_000));
    let body = format!("[{}{{}}]", "{},".repeat(4_000));
    let request = || async {
        let request = client().post(format!("{}/v1/datasets/d/ingest", service.url)).bearer_auth(&token);
        let request = request.header("x-axiom-event-labels", &labels).body(body.clone());
        request.send().await.unwrap().status().as_u16()
    };
    for status in futures_util::future::join_all((0..48).map(|_| request())).await {
        assert!([200, 503].contains(&status), "{status}");
    }
    still_serves(&service, &token, "labels").await;
    let peak = service.peak_memory();
    assert!(peak < MEMORY_MAX_AT_ONCE, "the process has taken {} MB", peak >> 20);
}

/// Many at once: bombs, and bodies that are large for good reason. Some may be told to come back.
pub(crate) async fn at_once(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let token = installation.first_token();
    let event = format!("{{\"text\":\"{}\",\"n\":1}}\n", "y".repeat(200));
    let large = event.repeat(20 * MEGABYTE / event.len()).into_bytes();
    let mut bodies: Vec<(&str, Vec<u8>)> = Vec::new();
    for _ in 0..8 {
        bodies.push(("", large.clone()));
        bodies.extend(bombs().into_iter().map(|(_, encoding, body)| (encoding, body)));
        bodies.push(("", format!("[{}{{}}]", "{},".repeat(300_000)).into_bytes()));
    }
    let requests = bodies.into_iter().map(|(encoding, body)| ingest(&service, &token, encoding, body));
    for (status, answer) in futures_util::future::join_all(requests).await {
        assert!([200, 400, 413, 503].contains(&status), "{status} {answer}");
    }
    still_serves(&service, &token, "all of them").await;
    let peak = service.peak_memory();
    assert!(peak < MEMORY_MAX_AT_ONCE, "the process has taken {} MB", peak >> 20);
}
