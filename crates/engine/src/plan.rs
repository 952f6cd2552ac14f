//! What the two ways through the events of a dataset are told: events in an order, or groups. Each has its own file.
//! Who asks for them is `pipeline`.

mod calls;
mod events;
mod groups;
mod key_kinds;

pub(crate) use calls::{Calls, Computed, Outcome, TEMPORALITY_FIELD, result_name};
pub(crate) use events::{EventOrder, EventsPlan, SortColumn, sort_columns};
pub(crate) use groups::{GroupsPlan, PlannedAggregate, Shape, comparable, info as aggregate_info, planned};
pub(crate) use key_kinds::is_integer;
