//! What two values are computed or compared by.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// `=~`: equal as text. The case-sensitive form is the text comparison of the JSON query.
    Equals,
    Contains,
    StartsWith,
    EndsWith,
    /// A whole word: a run of letters and digits.
    Has,
    HasPrefix,
    HasSuffix,
    /// A regular expression somewhere in the text.
    Matches,
}
