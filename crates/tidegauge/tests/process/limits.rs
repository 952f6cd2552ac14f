//! What the service does when a client takes its time, or when too many come at once.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, Service, client, eventually};
use crate::shutdown::{begin_request, read_all};

pub(crate) async fn times_out(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--request-timeout-seconds", "1"]);
    let mut connection = begin_request(service.address(), &installation.first_token(), 100);
    connection.write_all(b"{").unwrap();
    let answer = read_all(connection);
    assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
    assert!(answer.contains("the request took longer than 1 s"), "{answer}");
}

pub(crate) async fn sheds_load(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-requests-in-flight", "1"]);
    let token = installation.first_token();
    let user = || async {
        client().get(format!("{}/v2/user", service.url)).bearer_auth(&token).send().await.unwrap()
    };
    assert_eq!(user().await.status(), 200);

    let connection = held_request(TcpStream::connect(service.address()).unwrap(), &token);
    let refused = user().await;
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    let health = client().get(format!("{}/healthz", service.url)).send().await.unwrap();
    assert_eq!(health.status(), 200, "a busy service is still alive");
    drop(connection);
    while user().await.status() != 200 {}
}

/// The body of a request that is held.
const HELD_BYTES: usize = 100;

/// A request that is being worked on: the service asks for its body, which does not come.
fn held_request(mut connection: TcpStream, token: &str) -> TcpStream {
    let head = format!(
        "POST /v2/notifiers HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {HELD_BYTES}\r\nexpect: 100-continue\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    connection.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 100");
    connection
}

/// A connection that says nothing, or only half of a request's head, is closed.
pub(crate) async fn closes_silent_connections(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--header-timeout-seconds", "1"]);
    let silent = TcpStream::connect(service.address()).unwrap();
    let mut halting = TcpStream::connect(service.address()).unwrap();
    halting.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n").unwrap();
    assert_eq!(read_to_close(silent), "");
    read_to_close(halting);
}

/// Heads that are never finished shut out nobody but who sends them: neither who comes new, nor who was answered before.
pub(crate) async fn limits_connections(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-connections", "8", "--header-timeout-seconds", "600"]);
    let connect = || TcpStream::connect(service.address()).unwrap();
    let mut first = connect();
    assert!(is_healthy(&mut first));
    let mut unfinished = Vec::new();
    for _ in 0..20 {
        let mut connection = connect();
        connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nslow: ").unwrap();
        unfinished.push(connection);
        assert!(is_healthy(&mut connect()));
    }
    assert!(is_healthy(&mut first), "it was answered before, and is not given up for others");
    for connection in unfinished.drain(..12) {
        assert_eq!(read_to_close(connection), "", "there are no more than eight");
    }
}

/// How many connections there are, and why the service has ended others, is told.
pub(crate) async fn counts_connections(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-connections", "3", "--header-timeout-seconds", "1"]);
    let figures = || async {
        // A connection of its own for each question, which is given up after it.
        let answer = client().get(format!("{}/metrics", service.url)).header("connection", "close");
        answer.send().await.unwrap().text().await.unwrap()
    };
    let figure = |figures: &str, name: &str| -> u64 {
        let line = figures.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {figures}")).trim().parse().unwrap()
    };
    let cut = |reason: &str| format!("tidegauge_connections_cut_total{{reason=\"{reason}\"}}");
    let begin = figures().await;
    assert!(figure(&begin, "tidegauge_connections ") >= 1, "{begin}");
    assert_eq!(figure(&begin, &cut("crowded")), 0);

    let silent: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(service.address()).unwrap()).collect();
    for connection in silent {
        assert_eq!(read_to_close(connection), "");
    }
    let mut end = figures().await;
    while figure(&end, &cut("silent")) == 0 {
        end = figures().await;
    }
    assert!(figure(&end, &cut("crowded")) >= 5, "there are places for three: {end}");
    assert_eq!(figure(&end, &cut("crowded")) + figure(&end, &cut("silent")), 8, "{end}");
    assert!(figure(&end, "tidegauge_connections ") <= 3, "{end}");
    assert!(figure(&end, "tidegauge_connections_accepted_total ") >= 9, "{end}");
}

