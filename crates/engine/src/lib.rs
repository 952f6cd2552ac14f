//! Runs a query tree over the store: binds names, plans, scans, aggregates, and answers in Arrow arrays. It knows no
//! HTTP and no JSON query; DataFusion stays behind its face.

mod aggregates;
mod answer;
mod bind;
mod cache;
mod engine;
mod error;
mod events;
mod explain;
mod expr;
mod forget;
mod functions;
mod groups;
mod held;
mod lanes;
mod leaf;
mod memory;
mod notices;
mod own_rows;
mod partials;
mod partners;
mod pipeline;
mod plan;
mod progress;
mod prune;
mod question;
mod run;
mod scan;
mod templates;
mod turns;
mod types;
mod unfold;
mod value;

#[doc(hidden)]
pub mod testing;

pub use answer::{
    AggregateInfo, Answer, Continuation, Explanation, Field, Figures, Message, StepFigures, Table,
};
pub use engine::{Engine, EngineSettings};
pub use error::{Error, Result};
pub use held::Held;
pub use lanes::Crowd;
pub use partials::Checked;
pub use progress::{Progress, SoFar};
pub use question::{Asker, Dataset, Files, Lane, Options, Place, Places, Question, Unanswered};
pub use scan::Arrived;
pub use turns::lower_priority;
