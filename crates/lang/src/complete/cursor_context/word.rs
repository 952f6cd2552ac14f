//! The word that is being written at the cursor, with its quotes or the dots and hyphens that belong to it.

use crate::Span;
use crate::lexer::{Token, TokenKind, continues_word};

/// Words, dots and hyphens that one name can have; who writes more is not helped.
pub(super) const PARTS_MAX: usize = 40;

/// The word that is being written.
#[derive(Clone, Debug)]
pub(in crate::complete) struct Word {
    /// What of it stands before the cursor, without quotes.
    pub(in crate::complete) typed: String,
    pub(in crate::complete) replace: Span,
    pub(in crate::complete) quote: Quote,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::complete) enum Quote {
    /// It is a word.
    Not,
    /// It is a name in brackets and quotes.
    Name,
    /// It is a text, with this quote.
    Text(char),
}

/// A text that is being written, whose quote stands at the start.
pub(super) fn quoted(text: &str, start: usize, position: usize, tokens: &mut Vec<Token>) -> Word {
    let marks = text[start..position].find(['"', '\'', '`', '~']).unwrap_or(0);
    let quote = text[start + marks..].chars().next().unwrap_or('"');
    let inside = (start + marks + 1).min(position);
    let rest = text[position..].split('\n').next().unwrap_or_default();
    let closing = rest.find(quote).filter(|length| rest[..*length].chars().all(|c| !"|,;()".contains(c)));
    let typed = text[inside..position].to_owned();
    let is_name = tokens.last().is_some_and(|token| token.kind == TokenKind::LeftBracket)
        && tokens.len().checked_sub(2).is_none_or(|before| {
            let before = &tokens[before];
            let is_operand = matches!(before.kind, TokenKind::RightBracket | TokenKind::RightParenthesis)
                || (before.kind == TokenKind::Word && before.span.end + 1 == start as u32);
            !is_operand
        });
    if !is_name {
        let end = position + closing.unwrap_or(0);
        return Word { typed, replace: Span::new(inside, end), quote: Quote::Text(quote) };
    }
    let open = tokens.pop().map_or(start, |token| token.span.start as usize);
    let mut end = position + closing.map_or(0, |length| length + quote.len_utf8());
    if closing.is_some() && text[end..].starts_with(']') {
        end += 1;
    }
    Word { typed, replace: Span::new(open, end), quote: Quote::Name }
}

/// A word that is being written, with the dots, hyphens and the `!` that belong to it.
pub(super) fn plain(text: &str, position: usize, tokens: &mut Vec<Token>) -> Word {
    let mut start = position;
    let touches =
        |tokens: &[Token], start: usize| tokens.last().is_some_and(|token| token.span.end as usize == start);
    let mut is_word_next = true;
    let mut parts = 0;
    while touches(tokens, start) && parts < PARTS_MAX {
        parts += 1;
        let Some(last) = tokens.last() else { break };
        let is_part = match last.kind {
            TokenKind::Word => is_word_next,
            // A dot or a hyphen belongs to a word before it.
            TokenKind::Dot => is_name_before(tokens),
            TokenKind::Minus => is_name_before(tokens) && is_hyphen(text, tokens),
            TokenKind::Bang => !is_word_next || start == position,
            _ => false,
        };
        if !is_part {
            break;
        }
        is_word_next = matches!(last.kind, TokenKind::Dot | TokenKind::Minus);
        start = last.span.start as usize;
        let is_bang = last.kind == TokenKind::Bang;
        tokens.pop();
        if is_bang {
            break;
        }
    }
    let rest = &text[position..];
    let behind = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
    let behind = if start == position { 0 } else { behind };
    Word {
        typed: text[start..position].to_owned(),
        replace: Span::new(start, position + behind),
        quote: Quote::Not,
    }
}

/// Whether the token before the last one is a word that touches it.
fn is_name_before(tokens: &[Token]) -> bool {
    let [.., before, last] = tokens else { return false };
    before.kind == TokenKind::Word && before.span.end == last.span.start
}

/// Whether a minus is part of a name: of an operator or a dataset, at the beginning of a stage or a query.
fn is_hyphen(text: &str, tokens: &[Token]) -> bool {
    let is_part = |token: &&Token| matches!(token.kind, TokenKind::Word | TokenKind::Minus);
    let name = tokens.iter().rev().take(PARTS_MAX).take_while(is_part).count();
    match tokens.len().checked_sub(name + 1).map(|before| &tokens[before]) {
        None => true,
        Some(before) => match before.kind {
            TokenKind::Pipe | TokenKind::Semicolon => true,
            // `asc` and `desc` of names have forms with `granny-` before them.
            _ => tokens.iter().rev().nth(1).is_some_and(|token| &text[token.span.range()] == "granny"),
        },
    }
}
