//! The frame around a message of gRPC, and a call that fails: it has no body, and all of it is in the headers, because
//! one client overlooks a status in trailers behind a body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::grpc_failure;
use crate::answer::{Answer, Problem};

/// What a call says that it holds.
pub const GRPC: &str = "application/grpc";

/// The bytes before a message: whether it is compressed, and its length.
pub const FRAME_BYTES: usize = 5;

/// What stands before a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub is_compressed: bool,
    pub length: u32,
}

impl Frame {
    pub fn read(head: [u8; FRAME_BYTES]) -> Result<Self, Problem> {
        let [flag, a, b, c, d] = head;
        if flag > 1 {
            return Err(Problem::malformed("the call has no message: its frame cannot be read"));
        }
        Ok(Self { is_compressed: flag == 1, length: u32::from_be_bytes([a, b, c, d]) })
    }
}

/// A message in its frame, not compressed.
pub fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    [&[0][..], &length.to_be_bytes(), message].concat()
}

/// The answer to a call of which nothing is stored. When to come back is told in two ways, because clients read one of
/// them.
pub fn grpc_refused(problem: &Problem) -> Answer {
    let failure = grpc_failure(problem);
    let mut answer = Answer::new(200, GRPC, Vec::new())
        .header("grpc-status", failure.code.to_string())
        .header("grpc-message", percent_encoded(&failure.message))
        .header("grpc-status-details-bin", STANDARD_NO_PAD.encode(&failure.details));
    if let Some(info) = &failure.retry_info {
        answer = answer.header("google.rpc.retryinfo-bin", STANDARD_NO_PAD.encode(info));
    }
    answer
}

/// Headers have no characters but the visible ones of ASCII; the others, and the sign itself, are written as `%C3%A4`.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use tidegauge_model::ErrorKind;

    use super::*;

    #[test]
    fn a_frame_is_read_as_it_is_written() {
        let framed = framed(b"abc");
        let head: [u8; FRAME_BYTES] = framed[..FRAME_BYTES].try_into().unwrap_or_default();
        assert_eq!(Frame::read(head), Ok(Frame { is_compressed: false, length: 3 }));
        assert_eq!(&framed[FRAME_BYTES..], b"abc");
        assert_eq!(Frame::read([1, 0, 0, 1, 0]), Ok(Frame { is_compressed: true, length: 256 }));
        assert!(Frame::read([2, 0, 0, 0, 0]).is_err());
    }

    #[test]
    fn a_failure_is_in_the_headers() {
        let answer = grpc_refused(&Problem::new(ErrorKind::StorageFull, "voll: 100 % ä"));
        assert_eq!((answer.status, answer.body.len()), (200, 0));
        let names: Vec<&str> = answer.headers.iter().map(|header| header.0).collect();
        assert_eq!(
            names,
            ["grpc-status", "grpc-message", "grpc-status-details-bin", "google.rpc.retryinfo-bin"]
        );
        assert_eq!(answer.headers[0].1, "14");
        assert_eq!(answer.headers[1].1, "voll: 100 %25 %C3%A4");
        let final_one = grpc_refused(&Problem::malformed("no"));
        assert_eq!((final_one.headers[0].1.as_str(), final_one.headers.len()), ("3", 3));
    }
}
