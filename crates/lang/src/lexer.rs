//! Text to tokens. Total: every text has tokens, and what cannot be read becomes a token of its own with a
//! diagnostic. Literals are read here, also those whose inside has a grammar of its own, such as `datetime(…)`; what
//! words mean is left to the parsers.

mod dynamic;
mod numbers;
mod state;
mod strings;
mod token;
mod typed;

use crate::tree::Literal;
use crate::{Diagnostic, Span};

use state::Lexer;

pub(crate) use strings::UNCLOSED;
pub(crate) use token::{Token, TokenKind};

/// After so many mistakes nothing more is read. They are not all found in the order of the text, so more than are told.
pub(crate) const MISTAKES_MAX: usize = 200;

/// How much of a text is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) text_bytes_max: usize,
    pub(crate) tokens_max: usize,
}

/// The limits of one expression.
pub(crate) const EXPRESSION: Limits = Limits { text_bytes_max: 64 * 1024, tokens_max: 20_000 };

/// The limits of a whole query, which may carry its own table of values.
pub(crate) const QUERY: Limits = Limits { text_bytes_max: 256 * 1024, tokens_max: 100_000 };

/// Symbols, the longer ones first where one begins another.
const SYMBOLS: &[(&str, TokenKind)] = &[
    ("===", TokenKind::EqualEqualEqual),
    ("==", TokenKind::EqualEqual),
    ("=~", TokenKind::EqualTilde),
    ("=", TokenKind::Equal),
    ("!==", TokenKind::BangEqualEqual),
    ("!=", TokenKind::BangEqual),
    ("!~", TokenKind::BangTilde),
    ("!", TokenKind::Bang),
    ("<=", TokenKind::LessEqual),
    ("<>", TokenKind::BangEqual),
    ("<", TokenKind::Less),
    (">=", TokenKind::GreaterEqual),
    (">", TokenKind::Greater),
    ("&&", TokenKind::AmpersandAmpersand),
    ("||", TokenKind::PipePipe),
    ("|", TokenKind::Pipe),
    ("..", TokenKind::DotDot),
    (".", TokenKind::Dot),
    ("(", TokenKind::LeftParenthesis),
    (")", TokenKind::RightParenthesis),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    (",", TokenKind::Comma),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
    (";", TokenKind::Semicolon),
    (":", TokenKind::Colon),
    ("{", TokenKind::Other),
    ("}", TokenKind::Other),
    ("?", TokenKind::Other),
];

/// Reads a text. The last token is always `End`.
pub(crate) fn tokens(text: &str, limits: Limits) -> (Vec<Token>, Vec<Diagnostic>) {
    let Limits { text_bytes_max, tokens_max } = limits;
    if text.len() > text_bytes_max {
        let message = format!("the text is longer than {} KiB", text_bytes_max / 1024);
        return refused(message, text.floor_char_boundary(text_bytes_max));
    }
    let mut lexer = Lexer { text, place: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    if lexer.run(tokens_max) {
        (lexer.tokens, lexer.diagnostics)
    } else {
        refused(format!("the text has more than {tokens_max} words and symbols"), lexer.place)
    }
}

/// What a text beyond a limit is read as: nothing but the place where the limit is.
fn refused(message: String, place: usize) -> (Vec<Token>, Vec<Diagnostic>) {
    let span = Span::new(place, place);
    let tokens = [TokenKind::Unknown, TokenKind::End].map(|kind| Token { kind, span });
    let diagnostic = Diagnostic::new(message, span).with_hint("shorten it or split it in parts");
    (tokens.to_vec(), vec![diagnostic])
}

/// Whether a word may begin with this character.
pub(crate) fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// Whether a word may go on with this character.
pub(crate) fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word with a parenthesis behind it begins a literal.
pub(crate) fn begins_literal(word: &str) -> bool {
    typed::literal_type(word).is_some()
}

impl Lexer<'_> {
    /// Reads all tokens, up to where there are too many mistakes. False if there are too many tokens.
    fn run(&mut self, tokens_max: usize) -> bool {
        loop {
            self.skip_blanks();
            let start = self.place;
            if start == self.text.len() || self.diagnostics.len() >= MISTAKES_MAX {
                break;
            }
            if self.tokens.len() == tokens_max {
                return false;
            }
            let kind = self.next_kind();
            self.push(kind, start);
        }
        self.push(TokenKind::End, self.place);
        true
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let comment = if rest[blanks..].starts_with("//") {
                rest[blanks..].find('\n').unwrap_or(rest.len() - blanks)
            } else {
                0
            };
            self.place += blanks + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// Reads one token that is no blank, up to its end.
    fn next_kind(&mut self) -> TokenKind {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return TokenKind::End };
        if strings::begins_string(rest) {
            return self.string();
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if begins_word(first) {
            return self.word();
        }
        if let Some((symbol, kind)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            self.place += symbol.len();
            return kind.clone();
        }
        self.unknown(first)
    }

    fn word(&mut self) -> TokenKind {
        let start = self.place;
        let length = self.rest().find(|c| !continues_word(c) && c != '$').unwrap_or(self.rest().len());
        self.place += length;
        let word = &self.text[start..self.place];
        if word == "in" && self.rest().starts_with('~') {
            self.place += 1;
            return TokenKind::Word;
        }
        let is_called = self.rest().trim_start().starts_with('(');
        match typed::literal_type(word) {
            Some(literal_type) if is_called && !self.is_after_dot() => {
                self.typed_literal(literal_type, start)
            }
            _ => TokenKind::Word,
        }
    }

    fn is_after_dot(&self) -> bool {
        self.tokens.last().is_some_and(|token| token.kind == TokenKind::Dot)
    }

    /// A text between quotes as word processors write them.
    fn typographic_string(&mut self, start: usize, first: char) -> TokenKind {
        let inside = start + first.len_utf8();
        let line = self.text[inside..].split('\n').next().unwrap_or_default();
        let end = line.find(['“', '”', '‘', '’']);
        let value = line[..end.unwrap_or(0)].to_owned();
        let closing = line[value.len()..].chars().next().filter(|_| end.is_some());
        self.place = inside + value.len() + closing.map_or(0, char::len_utf8);
        let message = format!("`{first}` is no quote that texts begin with");
        let span = Span::new(start, self.place);
        self.report(Diagnostic::new(message, span).with_hint("write \" or ' on both sides"));
        TokenKind::Literal(Literal::String(value))
    }

    fn unknown(&mut self, first: char) -> TokenKind {
        let start = self.place;
        let rest = self.rest();
        // One diagnostic for a run of the same character is enough.
        self.place += rest.find(|c| c != first).unwrap_or(rest.len());
        let span = Span::new(start, self.place);
        let (message, hint) = match first {
            '&' => ("`&` is no operator".to_owned(), "write `and`".to_owned()),
            '“' | '”' | '„' | '‘' | '’' => return self.typographic_string(start, first),
            '`' | '´' => (format!("`{first}` is no quote"), "write \" or '".to_owned()),
            '~' => ("`~` is no operator".to_owned(), "write `=~` to compare without case".to_owned()),
            _ => {
                let shown = first.escape_debug();
                (format!("the character `{shown}` is not part of the language"), String::from("remove it"))
            }
        };
        self.report(Diagnostic::new(message, span).with_hint(hint));
        TokenKind::Unknown
    }
}
