//! The tree that every query becomes, whether it came as JSON or as text. It says what is asked, in the words of the
//! asker: names are not resolved and types not known yet. Spans point into the text where there is one.

mod expr;
mod names;
mod operators;
mod options;
mod program;
mod query;
mod stage;
mod value;
mod walk;

pub use names::{Column, NamePattern};
pub use operators::{BinaryOperator, TextTest};
pub use options::{
    Bucket, Cursor, ExpandKind, ExternalData, ExternalFormat, JoinKind, LookupKind, Nulls, ParseMode,
    ParsePart, Redact, Renamed, ReorderBy, Reordered, SearchCase, SortKey, TimeRange,
};
pub use program::{Let, LetValue, Program, QueryParameter, Setting, Statement};
pub use query::{
    AggregateCall, AggregateFunction, DataTable, Expand, ExpandedField, Expr, ExprKind, Join, JoinPair,
    Lookup, MakeSeries, Named, NamedAggregate, OrderKey, Parse, ParseKeyValue, Query, Search, Series, Source,
    Stage, Summarize, Top, Union,
};
pub use value::{Literal, Type};
