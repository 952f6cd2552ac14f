//! The pages that people see in a browser: server-rendered, without script, with one stylesheet. Here are the files
//! behind them; each page has a file below, and what they share is in `layout`, `visitor` and `form`.

pub mod assets;
pub mod cookies;
pub mod form;
pub mod layout;
pub mod return_to;
pub mod visitor;
