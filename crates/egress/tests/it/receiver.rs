//! A receiver on the machine itself that answers as it is told and keeps what it was sent.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What it does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Answers with this text and closes.
    FetchResponse(String),
    /// Answers with a success whose body has no end.
    Endless,
    /// Reads and never answers.
    Hang,
    /// Closes without an answer.
    Close,
}

pub(crate) struct Receiver {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    /// Ends with the receiver.
    _tasks: JoinSet<()>,
}

pub(crate) fn status(line: &str, headers: &str) -> Manner {
    Manner::FetchResponse(format!(
        "HTTP/1.1 {line}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n"
    ))
}

impl Receiver {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        let kept = Arc::clone(&requests);
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve(stream, manner.clone(), Arc::clone(&kept)));
            }
        });
        Self { port, requests, _tasks: tasks }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The heads and bodies of what came so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, manner: Manner, kept: Arc<Mutex<Vec<String>>>) {
    let request = read(&mut stream).await;
    kept.lock().unwrap().push(request);
    match manner {
        Manner::FetchResponse(text) => {
            let _ = stream.write_all(text.as_bytes()).await;
        }
        Manner::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n").await;
            let part = vec![b'x'; 1 << 16];
            while stream.write_all(&part).await.is_ok() {}
        }
        Manner::Hang => std::future::pending().await,
        Manner::Close => {}
    }
}

/// One request with its body, whose length the head tells.
async fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned)
                })
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return text;
            }
        }
        let mut part = [0; 4096];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return text,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}
