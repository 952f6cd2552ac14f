//! Words that begin no stage: what other languages call the operators of this one, and what follows a stage by
//! mistake.

use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::suggest;
use crate::{Diagnostic, Span};

/// Words that begin a source, which are no names of datasets without brackets.
pub(crate) const SOURCES: &[&str] =
    &["datatable", "declare", "externaldata", "let", "print", "search", "set", "table", "union"];

/// Operators of other languages, and what to write for them.
const FOREIGN: &[(&str, &str)] = &[
    ("as", "name a query with `let name = …;` before it"),
    ("bin", "write `summarize count() by bin(_time, 1h)`"),
    ("bucket", "write `summarize count() by bin(_time, 1h)`"),
    ("dedup", "write `distinct field`, or `summarize arg_max(_time, *) by field`"),
    ("delete", "queries only read; use `where` to leave rows out"),
    ("drop", "write `project-away field`"),
    ("dropfields", "write `project-away field`"),
    ("eval", "write `extend name = expression`"),
    ("evaluate", "there are no plugins; write the stages one by one"),
    ("explode", "write `mv-expand field`"),
    ("fields", "write `project field, …`"),
    ("find", "write `search \"text\"`"),
    ("flatten", "write `mv-expand field`"),
    ("from", "begin with the dataset: `dataset | where …`"),
    ("grep", "write `where message contains \"text\"`"),
    ("group", "write `summarize count() by field`"),
    ("groupby", "write `summarize count() by field`"),
    ("having", "write `where` after `summarize`"),
    ("head", "write `take 10`"),
    ("invoke", "there are no functions of one's own; write the stages one by one"),
    ("keep", "write `project-keep field`"),
    ("map", "write `extend name = expression`"),
    ("mv-apply", "write `mv-expand`, then `where` or `summarize`"),
    ("orderby", "write `sort by field desc`"),
    ("partition", "write `summarize … by field`"),
    ("range", "write `print x = range(1, 5) | mv-expand x`"),
    ("rename", "write `project-rename new = old`"),
    ("render", "remove it: charts are chosen where the answer is shown"),
    ("rex", "write `parse field with …`, or `extend x = extract(\"(…)\", 1, field)`"),
    ("sample-distinct", "write `distinct field | take 10`"),
    ("select", "write `project field, …`"),
    ("serialize", "write `sort by field`"),
    ("sortby", "write `sort by field desc`"),
    ("spath", "write `extend x = parse_json(field)`"),
    ("stats", "write `summarize count() by field`"),
    ("table", "write `project field, …`"),
    ("tail", "write `sort by _time asc | take 10`"),
    ("timechart", "write `summarize count() by bin_auto(_time)`"),
    ("top-nested", "write `summarize count() by field | top 10 by count_`"),
    ("uniq", "write `distinct field`"),
    ("unnest", "write `mv-expand field`"),
];

/// Words that stages go on with.
const CLAUSES: &[&str] = &["asc", "desc", "by", "on", "with", "from", "to", "step", "default", "limit"];

impl Parser<'_> {
    /// Whether a stage ends here.
    pub(crate) fn is_at_stage_end(&self) -> bool {
        matches!(
            self.cursor.peek(),
            TokenKind::Pipe | TokenKind::Semicolon | TokenKind::End | TokenKind::RightParenthesis
        )
    }

    pub(super) fn report_unknown_operator(&mut self, name: &str, span: Span) {
        let lower = name.to_lowercase();
        let hyphened = lower.replace('_', "-");
        let foreign = FOREIGN.iter().find(|(foreign, _)| *foreign == lower || *foreign == hyphened);
        let near = || {
            let squeezed = |known: &&str| known.replace('-', "") == lower.replace('_', "");
            super::names().find(squeezed).or_else(|| suggest::nearest(name, super::names()))
        };
        let hint = match (near(), foreign) {
            (Some(same), _) if same == lower => format!("write `{same}`: names have lower-case letters"),
            (_, Some((_, advice))) => (*advice).to_owned(),
            (Some(near), None) => format!("did you mean `{near}`?"),
            (None, None) => {
                "write one such as `where`, `extend`, `project`, `summarize` or `sort by`".to_owned()
            }
        };
        let message = format!("unknown operator `{name}`");
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
    }

    /// Goes to the end of a stage that has been read, and reports what stands in between. True if a further stage
    /// follows without its `|`.
    pub(crate) fn finish_stage(&mut self, start: Span) -> bool {
        let is_stop = self.cursor.word_ahead(0).is_some_and(|word| self.stops.contains(&word));
        if is_stop || self.is_at_stage_end() || self.is_at_next_statement() {
            return false;
        }
        if self.is_at_operator() {
            let name = self.cursor.word_ahead(0).unwrap_or_default();
            let message = format!("`|` is missing before `{name}`");
            let hint = format!("write `| {name} …`");
            self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
            return true;
        }
        if !self.cursor.has_reported_since(start) {
            self.report_leftover();
        }
        self.skip_stage();
        false
    }

    /// Whether the name of an operator stands here, where none is expected.
    pub(crate) fn is_at_operator(&self) -> bool {
        let is_name = |word: &str| super::names().any(|name| name.split('-').next() == Some(word));
        let is_setting = self.cursor.ahead(1).kind == TokenKind::Equal;
        self.cursor.word_ahead(0).is_some_and(is_name) && !is_setting
    }

    fn report_leftover(&mut self) {
        let hint = match self.cursor.peek() {
            TokenKind::Word if self.cursor.is_on_new_line() => {
                "write `|` before a further stage, or `;` at the end of a statement before it".to_owned()
            }
            TokenKind::Word => {
                let word = self.cursor.word_ahead(0).unwrap_or_default().to_lowercase();
                let clause = CLAUSES.iter().find(|clause| word.starts_with(**clause) && clause.len() > 2);
                match clause.copied().or_else(|| suggest::nearest(&word, CLAUSES.iter().copied())) {
                    Some(clause) if clause != word => format!("did you mean `{clause}`?"),
                    _ => "write `,` between two items, or `|` before a further stage".to_owned(),
                }
            }
            TokenKind::LeftParenthesis => {
                "remove the parentheses, or write `|` before a further stage".to_owned()
            }
            TokenKind::Equal => {
                "write `,` between names; a name is given with `extend` or `project`".to_owned()
            }
            TokenKind::PipePipe => "write one `|` before a stage".to_owned(),
            TokenKind::RightBracket => "remove it, or write `[` before it".to_owned(),
            TokenKind::Plus | TokenKind::Minus | TokenKind::Star | TokenKind::Slash | TokenKind::Percent => {
                "only a name can stand here; compute a field with `extend` before this stage".to_owned()
            }
            _ => "write `,` between two items, or `|` before a further stage".to_owned(),
        };
        let message = format!("unexpected {}", self.cursor.found());
        self.cursor.report(Diagnostic::new(message, self.cursor.span()).with_hint(hint));
    }

    /// Goes to the next `|` or `;`, or to the end of the parentheses around.
    pub(crate) fn skip_stage(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.cursor.peek() {
                TokenKind::End | TokenKind::Semicolon => return,
                TokenKind::Pipe if depth == 0 => return,
                TokenKind::RightParenthesis if depth == 0 => return,
                TokenKind::LeftParenthesis | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParenthesis | TokenKind::RightBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.cursor.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_are_sorted_and_none_of_ours() {
        assert!(FOREIGN.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, _) in FOREIGN {
            assert!(crate::stages::find(name).is_none(), "{name}");
        }
    }
}
