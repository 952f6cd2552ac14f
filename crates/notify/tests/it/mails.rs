//! Mails to a server that speaks plainly: where the settings ask for encryption, it gets neither the password nor the
//! mail.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tidegauge_notify::channels::{Mail, Outbound};
use tidegauge_notify::mail::{Encryption, Login, Mailer, Refused, Server};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::samples::{at, opened, write};

/// What the server was told, line by line.
type Said = Arc<Mutex<Vec<String>>>;

/// A server that would take any login and any mail, and knows no encryption.
async fn plain_server() -> (u16, Said, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (said, mut tasks) = (Said::default(), JoinSet::new());
    let heard = Arc::clone(&said);
    tasks.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // Whoever hangs up in the middle has said all that it wanted to say.
            let _ = serve(stream, &heard).await;
        }
    });
    (port, said, tasks)
}

async fn serve(stream: TcpStream, said: &Said) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 mail.example\r\n").await?;
    let mut is_mail = false;
    loop {
        let mut line = Vec::new();
        if stream.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        said.lock().unwrap().push(line.clone());
        let answer = match line.split(' ').next().unwrap_or_default() {
            _ if is_mail && line != "." => continue,
            "EHLO" => "250-mail.example\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n",
            "AUTH" => "235 welcome\r\n",
            "DATA" => "354 go on\r\n",
            "STARTTLS" => "502 not here\r\n",
            "QUIT" => "221 bye\r\n",
            _ => "250 ok\r\n",
        };
        is_mail = line == "DATA";
        stream.write_all(answer.as_bytes()).await?;
    }
}

fn mail() -> Mail {
    match write(&json!({"email": {"emails": ["ops@example.com"]}}), &opened()).unwrap() {
        Outbound::Mail(mail) => mail,
        Outbound::Http(request) => panic!("{request:?}"),
    }
}

fn server(port: u16, encryption: Encryption) -> Server {
    let login = Login { user: "alerts".to_owned(), password: "geheim".to_owned() };
    let from = "alerts@example.com".to_owned();
    let host = "127.0.0.1".to_owned();
    Server { host, port, encryption, authorities: None, login: Some(login), from }
}

async fn sent(encryption: Encryption) -> (Result<(), Refused>, Vec<String>) {
    let (port, said, _tasks) = plain_server().await;
    let server = server(port, encryption);
    let mailer = Mailer::new(&server, Duration::from_secs(600)).unwrap();
    let sent = mailer.send(&mail(), at(2)).await;
    let said = said.lock().unwrap().clone();
    (sent, said)
}

fn has_begun(said: &[String], word: &str) -> bool {
    said.iter().any(|line| line.starts_with(word))
}

#[tokio::test]
async fn a_server_without_encryption_gets_nothing_where_it_was_asked_for() {
    for (encryption, advice) in
        [(Encryption::Starttls, "offers no STARTTLS"), (Encryption::Tls, "to starttls")]
    {
        let (sent, said) = sent(encryption).await;
        assert!(sent.is_err(), "{encryption:?}: {said:?}");
        for word in ["AUTH", "MAIL", "RCPT", "DATA"] {
            assert!(!has_begun(&said, word), "{encryption:?}: {said:?}");
        }
        let reason = sent.unwrap_err().reason;
        assert!(!reason.contains("geheim") && !reason.contains("502"), "{reason}");
        assert!(reason.contains(advice), "{reason}");
    }
    // The same server takes both where the settings ask for none.
    let (sent, said) = sent(Encryption::None).await;
    assert_eq!(sent, Ok(()), "{said:?}");
    assert!(has_begun(&said, "AUTH") && has_begun(&said, "DATA"), "{said:?}");
}

#[tokio::test]
async fn a_file_of_authorities_without_any_is_told_at_the_start() {
    for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nnor this\n-----END CERTIFICATE-----\n"] {
        let server =
            Server { authorities: Some(pem.as_bytes().to_vec()), ..server(25, Encryption::Starttls) };
        let error = Mailer::new(&server, Duration::from_secs(1)).unwrap_err();
        assert!(error.to_string().contains("smtp_ca_file") || error.to_string().contains("TLS"), "{error}");
    }
}
