//! When the API tokens of an organisation were last used, who made them and when.

use tidegauge_catalog::token_uses::TokenUse;

use super::{Caller, Result};
use crate::app::App;

/// Those that the caller may read, with uses up to this moment.
pub async fn list(app: &App, caller: &Caller) -> Result<Vec<TokenUse>> {
    let mut uses = app.catalog.token_uses(caller.org()?).await?;
    for token in &mut uses {
        token.last_used_at = app.last_uses.last(&token.id, token.last_used_at);
    }
    Ok(uses)
}
