//! Runs a query tree over the store: binds names, plans, scans, aggregates, and answers in Arrow arrays. It knows no
//! HTTP and no JSON query; DataFusion stays behind its face.

mod aggregates;
mod answer;
mod engine;
mod error;
mod question;
#[doc(hidden)]
pub mod testing;

pub use answer::{
    AggregateInfo, Answer, Continuation, Explanation, Field, Figures, Message, StepFigures, Table,
};
pub use engine::{Engine, EngineSettings};
pub use error::{Error, Result};
pub use question::{Lane, Options, Question};
