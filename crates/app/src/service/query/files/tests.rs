//! Reading from a server in the test, which is only reached because the test allows its address.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

fn settings(hosts: &[&str], allows_plain_http: bool) -> ExternalData {
    ExternalData { hosts: hosts.iter().map(|host| (*host).to_owned()).collect(), allows_plain_http }
}

/// Answers one request with a text, and gives the address to ask.
async fn served(answer: Vec<u8>) -> (String, impl Future<Output = ()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/data.csv", listener.local_addr().unwrap());
    let serving = async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 1_024];
        let _ = stream.read(&mut head).await;
        // The reader may have hung up in the middle of what is too large.
        let _ = stream.write_all(&answer).await;
        let _ = stream.shutdown().await;
    };
    (address, serving)
}

/// Reads from any address, for so long at most.
fn anywhere(time_max: Duration) -> WebFiles {
    WebFiles { settings: settings(&[], true), is_allowed: |_| true, time_max }
}

async fn read(answer: impl Into<Vec<u8>>) -> Result<Vec<u8>, String> {
    let files = anywhere(TIME_MAX);
    let (address, serving) = served(answer.into()).await;
    tokio::join!(files.read(&address), serving).0
}

#[tokio::test]
async fn a_file_is_read_whole() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\na,b\n1,2\n";
    assert_eq!(read(answer).await, Ok(b"a,b\n1,2\n".to_vec()));
}

#[tokio::test]
async fn what_leads_elsewhere_or_is_an_error_is_no_file() {
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(read(moved).await.unwrap_err(), "the file is elsewhere: write the address that it is at");
    let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(read(missing).await.unwrap_err(), "the file cannot be read: its server answers 404");
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort";
    assert_eq!(read(cut).await.unwrap_err(), "the file cannot be read: the connection broke off");
}

#[tokio::test]
async fn a_file_that_is_too_large_is_not_read() {
    let told = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", BYTES_MAX + 1);
    assert_eq!(read(told).await.unwrap_err(), "the file is larger than 5 MiB");
    let mut untold = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
    untold.resize(untold.len() + BYTES_MAX + 1, b'x');
    assert_eq!(read(untold).await.unwrap_err(), "the file is larger than 5 MiB");
}

#[tokio::test]
async fn a_file_that_does_not_come_is_given_up_after_ten_seconds() {
    let time_max = Duration::from_millis(20);
    // A server that takes the request and does not answer, one that stops in the middle, and one that takes nothing.
    for (sent, accepts) in
        [("", true), ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", true), ("", false)]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/data.csv", listener.local_addr().unwrap());
        let serving = async {
            let mut accepted = if accepts { Some(listener.accept().await.unwrap().0) } else { None };
            if let Some(stream) = &mut accepted {
                let _ = stream.read(&mut [0; 1_024]).await;
                stream.write_all(sent.as_bytes()).await.unwrap();
            }
            std::future::pending::<()>().await;
        };
        let files = anywhere(time_max);
        let read = tokio::select! {
            read = files.read(&address) => read,
            () = serving => panic!("it never ends"),
        };
        assert_eq!(read.unwrap_err(), said(EgressError::TooSlow(time_max)));
    }
    assert_eq!(WebFiles::new(settings(&[], false)).time_max, Duration::from_secs(10));
    assert_eq!(said(EgressError::TooSlow(TIME_MAX)), "the file did not come within 10 s");
}

#[tokio::test]
async fn nobodys_own_network_is_reached() {
    let files = WebFiles::new(settings(&[], true));
    for address in [
        "http://127.0.0.1/a",
        "http://localhost/a",
        "http://[::1]/a",
        "http://[::ffff:10.0.0.1]/a",
        "http://169.254.169.254/latest/meta-data",
        "http://0x7f.1/a",
        "http://2130706433/a",
        "https://192.168.0.1:8443/a",
    ] {
        let problem = files.read(address).await.unwrap_err();
        assert!(problem.ends_with("its address is not a public one"), "{address}: {problem}");
    }
}

#[test]
fn an_address_is_checked_before_anything_is_looked_up() {
    let checked = |hosts: &[&str], allows_plain_http: bool, address: &str| {
        WebFiles::new(settings(hosts, allows_plain_http)).checked(address)
    };
    assert_eq!(checked(&[], false, "https://Example.com/a").unwrap().as_str(), "https://example.com/a");
    assert!(checked(&["data.example.com"], false, "https://data.example.com/a").is_ok());
    assert!(checked(&["*.example.com"], false, "https://a.b.example.com/a").is_ok());
    assert!(checked(&["*.example.com"], false, "https://example.com/a").is_err());
    assert!(checked(&["*.example.com"], false, "https://badexample.com/a").is_err());
    assert!(checked(&["example.com"], false, "https://example.com.evil.net/a").is_err());
    assert_eq!(checked(&[], false, "http://example.com").unwrap_err(), "files are read over https only");
    assert!(checked(&[], true, "http://example.com").is_ok());
    for wrong in ["", "data.csv", "file:///etc/passwd", "ftp://example.com/a", "https://"] {
        assert!(checked(&[], true, wrong).is_err(), "{wrong}");
    }
    let with_user = checked(&[], false, "https://user:word@example.com/a").unwrap_err();
    assert_eq!(with_user, "the address must not hold a user or a password");
}
