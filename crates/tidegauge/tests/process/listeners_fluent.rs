//! Fluent forward over real sockets: what is acknowledged is stored, through crashes and repetitions, and hostile messages
//! end their connection and nothing else.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use serde_json::json;

use crate::database::Backend;
use crate::listeners::{World, read_to_the_end};
use crate::process::eventually;

const FLUENT: [&str; 4] = ["--fluent-listen", "127.0.0.1:0", "--fluent-networks", "127.0.0.1"];

/// A message of Fluent forward with one event, and the acknowledgement of its chunk.
fn chunk(number: u8, id: &str) -> (Vec<u8>, Vec<u8>) {
    let text = |text: &str| [&[0xa0 | u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat();
    let event = [&[0x92, 0xce, 0x6a, 0x1d, 0x0e, 0x00, 0x81][..], &text("n"), &[number]].concat();
    let option = [&[0x81][..], &text("chunk"), &text(id)].concat();
    let message = [&[0x93][..], &text("tag"), &[0x91], &event, &option].concat();
    (message, [&[0x81][..], &text("ack"), &text(id)].concat())
}

async fn acknowledged(stream: &mut TcpStream, expected: &[u8]) {
    let mut answer = vec![0; expected.len()];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, expected);
}

/// What is acknowledged is stored, whatever happens then, and once, however often it is sent.
pub(crate) async fn acknowledged_is_stored(backend: Backend) {
    let mut world = World::start(backend, "fluent", "--fluent-endpoint", &FLUENT).await;
    for round in 1..=3_u8 {
        let mut stream = world.connect("Fluent forward").await;
        for number in 1..=round {
            let (message, ack) = chunk(number, &format!("chunk {number}"));
            for piece in message.chunks(5) {
                stream.write_all(piece).await.unwrap();
            }
            stream.write_all(&[0xc0]).await.unwrap();
            acknowledged(&mut stream, &ack).await;
        }
        world = world.crash(&FLUENT, "--fluent-endpoint").await;
        assert_eq!(world.count().await, u64::from(round));
    }
    let columns = world.ask("logs | sort by n asc | project n, tag, site").await;
    assert_eq!(columns, json!([[1, 2, 3], ["tag", "tag", "tag"], ["pier", "pier", "pier"]]));

    // Several without a chunk, and one with: all are there when the last is acknowledged.
    let mut stream = world.connect("Fluent forward").await;
    let (last, ack) = chunk(9, "chunk 9");
    let plain = [0x93, 0xa1, b't', 0xce, 0x6a, 0x1d, 0x0e, 0x00, 0x81, 0xa1, b'n', 7];
    stream.write_all(&[&plain[..], &plain, &last].concat()).await.unwrap();
    acknowledged(&mut stream, &ack).await;
    assert_eq!(world.count().await, 6);

    // What declares too much or is broken ends its connection, and takes nothing with it.
    for hostile in [
        &[0x92, 0xa1, b't', 0xdd, 0xff, 0xff, 0xff, 0xff][..],
        &[0x92, 0xa1, b't', 0xc6, 0xff, 0xff, 0xff, 0xff, 1],
        &[0xdb, 0xff, 0xff, 0xff, 0xff],
        &[0xc1],
        b"GET / HTTP/1.1\r\n\r\n",
        &[0x93, 0xa1, b't', 0x05, 0x05],
    ] {
        let mut stream = world.connect("Fluent forward").await;
        stream.write_all(hostile).await.unwrap();
        read_to_the_end(stream).await;
    }
    let deep = vec![0x91; 1 << 20];
    let mut stream = world.connect("Fluent forward").await;
    let _ = stream.write_all(&deep).await;
    read_to_the_end(stream).await;
    let mut stream = world.connect("Fluent forward").await;
    let (message, ack) = chunk(10, "chunk 10");
    stream.write_all(&message).await.unwrap();
    acknowledged(&mut stream, &ack).await;
    assert_eq!(world.count().await, 7);
    assert!(world.service.peak_memory() < 600 << 20, "{}", world.service.peak_memory());
}

/// A message of one event without a chunk.
fn plain(number: u8) -> Vec<u8> {
    vec![0x93, 0xa1, b't', 0xce, 0x6a, 0x1d, 0x0e, 0x00, 0x81, 0xa1, b'n', number]
}

/// A message that can be told from others and not be read: its record is none.
const NO_RECORD: [u8; 5] = [0x93, 0xa1, b't', 0x05, 0x05];

/// What has no chunk nobody sends again: it is kept for as long as it takes, and its connection is not read meanwhile.
pub(crate) async fn kept_without_a_chunk(backend: Backend) {
    let world = World::start(backend, "fluent", "--fluent-endpoint", &FLUENT).await;
    world.delete_dataset().await;
    let mut streams = Vec::new();
    for number in 0..3 {
        let mut stream = world.connect("Fluent forward").await;
        stream.write_all(&plain(number)).await.unwrap();
        streams.push(stream);
    }
    eventually("the reason why nothing arrives", async || {
        let endpoint = world.endpoint().await;
        (endpoint["lastError"]["message"] == "dataset not found").then_some(())
    })
    .await;
    // What is asked for by its sender is sent away meanwhile, and what stands behind it in the same piece is counted too.
    let mut asking = world.connect("Fluent forward").await;
    asking.write_all(&[chunk(7, "one").0, chunk(8, "two").0].concat()).await.unwrap();
    read_to_the_end(asking).await;
    assert_eq!(world.dropped("fluent", "unstored").await, 2);
    for (stream, number) in streams.iter_mut().zip(3..) {
        stream.write_all(&plain(number)).await.unwrap();
    }
    world.make_dataset().await;
    for stream in streams {
        read_to_the_end(stream).await;
    }
    let columns = world.ask("logs | sort by n asc | project n").await;
    assert_eq!(columns, json!([[0, 1, 2, 3, 4, 5]]));
    assert_eq!(world.dropped("fluent", "unstored").await, 2, "no more than those");
}

/// What comes whole is stored, whatever comes before or behind it at once.
pub(crate) async fn whole_beside_broken(backend: Backend) {
    let world = World::start(backend, "fluent", "--fluent-endpoint", &FLUENT).await;
    let (asked, ack) = chunk(3, "asked");
    for (sent, count) in [
        // What is behind a broken message cannot be told from it.
        ([&plain(1)[..], &plain(2), &[0xc1], &plain(9)].concat(), 2),
        ([&plain(1)[..], &NO_RECORD, &plain(2)].concat(), 4),
        ([&NO_RECORD[..], &NO_RECORD, &plain(1), &NO_RECORD].concat(), 5),
    ] {
        let mut stream = world.connect("Fluent forward").await;
        stream.write_all(&sent).await.unwrap();
        read_to_the_end(stream).await;
        assert_eq!(world.count().await, count);
    }
    let mut stream = world.connect("Fluent forward").await;
    stream.write_all(&[&NO_RECORD[..], &asked, &plain(4), &[0xc1]].concat()).await.unwrap();
    acknowledged(&mut stream, &ack).await;
    read_to_the_end(stream).await;
    assert_eq!(world.count().await, 7);
    assert_eq!(world.ask("logs | where n == 9 | count").await[0][0], 0);
    assert_eq!(world.dropped("fluent", "unstored").await, 5);
    let broken = async || (world.dropped("fluent", "broken").await == 2).then_some(());
    eventually("two that could not be read", broken).await;
}

/// Who does not know the key sends nothing.
pub(crate) async fn shared_key(backend: Backend) {
    let settings = [&FLUENT[..], &["--fluent-shared-key", "of the pier"]].concat();
    let world = World::start(backend, "fluent", "--fluent-endpoint", &settings).await;
    for (key, is_known) in [("of another", false), ("of the pier", true)] {
        let mut stream = world.connect("Fluent forward").await;
        let mut hello = vec![0; 49];
        stream.read_exact(&mut hello).await.unwrap();
        let nonce = {
            let start = hello.windows(6).position(|bytes| bytes == b"\xa5nonce").unwrap() + 8;
            hello[start..start + 16].to_vec()
        };
        let digest = tidegauge_auth::sha512_hex(&[b"salt", b"h", &nonce, key.as_bytes()]);
        let head = b"\x96\xa4PING\xa1h\xa4salt\xd9\x80";
        stream.write_all(&[&head[..], digest.as_bytes(), b"\xa0\xa0"].concat()).await.unwrap();
        let mut pong = vec![0; 8];
        stream.read_exact(&mut pong).await.unwrap();
        assert_eq!(&pong[..6], b"\x95\xa4PONG");
        assert_eq!(pong[6], if is_known { 0xc3 } else { 0xc2 });
        let mut rest = Vec::new();
        if is_known {
            let (message, ack) = chunk(1, "chunk");
            stream.write_all(&message).await.unwrap();
            while !rest.ends_with(&ack) {
                let mut byte = [0];
                stream.read_exact(&mut byte).await.unwrap();
                rest.extend(byte);
            }
        } else {
            let _ = stream.read_to_end(&mut rest).await;
        }
        assert_eq!(world.count().await, u64::from(is_known));
    }
    // Nor does who says nothing of it.
    let mut stream = world.connect("Fluent forward").await;
    stream.write_all(&chunk(2, "other").0).await.unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert_eq!(world.count().await, 1);
}
