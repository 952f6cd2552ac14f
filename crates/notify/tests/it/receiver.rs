//! A receiver on the machine itself that answers each request as it is told and keeps what it was sent.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// What it does with a request.
#[derive(Clone, Debug)]
pub(crate) enum WorkerOptions {
    /// Answers with a status and these further lines of the head.
    Status(u16, &'static str),
    /// Answers with a success and a body of one gigabyte.
    Endless,
    /// Reads and never answers.
    Hang,
    /// Closes without an answer.
    Close,
}

struct Shared {
    options: Mutex<WorkerOptions>,
    requests: Mutex<Vec<Received>>,
    came: Notify,
}

pub(crate) struct Receiver {
    port: u16,
    shared: Arc<Shared>,
    /// Ends with the receiver.
    _tasks: JoinSet<()>,
}

/// What came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }
}

impl Receiver {
    pub(crate) async fn start(options: WorkerOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            options: Mutex::new(options),
            requests: Mutex::default(),
            came: Notify::new(),
        });
        let mut tasks = JoinSet::new();
        let kept = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, Arc::clone(&kept)));
            }
        });
        Self { port, shared, _tasks: tasks }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn behave(&self, options: WorkerOptions) {
        *self.shared.options.lock().unwrap() = options;
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Waits until there were so many requests.
    pub(crate) async fn had(&self, count: usize) {
        while self.requests().len() < count {
            self.shared.came.notified().await;
        }
    }
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let Some(received) = read(&mut stream).await else {
        return;
    };
    shared.requests.lock().unwrap().push(received);
    shared.came.notify_one();
    let options = shared.options.lock().unwrap().clone();
    match options {
        WorkerOptions::Status(status, lines) => {
            let answer =
                format!("HTTP/1.1 {status} X\r\n{lines}content-length: 0\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
        WorkerOptions::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n").await;
            let part = vec![b'x'; 1 << 16];
            while stream.write_all(&part).await.is_ok() {}
        }
        WorkerOptions::Hang => std::future::pending().await,
        WorkerOptions::Close => {}
    }
}

/// One request with its body, whose length the head tells.
async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let received = Received { head: head.to_owned(), body: body.to_owned() };
            let length = received.header("content-length").map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return Some(received);
            }
        }
        let mut part = [0; 4096];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}