/// More unfinished heads of one address than there are places: every health check is answered, and so is who was before.
pub(crate) async fn outlives_a_thousand_heads(backend: Backend) {
    const HEADS: usize = 1_200;
    raise_open_files();
    let installation = Installation::new(backend);
    let service = installation.start(&["--header-timeout-seconds", "600"]);
    let connect = || TcpStream::connect(service.address()).unwrap();
    let mut first = connect();
    assert!(is_healthy(&mut first));
    let mut unfinished = Vec::new();
    for number in 0..HEADS {
        let mut connection = connect();
        connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nslow: ").unwrap();
        unfinished.push(connection);
        if number % 100 == 0 {
            assert!(is_healthy(&mut connect()), "after {number} heads");
        }
    }
    for _ in 0..30 {
        assert!(is_healthy(&mut connect()));
    }
    let token = installation.first_token();
    let user = client().get(format!("{}/v2/user", service.url)).bearer_auth(&token).send().await.unwrap();
    assert_eq!(user.status(), 200, "nor is anybody else shut out");
    assert!(is_healthy(&mut first), "it was answered before, and is not given up for others");
}

/// More answered connections of one address than there are places, on all of which is asked without end, cut neither the
/// slow request of another one, nor its idle connection, nor one that it has just opened.
pub(crate) async fn outlives_answered_connections(backend: Backend) {
    const PLACES: usize = 32;
    let installation = Installation::new(backend);
    let places = PLACES.to_string();
    let service = installation.start(&[
        "--max-connections",
        &places,
        "--header-timeout-seconds",
        "600",
        "--request-timeout-seconds",
        "1200",
    ]);
    let mut idle = connect_from_elsewhere(&service).await;
    assert!(is_healthy(&mut idle));
    let mut slow = held_request(connect_from_elsewhere(&service).await, &installation.first_token());
    let mut opened = connect_from_elsewhere(&service).await;

    let mut flood = Vec::new();
    for _ in 0..PLACES * 3 {
        flood.push(TcpStream::connect(service.address()).unwrap());
        flood.retain_mut(|connection| health(connection).unwrap_or(false));
    }
    assert!(flood.len() < PLACES, "there are not more");
    assert!(is_healthy(&mut idle), "it was silent for longest, and its address has few");
    assert!(is_healthy(&mut opened), "it was not answered before");
    let body = r#"{"name": "slow", "properties": {"webhook": {"url": "https://example.com"}}}"#;
    slow.write_all(format!("{body:<HELD_BYTES$}").as_bytes()).unwrap();
    let answer = read_all(slow);
    assert!(answer.contains("HTTP/1.1 200") && answer.ends_with('}'), "{answer}");
}

/// A connection of another address than that of all others here.
async fn connect_from_elsewhere(service: &Service) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let connection = socket.connect(service.address().parse().unwrap()).await.unwrap().into_std().unwrap();
    connection.set_nonblocking(false).unwrap();
    connection
}

/// Both ends of a connection are files of a process.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// Asks whether the service is alive.
fn is_healthy(connection: &mut TcpStream) -> bool {
    health(connection).unwrap()
}

/// The same over a connection that the service may have closed.
fn health(connection: &mut TcpStream) -> std::io::Result<bool> {
    connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")?;
    let mut answer = [0; 4_096];
    let read = connection.read(&mut answer)?;
    Ok(answer[..read].starts_with(b"HTTP/1.1 200"))
}

/// A query whose client has left is not computed to its end, which would be in years.
pub(crate) async fn stops_queries_of_who_has_left(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let apl = "print a = range(1, 90000), b = range(1, 90000), c = range(1, 90000) \
               | mv-expand a | mv-expand b | mv-expand c | count";
    let body = json!({ "apl": apl }).to_string();
    let mut connection = TcpStream::connect(service.address()).unwrap();
    let head = format!(
        "POST /v1/query/_apl?format=tabular HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        installation.first_token(),
        body.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    let computed = || computed_for_queries(service.process());
    eventually("that the query computes", async || (computed() > 20).then_some(())).await;
    drop(connection);
    eventually("that it computes no more", async || {
        let before = computed();
        for _ in 0..200 {
            let health = client().get(format!("{}/healthz", service.url)).send().await.unwrap();
            assert_eq!(health.status(), 200);
        }
        (computed() == before).then_some(())
    })
    .await;
}

/// How long the threads of queries have computed, in hundredths of a second.
fn computed_for_queries(process: u32) -> u64 {
    let mut ticks = 0;
    for task in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        let text = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        let Some((name, rest)) = text.split_once(") ") else { continue };
        if name.ends_with("(query") {
            // Behind the name the times are the twelfth and the thirteenth.
            let times = rest.split_whitespace().skip(11).take(2);
            ticks += times.map(|number| number.parse::<u64>().unwrap()).sum::<u64>();
        }
    }
    ticks
}

