//! A text as tokens with the comments before each of them.

use crate::lexer::{self, TokenKind};

/// A token as it is written.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    /// Whether it stands directly behind the token before it.
    pub(super) is_adjacent: bool,
    pub(super) before: Vec<Comment<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'a> {
    pub(super) text: &'a str,
    /// Whether it stands on the line of the token before it.
    pub(super) is_trailing: bool,
}

/// The tokens of a text, and the comments behind the last of them.
pub(super) fn of(text: &str) -> (Vec<Piece<'_>>, Vec<Comment<'_>>) {
    let (tokens, _) = lexer::tokens(text, lexer::QUERY);
    let mut pieces: Vec<Piece<'_>> = Vec::with_capacity(tokens.len());
    let mut end = 0;
    for token in tokens {
        let range = token.span.range();
        let gap = text.get(end..range.start).unwrap_or_default();
        let mut before = comments(gap, end == 0);
        if token.kind == TokenKind::End {
            return (pieces, before);
        }
        // Those between a `|` and its stage go before the `|`.
        if let Some(pipe) = pieces.last_mut().filter(|piece| piece.kind == TokenKind::Pipe) {
            let has_trailing = pipe.before.iter().any(|comment| comment.is_trailing);
            for comment in before.drain(..) {
                let is_trailing = comment.is_trailing && pipe.before.is_empty() && !has_trailing;
                pipe.before.push(Comment { is_trailing, ..comment });
            }
        }
        let text = text.get(range.clone()).unwrap_or_default();
        pieces.push(Piece { kind: token.kind, text, is_adjacent: end == range.start, before });
        end = range.end;
    }
    (pieces, Vec::new())
}

/// The comments in what stands between two tokens.
fn comments(gap: &str, is_first: bool) -> Vec<Comment<'_>> {
    let mut comments = Vec::new();
    for (number, line) in gap.split('\n').enumerate() {
        let line = line.trim();
        if line.starts_with("//") {
            comments.push(Comment { text: line, is_trailing: number == 0 && !is_first });
        }
    }
    comments
}
