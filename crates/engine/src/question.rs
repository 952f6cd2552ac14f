//! What is asked of the engine: a tree, the events it is asked of, and what the work may cost.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tidegauge_exec::Places;
use tidegauge_lang::tree::{Expr, Named, Query};
use tidegauge_store::DatasetState;

use crate::answer::Figures;
use crate::arrived::Arrived;
use crate::asker::{Asker, Lane};
use crate::progress::Progress;

/// A query with all that running it needs.
#[derive(Clone, Debug)]
pub struct Question {
    pub query: Query,
    /// Values with names, which fields of the same names go before. Later ones may use earlier ones.
    pub constants: Vec<(String, Expr)>,
    /// Every dataset that the query names, or that fits a pattern in it.
    pub datasets: Vec<Dataset>,
    /// Whether comparisons of types that do not fit are refused.
    pub is_strict: bool,
    pub options: Options,
}

/// A dataset under the name that queries have for it.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub name: String,
    pub state: Arc<DatasetState>,
    /// Fields that are computed when a query names them. Each may use those before it.
    pub virtual_fields: Vec<Named>,
}

impl Question {
    /// A query of one dataset, under the name that its state has.
    pub fn of_dataset(query: Query, state: Arc<DatasetState>, options: Options) -> Self {
        let name = match &query.source {
            tidegauge_lang::tree::Source::Dataset { name, .. } => name.clone(),
            _ => state.name().to_owned(),
        };
        let dataset = Dataset { name, state, virtual_fields: Vec::new() };
        Self { query, constants: Vec::new(), datasets: vec![dataset], is_strict: false, options }
    }
}

/// How a query is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The moment that `now()` is, in nanoseconds since 1970.
    pub now: i64,
    pub lane: Lane,
    pub asker: Asker,
    /// How long it may take. An answer that can be given in part is cut there.
    pub time_max: Duration,
    /// Reads everything anew and keeps nothing for others.
    pub bypasses_cache: bool,
    /// Tells what was planned and done.
    pub is_explained: bool,
    /// Only looks at what would be read: no row passes, and the figures are what reading would take at most.
    pub is_dry: bool,
    /// How many bytes the rows of the answer may have, about; the answer is cut there.
    pub answer_bytes_max: usize,
    /// How many rows an answer of single events has where the query does not say; none is all of them.
    pub rows_default: Option<usize>,
    /// How many rows an answer may have at most.
    pub rows_max: usize,
    /// About how many buckets `bin_auto` makes at most.
    pub auto_bins_max: usize,
    /// Which ends of the query's range of time nobody asked for: there `bin_auto` looks at where events begin and end.
    pub is_start_open: bool,
    pub is_end_open: bool,
    /// Reads files at addresses, where queries may do that.
    pub files: Option<Arc<dyn Files>>,
    /// Knows where addresses are, where there is a database of that.
    pub places: Option<Arc<dyn Places>>,
    /// Which requests the rows of datasets came with; all where nothing is said.
    pub arrived: Option<Arrived>,
    /// Where others see how far the query is, if anybody looks.
    pub progress: Option<Progress>,
    /// Who is told what the query took if it ends without an answer.
    pub unanswered: Option<Arc<dyn Unanswered>>,
}

impl Options {
    /// A query of a person at a moment, with bounds that hardly any query meets.
    pub fn at(now: i64) -> Self {
        Self {
            now,
            lane: Lane::Interactive,
            asker: Asker::default(),
            time_max: Duration::from_secs(60),
            bypasses_cache: false,
            is_explained: false,
            is_dry: false,
            answer_bytes_max: 1 << 30,
            rows_default: None,
            rows_max: usize::MAX,
            auto_bins_max: 100,
            is_start_open: false,
            is_end_open: false,
            files: None,
            places: None,
            arrived: None,
            progress: None,
            unanswered: None,
        }
    }
}

/// Is told what a query took that ended without an answer: refused, out of time or memory, or given up by its asker.
pub trait Unanswered: Send + Sync {
    fn ended(&self, figures: &Figures);
}

impl fmt::Debug for dyn Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unanswered")
    }
}

/// Reads files at addresses for `externaldata`. Which addresses may be read is its own affair.
pub trait Files: Send + Sync {
    /// The bytes of a file, or why there are none, for the person who asked.
    fn read<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>>;
}

impl fmt::Debug for dyn Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}
