//! The pages that people see in a browser: server-rendered, without script, with one stylesheet. Each page has a file
//! below; what they share is in `layout`, `visitor`, `form` and `refusals`. The page of the web interface, which has a
//! script, is `shell`.

pub mod account;
pub mod assets;
pub mod form;
pub mod interface_files;
pub mod labels;
pub mod layout;
pub mod login;
pub mod refusals;
pub mod return_to;
pub mod setup;
pub mod shell;
pub mod visitor;

use tidegauge_auth::Access;
use utoipa_axum::routes;

use super::api::{Api, Versions};

/// The routes of the pages. Whoever calls them is a browser, which is sent to sign in where that is needed.
pub fn routes(api: Api) -> Api {
    shell::routes(api)
        .add(Versions::None, Access::Public, routes!(login::login_page))
        .add(Versions::None, Access::Public, routes!(login::login))
        .add(Versions::None, Access::Public, routes!(login::logout))
        .add(Versions::None, Access::Public, routes!(setup::setup_page))
        .add(Versions::None, Access::Public, routes!(setup::use_link))
        .add(Versions::None, Access::Public, routes!(account::account_page))
        .add(Versions::None, Access::Public, routes!(account::change_password))
        .add(Versions::None, Access::Public, routes!(account::end_sessions))
}
