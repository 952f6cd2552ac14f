//! Listeners of the real binary, over real sockets: syslog and GELF. What nobody acknowledges is not read while it cannot
//! be stored, and hostile bytes do no harm.

use std::collections::HashMap;
use std::io::Write;
use std::net::SocketAddr;

use reqwest::{Certificate, Client};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};

use crate::database::Backend;
use crate::process::{Installation, Service, client, eventually};

/// A service with a dataset `logs`, an endpoint of one kind into it, and listeners that belong to that.
pub(crate) struct World {
    pub installation: Installation,
    pub service: Service,
    ports: HashMap<String, SocketAddr>,
    client: Client,
    token: String,
    endpoint: String,
}

impl World {
    /// Starts twice: the endpoint must be there before its listeners are. `settings` name everything but the endpoint,
    /// whose setting is `name`.
    pub(crate) async fn start(backend: Backend, kind: &str, name: &str, settings: &[&str]) -> Self {
        Self::start_asked_by(client(), backend, kind, name, settings).await
    }

    /// Starts one for syslog that serves HTTPS with a certificate.
    pub(crate) async fn start_trusting(backend: Backend, certificate: &str, settings: &[&str]) -> Self {
        let trusted = Certificate::from_pem(certificate.as_bytes()).unwrap();
        let client = Client::builder().no_proxy().tls_certs_only([trusted]).build().unwrap();
        Self::start_asked_by(client, backend, "syslog", "--syslog-endpoint", settings).await
    }

    async fn start_asked_by(
        client: Client,
        backend: Backend,
        kind: &str,
        name: &str,
        settings: &[&str],
    ) -> Self {
        let installation = Installation::new(backend);
        let service = installation.start(&[]);
        let token = installation.first_token();
        let post = async |path: &str, body: Value| {
            let answer = client.post(format!("{}{path}", service.url)).bearer_auth(&token).json(&body).send();
            let answer = answer.await.unwrap();
            assert_eq!(answer.status(), 200, "{path}");
            answer.json::<Value>().await.unwrap()
        };
        post("/v2/datasets", json!({"name": "logs"})).await;
        let labels = json!({"site": "pier"});
        let body = json!({"name": "l", "kind": kind, "dataset": "logs", "labels": labels});
        let made = post("/v2/endpoints", body).await;
        let endpoint = made["id"].as_str().unwrap().to_owned();
        service.terminate();
        assert_eq!(service.exit_code(), Some(0));
        let settings = [settings, &[name, &endpoint]].concat();
        let (service, ports) = installation.start_listening(&settings);
        Self { installation, service, ports, client, token, endpoint }
    }

    /// Kills the service without a warning and starts it again.
    pub(crate) async fn crash(self, settings: &[&str], name: &str) -> Self {
        let Self { installation, service, client, token, endpoint, .. } = self;
        service.kill();
        let (service, ports) = installation.start_listening(&[settings, &[name, &endpoint]].concat());
        Self { installation, service, ports, client, token, endpoint }
    }

    pub(crate) fn port(&self, what: &str) -> SocketAddr {
        self.ports[what]
    }

    pub(crate) async fn connect(&self, what: &str) -> TcpStream {
        TcpStream::connect(self.port(what)).await.unwrap()
    }

    /// A socket that sends datagrams to a port.
    async fn datagrams(&self, what: &str) -> UdpSocket {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        socket.connect(self.port(what)).await.unwrap();
        socket
    }

    /// The columns that a query in text answers with.
    pub(crate) async fn ask(&self, query: &str) -> Value {
        let path = format!("{}/v1/query/_apl?format=tabular", self.service.url);
        let body =
            json!({"apl": query, "startTime": "2000-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"});
        let answer = self.client.post(path).bearer_auth(&self.token).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{query}");
        answer.json::<Value>().await.unwrap()["tables"][0]["columns"].take()
    }

    pub(crate) async fn count(&self) -> u64 {
        self.ask("logs | count").await[0][0].as_u64().unwrap()
    }

    /// Waits until there are so many events.
    pub(crate) async fn comes_to(&self, count: u64) {
        eventually(&format!("{count} events"), async || (self.count().await == count).then_some(())).await;
    }

    async fn metrics(&self) -> String {
        self.client.get(format!("{}/metrics", self.service.url)).send().await.unwrap().text().await.unwrap()
    }

    /// How many were dropped for a reason.
    pub(crate) async fn dropped(&self, listener: &str, reason: &str) -> u64 {
        let series =
            format!("tidegauge_listener_dropped_total{{listener=\"{listener}\",reason=\"{reason}\"}} ");
        let text = self.metrics().await;
        text.lines().find_map(|line| line.strip_prefix(&series)?.parse().ok()).unwrap_or(0)
    }

