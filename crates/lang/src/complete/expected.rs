//! What is expected at the cursor: from its context to the candidates.

mod operand;

use super::candidate::Candidate;
use super::catalogue::{self, NameStyle};
use super::columns::{Columns, Tables};
use super::cursor_context::{CursorContext, Quote};
use super::forms::{self, Clause, Content, Form};
use crate::lexer::TokenKind;
use crate::parser::operators;

/// Lengths of time that people ask for.
const TIMESPANS: &[&str] = &["1m", "5m", "15m", "1h", "1d"];

pub(super) fn candidates(context: &CursorContext<'_>, tables: &Tables<'_>) -> Vec<Candidate> {
    let style =
        NameStyle { is_quoted: context.word.quote == Quote::Name, is_before_call: context.is_before_call };
    let columns = columns_at(context, tables);
    let completion = Completion { context, tables, columns, style };
    if let Quote::Text(quote) = context.word.quote {
        return completion.in_text(quote);
    }
    if context.stage_start() == context.tokens.len() {
        return if context.is_in_source() { completion.beginnings() } else { catalogue::stage_names() };
    }
    let first = context.word_at(context.stage_start());
    if context.is_in_source() && context.opened().is_empty() {
        match (first, context.tokens.len() - context.stage_start()) {
            (Some("let" | "set" | "declare"), 1) => return completion.statement(first.unwrap_or_default()),
            (Some("let"), _) => return Vec::new(),
            _ => {}
        }
    }
    completion.in_stage()
}

/// The columns at the place, which is behind the stages before it.
fn columns_at(context: &CursorContext<'_>, tables: &Tables<'_>) -> Columns {
    match context.query_before() {
        Some(query) => tables.columns(&query),
        None => Columns::default(),
    }
}

struct Completion<'a> {
    context: &'a CursorContext<'a>,
    tables: &'a Tables<'a>,
    columns: Columns,
    style: NameStyle,
}

/// The part of a stage that the cursor is in.
struct Part {
    form: Option<&'static Form>,
    clause: Option<&'static Clause>,
    /// The place behind the word that the part begins with.
    start: usize,
    content: Content,
}

