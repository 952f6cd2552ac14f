//! A third engine, for tests: queries in text, row by row over plain lists of values. Pipelines are grown stage by
//! stage: each stage is drawn by chance for the table that the stages before it leave, written as text and applied to
//! that table, so that the text and the rows that it must give come together. It shares nothing with the engine.

pub(crate) mod expr;
pub(crate) mod group;
pub(crate) mod grow;
pub(crate) mod grow_expr;
pub(crate) mod grow_tables;
pub(crate) mod shown;
pub(crate) mod table;
pub(crate) mod together;
pub(crate) mod value;
