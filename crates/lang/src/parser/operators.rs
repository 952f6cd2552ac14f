//! The operators between two expressions: how they are written, how tightly they bind and what they mean.

use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::suggest;
use crate::tree::{BinaryOperator, TextTest};

/// Precedences, from the loosest. A unary minus binds tighter than all of them.
pub(crate) const OR: u8 = 1;
pub(crate) const AND: u8 = 2;
pub(crate) const EQUALITY: u8 = 3;
pub(crate) const RELATION: u8 = 4;
pub(crate) const SUM: u8 = 5;
pub(crate) const PRODUCT: u8 = 6;
pub(crate) const TEXT: u8 = 7;
pub(crate) const UNARY: u8 = 8;

pub(crate) const LOWEST: u8 = OR;

/// An operator that stands at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operator {
    pub(super) form: Form,
    pub(super) precedence: u8,
    /// How many tokens it is written with.
    pub(super) tokens: usize,
    pub(super) name: &'static str,
    /// What is wrong with the spelling, and the right one, when it is another language's.
    pub(super) mistake: Option<(&'static str, &'static str)>,
}

/// What an operator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Logical(BinaryOperator),
    Binary(BinaryOperator),
    Text { test: TextTest, is_negated: bool, is_case_sensitive: bool },
    In { is_negated: bool, is_case_sensitive: bool },
    HasAny { is_case_sensitive: bool },
    Between { is_negated: bool },
    Colon,
}

/// `:` of `search`: a field has a word.
pub(super) const COLON: Operator =
    Operator { form: Form::Colon, precedence: TEXT, tokens: 1, name: ":", mistake: None };

/// Operators that are words and have a form with `!` before them.
const TESTS: &[(&str, TextTest, bool)] = &[
    ("contains", TextTest::Contains, false),
    ("contains_cs", TextTest::Contains, true),
    ("startswith", TextTest::StartsWith, false),
    ("startswith_cs", TextTest::StartsWith, true),
    ("endswith", TextTest::EndsWith, false),
    ("endswith_cs", TextTest::EndsWith, true),
    ("has", TextTest::Has, false),
    ("has_cs", TextTest::Has, true),
    ("hasprefix", TextTest::HasPrefix, false),
    ("hasprefix_cs", TextTest::HasPrefix, true),
    ("hassuffix", TextTest::HasSuffix, false),
    ("hassuffix_cs", TextTest::HasSuffix, true),
];

/// The other operators that are words.
const WORDS: &[&str] = &["and", "or", "in", "in~", "has_any", "has_any_cs", "between", "matches"];

impl Operator {
    /// Whether another operator of the same precedence may not stand beside it without parentheses.
    pub(super) fn is_alone(self) -> bool {
        matches!(self.precedence, EQUALITY | RELATION | TEXT)
    }
}

/// Every operator that is a word.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().copied().chain(TESTS.iter().map(|(name, ..)| *name))
}

/// The word of a text test.
pub(crate) fn test_word(test: TextTest, is_case_sensitive: bool) -> Option<&'static str> {
    let same = |(_, known, cased): &&(&str, TextTest, bool)| *known == test && *cased == is_case_sensitive;
    TESTS.iter().find(same).map(|(name, ..)| *name)
}

/// The operator that the next tokens are, if they are one.
pub(super) fn ahead(cursor: &Cursor<'_>) -> Option<Operator> {
    if let Some(word) = cursor.word_ahead(0) {
        return if word.eq_ignore_ascii_case("not") {
            negated(cursor)
        } else {
            of_word(word, cursor, 0, false)
        };
    }
    if cursor.is_at(&TokenKind::Bang) {
        let is_adjacent = cursor.ahead(1).span.start == cursor.span().end;
        return cursor.word_ahead(1).filter(|_| is_adjacent).and_then(|word| of_word(word, cursor, 1, true));
    }
    of_symbol(cursor.peek())
}

/// An operator with `not` before it, as other languages have it.
fn negated(cursor: &Cursor<'_>) -> Option<Operator> {
    let operator = of_word(cursor.word_ahead(1)?, cursor, 1, true)?;
    let mistake =
        ("`not` does not negate an operator", "write `!` directly before the operator, such as `!in`");
    Some(Operator { mistake: Some(mistake), ..operator })
}

