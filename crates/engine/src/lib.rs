//! Runs a query tree over the store: plans, scans, groups, and answers in Arrow arrays. What names mean `bind` knows,
//! what aggregates come to `aggregates`, and what is kept for the next query `cache`. It knows no HTTP and no JSON
//! query; DataFusion stays behind its face.

mod answer;
mod arrived;
mod asker;
mod context;
mod counters;
mod engine;
mod error;
mod events;
mod explain;
mod external;
mod groups;
mod held;
mod lanes;
mod leaf;
mod memory;
mod own_rows;
mod partners;
mod pipeline;
mod plan;
mod progress;
mod prune;
mod question;
mod run;
mod scan;
mod spill;
mod stretches;
mod turns;
mod unfold;

#[doc(hidden)]
pub mod testing;

pub use answer::{AggregateInfo, Answer, Continuation, Explanation, Field, Figures, StepFigures, Table};
pub use arrived::Arrived;
pub use asker::{Asker, Lane};
pub use engine::{Engine, EngineSettings};
pub use error::{Error, Result};
pub use held::Held;
pub use lanes::Crowd;
pub use progress::{Progress, SoFar};
pub use question::{Dataset, Files, Options, Question, Unanswered};
pub use spill::SpillFigures;
pub use tidegauge_cache::partials::Checked;
pub use tidegauge_exec::{Message, Place, Places};
pub use turns::lower_priority;
