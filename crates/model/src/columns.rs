//! Events as typed columns: what reading a request yields and what the store writes. One column holds the values of
//! one field in one type, so that a field which mixes types keeps them all. Nothing here knows JSON or a disk.

use std::sync::Arc;

/// The field that holds the time of an event.
pub const TIME_FIELD: &str = "_time";

/// Fields that the service fills itself.
pub const RESERVED_FIELDS: [&str; 6] = ["_blockInfo", "_cursor", "_rowID", "_rowId", "_source", "_sysTime"];

/// How long the name of a field may be, in bytes.
pub const FIELD_NAME_BYTES_MAX: usize = 200;

/// The type of a value that an event can hold. Arrays and maps are kept as JSON text, integers beyond 64 bits as their
/// digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldKind {
    Boolean,
    Integer,
    Float,
    String,
    Array,
    Map,
    /// An integer that does not fit 64 bits with a sign.
    LongInteger,
}

impl FieldKind {
    pub const ALL: [Self; 7] =
        [Self::Boolean, Self::Integer, Self::Float, Self::String, Self::Array, Self::Map, Self::LongInteger];

    /// The word for this type in the catalogue and in segments.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::String => "string",
            Self::Array => "array",
            Self::Map => "map",
            Self::LongInteger => "long_integer",
        }
    }

    /// The word for this type in answers, where an integer is one however long it is.
    pub fn told(self) -> &'static str {
        match self {
            Self::LongInteger => Self::Integer.as_str(),
            kind => kind.as_str(),
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The events of one request. Made to be filled, handed on by reference, cleared and filled again, so that in the
/// steady state nothing is allocated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// The time of each event, in nanoseconds since 1970. Its length is the number of events.
    pub times: Vec<i64>,
    /// Some may be empty: they belong to fields that earlier events of the same reader had.
    pub columns: Vec<Column>,
}

/// Values of one field in one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub field: Arc<str>,
    /// In which events the values stand, ascending.
    pub rows: Vec<u32>,
    pub values: Values,
}

/// The values of a column, one for each of its rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Boolean(Vec<bool>),
    Integer(Vec<i64>),
    Float(Vec<f64>),
    String(Texts),
    /// JSON text of an array.
    Array(Texts),
    /// JSON text of an object.
    Map(Texts),
    /// The digits of integers beyond 64 bits, as JSON writes them: a minus or none, no zero first.
    LongInteger(Texts),
}

/// Texts one after the other, without an allocation for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// Where each text ends in `bytes`.
    pub ends: Vec<u32>,
    /// All texts, valid UTF-8.
    pub bytes: Vec<u8>,
}

impl Columns {
    pub fn rows(&self) -> usize {
        self.times.len()
    }

    /// Forgets the events and keeps the columns and their memory.
    pub fn clear(&mut self) {
        self.times.clear();
        for column in &mut self.columns {
            column.rows.clear();
            column.values.truncate(0);
        }
    }

    /// How much memory the values take.
    pub fn bytes(&self) -> usize {
        let columns: usize =
            self.columns.iter().map(|column| column.rows.len() * 4 + column.values.bytes()).sum();
        self.times.len() * 8 + columns
    }
}

impl Column {
    pub fn new(field: Arc<str>, kind: FieldKind) -> Self {
        Self { field, rows: Vec::new(), values: Values::new(kind) }
    }
}

impl Values {
    pub fn new(kind: FieldKind) -> Self {
        match kind {
            FieldKind::Boolean => Self::Boolean(Vec::new()),
            FieldKind::Integer => Self::Integer(Vec::new()),
            FieldKind::Float => Self::Float(Vec::new()),
            FieldKind::String => Self::String(Texts::default()),
            FieldKind::Array => Self::Array(Texts::default()),
            FieldKind::Map => Self::Map(Texts::default()),
            FieldKind::LongInteger => Self::LongInteger(Texts::default()),
        }
    }

    pub fn kind(&self) -> FieldKind {
        match self {
            Self::Boolean(_) => FieldKind::Boolean,
            Self::Integer(_) => FieldKind::Integer,
            Self::Float(_) => FieldKind::Float,
            Self::String(_) => FieldKind::String,
            Self::Array(_) => FieldKind::Array,
            Self::Map(_) => FieldKind::Map,
            Self::LongInteger(_) => FieldKind::LongInteger,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Boolean(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::String(texts) | Self::Array(texts) | Self::Map(texts) | Self::LongInteger(texts) => {
                texts.ends.len()
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the first values.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Self::Boolean(values) => values.truncate(len),
            Self::Integer(values) => values.truncate(len),
            Self::Float(values) => values.truncate(len),
            Self::String(texts) | Self::Array(texts) | Self::Map(texts) | Self::LongInteger(texts) => {
                texts.truncate(len)
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Boolean(values) => values.len(),
            Self::Integer(values) => values.len() * 8,
            Self::Float(values) => values.len() * 8,
            Self::String(texts) | Self::Array(texts) | Self::Map(texts) | Self::LongInteger(texts) => {
                texts.ends.len() * 4 + texts.bytes.len()
            }
        }
    }
}

impl Texts {
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.end();
    }

    /// Ends the text whose bytes were added since the last one. A request is far smaller than 4 GiB, and the limits
    /// on it are checked where it is read.
    #[inline]
    pub fn end(&mut self) {
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.bytes[start..self.ends[index] as usize]
    }

    pub fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().map_or(0, |end| *end as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_with_their_bytes() {
        let mut texts = Texts::default();
        texts.push(b"one");
        texts.push(b"");
        texts.push(b"three");
        assert_eq!((texts.get(0), texts.get(1), texts.get(2)), (&b"one"[..], &b""[..], &b"three"[..]));
        texts.truncate(2);
        assert_eq!((texts.bytes.as_slice(), texts.ends.len()), (&b"one"[..], 2));
        texts.truncate(0);
        assert!(texts.bytes.is_empty());
    }

    #[test]
    fn kinds_are_read_back_from_their_words() {
        for kind in FieldKind::ALL {
            assert_eq!(FieldKind::parse(kind.as_str()), Some(kind));
            assert_eq!(Values::new(kind).kind(), kind);
        }
        assert_eq!(FieldKind::parse("decimal"), None);
    }
}
