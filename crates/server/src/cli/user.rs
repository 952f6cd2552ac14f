//! `tidegauge user`: lets a person in by a one-time link, also when nobody can sign in any more.

use anyhow::Context;
use clap::{Args, Subcommand};

use super::{operator, output};
use crate::config::arguments::SettingArguments;
use crate::config::layers;
use crate::service::links;

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Print a one-time link by which a user sets a new password. It ends earlier links, and a lock-out after failures.
    Link(LinkArguments),
}

#[derive(Debug, Args)]
pub struct LinkArguments {
    /// E-mail address of the user.
    email: String,
    #[command(flatten)]
    settings: SettingArguments,
}

pub async fn run(command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::Link(arguments) => link(arguments).await,
    }
}

async fn link(arguments: LinkArguments) -> anyhow::Result<()> {
    let config = layers::load(&arguments.settings)?;
    let installation = operator::open(&arguments.settings).await?;
    let email = arguments.email.to_lowercase();
    let found = installation.catalog.find_person_by_email(&email).await?;
    let person = found.with_context(|| format!("there is no user with the address {email}"))?;
    let change = operator::change(None);
    let made = links::make(&installation.catalog, &installation.chance, &person, &change).await?;
    output::line(&made.address(&config.public_url_at(config.listen)));
    Ok(())
}
