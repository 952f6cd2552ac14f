//! What an organisation has defined for its queries: virtual fields of datasets, and views. Here is where a query in
//! text asks for them.

use std::collections::HashMap;

use tidegauge_lang::tree::{Named, Query};

use crate::app::App;
use crate::service::{Caller, Result};

/// The virtual fields of a dataset, each after those that it may use.
pub(super) async fn virtual_fields_of(_: &App, _: &Caller, _dataset: &str) -> Result<Vec<Named>> {
    Ok(Vec::new())
}

/// The views that the caller may read, by their names.
pub(super) async fn views(_: &App, _: &Caller) -> Result<HashMap<String, Query>> {
    Ok(HashMap::new())
}
