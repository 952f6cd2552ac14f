//! What the relay of a firehose has added to an event: one number that all have, and many fields of which each is in
//! four of ten events, whichever the others are.

use super::super::draws::Draws;
use super::super::text;

const PRESENT_IN_THOUSAND: u64 = 400;

/// Numbers of events before the first.
const SEQUENCE_BEGIN: u64 = 4_000_000_000;

#[derive(Debug)]
enum Kind {
    /// The first is the most frequent.
    Word(&'static [&'static str]),
    Below(u64),
    /// About log-normal around a middle.
    Around(u64),
    /// The same with three decimal places.
    Thousandths(u64),
    Flag,
    Hex,
}

const FIELDS: &[(&str, Kind)] = &[
    (
        "host",
        Kind::Word(&["north-1", "north-2", "north-3", "south-1", "south-2", "east-1", "west-1", "west-2"]),
    ),
    ("region", Kind::Word(&["eu-north", "us-east", "ap-south", "sa-west"])),
    ("shard", Kind::Below(64)),
    ("lag_ms", Kind::Thousandths(140_000)),
    ("bytes", Kind::Around(900)),
    ("attempt", Kind::Below(4)),
    ("encoding", Kind::Word(&["cbor", "json", "zstd"])),
    ("trace", Kind::Hex),
    ("verified", Kind::Flag),
    ("account_age_days", Kind::Below(1_500)),
    ("followers", Kind::Around(220)),
    ("following", Kind::Around(180)),
    ("posts", Kind::Around(400)),
    ("score", Kind::Thousandths(400)),
    ("app", Kind::Word(&["native-ios", "web", "native-android", "bridge", "bot-kit", "desk", "terminal"])),
    ("app_version", Kind::Word(&["1.94.0", "1.93.2", "1.93.1", "1.92.0", "2.0.0-beta.3", "1.88.4"])),
    (
        "locale",
        Kind::Word(&["en-US", "ja-JP", "pt-BR", "en-GB", "de-DE", "es-ES", "ko-KR", "tr-TR", "ru-RU"]),
    ),
    ("label", Kind::Word(&["none", "spam", "graphic", "impersonation"])),
];

pub fn write(out: &mut Vec<u8>, event: u64, draws: &mut Draws) {
    out.extend_from_slice(br#","relay":{"seq":"#);
    text::number(out, SEQUENCE_BEGIN + event);
    for (name, kind) in FIELDS {
        if draws.in_thousand(PRESENT_IN_THOUSAND) {
            text::key(out, name);
            kind.write(out, draws);
        }
    }
    out.push(b'}');
}

impl Kind {
    fn write(&self, out: &mut Vec<u8>, draws: &mut Draws) {
        match self {
            Self::Word(words) => {
                // The smaller of two places: small ones are the more frequent.
                let count = words.len() as u64;
                let place = draws.below(count).min(draws.below(count));
                text::quoted(out, words[place as usize]);
            }
            Self::Below(bound) => text::number(out, draws.below(*bound)),
            Self::Around(middle) => text::number(out, draws.around(*middle, 18_000)),
            Self::Thousandths(middle) => text::thousandths(out, draws.around(*middle, 20_000)),
            Self::Flag => {
                let flag: &[u8] = if draws.in_thousand(120) { b"true" } else { b"false" };
                out.extend_from_slice(flag);
            }
            Self::Hex => {
                text::quote(out);
                text::hex::<16>(out, draws.bits());
                text::hex::<16>(out, draws.bits());
                text::quote(out);
            }
        }
    }
}