    /// From then on nothing can be stored.
    pub(crate) async fn delete_dataset(&self) {
        let path = format!("{}/v2/datasets/logs", self.service.url);
        let answer = self.client.delete(path).bearer_auth(&self.token).send().await.unwrap();
        assert_eq!(answer.status(), 204);
    }

    /// From then on everything can be stored again.
    pub(crate) async fn make_dataset(&self) {
        let path = format!("{}/v2/datasets", self.service.url);
        let body = json!({"name": "logs"});
        let answer = self.client.post(path).bearer_auth(&self.token).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }

    pub(crate) async fn endpoint(&self) -> Value {
        let path = format!("{}/v2/endpoints/{}", self.service.url, self.endpoint);
        self.client.get(path).bearer_auth(&self.token).send().await.unwrap().json().await.unwrap()
    }
}

const SYSLOG: [&str; 6] =
    ["--syslog-udp", "127.0.0.1:0", "--syslog-tcp", "127.0.0.1:0", "--syslog-networks", "127.0.0.0/8"];

/// Waits until the service has read all that was sent and ended the connection.
pub(crate) async fn read_to_the_end(mut stream: TcpStream) {
    let _ = stream.shutdown().await;
    let mut rest = Vec::new();
    // Where more was sent than was read, the connection is reset, which ends it too.
    let _ = stream.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
}

pub(crate) async fn syslog(backend: Backend) {
    let world = World::start(backend, "syslog", "--syslog-endpoint", &SYSLOG).await;
    let new = "<165>1 2026-06-01T12:00:00Z host app 1 ID [x@1 k=\"v\"] hello";
    let socket = world.datagrams("syslog over UDP").await;
    socket.send(new.as_bytes()).await.unwrap();
    let mut stream = world.connect("syslog over TCP").await;
    let old = "<34>Oct 11 22:14:15 mymachine su: 'su root' failed";
    let counted = format!("{} {new}", new.len());
    let sent = format!("{old}\n{counted}{counted}{old}\n\n\n");
    // In pieces, so that frames come in halves.
    for piece in sent.as_bytes().chunks(13) {
        stream.write_all(piece).await.unwrap();
    }
    world.comes_to(5).await;
    let columns = world
        .ask("logs | summarize count() by message, hostname, site, ['source.ip'] | sort by message")
        .await;
    assert_eq!(columns[0], json!(["hello", "'su root' failed"]), "{columns}");
    assert_eq!((&columns[2], &columns[3]), (&json!(["pier", "pier"]), &json!(["127.0.0.1", "127.0.0.1"])));
    let endpoint = world.endpoint().await;
    assert_eq!((&endpoint["events"], &endpoint["failures"]), (&json!(5), &json!(0)), "{endpoint}");

    // Too long, not text, and cut off by the end of the connection: kept, and told.
    stream.write_all(format!("<1>{}\n", "a".repeat(100_000)).as_bytes()).await.unwrap();
    stream.write_all(b"<1>\xff\xfe\0\x01\n999999999 <1>half").await.unwrap();
    read_to_the_end(stream).await;
    world.comes_to(8).await;
    let columns = world.ask("logs | where truncated == true | count").await;
    assert_eq!(columns[0][0], 2);
    // They are counted behind their acknowledgement, when they can be asked for already.
    let counted = "tidegauge_listener_messages_total{listener=\"syslog\"} 8";
    eventually(counted, async || world.metrics().await.contains(counted).then_some(())).await;
}

/// What comes from elsewhere is not taken, and counted.
pub(crate) async fn networks(backend: Backend) {
    let settings =
        ["--syslog-udp", "127.0.0.1:0", "--syslog-tcp", "127.0.0.1:0", "--syslog-networks", "10.0.0.0/8"];
    let world = World::start(backend, "syslog", "--syslog-endpoint", &settings).await;
    let socket = world.datagrams("syslog over UDP").await;
    socket.send(b"<1>a").await.unwrap();
    let mut stream = world.connect("syslog over TCP").await;
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    eventually("a dropped datagram", async || {
        (world.dropped("syslog_udp", "network").await == 1).then_some(())
    })
    .await;
    assert_eq!(world.dropped("syslog_tcp", "network").await, 1);
    assert_eq!(world.count().await, 0);
    let wrong = world.installation.try_start(&["--syslog-udp", "127.0.0.1:0"]).err().unwrap_or_default();
    assert!(wrong.contains("setting syslog_networks: must name the networks"), "{wrong}");
}

