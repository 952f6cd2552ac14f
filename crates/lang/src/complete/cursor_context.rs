//! Where the cursor stands: the word that is being written, and around it the brackets, the query and its stage. Only
//! tokens are looked at, because the text before the cursor is rarely whole.

mod word;

use crate::lexer::{self, Token, TokenKind, UNCLOSED};
use crate::parse_query;
use crate::tree::{LetValue, Literal, Query, Statement};

pub(super) use word::{Quote, Word};

/// A stretch between brackets, or the statement around all of them.
#[derive(Clone, Debug, Default)]
struct Level {
    /// The token that opens it.
    open: Option<usize>,
    /// Its first token.
    start: usize,
    /// Its `|`.
    pipes: Vec<usize>,
}

pub(super) struct CursorContext<'a> {
    text: &'a str,
    pub(super) word: Word,
    /// All before the word, without the end.
    pub(super) tokens: Vec<Token>,
    /// From the statement to the innermost brackets.
    levels: Vec<Level>,
    /// The places of the tokens of the present stage that stand in no brackets of it.
    pub(super) own: Vec<usize>,
    /// Whether a parenthesis stands behind the word.
    pub(super) is_before_call: bool,
}

impl<'a> CursorContext<'a> {
    /// None where nothing can be completed: in comments, in numbers, in literals with a grammar of their own, and in
    /// texts beyond the limits.
    pub(super) fn new(text: &'a str, position: usize) -> Option<Self> {
        let before = &text[..position];
        let (mut tokens, diagnostics) = lexer::tokens(before, lexer::QUERY);
        tokens.pop();
        let end = tokens.last().map_or(0, |token| token.span.end as usize);
        let gap = before[end..].rsplit('\n').next().unwrap_or_default();
        if gap.contains("//") {
            return None;
        }
        let is_unclosed = |token: &Token| {
            diagnostics.iter().any(|found| found.message == UNCLOSED && found.span.start == token.span.start)
        };
        let is_touching = end == position && end > 0;
        let word = match tokens.last() {
            Some(Token { kind: TokenKind::Literal(Literal::String(_)), span }) if is_touching => {
                let start = span.start as usize;
                tokens.pop().filter(is_unclosed)?;
                word::quoted(text, start, position, &mut tokens)
            }
            Some(Token { kind: TokenKind::Literal(_) | TokenKind::Unknown, .. }) if is_touching => {
                return None;
            }
            _ => word::plain(text, position, &mut tokens),
        };
        let levels = levels(text, &tokens);
        let is_before_call = text[word.replace.end as usize..].trim_start().starts_with('(');
        let mut context = Self { text, word, tokens, levels, own: Vec::new(), is_before_call };
        context.own = context.own_tokens();
        Some(context)
    }

