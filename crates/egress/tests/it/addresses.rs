//! What can be told of an address by itself is told when it is saved, and again when it is used.

use tidegauge_egress::EgressError;
use tidegauge_egress::webhook::{WebhookRequest, is_transport_header};

use crate::receiver::{Receiver, status};
use crate::{local, send, strict};

/// Spellings of addresses that are nobody's but the machine's own or its network's.
const NOT_PUBLIC: [&str; 24] = [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0x7f.0.0.1/",
    "https://0x7f000001/",
    "https://0x7F.1/",
    "https://１２７.0.0.1/",
    "https://127。0。0。1/",
    "https://0/",
    "https://0.0.0.0:443/",
    "https://10.0.0.8/",
    "https://192.168.1.1:8443/hook",
    "https://172.16.3.4/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:ffff:169.254.169.254]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[fd00:ec2::254]/",
];

#[tokio::test]
async fn literal_addresses_are_refused_on_save_and_on_send() {
    for url in NOT_PUBLIC {
        let saved = strict().check(url).map(|_| ());
        assert!(matches!(saved, Err(EgressError::NotPublic(_))), "{url}: {saved:?}");
        let sent = send(&strict(), url).await.map(|_| ());
        assert_eq!(sent, saved, "{url}");
    }
}

#[tokio::test]
async fn users_in_addresses_are_refused_on_save_and_on_send() {
    for url in [
        "https://example.com@127.0.0.1/",
        "https://user:password@example.com/",
        "https://127.0.0.1:443@example.com/",
        "https://example.com%2f@127.0.0.1/",
        "https://:secret@example.com/",
    ] {
        assert_eq!(strict().check(url).map(|_| ()), Err(EgressError::HasUser), "{url}");
        assert_eq!(send(&strict(), url).await.map(|_| ()), Err(EgressError::HasUser), "{url}");
    }
    // A backslash ends the host here as it does for the client that connects.
    assert!(matches!(strict().check(r"https://127.0.0.1\@example.com/"), Err(EgressError::NotPublic(_))));
}

#[tokio::test]
async fn other_schemes_and_plain_http_are_refused() {
    for url in
        ["ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "example.com", "https://"]
    {
        assert_eq!(strict().check(url).map(|_| ()), Err(EgressError::NoUrl), "{url}");
    }
    assert_eq!(strict().check("http://example.com/").map(|_| ()), Err(EgressError::NotEncrypted));
    assert_eq!(send(&strict(), "http://example.com/").await.map(|_| ()), Err(EgressError::NotEncrypted));
    assert!(local().check("http://example.com/").is_ok());
}

#[tokio::test]
async fn networks_that_are_allowed_are_reached_and_no_others() {
    let receiver = Receiver::start(status("204 No Content", "")).await;
    assert_eq!(send(&local(), &receiver.url("/hook")).await.unwrap().status, 204);
    let requests = receiver.requests();
    assert!(requests[0].starts_with("POST /hook HTTP/1.1\r\n"), "{requests:?}");
    assert!(requests[0].contains("x-test: yes\r\n") && requests[0].ends_with(r#"{"a": 1}"#), "{requests:?}");
    for url in ["http://10.0.0.1/", "http://169.254.169.254/", "http://[::1]/"] {
        assert!(matches!(send(&local(), url).await, Err(EgressError::NotPublic(_))), "{url}");
    }
}

#[tokio::test]
async fn headers_of_the_transport_are_never_set() {
    let receiver = Receiver::start(status("204 No Content", "")).await;
    for name in ["Host", "content-length", "Transfer-Encoding", "connection", "a b", "x\r\ny"] {
        let headers = [(name.to_owned(), "1".to_owned())];
        let request = WebhookRequest { url: &receiver.url("/"), headers: &headers, body: "" };
        assert_eq!(local().send(request).await.map(|_| ()), Err(EgressError::WrongHeader(name.to_owned())));
    }
    let broken = [("x-a".to_owned(), "1\r\nx-b: 2".to_owned())];
    let request = WebhookRequest { url: &receiver.url("/"), headers: &broken, body: "" };
    assert!(local().send(request).await.is_err());
    assert!(receiver.requests().is_empty());
    assert!(is_transport_header("HOST") && !is_transport_header("authorization"));
}