/// While events cannot be stored, connections are not read and lose nothing, and datagrams are dropped and counted.
pub(crate) async fn pressure(backend: Backend) {
    let world = World::start(backend, "syslog", "--syslog-endpoint", &SYSLOG).await;
    world.delete_dataset().await;
    let mut stream = world.connect("syslog over TCP").await;
    let message = format!("<1>{}\n", "m".repeat(8_000));
    let stalled = std::time::Duration::from_secs(3);
    let (mut sent, mut rest) = (0_u64, 0);
    while let Ok(written) = tokio::time::timeout(stalled, stream.write(&message.as_bytes()[rest..])).await {
        rest += written.unwrap();
        if rest == message.len() {
            (sent, rest) = (sent + 1, 0);
        }
        assert!(sent < 10_000, "80 MB were read and not stored");
    }
    let socket = world.datagrams("syslog over UDP").await;
    let datagram = format!("<1>{}", "u".repeat(8_000));
    eventually("dropped datagrams", async || {
        socket.send(datagram.as_bytes()).await.unwrap();
        (world.dropped("syslog_udp", "full").await > 0).then_some(())
    })
    .await;
    let endpoint = world.endpoint().await;
    assert_eq!(endpoint["lastError"]["message"], "dataset not found", "{endpoint}");

    world.make_dataset().await;
    stream.write_all(&message.as_bytes()[rest..]).await.unwrap();
    stream.write_all(b"<2>last\n").await.unwrap();
    read_to_the_end(stream).await;
    eventually("the last message", async || {
        let columns = world.ask("logs | where message == 'last' | count").await;
        (columns[0][0] == 1).then_some(())
    })
    .await;
    let by_connection = world.ask("logs | where message startswith 'm' | count").await;
    assert_eq!(by_connection[0][0], sent + 1);
    assert_eq!(world.dropped("syslog", "unstored").await, 0);
}

/// What was read is stored before the service ends.
pub(crate) async fn stops(backend: Backend) {
    let world = World::start(backend, "syslog", "--syslog-endpoint", &SYSLOG).await;
    let mut stream = world.connect("syslog over TCP").await;
    for number in 0..1_000 {
        stream.write_all(format!("<1>m {number}\n").as_bytes()).await.unwrap();
    }
    read_to_the_end(stream).await;
    world.service.terminate();
    let World { installation, service, client, token, endpoint, ports } = world;
    assert_eq!(service.exit_code(), Some(0));
    let service = installation.start(&[]);
    let world = World { installation, service, client, token, endpoint, ports };
    assert_eq!(world.count().await, 1_000);
}

const GELF: [&str; 6] =
    ["--gelf-udp", "127.0.0.1:0", "--gelf-tcp", "127.0.0.1:0", "--gelf-networks", "127.0.0.1"];

pub(crate) async fn gelf(backend: Backend) {
    let world = World::start(backend, "gelf", "--gelf-endpoint", &GELF).await;
    let message = |text: &str| format!("{{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"{text}\"}}");
    let socket = world.datagrams("GELF over UDP").await;
    socket.send(message("plain").as_bytes()).await.unwrap();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(message("packed").as_bytes()).unwrap();
    socket.send(&encoder.finish().unwrap()).await.unwrap();
    let whole = message("in chunks");
    let (first, second) = whole.as_bytes().split_at(20);
    for (number, part) in [(1, second), (0, first)] {
        let chunk = [&[0x1e, 0x0f, 1, 2, 3, 4, 5, 6, 7, 8, number, 2][..], part].concat();
        socket.send(&chunk).await.unwrap();
    }
    // What is no chunk and no message.
    socket.send(&[0x1e, 0x0f, 1]).await.unwrap();
    socket.send(b"{\"short_message\":").await.unwrap();
    let mut stream = world.connect("GELF over TCP").await;
    let sent = [message("one"), "no message".to_owned(), message("two"), String::new(), message("three")];
    for piece in sent.join("\0").as_bytes().chunks(7) {
        stream.write_all(piece).await.unwrap();
    }
    read_to_the_end(stream).await;
    world.comes_to(6).await;
    let columns = world.ask("logs | project message | sort by message asc").await;
    assert_eq!(columns[0], json!(["in chunks", "one", "packed", "plain", "three", "two"]));
    assert_eq!(world.dropped("gelf_udp", "broken").await, 1);
    eventually("two failures", async || {
        let endpoint = world.endpoint().await;
        (endpoint["failures"] == 2 && endpoint["events"] == 6).then_some(())
    })
    .await;

    // A frame without an end is not kept for ever.
    let mut stream = world.connect("GELF over TCP").await;
    let endless = vec![b'a'; 1 << 20];
    while stream.write_all(&endless).await.is_ok() {}
    eventually("a broken frame", async || (world.dropped("gelf_tcp", "broken").await == 1).then_some(()))
        .await;
    assert_eq!(world.count().await, 6);
}
