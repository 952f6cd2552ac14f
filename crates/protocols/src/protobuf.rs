//! Protobuf as it is on the wire: the fields of a message one after the other, where they lie. What a field means is
//! left to the protocols. A message inside another is bytes until somebody looks into it, so nesting costs nothing.

use std::borrow::Cow;

use crate::answer::Problem;

/// A message that is cut or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl From<Broken> for Problem {
    fn from(_: Broken) -> Self {
        Self::malformed("the body is no protobuf message of the expected kind; it may be cut or damaged")
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    #[inline]
    pub(crate) fn bytes(self) -> Result<&'a [u8], Broken> {
        if let Self::Bytes(bytes) = self { Ok(bytes) } else { Err(Broken) }
    }

    /// Bytes that are no UTF-8 are replaced: one such text must not cost the whole request.
    #[inline]
    pub(crate) fn text(self) -> Result<Cow<'a, str>, Broken> {
        self.bytes().map(text)
    }

    #[inline]
    pub(crate) fn varint(self) -> Result<u64, Broken> {
        if let Self::Varint(value) = self { Ok(value) } else { Err(Broken) }
    }

    #[inline]
    pub(crate) fn fixed64(self) -> Result<u64, Broken> {
        if let Self::Fixed64(value) = self { Ok(value) } else { Err(Broken) }
    }

    #[inline]
    pub(crate) fn fixed32(self) -> Result<u32, Broken> {
        if let Self::Fixed32(value) = self { Ok(value) } else { Err(Broken) }
    }

    pub(crate) fn double(self) -> Result<f64, Broken> {
        self.fixed64().map(f64::from_bits)
    }

    /// `sint32` and `sint64`.
    pub(crate) fn zigzag(self) -> Result<i64, Broken> {
        self.varint().map(unzigzag)
    }

    /// Hands on each number of a repeated field of eight bytes, which may stand together or alone.
    pub(crate) fn each_fixed64(self, mut each: impl FnMut(u64)) -> Result<(), Broken> {
        let Self::Bytes(packed) = self else {
            each(self.fixed64()?);
            return Ok(());
        };
        let (numbers, rest) = packed.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(Broken);
        }
        numbers.iter().for_each(|number| each(u64::from_le_bytes(*number)));
        Ok(())
    }

    /// The same for numbers of as many bytes as they need.
    pub(crate) fn each_varint(self, mut each: impl FnMut(u64)) -> Result<(), Broken> {
        let Self::Bytes(mut packed) = self else {
            each(self.varint()?);
            return Ok(());
        };
        while !packed.is_empty() {
            each(varint(&mut packed)?);
        }
        Ok(())
    }
}

pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The fields of a message.
#[derive(Clone, Debug)]
pub(crate) struct Message<'a> {
    rest: &'a [u8],
}

impl<'a> Message<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn next_field(&mut self) -> Result<(u32, Value<'a>), Broken> {
        let tag = varint(&mut self.rest)?;
        let number = u32::try_from(tag >> 3).map_err(|_| Broken)?;
        if number == 0 {
            return Err(Broken);
        }
        let value = match tag & 7 {
            0 => Value::Varint(varint(&mut self.rest)?),
            1 => Value::Fixed64(u64::from_le_bytes(*self.chunk()?)),
            2 => {
                let length = usize::try_from(varint(&mut self.rest)?).map_err(|_| Broken)?;
                let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Broken)?;
                self.rest = rest;
                Value::Bytes(bytes)
            }
            5 => Value::Fixed32(u32::from_le_bytes(*self.chunk()?)),
            // Groups have been out of use since before any of these protocols.
            _ => return Err(Broken),
        };
        Ok((number, value))
    }

    fn chunk<const N: usize>(&mut self) -> Result<&'a [u8; N], Broken> {
        let (chunk, rest) = self.rest.split_first_chunk().ok_or(Broken)?;
        self.rest = rest;
        Ok(chunk)
    }
}

impl<'a> Iterator for Message<'a> {
    type Item = Result<(u32, Value<'a>), Broken>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.next_field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[inline]
fn varint(rest: &mut &[u8]) -> Result<u64, Broken> {
    let [first, behind @ ..] = *rest else { return Err(Broken) };
    if *first < 0x80 {
        *rest = behind;
        return Ok(u64::from(*first));
    }
    long_varint(rest)
}

fn long_varint(rest: &mut &[u8]) -> Result<u64, Broken> {
    let mut value = 0_u64;
    for (place, byte) in rest.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if *byte < 0x80 {
            *rest = &rest[place + 1..];
            return Ok(value);
        }
    }
    Err(Broken)
}

/// Writes messages.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) out: Vec<u8>,
}

impl Writer {
    fn tag(&mut self, number: u32, wire: u32) {
        self.plain(u64::from(number << 3 | wire));
    }

    fn plain(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    pub(crate) fn varint(&mut self, number: u32, value: u64) {
        self.tag(number, 0);
        self.plain(value);
    }

    pub(crate) fn fixed64(&mut self, number: u32, value: u64) {
        self.tag(number, 1);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn fixed32(&mut self, number: u32, value: u32) {
        self.tag(number, 5);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, 2);
        self.plain(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// A message inside of this one. Its length stands in as many bytes as the longest needs, so that nothing has to
    /// be moved when it is known.
    pub(crate) fn message<E>(
        &mut self,
        number: u32,
        write: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.tag(number, 2);
        let place = self.out.len();
        self.out.extend_from_slice(&[0; 5]);
        write(self)?;
        let mut length = self.out.len() - place - 5;
        for (index, byte) in self.out[place..place + 5].iter_mut().enumerate() {
            *byte = (length & 0x7f) as u8 | if index < 4 { 0x80 } else { 0 };
            length >>= 7;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>, Broken> {
        Message::new(bytes).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut writer = Writer::default();
        writer.varint(1, 300);
        writer.fixed64(2, 7);
        writer.bytes(3, b"x");
        writer.fixed32(4, 9);
        let inner = |writer: &mut Writer| {
            writer.varint(1, 1);
            Ok::<_, ()>(())
        };
        assert_eq!(writer.message(5, inner), Ok(()));
        let expected = vec![
            (1, Value::Varint(300)),
            (2, Value::Fixed64(7)),
            (3, Value::Bytes(b"x")),
            (4, Value::Fixed32(9)),
            (5, Value::Bytes(&[8, 1])),
        ];
        assert_eq!(fields(&writer.out), Ok(expected));
    }

    #[test]
    fn damaged_messages_end_with_an_error() {
        let damaged: [&[u8]; 8] = [
            &[0x08],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
            &[0x0a, 2, 1],
            &[0x09, 1, 2],
            &[0x0b],
            &[0x00, 1],
            &[0xff; 11],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ];
        for bytes in damaged {
            assert_eq!(fields(bytes), Err(Broken), "{bytes:?}");
        }
    }

    #[test]
    fn packed_and_single_numbers_are_the_same() {
        let mut seen = Vec::new();
        assert_eq!(Value::Bytes(&[1, 0x80, 1]).each_varint(|number| seen.push(number)), Ok(()));
        assert_eq!(Value::Varint(3).each_varint(|number| seen.push(number)), Ok(()));
        assert_eq!(seen, [1, 128, 3]);
        assert_eq!(Value::Bytes(&[0; 9]).each_fixed64(|_| ()), Err(Broken));
        assert_eq!([0, 1, 2, u64::MAX].map(unzigzag), [0, -1, 1, i64::MIN]);
    }
}
