//! The words, values and signs of a statement. Comments are passed over.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A keyword or a name.
    Word(&'a str),
    /// A name in quotes.
    Name(String),
    Number(&'a str),
    Text(String),
    /// What a value is put in for later.
    Parameter(&'a str),
    Sign(&'a str),
}

const SIGNS: &[&str] =
    &["<=", ">=", "<>", "!=", "||", "(", ")", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", ";"];

/// None for what no statement has.
pub(super) fn tokens(source: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = without_blanks(source);
    while !rest.is_empty() {
        let (token, length) = token(rest)?;
        tokens.push(token);
        rest = without_blanks(&rest[length..]);
    }
    Some(tokens)
}

/// Behind blanks and comments. A comment without an end goes to the end.
fn without_blanks(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("--") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            return rest;
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
}

fn token(rest: &str) -> Option<(Token<'_>, usize)> {
    let first = rest.chars().next()?;
    let after = &rest[first.len_utf8()..];
    match first {
        '\'' => quoted(after, '\'').map(|(text, length)| (Token::Text(text), length + 1)),
        '"' | '`' => quoted(after, first).map(|(name, length)| (Token::Name(name), length + 1)),
        '[' => quoted(after, ']').map(|(name, length)| (Token::Name(name), length + 1)),
        '?' => Some((Token::Parameter("?"), 1)),
        '$' | ':' | '@' => {
            let length = 1 + word_length(after);
            (length > 1).then(|| (Token::Parameter(&rest[..length]), length))
        }
        _ if first.is_ascii_digit() || (first == '.' && after.starts_with(|c: char| c.is_ascii_digit())) => {
            let length = number_length(rest);
            Some((Token::Number(&rest[..length]), length))
        }
        _ if first.is_alphabetic() || first == '_' => {
            let length = word_length(rest);
            Some((Token::Word(&rest[..length]), length))
        }
        _ => {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            Some((Token::Sign(sign), sign.len()))
        }
    }
}

/// What stands before the closing quote, of which two are one, and how long that is with the quote.
fn quoted(rest: &str, quote: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut characters = rest.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            text.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            text.push(quote);
        } else {
            return Some((text, at + quote.len_utf8()));
        }
    }
    None
}

fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len())
}

fn number_length(rest: &str) -> usize {
    let digits = |from: usize| {
        rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| from + length)
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    let exponent = rest[end..].strip_prefix(['e', 'E']).map(|after| after.trim_start_matches(['+', '-']));
    if let Some(exponent) = exponent.filter(|exponent| exponent.starts_with(|c: char| c.is_ascii_digit())) {
        end = digits(rest.len() - exponent.len());
    }
    end
}
