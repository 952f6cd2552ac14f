//! What could be written at a place of a text: datasets, fields that are visible there, functions, operators and words
//! of the present stage. The text is being written, so it is usually broken; only what stands before the place counts.
//! Pure: what datasets and fields there are is told by the caller.

mod candidate;
mod catalogue;
mod columns;
mod cursor_context;
mod existing;
mod expected;
mod forms;
mod rank;

use std::cell::Cell;

use crate::Span;
use crate::tree::{Program, Query};

use columns::Tables;
use cursor_context::{CursorContext, Quote};

pub use candidate::{COMPLETIONS_MAX, Completion, CompletionKind};
pub use existing::{Existing, KnownField};

/// What could be written, the likeliest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// What an item is written over.
    pub replace: Span,
    pub items: Vec<Completion>,
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
