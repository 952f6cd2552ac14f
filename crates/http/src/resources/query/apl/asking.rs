//! A query in text with how its answer is to look, from all parts of its request.

use tidegauge_app::service::query::apl::AplInput;
use tidegauge_app::service::query::history::Kept;
use tidegauge_web::error::ApiError;

use super::body::AplRequest;
use super::parameters::AplAsked;
use crate::resources::query::parameters::Format;

/// A query in text, understood as far as its request goes.
#[derive(Debug)]
pub struct Asking {
    pub input: AplInput,
    pub format: Format,
    pub shows_nulls: bool,
    /// Whether its asker wants to see a part while the whole takes its time.
    pub shows_parts: bool,
}

impl Asking {
    /// The request of a query with what its address says, and its text as it is kept.
    pub fn new(request: AplRequest, asked: AplAsked, text: String) -> Result<Self, ApiError> {
        let shows_nulls = request.shows_nulls();
        let mut input = request.into_input()?;
        input.run_options = asked.run_options;
        input.cursor = input.cursor.or(asked.cursor);
        input.kept = asked.save_as.map(|save_as| Kept { save_as, text });
        Ok(Self { input, format: asked.format, shows_nulls, shows_parts: asked.shows_parts })
    }
}
