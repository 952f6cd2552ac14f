//! `tidegauge logout`: gives the tokens of a sign-in back and forgets them.

use anyhow::{Context, bail};
use clap::Args;

use super::output;
use super::server::{self, CredentialArguments};
use crate::client::oauth::http::Http;
use crate::client::oauth::{store, tokens};

#[derive(Debug, Args)]
pub struct LogoutArguments {
    /// Address of the server.
    #[arg(long, env = "TIDEGAUGE_URL", default_value = server::URL, value_parser = server::url)]
    url: String,
    #[command(flatten)]
    credentials: CredentialArguments,
}

pub async fn run(arguments: LogoutArguments) -> anyhow::Result<()> {
    let server = store::name_of(&arguments.url)?;
    let store = arguments.credentials.store()?;
    let turn = store.turn().await?;
    let Some(sign_in) = store.remove(&turn, &server)? else {
        bail!("nobody is signed in at {server}");
    };
    drop(turn);
    let told = tokens::revoke(&Http::new()?, &sign_in).await;
    told.context("the tokens are deleted here, but the server could not be told to end them")?;
    output::line(&format!("signed out at {server}"));
    Ok(())
}
