//! `tidegauge user`: who there is, and one-time links that let a person in, also when nobody can sign in any more.

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde::Serialize;
use tidegauge_app::service::invite_links;
use tidegauge_catalog::users::Member;
use tidegauge_cli::commands::output::{self, List};
use tidegauge_model::OrgId;
use tidegauge_model::address::fold_email;

use super::address;
use super::operator::{self, Installation};
use crate::config::needed::{Address, Catalogue, Needed};

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// List the users of all organisations, or of one.
    List(ListArguments),
    /// Print a one-time link by which a user sets a new password, or accepts to be a member. It ends earlier links, and a
    /// lock-out after failures.
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
    /// Whether the user has accepted to be a member; until then it gives them nothing.
    accepted: bool,
    created_at: String,
}

#[derive(Debug, Args)]
pub struct LinkArguments {
    /// E-mail address of the user, or their id.
    #[arg(value_name = "EMAIL|ID")]
    user: String,
    /// Organisation, by its name or its id, whose member is meant. Needed where several users have the address.
    #[arg(long, value_name = "NAME|ID")]
    org: Option<String>,
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
        for Member { person, role, main, accepted } in installation.catalog.list_members(&org.id).await? {
            users.push(Listed {
                id: person.id.to_string(),
                email: person.email,
                name: person.name,
                role: main.map_or_else(|| role.id().to_owned(), |main| main.name),
                org: org.id.to_string(),
                org_name: org.name.clone(),
                accepted,
                created_at: person.created.to_string(),
            });
        }
    }
    if arguments.json {
        return output::json(&users);
    }
    let mut list =
        List::new(["id", "email", "role", "organisation", "accepted", "name"], "there are no users");
    for Listed { id, email, name, role, org_name, accepted, .. } in users {
        list.add([id, email, role, org_name, if accepted { "yes" } else { "no" }.to_owned(), name]);
    }
    list.print()
}

async fn link(arguments: LinkArguments) -> anyhow::Result<()> {
    let config = operator::load(&arguments.settings)?;
    let installation = operator::open(&arguments.settings).await?;
    let made = make_link(&installation, &fold_email(&arguments.user), arguments.org.as_deref()).await?;
    output::line(&made.address(&address::find(&config, &arguments.settings)));
    Ok(())
}

async fn make_link(
    installation: &Installation,
    user: &str,
    org: Option<&str>,
) -> anyhow::Result<invite_links::NewInviteLink> {
    let Installation { catalog, rng } = installation;
    if let Some((org, member)) = find_member(installation, user, org).await? {
        let change = operator::change(Some(&org));
        return Ok(invite_links::make_for_member(catalog, rng, &org, &member, &change).await?);
    }
    // Somebody who has left every organisation can still be let in, to make one.
    let account = catalog.find_account_by_sign_in(user).await?;
    let account = account
        .with_context(|| format!("there is no user {user} there: `tidegauge user list` lists them"))?;
    Ok(invite_links::make(catalog, rng, &account.person, &operator::change(None)).await?)
}

/// The member of one organisation, or of all, with this address or id. The account that signs in with it is meant, if
/// there is one; of several others one has to be chosen.
async fn find_member(
    installation: &Installation,
    user: &str,
    org: Option<&str>,
) -> anyhow::Result<Option<(OrgId, Member)>> {
    let orgs = match org {
        Some(org) => vec![operator::choose_org(installation, Some(org)).await?],
        None => installation.catalog.list_all_orgs().await?,
    };
    let account = installation.catalog.find_account_by_sign_in(user).await?.map(|account| account.person.id);
    let mut found: Vec<(OrgId, Member)> = Vec::new();
    for org in orgs {
        for member in installation.catalog.list_members(&org.id).await? {
            if account.as_ref() == Some(&member.person.id) {
                return Ok(Some((org.id, member)));
            }
            if member.person.email == user || member.person.id.as_str() == user {
                found.push((org.id.clone(), member));
            }
        }
    }
    // The same account in several organisations is one.
    found.sort_by(|one, other| one.1.person.id.cmp(&other.1.person.id));
    found.dedup_by(|one, other| one.1.person.id == other.1.person.id);
    if found.len() > 1 {
        bail!(
            "{} users have the address {user}: name an organisation with --org, or a user by the id",
            found.len()
        );
    }
    Ok(found.pop())
}
