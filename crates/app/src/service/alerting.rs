//! The watch over monitors: a run of each when it is due, what it leads to, and what it would have led to in the past.
//! When runs are due and what samples mean is decided in `tidegauge_alerting`; who makes a run is settled by leases in
//! the catalogue.

pub mod backtest;
mod cells;
mod monitor_query;
mod progress;
pub mod resolve;
pub mod run;
mod samples;
