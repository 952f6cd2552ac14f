//! One message of events: `[tag, time, record, option]`, `[tag, [[time, record], …], option]`, or
//! `[tag, bytes of [time, record] …, option]`, where the option may be missing.

use std::ops::Range;

use tidegauge_ingest::{Encoding, Events};

use crate::answer::Problem;
use crate::gzip;
use crate::msgpack::{Broken, Head, Scan, Values, read_time, scan};
use crate::slot::Slot;

/// Longer ids are of no use as keys.
const CHUNK_BYTES_MAX: usize = 255;

/// No byte of deflate becomes more than so many.
const DEFLATE_RATIO_MAX: u64 = 1_032;

/// How the events stand in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layout {
    /// A time and a record.
    One(Range<usize>),
    /// Pairs of them, so many.
    Several(u32, Range<usize>),
    /// Pairs of them, one after the other.
    Packed(Range<usize>),
}

/// The events of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    message: Vec<u8>,
    tag: String,
    chunk: Option<String>,
    encoding: Encoding,
    layout: Layout,
    unpacked_bytes_max: u64,
}

impl Batch {
    /// The first head of the message, an array of `count`, was looked at by the caller.
    pub(super) fn parse(count: u32, message: Vec<u8>, unpacked_bytes_max: u64) -> Result<Self, Problem> {
        let mut input = message.as_slice();
        Head::take(&mut input)?;
        let tag = match Head::take(&mut input)? {
            Head::Text(bytes) | Head::Bytes(bytes) if count >= 2 => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            _ => return Err(Problem::malformed("a message must begin with a tag and have events")),
        };
        let place = |input: &[u8]| message.len() - input.len();
        let start = place(input);
        let mut ahead = input;
        let (layout, used) = match Head::take(&mut ahead)? {
            Head::Array(pairs) if !is_time_with_metadata(ahead, count) => {
                let inner = place(ahead);
                input = skip(input)?;
                (Layout::Several(pairs, inner..place(input)), 2)
            }
            Head::Text(bytes) | Head::Bytes(bytes) => {
                let end = place(ahead);
                input = ahead;
                (Layout::Packed(end - bytes.len()..end), 2)
            }
            _ if count >= 3 => {
                input = skip(skip(input)?)?;
                (Layout::One(start..place(input)), 3)
            }
            _ => return Err(Problem::malformed("a message of one event needs a tag, a time and a record")),
        };
        let (chunk, encoding) = if count > used { option(&mut input)? } else { (None, Encoding::Identity) };
        Ok(Self { tag, chunk, encoding, layout, unpacked_bytes_max, message })
    }

    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The id of the chunk: with it, the sender waits for an acknowledgement, and a repetition has the same.
    pub fn chunk(&self) -> Option<&str> {
        self.chunk.as_deref()
    }

    /// How large the message is.
    pub fn bytes(&self) -> usize {
        self.message.len()
    }

    /// The most that it takes to unpack it; nothing if it is not compressed.
    pub fn unpacked_bytes(&self) -> u64 {
        match (&self.layout, self.encoding) {
            (Layout::Packed(range), Encoding::Gzip) => {
                (range.len() as u64).saturating_mul(DEFLATE_RATIO_MAX).min(self.unpacked_bytes_max)
            }
            (Layout::Packed(_), Encoding::Zstd) => self.unpacked_bytes_max,
            _ => 0,
        }
    }

    /// Reads the events.
    pub fn read(&self, events: &mut Events<'_>) -> Result<(), Problem> {
        events.take_unreadable_times();
        let mut writer = Writer { tag: &self.tag, tag_slot: Slot::new("tag"), values: Values::default() };
        match &self.layout {
            Layout::One(range) => writer.pair(&mut &self.message[range.clone()], events),
            Layout::Several(pairs, range) => {
                let mut input = &self.message[range.clone()];
                for _ in 0..*pairs {
                    writer.array_pair(&mut input, events)?;
                }
                Ok(())
            }
            Layout::Packed(range) => {
                let packed = &self.message[range.clone()];
                let plain;
                let mut input = match self.encoding {
                    Encoding::Identity => packed,
                    Encoding::Zstd => {
                        plain = gzip::expand_as(Encoding::Zstd, packed, self.unpacked_bytes_max)?;
                        plain.as_slice()
                    }
                    // Some say gzip of what is zlib.
                    Encoding::Gzip | Encoding::Deflate => {
                        plain = gzip::expand(packed, self.unpacked_bytes_max)?;
                        plain.as_slice()
                    }
                };
                while !input.is_empty() {
                    writer.array_pair(&mut input, events)?;
                }
                Ok(())
            }
        }
    }
}

struct Writer<'a> {
    tag: &'a str,
    tag_slot: Slot,
    values: Values,
}

impl Writer<'_> {
    fn array_pair(&mut self, input: &mut &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        if !matches!(Head::take(input)?, Head::Array(2)) {
            return Err(Problem::malformed("an event must be an array of a time and a record"));
        }
        self.pair(input, events)
    }

    fn pair(&mut self, input: &mut &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
        let start = input.len();
        events.start();
        if let Some(time) = read_time(input)? {
            events.time(time);
        }
        self.values.read_map(input, events)?;
        events.fits(start - input.len());
        self.tag_slot.text(self.tag, events);
        events.end()?;
        Ok(())
    }
}

/// Whether what follows an array's head is a time with metadata, as in a message of one event, and no list of pairs.
fn is_time_with_metadata(mut inner: &[u8], count: u32) -> bool {
    count >= 3 && matches!(Head::take(&mut inner), Ok(Head::Extension(..) | Head::Integer(_)))
}

fn skip(input: &[u8]) -> Result<&[u8], Broken> {
    match scan(input) {
        Scan::Whole(length) => Ok(&input[length..]),
        Scan::Part | Scan::Broken => Err(Broken),
    }
}

/// The chunk id, and how the events are compressed.
fn option(input: &mut &[u8]) -> Result<(Option<String>, Encoding), Problem> {
    let (mut chunk, mut encoding) = (None, Encoding::Identity);
    let Head::Map(members) = Head::take(input)? else { return Ok((None, encoding)) };
    for _ in 0..members {
        let name = match Head::take(input)? {
            Head::Text(bytes) | Head::Bytes(bytes) => bytes,
            _ => return Err(Broken.into()),
        };
        let mut ahead = *input;
        let value = match Head::take(&mut ahead)? {
            Head::Text(bytes) | Head::Bytes(bytes) => bytes,
            _ => b"",
        };
        *input = skip(input)?;
        match name {
            b"chunk" if !value.is_empty() => {
                let id = std::str::from_utf8(value).ok().filter(|id| id.len() <= CHUNK_BYTES_MAX);
                chunk = Some(
                    id.ok_or_else(|| Problem::malformed("the id of a chunk must be a short text"))?
                        .to_owned(),
                );
            }
            b"compressed" => match value {
                b"gzip" => encoding = Encoding::Gzip,
                b"zstd" => encoding = Encoding::Zstd,
                b"" | b"text" => {}
                _ => return Err(Problem::malformed("events may only be compressed with gzip or zstd")),
            },
            _ => {}
        }
    }
    Ok((chunk, encoding))
}
