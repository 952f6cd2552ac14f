//! The messages of made-up events: sentences of 80 to 150 characters with what happened written into them, as
//! programs write them. A `%` and a letter in a pattern stand for a value of the event.

use super::draws::{Draws, mix};
use super::text;

/// What a message can speak of.
#[derive(Debug)]
pub struct Happening<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub status: u64,
    pub micros: u64,
    pub bytes: u64,
    pub user: u64,
}

const FINE: &[&str] = &[
    "request finished: %m %p answered %s after %d ms, %b bytes sent, upstream connection %h was reused",
    "handled %m %p for user %u: status %s, %d ms in total, %n rows read, %n cache hits",
    "%m %p -> %s in %d ms (queue %f ms, handler %d ms), wrote %b bytes to %a",
    "cache lookup for key product:%h took %f ms, hit ratio of the last minute is 0.%n%n, shard %n of 16",
    "user %u loaded cart %h with %n items, total 1%n.%n EUR, session renewed for another %n0 minutes",
    "query plan %h reused: scanned %n%n rows in %n segments, returned %n rows after %d ms of work",
    "published event order.updated to partition %n at offset %o, acknowledged by 3 brokers after %f ms",
    "consumed batch of %n%n messages from topic stock-changes, lag is now %o, next poll in %n0 ms",
    "token %h verified for user %u with scope read:%w, issued %n%n minutes ago, remote address %a",
    "connection from %a accepted, TLS 1.3 resumed with ticket %h, %n streams open, window is %b bytes",
    "payment intent %h authorised by issuer after %d ms, amount is 1%n%n.%n0 EUR, risk score is 0.%n%n",
    "wrote %b bytes to object uploads/%h/part-%n, checksum %h verified, replicated to %n zones in %d ms",
    "scheduled job refresh-%w finished: %n%n entries updated, %n skipped, next run in %n%n0 seconds",
    "feature evaluation for user %u returned %n flags in %f ms, rule set version %o, sticky bucket is %n",
];

const REFUSED: &[&str] = &[
    "request refused: %m %p answered %s after %d ms, client %a sent an unacceptable value in field %w",
    "user %u is not allowed to do this: %m %p needs a scope that token %h does not have, answered %s",
    "no such thing: %m %p answered %s after %d ms, looked up id %h in %n shards and found nothing",
    "rate of client %a is above its limit of %n%n0 requests a minute: answered %s, bucket %h is empty",
];

const BROKEN: &[&str] = &[
    "request failed: %m %p answered %s after %d ms, attempt %n of 3 to reach upstream %a timed out",
    "database did not answer within %n000 ms: pool has 0 of %n%n connections free, query %h cancelled",
    "upstream %a closed the connection after %b bytes, request %h of user %u could not be finished",
    "circuit breaker for %w is open after %n%n failures in a row, answering %s without trying, id %h",
];

const WORDS: &[&str] =
    &["orders", "profile", "quantity", "inventory", "address", "currency", "payment", "search"];

#[derive(Debug)]
enum Piece {
    Text(&'static str),
    Value(u8),
}

/// The patterns, read once.
#[derive(Debug)]
pub struct Messages {
    fine: Vec<Vec<Piece>>,
    refused: Vec<Vec<Piece>>,
    broken: Vec<Vec<Piece>>,
}

impl Messages {
    pub fn read() -> Self {
        let read = |patterns: &[&'static str]| patterns.iter().map(|pattern| pieces(pattern)).collect();
        Self { fine: read(FINE), refused: read(REFUSED), broken: read(BROKEN) }
    }

    pub fn write(&self, out: &mut Vec<u8>, happening: &Happening<'_>, draws: &mut Draws) {
        let patterns = match happening.status {
            ..400 => &self.fine,
            400..500 => &self.refused,
            _ => &self.broken,
        };
        for piece in draws.pick(patterns) {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Value(letter) => write_value(out, *letter, happening, draws),
            }
        }
    }
}

fn pieces(pattern: &'static str) -> Vec<Piece> {
    let mut parts = pattern.split('%');
    let mut pieces: Vec<Piece> = parts.next().map(Piece::Text).into_iter().collect();
    for part in parts {
        let Some(letter) = part.bytes().next() else { continue };
        pieces.push(Piece::Value(letter));
        pieces.push(Piece::Text(&part[1..]));
    }
    pieces
}

fn write_value(out: &mut Vec<u8>, letter: u8, happening: &Happening<'_>, draws: &mut Draws) {
    match letter {
        b'm' => out.extend_from_slice(happening.method.as_bytes()),
        b'p' => out.extend_from_slice(happening.path.as_bytes()),
        b's' => text::number(out, happening.status),
        b'd' => text::thousandths(out, happening.micros),
        b'b' => text::number(out, happening.bytes),
        b'u' => user(out, happening.user),
        b'f' => text::thousandths(out, draws.below(2_000)),
        b'n' => text::number(out, 1 + draws.below(9)),
        b'o' => text::number(out, 100_000 + draws.below(900_000)),
        b'h' => text::hex::<8>(out, draws.bits()),
        b'w' => out.extend_from_slice(draws.pick(WORDS).as_bytes()),
        _ => address(out, draws.bits()),
    }
}

/// The id of a user, which does not tell how frequent they are.
pub fn user(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(b"usr_");
    text::hex::<10>(out, mix(number));
}

/// An address of a private network.
pub fn address(out: &mut Vec<u8>, bits: u64) {
    out.extend_from_slice(b"10.");
    text::number(out, bits & 63);
    out.push(b'.');
    text::number(out, (bits >> 8) & 255);
    out.push(b'.');
    text::number(out, (bits >> 16) & 255);
}
