//! OTLP in JSON, turned into protobuf by the tables of `schema`: names in camel case, ids in hexadecimal, 64-bit
//! integers as texts or numbers, enums as numbers or names. Null, `{}` and names that nobody knows are passed over.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tidegauge_ingest::JsonWalk;

use super::schema::{Kind, Schema};
use crate::answer::Problem;
use crate::protobuf::Writer;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Enums are numbers; some senders write their names.
const NAMES: [(&str, u64); 12] = [
    ("SPAN_KIND_UNSPECIFIED", 0),
    ("SPAN_KIND_INTERNAL", 1),
    ("SPAN_KIND_SERVER", 2),
    ("SPAN_KIND_CLIENT", 3),
    ("SPAN_KIND_PRODUCER", 4),
    ("SPAN_KIND_CONSUMER", 5),
    ("STATUS_CODE_UNSET", 0),
    ("STATUS_CODE_OK", 1),
    ("STATUS_CODE_ERROR", 2),
    ("AGGREGATION_TEMPORALITY_UNSPECIFIED", 0),
    ("AGGREGATION_TEMPORALITY_DELTA", 1),
    ("AGGREGATION_TEMPORALITY_CUMULATIVE", 2),
];

/// Messages inside of messages beyond what `depth_max` allows for values are passed over: a value needs three of them.
const LEVELS_EACH: usize = 3;
const LEVELS_AROUND: usize = 12;

pub(super) fn to_protobuf(
    schema: &'static Schema,
    body: &[u8],
    depth_max: usize,
) -> Result<Vec<u8>, Problem> {
    let mut walk = JsonWalk::new(body);
    let mut writer = Writer::default();
    if walk.is_at_end() {
        return Ok(writer.out);
    }
    let levels = depth_max.saturating_mul(LEVELS_EACH).saturating_add(LEVELS_AROUND);
    message(schema, &mut walk, &mut writer, levels)?;
    if !walk.is_at_end() {
        return Err(Problem::malformed("there is more after the JSON object of the request"));
    }
    Ok(writer.out)
}

fn message(
    schema: &'static Schema,
    walk: &mut JsonWalk<'_>,
    writer: &mut Writer,
    levels: usize,
) -> Result<(), Problem> {
    walk.object(|walk, name| match schema.field(name) {
        Some((number, kind)) if levels > 0 => field(number, kind, name, walk, writer, levels),
        _ => walk.value().map(|_| ()).map_err(Problem::from),
    })
}

fn field(
    number: u32,
    kind: Kind,
    name: &str,
    walk: &mut JsonWalk<'_>,
    writer: &mut Writer,
    levels: usize,
) -> Result<(), Problem> {
    match walk.peek() {
        Some(b'[') => walk.array(|walk| match walk.peek() {
            Some(b'[') => Err(Problem::from(walk.wrong("an array in an array has no meaning here"))),
            _ => value(number, kind, name, walk, writer, levels),
        }),
        _ => value(number, kind, name, walk, writer, levels),
    }
}

fn value(
    number: u32,
    kind: Kind,
    name: &str,
    walk: &mut JsonWalk<'_>,
    writer: &mut Writer,
    levels: usize,
) -> Result<(), Problem> {
    if let Kind::Message(schema) = kind {
        return writer.message(number, |writer| message(schema, walk, writer, levels - 1));
    }
    if walk.peek() == Some(b'n') {
        walk.value()?;
        return Ok(());
    }
    let wrong = |expected: &str| Problem::malformed(format!("\"{name}\" must be {expected}"));
    if matches!(walk.peek(), Some(b'{')) {
        return Err(wrong("no object"));
    }
    let text = walk.text()?;
    let text = text.as_ref();
    match kind {
        Kind::Text => writer.bytes(number, text.as_bytes()),
        Kind::Boolean => writer.varint(number, u64::from(matches!(text, "true" | "1"))),
        Kind::Varint => writer.varint(number, integer(text).ok_or_else(|| wrong("an integer"))?),
        Kind::ZigZag => {
            let value = integer(text).ok_or_else(|| wrong("an integer"))? as i64;
            writer.varint(number, ((value << 1) ^ (value >> 63)) as u64);
        }
        Kind::Fixed64 => writer.fixed64(number, integer(text).ok_or_else(|| wrong("an integer"))?),
        Kind::Fixed32 => {
            writer.fixed32(number, integer(text).ok_or_else(|| wrong("an integer"))? as u32);
        }
        Kind::Double => {
            let value: f64 = text.trim().parse().map_err(|_| wrong("a number"))?;
            writer.fixed64(number, value.to_bits());
        }
        Kind::Hex => {
            writer.bytes(number, &unhex(text).ok_or_else(|| wrong("an id in hexadecimal"))?);
        }
        Kind::Base64 => {
            // The alphabet for addresses is allowed too.
            let plain = text.replace('-', "+").replace('_', "/");
            writer.bytes(number, &BASE64.decode(plain).map_err(|_| wrong("in base64"))?);
        }
        Kind::Message(_) => {}
    }
    Ok(())
}

/// An integer with or without a sign as the 64 bits that it has, also if it is written as a float.
fn integer(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0);
    }
    if let Ok(value) = text.parse::<u64>() {
        return Some(value);
    }
    if let Ok(value) = text.parse::<i64>() {
        return Some(value as u64);
    }
    if let Some((_, value)) = NAMES.iter().find(|(name, _)| *name == text) {
        return Some(*value);
    }
    let float: f64 = text.parse().ok()?;
    (float.fract() == 0.0 && float.abs() < 9.3e18).then_some(float as i64 as u64)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits.chunks_exact(2).map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}
