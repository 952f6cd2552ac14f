//! What is wrong with a query, where, and what to write instead; and how that is shown to a person, with the line,
//! the column and a mark below the place.

use std::ops::Range;

/// A stretch of the query's text, in bytes. Empty at zero where there is no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Lowercase, no full stop.
    pub message: String,
    pub span: Span,
    /// What to write instead, if it is known.
    pub hint: Option<String>,
}

/// A place in a text as editors count: both from one, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Span {
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn new(start: usize, end: usize) -> Self {
        let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self { start: number(start), end: number(end) }
    }

    /// From the start of this to the end of the other.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.start) }
    }
}

impl Diagnostic {
    pub fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, hint: None }
    }

    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Where it stands in its text.
    pub fn position(&self, text: &str) -> Position {
        let line = line_around(text, self.span.start as usize);
        let start = boundary(text, self.span.start as usize);
        Position {
            line: text[..line.start].matches('\n').count() + 1,
            column: text[line.start..start].chars().count() + 1,
        }
    }

    /// The message with its place, the line of the text, a mark below the place, and the hint.
    ///
    /// ```text
    /// line 1, column 5: unknown function `toitn`
    ///   1 + toitn(x)
    ///       ^^^^^
    ///   hint: did you mean `toint`?
    /// ```
    pub fn render(&self, text: &str) -> String {
        let Position { line, column } = self.position(text);
        let (shown, mark_start, mark_length) = self.excerpt(text);
        let (indent, mark) = (" ".repeat(mark_start), "^".repeat(mark_length));
        let mut rendered =
            format!("line {line}, column {column}: {}\n  {shown}\n  {indent}{mark}", self.message);
        if let Some(hint) = &self.hint {
            rendered.push_str("\n  hint: ");
            rendered.push_str(hint);
        }
        rendered
    }

    /// The line, cut around the place if it is long, and where the mark goes below it, in characters.
    fn excerpt(&self, text: &str) -> (String, usize, usize) {
        const BEFORE_MAX: usize = 60;
        const SHOWN_MAX: usize = 100;
        let line = line_around(text, self.span.start as usize);
        let start = boundary(text, self.span.start as usize);
        let end = boundary(text, self.span.end as usize).clamp(start, line.end);
        let before = text[line.start..start].chars().count();
        let marked = text[start..end].chars().count();
        let cut = before.saturating_sub(BEFORE_MAX);
        let mut shown = String::new();
        if cut > 0 {
            shown.push('…');
        }
        let length = text[line.clone()].chars().count() - cut;
        let visible = text[line].chars().skip(cut).take(SHOWN_MAX);
        // A tab or another control character would move the mark away from its place.
        shown.extend(visible.map(|c| if c.is_control() { ' ' } else { c }));
        if length > SHOWN_MAX {
            shown.push('…');
        }
        let mark_start = before - cut + usize::from(cut > 0);
        (shown, mark_start, marked.clamp(1, SHOWN_MAX - (before - cut).min(SHOWN_MAX - 1)))
    }
}

/// All diagnostics of a text, rendered one after the other.
pub fn render_all(diagnostics: &[Diagnostic], text: &str) -> String {
    diagnostics.iter().map(|diagnostic| diagnostic.render(text)).collect::<Vec<_>>().join("\n")
}

/// The place itself, or the nearest before it where a character begins.
fn boundary(text: &str, place: usize) -> usize {
    text.floor_char_boundary(place)
}

/// The line that holds the place, without its end.
fn line_around(text: &str, place: usize) -> Range<usize> {
    let place = boundary(text, place);
    let start = text[..place].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[place..].find('\n').map_or(text.len(), |newline| place + newline);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: usize, end: usize) -> Diagnostic {
        Diagnostic::new("it is wrong", Span::new(start, end)).with_hint("write it right")
    }

    #[test]
    fn shows_the_line_and_marks_the_place() {
        assert_eq!(
            at(7, 10).render("a and\nb foo c\nd"),
            "line 2, column 2: it is wrong\n  b foo c\n   ^^^\n  hint: write it right"
        );
    }

    #[test]
    fn columns_are_characters() {
        let text = "ä\töö x";
        let place = text.find('x').unwrap();
        assert_eq!(at(place, place + 1).position(text), Position { line: 1, column: 6 });
        assert_eq!(
            at(place, place + 1).render(text),
            "line 1, column 6: it is wrong\n  ä öö x\n       ^\n  hint: write it right"
        );
    }

    #[test]
    fn the_end_of_a_text_has_a_place() {
        assert_eq!(at(2, 2).render("a\n"), "line 2, column 1: it is wrong\n  \n  ^\n  hint: write it right");
        assert_eq!(at(0, 0).position(""), Position { line: 1, column: 1 });
        assert_eq!(at(99, 120).position("ab"), Position { line: 1, column: 3 });
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let rendered = at(500, 501).render(&text);
        let lines: Vec<&str> = rendered.lines().collect();
        assert_eq!(lines[1].chars().count(), 104);
        let mark = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().nth(mark), Some('X'));
    }

    #[test]
    fn a_span_over_lines_is_marked_in_its_first() {
        assert!(at(0, 9).render("abc\ndefgh").contains("  abc\n  ^^^\n"));
    }
}
