//! `tidegauge login`: signs in at a server and keeps the tokens for the commands that are its clients.

use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use reqwest::Url;
use tidegauge_model::Clock;
use tidegauge_model::os_rng::OsRng;
use tidegauge_model::time::SystemClock;

use super::server::{self, CredentialArguments};
use super::{output, whoami};
use crate::client::oauth::browser::{self, Wanted};
use crate::client::oauth::device::{self, Instructions};
use crate::client::oauth::discovery::{self, Found};
use crate::client::oauth::http::Http;
use crate::client::oauth::store;
use crate::client::oauth::tokens::{self, Tokens};

/// How long a person may take in the browser.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(600);

#[derive(Debug, Args)]
pub struct LoginArguments {
    /// Address of the server.
    #[arg(long, env = "TIDEGAUGE_URL", default_value = server::URL, value_parser = server::url)]
    url: String,
    /// Show a code to enter in a browser anywhere, instead of waiting for one on this machine.
    #[arg(long)]
    device: bool,
    /// Do not open a browser, only show the address.
    #[arg(long, conflicts_with = "device")]
    no_browser: bool,
    /// What the tokens are for: capabilities as area|action with spaces between them, or * for all that you may; that
    /// unless the server says another.
    #[arg(long)]
    scope: Option<String>,
    /// Id by which the authorisation server knows this command line, tidegauge-cli unless the server says another.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// The issuer to sign in at, where the server takes tokens of several; the first that it names unless told.
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    #[command(flatten)]
    credentials: CredentialArguments,
}

pub async fn run(arguments: LoginArguments) -> anyhow::Result<()> {
    let server = store::name_of(&arguments.url)?;
    let store = arguments.credentials.store()?;
    let http = Http::new()?;
    let found = discovery::discover(&http, &server, arguments.issuer.as_deref()).await?;
    let tokens = match tokio::time::timeout(LOGIN_TIMEOUT, sign_in(&http, &found, &arguments)).await {
        Ok(tokens) => tokens?,
        Err(_) => bail!("nobody signed in within {} minutes", LOGIN_TIMEOUT.as_secs() / 60),
    };
    let sign_in =
        tokens.into_sign_in(&found, found.login.client_id(arguments.client_id.as_deref()), SystemClock.now());
    let turn = store.turn().await?;
    let before = store.find(&server)?;
    store.put(&turn, &server, sign_in.clone())?;
    drop(turn);
    if let Some(before) = before {
        // Nobody will use it again; if that fails, it ends by itself.
        let _ = tokens::revoke(&http, &before).await;
    }
    let who = whoami::ask(&http, &server, &sign_in.access_token, None).await;
    let who = who.context("the tokens are kept, but the server did not say whose they are")?;
    output::line(&format!("signed in at {server} as {}", who.name()));
    output::note(&format!("the tokens are in {}", store.path().display()));
    Ok(())
}

async fn sign_in(http: &Http, found: &Found, arguments: &LoginArguments) -> anyhow::Result<Tokens> {
    let scope = found.login.scope(arguments.scope.as_deref(), &found.metadata);
    let client_id = found.login.client_id(arguments.client_id.as_deref());
    let wanted = Wanted { client_id, scope: &scope };
    if arguments.device || device::is_the_only_way(&found.metadata) {
        let wait = async |time| tokio::time::sleep(time).await;
        return device::sign_in(http, found, wanted, instruct, wait).await;
    }
    let show = |url: &Url| {
        output::note(&format!("to sign in, visit\n\n  {url}\n"));
        if !arguments.no_browser {
            open_browser(url);
        }
    };
    browser::sign_in(http, found, wanted, &OsRng, show).await
}

fn instruct(instructions: &Instructions) {
    let Instructions { address, code, complete } = instructions;
    output::note(&format!("to sign in, visit {address} and enter\n\n  {code}\n"));
    if let Some(complete) = complete {
        output::note(&format!("or visit {complete}"));
    }
}

/// Opens the address where there is a program for that. The address is shown in any case.
fn open_browser(url: &Url) {
    use std::process::{Command, Stdio};
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url.as_str()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A machine without a browser is no mistake.
    drop(command.spawn());
}
