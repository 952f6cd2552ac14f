//! Reads request bodies into typed columns.
