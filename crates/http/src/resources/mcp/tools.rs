//! The tools, one file each, and the list of them. A tool calls the use cases that the routes of the interface call, as
//! the caller, and can do nothing that those could not. What they have in common is in `tool`.

mod check_monitors;
mod check_query;
mod create_monitor;
mod get_dashboard;
mod get_dataset_schema;
mod get_monitor_history;
mod get_saved_queries;
mod list_dashboards;
mod list_datasets;
mod query_apl;
mod run_saved_query;
mod save_query;

use super::tool::Tool;

/// Every tool. Those that the public service has too have its names, so that what was written for that one fits.
pub(super) const ALL: &[&Tool] = &[
    &list_datasets::TOOL,
    &get_dataset_schema::TOOL,
    &query_apl::TOOL,
    &check_query::TOOL,
    &get_saved_queries::TOOL,
    &run_saved_query::TOOL,
    &save_query::TOOL,
    &check_monitors::TOOL,
    &get_monitor_history::TOOL,
    &create_monitor::TOOL,
    &list_dashboards::TOOL,
    &get_dashboard::TOOL,
];
