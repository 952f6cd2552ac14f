//! `tidegauge oauth`: what the operator does for the embedded authorisation server.

use clap::{Args, Subcommand};
use tidegauge_app::service::oauth::keys::{self, Takeover};
use tidegauge_cli::commands::output;

use super::operator;
use crate::config::needed::{Catalogue, Needed};

#[derive(Debug, Subcommand)]
pub enum OauthCommand {
    /// Make a new key for access tokens. It is published now and signs after a day; the others stay until their last
    /// token has ended.
    RotateKeys(RotateArguments),
}

#[derive(Debug, Args)]
pub struct RotateArguments {
    /// Let the new key sign at once, and let nothing that the others have signed count any more: when a key has leaked.
    #[arg(long)]
    at_once: bool,
    #[command(flatten)]
    settings: Needed<Catalogue>,
}

pub async fn run(command: OauthCommand) -> anyhow::Result<()> {
    let OauthCommand::RotateKeys(arguments) = command;
    let installation = operator::open(&arguments.settings).await?;
    let takeover = if arguments.at_once { Takeover::AtOnce } else { Takeover::WithOverlap };
    let change = operator::change(None);
    let kid = keys::rotate(&installation.catalog, installation.now(), takeover, &change).await?;
    output::line(&kid);
    Ok(())
}
