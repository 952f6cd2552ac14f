//! The watch over monitors: a run of each when it is due, what it leads to, and what it would have led to in the past.
//! When runs are due and what readings mean is decided in `tidegauge_watch`; who makes a run is settled by leases in
//! the catalogue.

mod asking;
pub mod backtest;
mod cells;
mod ids;
mod readings;
pub mod resolve;
pub mod run;
