//! What stages are made of: expressions up to the words that a stage goes on with, lists of them with and without
//! names, numbers, settings such as `kind=inner`, and whole queries in parentheses.

use super::{HEIGHT_MAX, Parsed, Parser, Place, operators};
use crate::lexer::TokenKind;
use crate::suggest;
use crate::tree::{Expr, ExprKind, Literal, Named};
use crate::{Diagnostic, Span};

/// How many levels a query in another one counts for: as deep as the calls are that read it.
const QUERY_LEVELS: usize = 4;

impl Parser<'_> {
    /// An expression of a stage.
    pub(crate) fn expr(&mut self) -> Expr {
        let parsed = self.full();
        self.tallest = self.tallest.max(parsed.height);
        parsed.expr
    }

    /// An expression that these words end too.
    pub(crate) fn expr_until(&mut self, stops: &'static [&'static str]) -> Expr {
        let before = if stops.is_empty() { self.stops } else { std::mem::replace(&mut self.stops, stops) };
        let expr = self.expr();
        self.stops = before;
        expr
    }

    /// Reads something as if it stood at another place.
    pub(crate) fn at_place<T>(&mut self, place: Place, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.place, place);
        let value = read(self);
        self.place = around;
        value
    }

    /// Items with commas between them.
    pub(crate) fn separated<T>(&mut self, mut item: impl FnMut(&mut Self, usize) -> T) -> Vec<T> {
        let mut items = Vec::new();
        loop {
            items.push(item(self, items.len()));
            if self.cursor.accept(&TokenKind::Comma).is_none() {
                return items;
            }
        }
    }

    /// `name = expr` or the expression alone, with commas between them. Without a name an expression has the one that
    /// it is given from its place, unless it is a field.
    pub(crate) fn named_list(
        &mut self,
        stops: &'static [&'static str],
        unnamed: fn(usize) -> String,
    ) -> Vec<Named> {
        let items = self.separated(|parser, _| {
            let name = parser.accept_assigned_name();
            (name, parser.expr_until(stops))
        });
        let mut place = 0;
        let mut named = Vec::with_capacity(items.len());
        for (name, expr) in items {
            let name = name.or_else(|| implied_name(&expr)).unwrap_or_else(|| {
                place += 1;
                unnamed(place)
            });
            named.push(Named { name, expr });
        }
        named
    }

    /// Whether a word goes on with the stage here and is not the beginning of a name, as in `by = …` and `by.x`.
    pub(crate) fn is_at_clause(&self, word: &str) -> bool {
        self.cursor.word_ahead(0) == Some(word)
            && !matches!(self.cursor.ahead(1).kind, TokenKind::Dot | TokenKind::Equal)
    }

    pub(crate) fn accept_word(&mut self, word: &str) -> Option<Span> {
        (self.cursor.word_ahead(0) == Some(word)).then(|| self.cursor.advance())
    }

    /// Goes past a word, or reports that it is missing, also when it stands there in other letters.
    pub(crate) fn expect_word(&mut self, word: &str, example: &str) -> bool {
        if self.accept_word(word).is_some() {
            return true;
        }
        let span = self.cursor.span();
        let near = self.cursor.word_ahead(0).filter(|found| suggest::nearest(found, [word]).is_some());
        if let Some(near) = near {
            let message = format!("`{near}` is not `{word}`");
            self.cursor.report(Diagnostic::new(message, span).with_hint(format!("write `{word}`")));
            self.cursor.advance();
            return true;
        }
        if !self.cursor.has_reported_since(self.stage_start) {
            self.report_missing(&format!("`{word}`"), example);
        }
        false
    }

    /// Whether `word=` stands here.
    pub(crate) fn is_at_setting(&self, word: &str) -> bool {
        self.cursor.word_ahead(0) == Some(word) && self.cursor.ahead(1).kind == TokenKind::Equal
    }

    /// The value of `word=value` as one of some choices. None if the setting is not there or wrong.
    pub(crate) fn choice<T: Copy + PartialEq>(
        &mut self,
        word: &str,
        choices: &[(&'static str, T)],
    ) -> Option<T> {
        if !self.is_at_setting(word) {
            return None;
        }
        self.cursor.advance();
        self.cursor.advance();
        let names = || choices.iter().map(|(name, _)| *name);
        let is_first = |place: usize| !choices[..place].iter().any(|(_, value)| *value == choices[place].1);
        let firsts = (0..choices.len()).filter(|place| is_first(*place)).map(|place| choices[place].0);
        let list = firsts.collect::<Vec<_>>().join(", ");
        let span = self.cursor.span();
        let Some(found) = self.cursor.word_ahead(0) else {
            let message = format!("a value of `{word}` is missing before {}", self.cursor.found());
            let hint = format!("write one of {list}");
            self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
            return None;
        };
        self.cursor.advance();
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == found) {
            return Some(*value);
        }
        let is_part = |name: &&str| name.starts_with(found) || name.ends_with(found);
        let hint = match suggest::nearest(found, names()).or_else(|| names().find(is_part)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write one of {list}"),
        };
        let message = format!("`{found}` is no {word} of this stage");
        self.cursor.report(Diagnostic::new(message, span).with_hint(hint));
        None
    }

    /// A text in quotes, or a diagnostic that it is missing.
    pub(crate) fn expect_text(&mut self, what: &str, example: &str) -> Option<(String, Span)> {
        let start = self.cursor.span();
        let mut value: Option<String> = None;
        let mut end = start;
        while let TokenKind::Literal(Literal::String(more)) = self.cursor.peek() {
            value.get_or_insert_default().push_str(more);
            end = self.cursor.advance();
        }
        if value.is_none() {
            self.report_missing(what, example);
        }
        value.map(|value| (value, start.to(end)))
    }

    /// A whole number that is not negative, if it is written as one.
    pub(crate) fn count_of(&mut self, expr: &Expr, what: &str, example: &str) -> Option<u64> {
        match &expr.kind {
            ExprKind::Literal(Literal::Integer(number)) => {
                let count = u64::try_from(*number).ok();
                if count.is_none() {
                    let message = format!("{what} cannot be negative");
                    let hint = format!("write zero or more, such as `{example}`");
                    self.cursor.report(Diagnostic::new(message, expr.span).with_hint(hint));
                }
                count
            }
            ExprKind::Literal(_) => {
                let message = format!("{what} is a whole number");
                let hint = format!("write one such as in `{example}`");
                self.cursor.report(Diagnostic::new(message, expr.span).with_hint(hint));
                None
            }
            _ => None,
        }
    }

    /// Whether a table stands here and no value, as far as the end of the parentheses or the statement around it.
    pub(crate) fn is_at_table(&self) -> bool {
        let is_called = self.cursor.ahead(1).kind == TokenKind::LeftParenthesis;
        match self.cursor.word_ahead(0) {
            Some("datatable" | "externaldata" | "table") if is_called => return true,
            Some("print" | "union" | "search") if self.is_before_operand() => return true,
            Some(_) if is_called => return false,
            None if matches!(
                self.cursor.peek(),
                TokenKind::Literal(_) | TokenKind::Minus | TokenKind::Plus
            ) =>
            {
                return false;
            }
            _ => {}
        }
        let is_enclosed = self.cursor.is_at(&TokenKind::LeftParenthesis);
        let mut depth = 0_usize;
        let mut place = 0;
        loop {
            match self.cursor.ahead(place).kind {
                TokenKind::LeftParenthesis | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParenthesis | TokenKind::RightBracket if depth == 0 => return false,
                TokenKind::RightParenthesis | TokenKind::RightBracket => depth -= 1,
                TokenKind::Pipe => return depth == 0 || is_enclosed,
                TokenKind::Semicolon | TokenKind::End => return false,
                _ => {}
            }
            place += 1;
        }
    }

    /// Whether something follows the present word that could not follow a field.
    fn is_before_operand(&self) -> bool {
        match &self.cursor.ahead(1).kind {
            TokenKind::Word => {
                let is_operator = |word: &str| operators::words().any(|known| known == word);
                self.cursor.word_ahead(1).is_some_and(|word| !is_operator(word))
            }
            TokenKind::Literal(_) | TokenKind::LeftParenthesis | TokenKind::LeftBracket => true,
            _ => false,
        }
    }

    /// A query in parentheses as a value, whose opening one has been read.
    pub(super) fn table_in_parentheses(&mut self, open: Span) -> Parsed {
        self.count_table();
        let (query, height) = self.inner_query();
        let close = self.close(TokenKind::RightParenthesis, open);
        self.limited(ExprKind::Table(Box::new(query)), open.to(close), height)
    }

    /// A query in another one, with its height.
    pub(crate) fn inner_query(&mut self) -> (crate::tree::Query, usize) {
        self.inner_query_until(&[])
    }

    /// A query in another one that these words end too, where its parenthesis is missing.
    pub(crate) fn inner_query_until(
        &mut self,
        stops: &'static [&'static str],
    ) -> (crate::tree::Query, usize) {
        let around = (self.stops, self.place, self.is_in_list, self.tallest, self.stage_start);
        (self.stops, self.place, self.is_in_list, self.tallest) = (stops, Place::Row, false, 0);
        self.depth += QUERY_LEVELS;
        if self.depth > HEIGHT_MAX {
            self.too_high(self.cursor.span());
        }
        let query = self.query();
        self.depth -= QUERY_LEVELS;
        let height = self.tallest + 1;
        (self.stops, self.place, self.is_in_list, self.tallest, self.stage_start) = around;
        self.tallest = self.tallest.max(height);
        if height > HEIGHT_MAX {
            self.too_high(self.cursor.span());
        }
        (query, height)
    }
}

/// The name that the result of an expression has if it is given none: that of the field it is, or the names of the
/// members it goes through.
pub(crate) fn implied_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Field(name) => Some(name.clone()),
        ExprKind::Member { of, key } => {
            let of = implied_name(of)?;
            match &key.kind {
                ExprKind::Literal(Literal::String(key)) => Some(format!("{of}_{key}")),
                ExprKind::Literal(Literal::Integer(place)) => Some(format!("{of}_{place}")),
                _ => None,
            }
        }
        ExprKind::Call { function, arguments } if matches!(function.as_str(), "bin" | "bin_auto") => {
            implied_name(arguments.first()?)
        }
        _ => None,
    }
}

/// What a result without a name is called, by how many of them there are.
pub(crate) fn column_name(place: usize) -> String {
    format!("Column{place}")
}
