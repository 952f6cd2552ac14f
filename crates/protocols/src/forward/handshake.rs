//! The greeting of a listener that shares a key with its senders: it says a nonce, the sender proves that it has the
//! key, and so does the listener. The digest is handed in, because cryptography has its own home.

use super::write;
use crate::answer::Problem;
use crate::msgpack::Head;
use tidegauge_model::ErrorKind;

/// SHA-512 of some bytes one after the other, in hexadecimal of small letters.
pub type Sha512Hex<'a> = &'a dyn Fn(&[&[u8]]) -> String;

/// What a listener knows about one connection.
pub struct Handshake<'a> {
    pub hostname: &'a str,
    pub shared_key: &'a [u8],
    /// By chance, for this connection alone.
    pub nonce: &'a [u8],
}

impl std::fmt::Debug for Handshake<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Handshake").field("hostname", &self.hostname).finish_non_exhaustive()
    }
}

impl Handshake<'_> {
    /// What the listener says first.
    pub fn hello(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write::array(2, &mut out);
        write::text("HELO", &mut out);
        write::map(3, &mut out);
        write::text("nonce", &mut out);
        write::bytes(self.nonce, &mut out);
        write::text("auth", &mut out);
        write::bytes(b"", &mut out);
        write::text("keepalive", &mut out);
        write::boolean(true, &mut out);
        out
    }

    /// Checks the answer, and says what to send then. Whoever fails is told so and disconnected.
    pub fn check(&self, ping: &[u8], sha512: Sha512Hex<'_>) -> (Vec<u8>, Result<(), Problem>) {
        match self.salt_of(ping, sha512) {
            Ok(salt) => {
                let parts = [salt, self.hostname.as_bytes(), self.nonce, self.shared_key];
                (self.pong(true, "", &sha512(&parts)), Ok(()))
            }
            Err(problem) => (self.pong(false, &problem.message, ""), Err(problem)),
        }
    }

    fn pong(&self, is_good: bool, reason: &str, digest: &str) -> Vec<u8> {
        let mut out = Vec::new();
        write::array(5, &mut out);
        write::text("PONG", &mut out);
        write::boolean(is_good, &mut out);
        write::text(reason, &mut out);
        write::text(if is_good { self.hostname } else { "" }, &mut out);
        write::text(digest, &mut out);
        out
    }

    /// `["PING", host, salt, digest, …]`.
    fn salt_of<'p>(&self, ping: &'p [u8], sha512: Sha512Hex<'_>) -> Result<&'p [u8], Problem> {
        let mut input = ping;
        let wrong = || Problem::malformed("the answer to the greeting is no PING");
        let Head::Array(4..) = Head::take(&mut input)? else { return Err(wrong()) };
        let mut text = || match Head::take(&mut input) {
            Ok(Head::Text(bytes) | Head::Bytes(bytes)) => Ok(bytes),
            _ => Err(wrong()),
        };
        if text()? != b"PING" {
            return Err(wrong());
        }
        let (host, salt, digest) = (text()?, text()?, text()?);
        let expected = sha512(&[salt, host, self.nonce, self.shared_key]);
        if !is_same(expected.as_bytes(), digest) {
            return Err(Problem::new(ErrorKind::Unauthenticated, "shared key mismatch"));
        }
        Ok(salt)
    }
}

/// Takes as long for every text of the same length.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
