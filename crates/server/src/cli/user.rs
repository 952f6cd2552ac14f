//! `tidegauge user`: who there is, and one-time links that let a person in, also when nobody can sign in any more.

use anyhow::Context;
use clap::{Args, Subcommand};
use serde::Serialize;
use tidegauge_catalog::people::Member;

use super::output::{self, List};
use super::{address, operator};
use crate::config::layers;
use crate::config::needed::{Address, Catalogue, Needed};
use crate::service::links;

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// List the users of all organisations, or of one.
    List(ListArguments),
    /// Print a one-time link by which a user sets a new password. It ends earlier links, and a lock-out after failures.
    Link(LinkArguments),
}

#[derive(Debug, Args)]
pub struct ListArguments {
    /// Organisation, by its name or its id. Without it, all are listed.
    #[arg(long, value_name = "NAME|ID")]
    org: Option<String>,
    /// Print everything that is known, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Needed<Catalogue>,
}

/// A user in an organisation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    email: String,
    name: String,
    role: String,
    org: String,
    org_name: String,
    created_at: String,
}

#[derive(Debug, Args)]
pub struct LinkArguments {
    /// E-mail address of the user.
    email: String,
    #[command(flatten)]
    settings: Needed<Address>,
}

pub async fn run(command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::List(arguments) => list(arguments).await,
        UserCommand::Link(arguments) => link(arguments).await,
    }
}

async fn list(arguments: ListArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.settings).await?;
    let orgs = match &arguments.org {
        Some(org) => vec![operator::choose_org(&installation, Some(org)).await?],
        None => installation.catalog.list_all_orgs().await?,
    };
    let mut users = Vec::new();
    for org in orgs {
        for Member { person, role, main } in installation.catalog.list_members(&org.id).await? {
            users.push(Listed {
                id: person.id.to_string(),
                email: person.email,
                name: person.name,
                role: main.map_or_else(|| role.id().to_owned(), |main| main.name),
                org: org.id.to_string(),
                org_name: org.name.clone(),
                created_at: person.created.to_string(),
            });
        }
    }
    if arguments.json {
        return output::json(&users);
    }
    let mut list = List::new(["id", "email", "role", "organisation", "name"], "there are no users");
    for Listed { id, email, name, role, org_name, .. } in users {
        list.add([id, email, role, org_name, name]);
    }
    list.print()
}

async fn link(arguments: LinkArguments) -> anyhow::Result<()> {
    let config = layers::load(&arguments.settings)?;
    let installation = operator::open(&arguments.settings).await?;
    let email = arguments.email.to_lowercase();
    let found = installation.catalog.find_person_by_email(&email).await?;
    let person = found.with_context(|| {
        format!("there is no user with the address {email}: `tidegauge user list` lists them")
    })?;
    let change = operator::change(None);
    let made = links::make(&installation.catalog, &installation.chance, &person, &change).await?;
    output::line(&made.address(&address::find(&config, &arguments.settings)));
    Ok(())
}
