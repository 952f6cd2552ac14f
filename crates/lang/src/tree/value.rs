//! Values that stand in a query, and the types that values have.

/// A value that stands in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// An integer that does not fit 64 bits: its digits, behind a minus or none, without a zero first.
    LongInteger(String),
    String(String),
    /// In nanoseconds since 1970.
    Datetime(i64),
    /// In nanoseconds.
    Timespan(i64),
    /// JSON text.
    Dynamic(String),
}

/// The type of a value in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    Boolean,
    Integer,
    Float,
    String,
    Datetime,
    Timespan,
    Array,
    Map,
    /// Any of these, known only value by value.
    Dynamic,
    /// An integer that does not fit 64 bits, as its digits. To people it is an integer like the others.
    LongInteger,
}

impl Literal {
    /// The number that a text of digits is, perhaps with a minus, a point and an exponent; none beyond the range of a
    /// float, which bounds the length of long integers too.
    pub fn number(text: &str) -> Option<Self> {
        let float: f64 = text.parse().ok().filter(|float: &f64| float.is_finite())?;
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text),
        };
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::Float(float));
        }
        Some(match text.parse() {
            // Only a float knows minus zero.
            Ok(0) if !sign.is_empty() => Self::Float(-0.0),
            Ok(integer) => Self::Integer(integer),
            Err(_) => Self::LongInteger(format!("{sign}{}", digits.trim_start_matches('0'))),
        })
    }
}
