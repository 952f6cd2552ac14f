//! Statements of SQL.
