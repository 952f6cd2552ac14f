//! Values of attributes and bodies: a scalar, an array, or a list of pairs, nested as they like. What is deeper than
//! the limit is null, as it is in JSON.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::json_text::JsonText;
use crate::protobuf::{Broken, Message};

/// A value. What is inside of a container is read when it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Any<'a> {
    Empty,
    Text(Cow<'a, str>),
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Array(&'a [u8]),
    /// Pairs of names and values.
    List(&'a [u8]),
}

impl<'a> Any<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<Self, Broken> {
        let mut any = Self::Empty;
        for field in Message::new(message) {
            let (number, value) = field?;
            any = match number {
                1 => Self::Text(value.text()?),
                2 => Self::Boolean(value.varint()? != 0),
                3 => Self::Integer(value.varint()? as i64),
                4 => Self::Float(value.double()?),
                5 => Self::Array(value.bytes()?),
                6 => Self::List(value.bytes()?),
                7 => Self::Text(Cow::Owned(STANDARD.encode(value.bytes()?))),
                _ => continue,
            };
        }
        Ok(any)
    }

    /// Writes the value, which is inside of so many containers.
    pub(super) fn write(&self, out: &mut JsonText, depth: usize, depth_max: usize) -> Result<(), Broken> {
        match self {
            Self::Empty => out.raw("null"),
            Self::Text(text) => out.string(text),
            Self::Boolean(value) => out.boolean(*value),
            Self::Integer(value) => out.integer(*value),
            Self::Float(value) => out.float(*value),
            Self::Array(_) | Self::List(_) if depth >= depth_max => out.raw("null"),
            Self::Array(elements) => {
                out.open('[');
                for element in elements_of(elements) {
                    out.separate();
                    element?.write(out, depth + 1, depth_max)?;
                }
                out.close(']');
            }
            Self::List(pairs) => {
                out.open('{');
                for pair in pairs_of(pairs) {
                    let (name, value) = pair?;
                    out.name(&name);
                    value.write(out, depth + 1, depth_max)?;
                }
                out.close('}');
            }
        }
        Ok(())
    }
}

fn elements_of(array: &[u8]) -> impl Iterator<Item = Result<Any<'_>, Broken>> {
    Message::new(array).filter_map(|field| match field {
        Ok((1, value)) => Some(value.bytes().and_then(Any::read)),
        Ok(_) => None,
        Err(broken) => Some(Err(broken)),
    })
}

/// The pairs of a list.
pub(super) fn pairs_of(list: &[u8]) -> impl Iterator<Item = Result<(Cow<'_, str>, Any<'_>), Broken>> {
    Message::new(list).filter_map(|field| match field {
        Ok((1, value)) => Some(value.bytes().and_then(pair)),
        Ok(_) => None,
        Err(broken) => Some(Err(broken)),
    })
}

/// A name with its value.
pub(super) fn pair(message: &[u8]) -> Result<(Cow<'_, str>, Any<'_>), Broken> {
    let (mut name, mut any) = (Cow::Borrowed(""), Any::Empty);
    for field in Message::new(message) {
        match field? {
            (1, value) => name = value.text()?,
            (2, value) => any = Any::read(value.bytes()?)?,
            _ => {}
        }
    }
    Ok((name, any))
}