/// Requests wait for the log and for the catalogue: whoever asks for their threads first, these give way to no others.
pub(crate) async fn keeps_priorities(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let token = installation.first_token();
    // Jobs with a lower priority have asked the catalogue since the start as well.
    for _ in 0..20 {
        let user = client().get(format!("{}/v2/user", service.url)).bearer_auth(&token).send().await.unwrap();
        assert_eq!(user.status(), 200);
    }
    let own = priorities(service.process(), "tidegauge")[0];
    assert_eq!(priorities(service.process(), "log"), [own]);
    // The system keeps 15 letters of a name.
    let catalogue = priorities(service.process(), "sqlx-sqlite-wor");
    assert!(catalogue.len() > 1 && catalogue.iter().all(|nice| *nice == own), "{catalogue:?}");
}

/// Bodies of events that are not small, and what is merged, are left to threads that those of questions go before.
pub(crate) async fn events_give_way(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let token = installation.first_token();
    let events: Vec<Value> = (0..2_000).map(|number| json!({"n": number, "text": "an event"})).collect();
    let post = |path: &str| client().post(format!("{}{path}", service.url)).bearer_auth(&token);
    let made = post("/v2/datasets").json(&json!({"name": "web"})).send().await.unwrap();
    assert_eq!(made.status(), 200);
    let stored = post("/v1/datasets/web/ingest").json(&events).send().await.unwrap();
    assert_eq!(stored.status(), 200);
    let asked =
        post("/v1/query/_apl?format=tabular").json(&json!({"apl": "web | count"})).send().await.unwrap();
    assert_eq!(asked.status(), 200);

    let own = priorities(service.process(), "tidegauge")[0];
    let questions = priorities(service.process(), "query");
    let events = priorities(service.process(), "background");
    let least = |of: &[i64]| of.iter().copied().min().unwrap();
    let most = |of: &[i64]| of.iter().copied().max().unwrap();
    assert!(least(&questions) > own, "{questions:?} beside {own}");
    assert!(least(&events) > most(&questions), "{events:?} beside {questions:?}");
}

/// By how much the system prefers others to the threads of this name.
fn priorities(process: u32, name: &str) -> Vec<i64> {
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        let text = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        let Some((head, rest)) = text.split_once(") ") else { continue };
        if head.split_once(" (").is_some_and(|(_, of)| of == name) {
            // Behind the name it is the seventeenth.
            found.push(rest.split_whitespace().nth(16).unwrap().parse().unwrap());
        }
    }
    found
}

/// A client that asks and never reads does not keep its answers in memory for ever.
pub(crate) async fn closes_unread_connections(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--write-timeout-seconds", "1"]);
    let mut greedy = TcpStream::connect(service.address()).unwrap();
    // Asks for a large file again and again without reading, until the service has closed the connection.
    while greedy.write_all(b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: x\r\n\r\n").is_ok() {}
    let alive = client().get(format!("{}/healthz", service.url)).send().await.unwrap();
    assert_eq!(alive.status(), 200);
}

/// What is kept as it came has a largest size, so that nobody fills the catalogue with one request.
pub(crate) async fn largest_starred_query(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-body-bytes", "2097152"]);
    let (url, token) = (format!("{}/v2/apl-starred-queries", service.url), installation.first_token());
    let save = async |apl: &str, metadata: &Value, variables: &Value| {
        let query = json!({"apl": apl, "variables": variables});
        let body = json!({"kind": "apl", "name": "n", "who": "w", "metadata": metadata, "query": query});
        let answer = client().post(&url).bearer_auth(&token).json(&body).send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        (status, if status == 200 { String::new() } else { text })
    };
    // A query of so many characters, each of several bytes, and an object of so many bytes.
    let apl = |length: usize| format!("web // {}", "é".repeat(length - 7));
    let object = |length: usize| json!({"a": "x".repeat(length - 8)});
    let (text, least) = (apl(500_000), object(8));
    assert_eq!(object(65_536).to_string().len(), 65_536);
    assert_eq!(save(&text, &object(65_536), &object(65_536)).await, (200, String::new()));
    for (refused, expected) in [
        (save(&apl(500_001), &least, &least).await, "query.apl in body should be at most 500000 chars long"),
        (
            save("web", &object(65_537), &least).await,
            "metadata in body should be at most 65536 bytes of JSON",
        ),
        (save("web", &least, &object(65_537)).await, "query.variables in body should be at most 65536 bytes"),
    ] {
        assert!(refused.0 == 422 && refused.1.contains(expected), "{refused:?}");
    }
}

/// What comes until the connection is closed, in whichever way.
fn read_to_close(mut connection: TcpStream) -> String {
    let mut text = Vec::new();
    let _ = connection.read_to_end(&mut text);
    String::from_utf8(text).unwrap()
}
