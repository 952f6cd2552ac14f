//! What could be written at a place of a text: datasets, fields that are visible there, functions, operators and words
//! of the present stage. The text is being written, so it is usually broken; only what stands before the place counts.
//! Pure: what datasets and fields there are is told by the caller.

mod catalogue;
mod columns;
mod cursor_context;
mod expected;
mod forms;
mod rank;

use std::cell::Cell;
use std::fmt;

use crate::Span;
use crate::tree::{Program, Query, Type};

use columns::{Columns, Tables};
use cursor_context::{CursorContext, Quote};

/// The most items that are given.
pub const COMPLETIONS_MAX: usize = 200;

/// What the caller knows, of which only that belongs here which the asker may see.
#[derive(Clone, Copy)]
pub struct Existing<'a> {
    pub datasets: &'a [String],
    pub views: &'a [String],
    /// The fields of a dataset or a view; none where it is not known.
    pub fields: &'a dyn Fn(&str) -> Vec<KnownField>,
    /// Frequent values of a field of a dataset; none where they are not known.
    pub values: &'a dyn Fn(&str, &str) -> Vec<String>,
}

/// A field as the caller knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownField {
    pub name: String,
    /// The types that its values have; none if that is not known.
    pub kinds: Vec<Type>,
    pub doc: String,
}

/// What could be written, the likeliest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// What an item is written over.
    pub replace: Span,
    pub items: Vec<Completion>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is shown.
    pub label: String,
    /// What is written, in quotes where the name needs them.
    pub insert: String,
    pub kind: CompletionKind,
    /// How it is called, or its type.
    pub detail: String,
    /// One sentence, or nothing.
    pub doc: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    Dataset,
    Field,
    Function,
    Aggregate,
    Operator,
    Keyword,
    Value,
    Type,
    Snippet,
}

impl CompletionKind {
    /// The word for it in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Field => "field",
            Self::Function => "function",
            Self::Aggregate => "aggregate",
            Self::Operator => "operator",
            Self::Keyword => "keyword",
            Self::Value => "value",
            Self::Type => "type",
            Self::Snippet => "snippet",
        }
    }
}

impl fmt::Debug for Existing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} datasets, {} views", self.datasets.len(), self.views.len())
    }
}

/// What could be written at a place, which is counted in bytes and moved to the nearest character before it.
pub fn complete(text: &str, position: usize, existing: &Existing<'_>) -> Completions {
    let position = text.floor_char_boundary(position);
    let nothing = Completions { replace: Span::new(position, position), items: Vec::new() };
    let Some(context) = CursorContext::new(text, position) else { return nothing };
    let lets = context.lets();
    let tables = Tables { existing, lets: &lets, work_left: Cell::new(columns::WORK_MAX) };
    let mut candidates = expected::candidates(&context, &tables);
    if context.word.quote == Quote::Name {
        candidates.retain(|candidate| {
            matches!(candidate.item.kind, CompletionKind::Dataset | CompletionKind::Field)
        });
    }
    let items = rank::ranked(candidates, &context.word.typed);
    Completions { replace: context.word.replace, items }
}

/// The fields that the table of a query has, as far as they can be told.
pub fn fields_of(query: &Query, existing: &Existing<'_>) -> Vec<KnownField> {
    let tables = Tables { existing, lets: &[], work_left: Cell::new(columns::WORK_MAX) };
    tables.columns(query).list
}

/// The names of the datasets and views that a query reads, without those that `let` defines, in the order of the text;
/// patterns with their stars.
pub fn sources_of(program: &Program) -> Vec<String> {
    columns::sources_of(program)
}

/// A candidate with where it belongs among the others; the lower goes first.
#[derive(Clone, Debug)]
struct Candidate {
    group: u8,
    item: Completion,
}

/// The columns at the place, which is behind the stages before it.
fn columns_at(context: &CursorContext<'_>, tables: &Tables<'_>) -> Columns {
    match context.query_before() {
        Some(query) => tables.columns(&query),
        None => Columns::default(),
    }
}
