//! The engine through its public face, and its aggregates through the plans they are made for.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking, which names the line"
)]

mod ageing;
mod aggregate_plans;
mod among;
mod at_size;
mod bucketed;
mod budgets;
mod case_file;
mod cases;
mod collected;
mod computed_by;
mod counters;
mod crowded;
mod deleted;
mod distinct;
mod equal_rows;
mod filtered;
mod first_rows;
mod forgotten;
mod frequent;
mod functions;
mod golden;
mod golden_file;
mod heavy;
mod histograms;
mod hostile;
mod ids;
mod inside;
mod json_and_text;
mod kept;
mod kept_whole;
mod large_columns;
mod lists;
mod many;
mod many_keys;
mod memory;
#[path = "../../../catalog/tests/shared/migrations.rs"]
mod migrations;
mod narrow;
mod needless_memory;
mod numbers;
mod operators;
mod pages;
mod percentiles;
mod pipelines;
mod places;
mod plain;
mod properties;
mod query_errors;
mod question_limits;
mod row_limits;
mod spotlit;
#[path = "../../../catalog/tests/shared/sqlite_copy.rs"]
mod sqlite_copy;
mod summarized;
mod support;
mod templated;
mod templated_limits;
mod text_queries;
mod told;
mod trials;
mod values;
#[path = "../../../catalog/tests/shared/waiting.rs"]
mod waiting;
mod wide_keys;
mod wide_rows;
mod worded;
mod yielding;