impl Completion<'_> {
    /// What a query can begin with.
    fn beginnings(&self) -> Vec<Candidate> {
        let mut candidates = catalogue::tables(self.tables, 0, self.style);
        candidates.extend(catalogue::source_words(1));
        if self.context.is_at_statement() {
            candidates.extend(catalogue::statement_words(1));
        } else if self.context.stage_start() > 0
            && self.context.kind_at(self.context.stage_start() - 1) == Some(&TokenKind::Equal)
        {
            // Behind `let name =` a value may stand as well.
            candidates.extend(catalogue::scalars(self.tables, 0));
            candidates.extend(catalogue::row_functions(2, self.style));
        }
        candidates
    }

    fn statement(&self, word: &str) -> Vec<Candidate> {
        match word {
            "set" => vec![catalogue::described(0, "stricttypes", "Types must fit exactly.")],
            "declare" => vec![catalogue::keyword(0, "query_parameters")],
            _ => Vec::new(),
        }
    }

    /// What could stand in a text: a member of a field, or a value of the field that it is compared with.
    fn in_text(&self, quote: char) -> Vec<Candidate> {
        let Some(last) = self.context.last() else { return Vec::new() };
        if self.context.kind_at(last) == Some(&TokenKind::LeftBracket) {
            let of = last.checked_sub(1).and_then(|before| self.context.field_ending_at(before));
            return of.map(|of| catalogue::members(&self.columns, &of, Some(quote))).unwrap_or_default();
        }
        let values = self.values().into_iter();
        values.map(|value| catalogue::value(0, &value, catalogue::escaped(&value, quote))).collect()
    }

    fn in_stage(&self) -> Vec<Candidate> {
        let part = self.part();
        let opened = self.context.opened();
        let is_inside = !opened.is_empty();
        if let Some(candidates) = self.in_brackets(&opened, &part) {
            return candidates;
        }
        if let Some(candidates) = self.setting_value(&part) {
            return candidates;
        }
        if self.context.last().is_some_and(|last| self.context.kind_at(last) == Some(&TokenKind::Colon)) {
            let has_types = matches!(part.content, Content::Pattern | Content::Columns);
            return if has_types { catalogue::types() } else { self.value_strings() };
        }
        if self.is_operand_expected(&part) {
            self.operands(&part, is_inside)
        } else {
            self.continuations(&part, is_inside)
        }
    }

    /// What belongs between some brackets alone: types and members.
    fn in_brackets(&self, opened: &[usize], part: &Part) -> Option<Vec<Candidate>> {
        let open = *opened.last()?;
        let last = self.context.last()?;
        if self.context.kind_at(last) == Some(&TokenKind::LeftBracket) {
            let of = last.checked_sub(1).and_then(|before| self.context.field_ending_at(before))?;
            return Some(catalogue::members(&self.columns, &of, None));
        }
        let callee = open.checked_sub(1).and_then(|before| self.context.word_at(before));
        match callee {
            Some("typeof") if last == open => Some(catalogue::types()),
            Some("bin") if self.context.kind_at(last) == Some(&TokenKind::Comma) => {
                let spans = TIMESPANS.iter().map(|span| catalogue::value(0, span, (*span).to_owned()));
                Some(spans.chain(catalogue::scalars(self.tables, 1)).collect())
            }
            Some("query_parameters" | "datatable" | "externaldata" | "as")
                if self.context.kind_at(last) == Some(&TokenKind::Colon) =>
            {
                Some(catalogue::types())
            }
            Some("with") if part.content == Content::Columns => {
                let is_name =
                    matches!(self.context.kind_at(last), Some(TokenKind::Comma | TokenKind::LeftParenthesis));
                Some(if is_name { self.settings_in_parentheses() } else { Vec::new() })
            }
            _ => None,
        }
    }

    fn settings_in_parentheses(&self) -> Vec<Candidate> {
        let names: &[&str] = match self.context.operator() {
            Some((name, _)) if name == "parse-kv" => {
                &["pair_delimiter", "kv_delimiter", "quote", "escape", "greedy", "regex"]
            }
            _ => &["format", "ignoreFirstRecord"],
        };
        names.iter().map(|name| catalogue::setting(0, name, &[])).collect()
    }

    /// The part of the stage that the cursor is in: behind the last of its words.
    fn part(&self) -> Part {
        let start = self.context.stage_start();
        let Some((name, behind)) = self.context.operator() else {
            return Part { form: None, clause: None, start, content: self.bare_content() };
        };
        let Some(form) = forms::find(&name) else {
            return Part { form: None, clause: None, start, content: self.bare_content() };
        };
        let mut part = Part { form: Some(form), clause: None, start: behind, content: form.content };
        for place in self.context.own.iter().copied().filter(|place| *place >= behind) {
            let Some(word) = self.context.word_at(place) else { continue };
            let is_name = matches!(self.context.kind_at(place + 1), Some(TokenKind::Dot | TokenKind::Equal))
                && word != "default";
            let Some(clause) = form.clauses.iter().find(|clause| clause.word == word && !is_name) else {
                continue;
            };
            let is_first = place == behind || place == behind + 3;
            if word == "in" && !(is_first && self.is_open_list(place)) {
                continue;
            }
            part = Part { form: Some(form), clause: Some(clause), start: place + 1, content: clause.content };
        }
        part
    }

    /// Whether `in` of `search` has a list that is not closed yet.
    fn is_open_list(&self, place: usize) -> bool {
        self.context.opened().first().is_none_or(|open| *open == place + 1)
            && !self
                .context
                .own
                .iter()
                .any(|own| *own > place && self.context.kind_at(*own) == Some(&TokenKind::RightParenthesis))
    }

    /// What is expected where no operator's name begins the stage: a table, or the value of a `let`.
    fn bare_content(&self) -> Content {
        let start = self.context.stage_start();
        let is_let = start > 0 && self.context.kind_at(start - 1) == Some(&TokenKind::Equal);
        if is_let || !self.context.opened().is_empty() { Content::Expression } else { Content::Tables }
    }

    /// Whether an operand stands next, and not what goes on behind one.
    fn is_operand_expected(&self, part: &Part) -> bool {
        let Some(last) = self.context.last().filter(|last| *last >= part.start) else {
            return part.form.is_some();
        };
        match self.context.kind_at(last) {
            Some(TokenKind::Word) => {
                let word = self.context.word_at(last).unwrap_or_default();
                let is_regex =
                    word == "regex" && last > 0 && self.context.word_at(last - 1) == Some("matches");
                is_regex
                    || self.is_setting_at(part, last)
                    || operators::words().any(|existing| existing == word)
            }
            Some(TokenKind::Literal(_)) => self.is_setting_at(part, last),
            Some(TokenKind::RightParenthesis | TokenKind::RightBracket) => false,
            Some(TokenKind::Star) => {
                let before = last.checked_sub(1).and_then(|before| self.context.kind_at(before));
                let is_operand = matches!(before, Some(TokenKind::LeftParenthesis | TokenKind::Comma))
                    || last == part.start;
                !is_operand && matches!(part.content, Content::Expression | Content::Aggregates)
            }
            _ => true,
        }
    }

    /// Whether the value of a setting before all else ends here.
    fn is_setting_at(&self, part: &Part, last: usize) -> bool {
        let Some(form) = part.form.filter(|_| part.clause.is_none() && last >= part.start + 2) else {
            return false;
        };
        let is_known = |word: &str| form.settings.iter().any(|setting| setting.name == word);
        self.context.kind_at(last - 1) == Some(&TokenKind::Equal)
            && self.context.word_at(last - 2).is_some_and(is_known)
    }

    /// What a setting can be, if the cursor stands behind its `=`.
    fn setting_value(&self, part: &Part) -> Option<Vec<Candidate>> {
        let last = self.context.last().filter(|last| *last > part.start)?;
        if self.context.kind_at(last) != Some(&TokenKind::Equal) || part.clause.is_some() {
            return None;
        }
        let name = self.context.word_at(last - 1)?;
        let setting = part.form?.settings.iter().find(|setting| setting.name == name)?;
        Some(setting.choices.iter().map(|choice| catalogue::keyword(0, choice)).collect())
    }

    fn operands(&self, part: &Part, is_inside: bool) -> Vec<Candidate> {
        let mut candidates = self.value_strings();
        match part.content {
            Content::Expression => candidates.extend(self.row_operands()),
            Content::Aggregates if is_inside => candidates.extend(self.row_operands()),
            Content::Aggregates => {
                candidates.extend(catalogue::aggregates(0, self.style));
                candidates.extend(catalogue::row_functions(2, self.style));
                candidates.extend(self.clauses(part, 1));
            }
            Content::Fields => candidates.extend(catalogue::fields(&self.columns, 0, self.style)),
            Content::Tables => {
                candidates.extend(catalogue::tables(self.tables, 0, self.style));
                candidates.extend(self.settings(part));
            }
            Content::Keys => candidates.extend(self.keys(part)),
            Content::Number => {
                if part.clause.is_some_and(|clause| clause.word == "step") {
                    let span = |span: &&str| catalogue::value(0, span, (*span).to_owned());
                    candidates.extend(TIMESPANS.iter().map(span));
                }
                candidates.extend(catalogue::scalars(self.tables, 0));
            }
            Content::Renamed => {
                let is_old = self.context.last().and_then(|last| self.context.kind_at(last));
                if is_old == Some(&TokenKind::Equal) {
                    candidates.extend(catalogue::fields(&self.columns, 0, self.style));
                }
            }
            Content::Pattern => candidates.push(catalogue::described(0, "*", "Anything, which is left out.")),
            Content::Target => candidates.push(catalogue::keyword(0, "typeof(")),
            Content::Nothing => {
                candidates.extend(self.clauses(part, 0));
                candidates.extend(self.settings(part));
                if part.form.is_some_and(|form| form.clauses.is_empty()) {
                    candidates.push(next_stage());
                }
            }
            Content::Columns => {}
        }
        if part.content == Content::Expression && !is_inside {
            candidates.extend(self.settings(part));
        }
        candidates
    }

    /// Fields, values and functions of one row.
    fn row_operands(&self) -> Vec<Candidate> {
        let mut candidates = catalogue::fields(&self.columns, 0, self.style);
        candidates.extend(catalogue::scalars(self.tables, 0));
        candidates.extend(catalogue::row_functions(2, self.style));
        candidates.extend(["true", "false"].iter().map(|word| catalogue::value(3, word, (*word).to_owned())));
        candidates
    }

    /// Known values as texts, where something is compared.
    fn value_strings(&self) -> Vec<Candidate> {
        let values = self.values().into_iter();
        values.map(|value| catalogue::value(0, &value, catalogue::text(&value))).collect()
    }

    /// The settings of the stage that are not there yet, if one could stand here.
    fn settings(&self, part: &Part) -> Vec<Candidate> {
        let Some(form) = part.form.filter(|_| part.clause.is_none()) else { return Vec::new() };
        let last = self.context.last().unwrap_or(0);
        if last >= part.start && !self.is_setting_at(part, last) {
            return Vec::new();
        }
        let is_there =
            |name: &str| self.context.own.iter().any(|own| self.context.word_at(*own) == Some(name));
        let missing = form.settings.iter().filter(|setting| !is_there(setting.name));
        missing.map(|setting| catalogue::setting(1, setting.name, setting.choices)).collect()
    }

    /// The words that the stage can go on with.
    fn clauses(&self, part: &Part, group: u8) -> Vec<Candidate> {
        let Some(form) = part.form else { return Vec::new() };
        let own = &self.context.own;
        let is_there = |word: &str| {
            own.iter().any(|own| *own + 1 >= part.start && self.context.word_at(*own) == Some(word))
        };
        let used = part.clause.and_then(|used| form.clauses.iter().position(|it| it.word == used.word));
        let behind = used.map_or(0, |used| used + 1);
        let missing = form.clauses.iter().skip(behind).filter(|clause| !is_there(clause.word));
        missing.map(|clause| catalogue::keyword(group, clause.word)).collect()
    }

    /// Fields that two tables have in common first.
    fn keys(&self, part: &Part) -> Vec<Candidate> {
        let right = self.right_columns(part);
        let typed = &self.context.word.typed;
        let sides = [("$left.", &self.columns), ("$right.", &right)];
        if let Some((side, columns)) = sides.iter().find(|(side, _)| typed.starts_with(side)) {
            let plain = NameStyle { is_quoted: false, ..self.style };
            return columns.list.iter().map(|existing| catalogue::field(existing, side, 0, plain)).collect();
        }
        let mut candidates = Vec::new();
        for existing in &self.columns.list {
            let group = if right.find(&existing.name).is_some() { 0 } else { 2 };
            candidates.push(catalogue::field(existing, "", group, self.style));
        }
        candidates.push(catalogue::described(1, "$left.", "A field of the rows so far."));
        candidates.push(catalogue::described(1, "$right.", "A field of the other table."));
        candidates
    }

    /// The fields of the other table of a join, which stands before `on`.
    fn right_columns(&self, part: &Part) -> Columns {
        let Some((_, mut start)) = self.context.operator() else { return Columns::default() };
        if self.context.kind_at(start + 1) == Some(&TokenKind::Equal) {
            start += 3;
        }
        let query = part.start.checked_sub(1).and_then(|on| self.context.query_between(start, on));
        query.map(|query| self.tables.columns(&query)).unwrap_or_default()
    }

    /// What goes on behind an operand.
    fn continuations(&self, part: &Part, is_inside: bool) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        if !is_inside {
            let endings = part.clause.map_or_else(
                || part.form.map(|form| form.endings).unwrap_or_default(),
                |clause| clause.endings,
            );
            candidates.extend(endings.iter().map(|ending| catalogue::keyword(0, ending)));
            candidates.extend(self.clauses(part, 0));
            candidates.push(next_stage());
        }
        if matches!(part.content, Content::Expression | Content::Aggregates | Content::Keys) {
            let (kinds, is_compared) = self.operand_before();
            let more = catalogue::binary_operators(&kinds, is_compared);
            candidates.extend(more.into_iter().map(|it| Candidate { group: it.group + 1, ..it }));
        }
        candidates
    }
}

fn next_stage() -> Candidate {
    catalogue::described(3, "|", "The next stage.")
}
