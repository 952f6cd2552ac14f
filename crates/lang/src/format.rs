//! A query as people like to read it: one stage on a line, even blanks, comments kept. Tokens are laid out anew and
//! none is changed, so spellings stay; a comment stays behind the token it followed or on a line of its own, and one
//! between a `|` and its stage goes before the `|`. What has mistakes is not touched.

mod spacing;
mod tokens;

use crate::lexer::TokenKind;
use crate::{Diagnostic, parse_query, print_query};

use spacing::Spacing;
use tokens::{Comment, Piece};

/// A stage that is longer goes on several lines.
const LINE_MAX: usize = 100;
const INDENT: usize = 4;

/// Formats a query, or tells what is wrong with it. Formatting twice changes nothing more.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (program, diagnostics) = parse_query(text);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let formatted = laid_out(text);
    // Should a rule for blanks be wrong somewhere, the query stays as it is instead of becoming another.
    let (again, wrong) = parse_query(&formatted);
    let is_same = wrong.is_empty() && print_query(&again) == print_query(&program);
    Ok(if is_same { formatted } else { text.trim().to_owned() })
}

fn laid_out(text: &str) -> String {
    let (pieces, after) = tokens::of(text);
    let spacing = Spacing::new(&pieces);
    let mut writer = Writer { out: String::new(), pieces: &pieces, spacing: &spacing };
    let mut start = 0;
    while start < pieces.len() {
        let end = line_end(&pieces, start);
        writer.line(start, end);
        start = end;
    }
    writer.comments(&after, 0);
    writer.out.trim_end().to_owned()
}

/// Where the line that begins at a place ends: before the next `|` in no brackets, or behind the `;`.
fn line_end(pieces: &[Piece<'_>], start: usize) -> usize {
    let is_statement = is_statement(&pieces[start]);
    let mut depth = 0_usize;
    for (index, piece) in pieces.iter().enumerate().skip(start) {
        match piece.kind {
            TokenKind::LeftParenthesis | TokenKind::LeftBracket => depth += 1,
            TokenKind::RightParenthesis | TokenKind::RightBracket => depth = depth.saturating_sub(1),
            TokenKind::Semicolon => return index + 1,
            TokenKind::Pipe if depth == 0 && index > start && !is_statement => return index,
            _ => {}
        }
    }
    pieces.len()
}

fn is_statement(piece: &Piece<'_>) -> bool {
    piece.kind == TokenKind::Word && matches!(piece.text, "let" | "set" | "declare")
}

struct Writer<'a> {
    out: String,
    pieces: &'a [Piece<'a>],
    spacing: &'a Spacing,
}

impl Writer<'_> {
    /// Writes a stage or a statement.
    fn line(&mut self, start: usize, end: usize) {
        let pieces = self.pieces;
        self.comments(&pieces[start].before, 0);
        self.new_line(0);
        let flat = self.flat(start, end);
        let has_comments = pieces[start + 1..end].iter().any(|piece| !piece.before.is_empty());
        if has_comments || flat.chars().count() > LINE_MAX {
            self.broken(start, end);
        } else {
            self.out.push_str(&flat);
        }
    }

    fn flat(&self, start: usize, end: usize) -> String {
        let mut line = String::new();
        for index in start..end {
            if index > start && self.spacing.is_before(index) {
                line.push(' ');
            }
            line.push_str(self.pieces[index].text);
        }
        line
    }

    /// Writes a stage on several lines: broken behind commas and before `and`, `or` and inner `|`.
    fn broken(&mut self, start: usize, end: usize) {
        // In a statement the query is one level deeper than the statement itself.
        let base = usize::from(is_statement(&self.pieces[start]));
        let mut depth = 0_usize;
        let mut row = Row::default();
        for index in start..end {
            let piece = &self.pieces[index];
            if matches!(piece.kind, TokenKind::RightParenthesis | TokenKind::RightBracket) {
                depth = depth.saturating_sub(1);
            }
            if index > start {
                let indent = INDENT * depth.max(1);
                let is_pipe = piece.kind == TokenKind::Pipe && depth + base > 0;
                let is_joint =
                    depth == 0 && matches!(piece.text, "and" | "or") && piece.kind == TokenKind::Word;
                if !piece.before.is_empty() {
                    self.comments(&piece.before, indent);
                    self.new_line(indent);
                } else if is_pipe || is_joint || row.is_full(self.pieces, index, depth) {
                    self.new_line(indent);
                } else if self.spacing.is_before(index) {
                    self.out.push(' ');
                }
            }
            self.out.push_str(piece.text);
            row.passed(self.pieces, index, depth);
            if matches!(piece.kind, TokenKind::LeftParenthesis | TokenKind::LeftBracket) {
                depth += 1;
            }
        }
    }

    /// Writes comments: one that followed a token behind it, the others on lines of their own.
    fn comments(&mut self, comments: &[Comment<'_>], indent: usize) {
        for comment in comments {
            if comment.is_trailing && !self.out.is_empty() {
                self.out.push(' ');
            } else {
                self.new_line(indent);
            }
            self.out.push_str(comment.text);
        }
    }

    fn new_line(&mut self, indent: usize) {
        if !self.out.is_empty() {
            self.out.push('\n');
            self.out.push_str(&" ".repeat(indent));
        }
    }
}

/// Where the values of a `datatable` are broken: behind each row of it.
#[derive(Debug, Default)]
struct Row {
    /// How many columns have been declared, from `datatable` on.
    columns: Option<usize>,
    /// The depth of its values, and how many have been passed.
    values: Option<(usize, usize)>,
}

impl Row {
    /// Whether the token at a place begins a line because of the comma before it.
    fn is_full(&self, pieces: &[Piece<'_>], index: usize, depth: usize) -> bool {
        let is_comma = index > 0 && pieces[index - 1].kind == TokenKind::Comma;
        match (self.columns, self.values) {
            (Some(columns), Some((of, passed))) if of == depth && columns > 0 => {
                let begins = is_comma || pieces[index - 1].kind == TokenKind::LeftBracket;
                begins && passed % columns == 0 && pieces[index].kind != TokenKind::RightBracket
            }
            _ => is_comma && depth == 0,
        }
    }

    fn passed(&mut self, pieces: &[Piece<'_>], index: usize, depth: usize) {
        match pieces[index].kind {
            TokenKind::Word if pieces[index].text == "datatable" => self.columns = Some(0),
            TokenKind::Colon if self.values.is_none() => {
                self.columns = self.columns.map(|columns| columns + 1);
            }
            TokenKind::LeftBracket
                if self.columns.is_some_and(|columns| columns > 0) && self.values.is_none() =>
            {
                self.values = Some((depth + 1, 0));
            }
            TokenKind::Comma => {
                if let Some((of, passed)) = self.values.filter(|(of, _)| *of == depth) {
                    self.values = Some((of, passed + 1));
                }
            }
            TokenKind::RightBracket if self.values.is_some_and(|(of, _)| of == depth + 1) => {
                *self = Self::default();
            }
            _ => {}
        }
    }
}