    pub(super) fn slice(&self, token: &Token) -> &'a str {
        &self.text[token.span.range()]
    }

    /// The word that stands at a place among the tokens.
    pub(super) fn word_at(&self, index: usize) -> Option<&'a str> {
        let token = self.tokens.get(index)?;
        (token.kind == TokenKind::Word).then(|| self.slice(token))
    }

    pub(super) fn kind_at(&self, index: usize) -> Option<&TokenKind> {
        self.tokens.get(index).map(|token| &token.kind)
    }

    /// The last token before the word, in the same brackets.
    pub(super) fn last(&self) -> Option<usize> {
        self.tokens.len().checked_sub(1).filter(|last| *last >= self.statement().start)
    }

    fn statement(&self) -> &Level {
        // There is always one.
        &self.levels[0]
    }

    /// The place among the levels of the query around the cursor.
    fn query_level(&self) -> usize {
        let is_query = |index: usize| {
            let level = &self.levels[index];
            index == 0 || !level.pipes.is_empty() || self.is_table_operand(level)
        };
        (0..self.levels.len()).rev().find(|index| is_query(*index)).unwrap_or(0)
    }

    /// Whether a table is expected between these brackets.
    fn is_table_operand(&self, level: &Level) -> bool {
        let Some(open) = level.open else { return true };
        let Some(before) = open.checked_sub(1) else { return true };
        if matches!(self.word_at(before), Some("join" | "lookup" | "union")) {
            return true;
        }
        let is_setting = before >= 2
            && self.kind_at(before - 1) == Some(&TokenKind::Equal)
            && matches!(self.word_at(before - 2), Some("kind" | "withsource"));
        is_setting && self.kind_at(before) == Some(&TokenKind::Word)
    }

    /// Where the tokens of the query around the cursor begin, behind `let name =`.
    fn query_start(&self) -> usize {
        let start = self.levels[self.query_level()].start;
        if self.word_at(start) != Some("let") {
            return start;
        }
        let equal = (start..self.tokens.len().min(start + 6))
            .find(|index| self.kind_at(*index) == Some(&TokenKind::Equal));
        equal.map_or(start, |equal| equal + 1)
    }

    /// Where the present stage begins, behind its `|`, or where the query begins.
    pub(super) fn stage_start(&self) -> usize {
        let pipe = self.levels[self.query_level()].pipes.last();
        pipe.map_or_else(|| self.query_start(), |pipe| pipe + 1)
    }

    /// Whether no `|` stands before the cursor in its query.
    pub(super) fn is_in_source(&self) -> bool {
        self.levels[self.query_level()].pipes.is_empty()
    }

    /// Whether a statement could begin here.
    pub(super) fn is_at_statement(&self) -> bool {
        self.levels.len() == 1 && self.statement().start == self.tokens.len()
    }

    /// The tokens that open brackets around the cursor in the present stage, from the outside.
    pub(super) fn opened(&self) -> Vec<usize> {
        self.levels[self.query_level() + 1..].iter().filter_map(|level| level.open).collect()
    }

    fn own_tokens(&self) -> Vec<usize> {
        let mut own = Vec::new();
        let mut depth = 0_usize;
        for index in self.stage_start()..self.tokens.len() {
            match self.kind_at(index) {
                Some(TokenKind::LeftParenthesis | TokenKind::LeftBracket) => {
                    if depth == 0 {
                        own.push(index);
                    }
                    depth += 1;
                }
                Some(TokenKind::RightParenthesis | TokenKind::RightBracket) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        own.push(index);
                    }
                }
                _ if depth == 0 => own.push(index),
                _ => {}
            }
        }
        own
    }

    /// The name of the present stage's operator with the place behind it: words with `-` between them.
    pub(super) fn operator(&self) -> Option<(String, usize)> {
        let mut index = self.stage_start();
        let mut name = self.word_at(index)?.to_owned();
        while self.kind_at(index + 1) == Some(&TokenKind::Minus)
            && self.tokens[index].span.end == self.tokens[index + 1].span.start
            && let Some(next) = self.word_at(index + 2)
        {
            name.push('-');
            name.push_str(next);
            index += 2;
        }
        Some((name, index + 1))
    }

    /// The query up to the present stage.
    pub(super) fn query_before(&self) -> Option<Query> {
        let end = self.tokens.get(self.stage_start().checked_sub(1)?)?.span.start as usize;
        let start = self.tokens.get(self.query_start())?.span.start as usize;
        (!self.is_in_source()).then(|| parse_query(&self.text[start..end.max(start)]).0.query)
    }

    /// The query that stands between two places of the tokens.
    pub(super) fn query_between(&self, start: usize, end: usize) -> Option<Query> {
        let start = self.tokens.get(start)?.span.start as usize;
        let end = self.tokens.get(end.checked_sub(1)?)?.span.end as usize;
        (start < end).then(|| parse_query(&self.text[start..end]).0.query)
    }

    /// What the statements before the present one define.
    pub(super) fn lets(&self) -> Vec<(String, Option<LetValue>)> {
        let Some(start) = self.statement().start.checked_sub(1) else { return Vec::new() };
        let end = self.tokens[start].span.end as usize;
        let (program, _) = parse_query(&self.text[..end]);
        let mut lets = Vec::new();
        for statement in program.statements {
            match statement {
                Statement::Let(defined) => lets.push((defined.name, Some(defined.value))),
                Statement::Parameters(parameters) => {
                    lets.extend(parameters.into_iter().map(|parameter| (parameter.column.name, None)));
                }
                Statement::Set(_) => {}
            }
        }
        lets
    }

    /// The field that ends at a place of the tokens.
    pub(super) fn field_ending_at(&self, index: usize) -> Option<String> {
        if self.kind_at(index) == Some(&TokenKind::RightBracket) {
            let inside = self.kind_at(index.checked_sub(1)?)?;
            let TokenKind::Literal(Literal::String(name)) = inside else { return None };
            let is_name = self.kind_at(index.checked_sub(2)?) == Some(&TokenKind::LeftBracket);
            return is_name.then(|| name.clone());
        }
        let mut name = self.word_at(index)?.to_owned();
        let end = index;
        let mut index = index;
        while index >= 2 && end - index < word::PARTS_MAX && self.kind_at(index - 1) == Some(&TokenKind::Dot)
        {
            let Some(word) = self.word_at(index - 2) else { break };
            name = format!("{word}.{name}");
            index -= 2;
        }
        Some(name)
    }

    /// The token that opens what the token at a place closes.
    pub(super) fn opening_of(&self, index: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (0..=index).rev() {
            match self.kind_at(index)? {
                TokenKind::RightParenthesis | TokenKind::RightBracket => depth += 1,
                TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn levels(text: &str, tokens: &[Token]) -> Vec<Level> {
    let mut levels = vec![Level::default()];
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                levels.push(Level { open: Some(index), start: index + 1, pipes: Vec::new() });
            }
            TokenKind::RightParenthesis | TokenKind::RightBracket if levels.len() > 1 => {
                levels.pop();
            }
            TokenKind::Pipe => {
                // No query can stand in a call, so its parenthesis was forgotten.
                while levels.len() > 1 && levels.last().is_some_and(|level| is_call(text, tokens, level)) {
                    levels.pop();
                }
                if let Some(level) = levels.last_mut() {
                    level.pipes.push(index);
                }
            }
            TokenKind::Semicolon => {
                levels = vec![Level { open: None, start: index + 1, pipes: Vec::new() }];
            }
            _ => {}
        }
    }
    levels
}

/// Whether brackets are those of a call, or of a member.
fn is_call(text: &str, tokens: &[Token], level: &Level) -> bool {
    let Some(open) = level.open else { return false };
    if tokens[open].kind == TokenKind::LeftBracket {
        return true;
    }
    let Some(before) = open.checked_sub(1).map(|before| &tokens[before]) else { return false };
    let word = &text[before.span.range()];
    let takes_tables = matches!(word, "in" | "in~" | "join" | "lookup" | "union");
    before.kind == TokenKind::Word && before.span.end == tokens[open].span.start && !takes_tables
}
