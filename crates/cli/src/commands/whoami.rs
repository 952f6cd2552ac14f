//! `tidegauge whoami`: whose token is sent to a server, and what its owner is there.

use clap::Args;
use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

use super::output;
use super::server::{Connection, ServerArguments};
use crate::client::address::address;
use crate::client::oauth::http::{Http, Status, printable};

#[derive(Debug, Args)]
pub struct WhoamiArguments {
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArguments,
}

/// Who a token belongs to.
#[derive(Debug, Serialize)]
pub struct Who {
    /// `None` for an API token, which is nobody's.
    user: Option<User>,
    orgs: Vec<Org>,
}

#[derive(Debug, Deserialize, Serialize)]
struct User {
    id: String,
    name: String,
    email: String,
}

#[derive(Debug, Deserialize, Serialize)]
struct Org {
    id: String,
    name: String,
    #[serde(default)]
    role: Option<String>,
}

impl Who {
    /// The person in one line.
    pub fn name(&self) -> String {
        match &self.user {
            Some(user) => printable(&format!("{} <{}>", user.name, user.email)),
            None => "an API token".to_owned(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.name()];
        lines.extend(self.user.as_ref().map(|user| printable(&user.id)));
        for org in &self.orgs {
            let role = org.role.as_deref().filter(|_| self.user.is_some()).unwrap_or("member");
            lines.push(printable(&format!("{role} in {} ({})", org.name, org.id)));
        }
        lines
    }
}

pub async fn run(arguments: WhoamiArguments) -> anyhow::Result<()> {
    let Connection { url, bearer, org } = arguments.server.connect().await?;
    let who = ask(&Http::new()?, &url, &bearer.token().await?, org.as_deref()).await?;
    if arguments.json {
        return output::json(&who);
    }
    for line in who.lines() {
        output::line(&line);
    }
    Ok(())
}

/// Asks a server whose a token is; of the organisations only the one that is named, if one is.
pub async fn ask(http: &Http, server: &str, token: &str, org: Option<&str>) -> anyhow::Result<Who> {
    let user = match http.with_token(&address(server, &["v2", "user"])?, token).await {
        Ok(user) => Some(user),
        Err(error) => match error.downcast_ref::<Status>() {
            Some(Status(StatusCode::FORBIDDEN, _)) => None,
            _ => return Err(error),
        },
    };
    let mut orgs: Vec<Org> = http.with_token(&address(server, &["v2", "orgs"])?, token).await?;
    orgs.retain(|known| org.is_none_or(|org| known.id == org));
    Ok(Who { user, orgs })
}