fn of_word(word: &str, cursor: &Cursor<'_>, place: usize, is_negated: bool) -> Option<Operator> {
    if let Some((name, test, is_case_sensitive)) = TESTS.iter().find(|(name, ..)| *name == word) {
        let form = Form::Text { test: *test, is_negated, is_case_sensitive: *is_case_sensitive };
        return Some(Operator { form, precedence: TEXT, tokens: place + 1, name, mistake: None });
    }
    let (form, precedence, name) = match word {
        "or" if !is_negated => (Form::Logical(BinaryOperator::Or), OR, "or"),
        "and" if !is_negated => (Form::Logical(BinaryOperator::And), AND, "and"),
        "in" => (Form::In { is_negated, is_case_sensitive: true }, EQUALITY, "in"),
        "in~" => (Form::In { is_negated, is_case_sensitive: false }, EQUALITY, "in~"),
        "has_any" if !is_negated => (Form::HasAny { is_case_sensitive: false }, EQUALITY, "has_any"),
        "has_any_cs" if !is_negated => (Form::HasAny { is_case_sensitive: true }, EQUALITY, "has_any_cs"),
        "between" => (Form::Between { is_negated }, EQUALITY, "between"),
        "matches" => {
            let form = Form::Text { test: TextTest::Matches, is_negated, is_case_sensitive: true };
            let has_regex = cursor.word_ahead(place + 1) == Some("regex");
            let mistake = (!has_regex)
                .then_some(("the word `regex` is missing after `matches`", "write `matches regex`"));
            let tokens = place + 1 + usize::from(has_regex);
            return Some(Operator { form, precedence: TEXT, tokens, name: "matches regex", mistake });
        }
        _ => return None,
    };
    Some(Operator { form, precedence, tokens: place + 1, name, mistake: None })
}

fn of_symbol(kind: &TokenKind) -> Option<Operator> {
    use BinaryOperator as Binary;
    let text = |is_negated| Form::Text { test: TextTest::Equals, is_negated, is_case_sensitive: false };
    let (form, precedence, name) = match kind {
        TokenKind::EqualEqual => (Form::Binary(Binary::Equal), EQUALITY, "=="),
        TokenKind::BangEqual => (Form::Binary(Binary::NotEqual), EQUALITY, "!="),
        TokenKind::Less => (Form::Binary(Binary::Less), RELATION, "<"),
        TokenKind::LessEqual => (Form::Binary(Binary::LessOrEqual), RELATION, "<="),
        TokenKind::Greater => (Form::Binary(Binary::Greater), RELATION, ">"),
        TokenKind::GreaterEqual => (Form::Binary(Binary::GreaterOrEqual), RELATION, ">="),
        TokenKind::Plus => (Form::Binary(Binary::Add), SUM, "+"),
        TokenKind::Minus => (Form::Binary(Binary::Subtract), SUM, "-"),
        TokenKind::Star => (Form::Binary(Binary::Multiply), PRODUCT, "*"),
        TokenKind::Slash => (Form::Binary(Binary::Divide), PRODUCT, "/"),
        TokenKind::Percent => (Form::Binary(Binary::Modulo), PRODUCT, "%"),
        TokenKind::EqualTilde => (text(false), TEXT, "=~"),
        TokenKind::BangTilde => (text(true), TEXT, "!~"),
        TokenKind::Equal => (Form::Binary(Binary::Equal), EQUALITY, "="),
        TokenKind::EqualEqualEqual => (Form::Binary(Binary::Equal), EQUALITY, "==="),
        TokenKind::BangEqualEqual => (Form::Binary(Binary::NotEqual), EQUALITY, "!=="),
        TokenKind::AmpersandAmpersand => (Form::Logical(Binary::And), AND, "&&"),
        TokenKind::PipePipe => (Form::Logical(Binary::Or), OR, "||"),
        _ => return None,
    };
    let mistake = match kind {
        TokenKind::Equal => Some(("`=` does not compare", "write `==`")),
        TokenKind::EqualEqualEqual => Some(("`===` is no operator", "write `==`")),
        TokenKind::BangEqualEqual => Some(("`!==` is no operator", "write `!=`")),
        TokenKind::AmpersandAmpersand => Some(("`&&` is no operator", "write `and`")),
        TokenKind::PipePipe => Some(("`||` is no operator", "write `or`")),
        _ => None,
    };
    Some(Operator { form, precedence, tokens: 1, name, mistake })
}

/// What to write instead of a word that stands where an operator must.
pub(super) fn advice(word: &str, is_negated: bool) -> Option<String> {
    if is_negated {
        let nearest = suggest::nearest(word, TESTS.iter().map(|(name, ..)| *name).chain(["in", "between"]));
        return nearest.map(|nearest| format!("did you mean `!{nearest}`?"));
    }
    let known = match word.to_lowercase().as_str() {
        "like" | "ilike" | "rlike" => "write `contains`, or `matches regex` for a pattern",
        "is" => "write `isnull(x)` or `isnotnull(x)`",
        "regex" | "regexp" | "match" => "write `matches regex`",
        "eq" | "equals" | "equal" => "write `==`",
        "ne" | "neq" => "write `!=`",
        "gt" => "write `>`",
        "gte" | "ge" => "write `>=`",
        "lt" => "write `<`",
        "lte" | "le" => "write `<=`",
        "mod" => "write `%`",
        "xor" => "write `!=` between two booleans",
        "has_all" => "write `has` for each word, joined with `and`",
        "not" => "write `not(…)` around the comparison, or `!` before the operator, such as `!contains`",
        _ => return suggest::nearest(word, words()).map(|nearest| format!("did you mean `{nearest}`?")),
    };
    Some(known.to_owned())
}
