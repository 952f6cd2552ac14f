//! Where a blank stands between two tokens. A few things are told apart by it: names of operators with hyphens, and
//! names with stars; those keep what they have.

use super::Piece;
use crate::lexer::TokenKind;
use crate::parser::operators;
use crate::stages;

/// Settings are written without blanks around their `=`.
const SETTINGS: &[&str] = &[
    "kind",
    "withsource",
    "with_source",
    "flags",
    "with_itemindex",
    "bagexpansion",
    "replaceToken",
    "replaceHash",
    "redactGroups",
    "pair_delimiter",
    "kv_delimiter",
    "quote",
    "escape",
    "greedy",
    "regex",
    "format",
    "ignoreFirstRecord",
    "skipFirstRow",
];

/// Stages in which names have stars in them.
const PATTERN_STAGES: &[&str] =
    &["project-away", "project-keep", "project-reorder", "redact", "union", "search"];

/// Stages whose fields may be called as settings are.
const FIELD_STAGES: &[&str] =
    &["where", "filter", "extend", "extend-valid", "project", "summarize", "distinct", "project-rename"];

/// Words behind which something begins.
const CLAUSES: &[&str] =
    &["as", "by", "default", "from", "in", "let", "limit", "nulls", "on", "regex", "step", "to", "with"];

/// For each token whether a blank stands before it.
pub(super) struct Spacing {
    before: Vec<bool>,
}

impl Spacing {
    pub(super) fn new(pieces: &[Piece<'_>]) -> Self {
        let stages = stage_names(pieces);
        let before = (0..pieces.len()).map(|index| index > 0 && is_blank(pieces, &stages, index)).collect();
        Self { before }
    }

    pub(super) fn is_before(&self, index: usize) -> bool {
        self.before.get(index).copied().unwrap_or(false)
    }
}

/// The stage that a token belongs to.
#[derive(Clone, Debug, Default)]
struct Stage {
    name: String,
    /// Whether the token is part of the name.
    is_name: bool,
}

/// The stage of each token, also in queries between parentheses.
fn stage_names(pieces: &[Piece<'_>]) -> Vec<Stage> {
    let mut names: Vec<String> = vec![String::new()];
    let mut stages = Vec::with_capacity(pieces.len());
    let mut is_start = true;
    let mut index = 0;
    while index < pieces.len() {
        let piece = &pieces[index];
        let length = if is_start { name_length(pieces, index) } else { 0 };
        is_start = false;
        if length > 0 {
            let name: String = pieces[index..index + length].iter().map(|piece| piece.text).collect();
            if let Some(last) = names.last_mut() {
                last.clone_from(&name);
            }
            stages.extend(std::iter::repeat_n(Stage { name, is_name: true }, length));
            index += length;
            continue;
        }
        match piece.kind {
            TokenKind::Pipe | TokenKind::Semicolon => is_start = true,
            TokenKind::LeftParenthesis => {
                let around = names.last().cloned().unwrap_or_default();
                names.push(around);
            }
            TokenKind::RightParenthesis if names.len() > 1 => {
                names.pop();
            }
            _ => {}
        }
        stages.push(Stage { name: names.last().cloned().unwrap_or_default(), is_name: false });
        index += 1;
    }
    stages
}

/// How many tokens the name of an operator has that begins here, none if there is none.
fn name_length(pieces: &[Piece<'_>], start: usize) -> usize {
    let mut length = 0;
    let mut name = String::new();
    for count in [5, 3, 1] {
        let Some(part) = pieces.get(start..start + count) else { continue };
        let is_glued = part.iter().skip(1).all(|piece| piece.is_adjacent);
        let text: String = part.iter().map(|piece| piece.text).collect();
        if is_glued && (stages::find(&text).is_some() || text == "print") {
            (length, name) = (count, text);
            break;
        }
    }
    // What is called or assigned is no stage.
    let follows = pieces.get(start + length).map(|piece| &piece.kind);
    let is_field = matches!(follows, Some(TokenKind::Equal | TokenKind::Dot)) && name != "join";
    if is_field { 0 } else { length }
}

fn is_blank(pieces: &[Piece<'_>], stages: &[Stage], index: usize) -> bool {
    use TokenKind as Kind;
    let (left, right) = (&pieces[index - 1], &pieces[index]);
    let stage = &stages[index];
    if stage.is_name && stages[index - 1].is_name && stage.name == stages[index - 1].name && right.is_adjacent
    {
        return false;
    }
    match (&left.kind, &right.kind) {
        (_, Kind::Comma | Kind::Semicolon | Kind::RightParenthesis | Kind::RightBracket)
        | (Kind::LeftParenthesis | Kind::LeftBracket | Kind::Bang, _)
        | (Kind::Dot | Kind::Colon, _)
        | (_, Kind::Dot | Kind::Colon) => false,
        (Kind::Star, _) | (_, Kind::Star) if PATTERN_STAGES.contains(&stage.name.as_str()) => {
            !right.is_adjacent
        }
        (Kind::Word, Kind::Minus) if left.text == "granny" => !right.is_adjacent,
        (Kind::Minus, Kind::Word) if index >= 2 && pieces[index - 2].text == "granny" => !right.is_adjacent,
        (Kind::Minus | Kind::Plus, _) => !is_sign(pieces, stages, index - 1),
        (Kind::Word, Kind::LeftParenthesis) => is_before_parenthesis(pieces, stages, index),
        (Kind::Word | Kind::RightBracket | Kind::RightParenthesis, Kind::LeftBracket) => !right.is_adjacent,
        (Kind::Equal, _) => !is_setting(pieces, stages, index - 1),
        (_, Kind::Equal) => !is_setting(pieces, stages, index),
        _ => true,
    }
}

/// Whether a plus or minus belongs to the number behind it.
fn is_sign(pieces: &[Piece<'_>], stages: &[Stage], index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return true };
    match pieces[before].kind {
        TokenKind::Word => stages[before].is_name || is_keyword(pieces[before].text),
        TokenKind::Literal(_) | TokenKind::RightParenthesis | TokenKind::RightBracket => false,
        _ => true,
    }
}

/// Whether a blank stands between a word and a parenthesis: not if the word is called.
fn is_before_parenthesis(pieces: &[Piece<'_>], stages: &[Stage], index: usize) -> bool {
    let word = &pieces[index - 1];
    let is_name = stages[index - 1].is_name;
    let is_value = index >= 2 && pieces[index - 2].kind == TokenKind::Equal && {
        let stage = stages[index].name.as_str();
        matches!(stage, "join" | "lookup" | "union")
    };
    is_name || is_value || is_keyword(word.text)
}

fn is_keyword(word: &str) -> bool {
    CLAUSES.contains(&word) || operators::words().any(|known| known == word)
}

/// Whether the `=` at a place is that of a setting.
fn is_setting(pieces: &[Piece<'_>], stages: &[Stage], index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    let stage = stages[index].name.as_str();
    SETTINGS.contains(&pieces[before].text) && !stage.is_empty() && !FIELD_STAGES.contains(&stage)
}
