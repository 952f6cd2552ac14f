//! The first bytes of a value: its type, and its length or how many others it holds.

use super::Broken;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Head<'a> {
    Nil,
    Boolean(bool),
    Integer(i64),
    /// One that is beyond 63 bits.
    Unsigned(u64),
    Float(f64),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Array(u32),
    Map(u32),
    Extension(i8, &'a [u8]),
}

impl<'a> Head<'a> {
    /// Takes a head off the input. What a container holds comes behind it.
    pub(crate) fn take(input: &mut &'a [u8]) -> Result<Self, Broken> {
        let first = u8::from_be_bytes(*chunk(input)?);
        Ok(match first {
            0x00..=0x7f => Self::Integer(i64::from(first)),
            0x80..=0x8f => Self::Map(u32::from(first & 0x0f)),
            0x90..=0x9f => Self::Array(u32::from(first & 0x0f)),
            0xa0..=0xbf => Self::Text(bytes(input, usize::from(first & 0x1f))?),
            0xc0 => Self::Nil,
            0xc1 => return Err(Broken),
            0xc2 | 0xc3 => Self::Boolean(first == 0xc3),
            0xc4..=0xc6 => Self::Bytes(sized(input, first - 0xc4)?),
            0xc7..=0xc9 => {
                let length = length(input, first - 0xc7)?;
                let kind = i8::from_be_bytes(*chunk(input)?);
                Self::Extension(kind, bytes(input, length)?)
            }
            0xca => Self::Float(f64::from(f32::from_be_bytes(*chunk(input)?))),
            0xcb => Self::Float(f64::from_be_bytes(*chunk(input)?)),
            0xcc => Self::Integer(i64::from(u8::from_be_bytes(*chunk(input)?))),
            0xcd => Self::Integer(i64::from(u16::from_be_bytes(*chunk(input)?))),
            0xce => Self::Integer(i64::from(u32::from_be_bytes(*chunk(input)?))),
            0xcf => {
                let value = u64::from_be_bytes(*chunk(input)?);
                i64::try_from(value).map_or(Self::Unsigned(value), Self::Integer)
            }
            0xd0 => Self::Integer(i64::from(i8::from_be_bytes(*chunk(input)?))),
            0xd1 => Self::Integer(i64::from(i16::from_be_bytes(*chunk(input)?))),
            0xd2 => Self::Integer(i64::from(i32::from_be_bytes(*chunk(input)?))),
            0xd3 => Self::Integer(i64::from_be_bytes(*chunk(input)?)),
            0xd4..=0xd8 => {
                let kind = i8::from_be_bytes(*chunk(input)?);
                Self::Extension(kind, bytes(input, 1 << (first - 0xd4))?)
            }
            0xd9..=0xdb => Self::Text(sized(input, first - 0xd9)?),
            0xdc => Self::Array(u32::from(u16::from_be_bytes(*chunk(input)?))),
            0xdd => Self::Array(u32::from_be_bytes(*chunk(input)?)),
            0xde => Self::Map(u32::from(u16::from_be_bytes(*chunk(input)?))),
            0xdf => Self::Map(u32::from_be_bytes(*chunk(input)?)),
            0xe0..=0xff => Self::Integer(i64::from(first as i8)),
        })
    }

    /// How many values come behind this head that are part of it.
    fn inner(self) -> u64 {
        match self {
            Self::Array(count) => u64::from(count),
            Self::Map(count) => u64::from(count) * 2,
            _ => 0,
        }
    }
}

fn chunk<'a, const N: usize>(input: &mut &'a [u8]) -> Result<&'a [u8; N], Broken> {
    let (chunk, rest) = input.split_first_chunk().ok_or(Broken)?;
    *input = rest;
    Ok(chunk)
}

fn bytes<'a>(input: &mut &'a [u8], length: usize) -> Result<&'a [u8], Broken> {
    let (bytes, rest) = input.split_at_checked(length).ok_or(Broken)?;
    *input = rest;
    Ok(bytes)
}

/// A length in one, two or four bytes.
fn length(input: &mut &[u8], width: u8) -> Result<usize, Broken> {
    Ok(match width {
        0 => usize::from(u8::from_be_bytes(*chunk(input)?)),
        1 => usize::from(u16::from_be_bytes(*chunk(input)?)),
        _ => u32::from_be_bytes(*chunk(input)?) as usize,
    })
}

fn sized<'a>(input: &mut &'a [u8], width: u8) -> Result<&'a [u8], Broken> {
    let length = length(input, width)?;
    bytes(input, length)
}

/// What stands at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// A value of so many bytes.
    Whole(usize),
    /// The start of one.
    Part,
    /// A byte that begins no value.
    Broken,
}

/// Looks for the end of the value at the start of some bytes, and goes on where it stopped when there are more of them.
/// Nesting is only counted, so it takes no memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner {
    position: usize,
    /// How many values are still to come.
    values: u64,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { position: 0, values: 1 }
    }
}

impl Scanner {
    /// The input begins with what was there before.
    pub(crate) fn look(&mut self, input: &[u8]) -> Scan {
        let mut rest = input.get(self.position..).unwrap_or_default();
        while self.values > 0 {
            if rest.first() == Some(&0xc1) {
                return Scan::Broken;
            }
            let Ok(head) = Head::take(&mut rest) else { return Scan::Part };
            self.values = self.values - 1 + head.inner();
            self.position = input.len() - rest.len();
        }
        Scan::Whole(self.position)
    }
}

/// Finds the end of the value at the start of the input.
pub(crate) fn scan(input: &[u8]) -> Scan {
    Scanner::default().look(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_however_they_are_cut() {
        let whole = [0x93, 0x01, 0x81, 0xa1, b'a', 0xcb, 0, 0, 0, 0, 0, 0, 0, 0, 0xc4, 2, 1, 2];
        assert_eq!(scan(&whole), Scan::Whole(whole.len()));
        for cut in 0..whole.len() {
            let mut scanner = Scanner::default();
            assert_eq!(scanner.look(&whole[..cut]), Scan::Part, "{cut}");
            assert_eq!(scanner.look(&whole), Scan::Whole(whole.len()), "{cut}");
        }
        assert_eq!(scan(&[0x91, 0xc1]), Scan::Broken);
    }

    #[test]
    fn declared_lengths_are_not_believed() {
        for head in [0xc6, 0xc9, 0xdb, 0xdd, 0xdf] {
            assert_eq!(scan(&[head, 0xff, 0xff, 0xff, 0xff, 0, 0]), Scan::Part, "{head:x}");
        }
        let deep = vec![0x91; 1 << 20];
        assert_eq!(scan(&deep), Scan::Part);
    }
}
