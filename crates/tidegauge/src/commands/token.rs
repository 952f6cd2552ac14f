//! `tidegauge token`: tokens made and deleted by the operator, also when nobody has one any more.

use std::collections::BTreeMap;

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand};
use serde::Serialize;
use tidegauge_app::service::capabilities::{self, CapabilityInput};
use tidegauge_auth::{TokenKind, TokenSecret};
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Member;
use tidegauge_cli::commands::failure::wrong_arguments;
use tidegauge_cli::commands::output::{self, List};
use tidegauge_http::resources::tokens::TokenResponse;
use tidegauge_model::address::fold_email;
use tidegauge_model::capability::ANY;
use tidegauge_model::{Capabilities, Org, OrgId, Role, Timestamp, TokenId, UserId};

use super::operator::{self, Installation};
use crate::config::needed::{Catalogue, Needed};

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// List the tokens of all organisations with their last use.
    List(ListArguments),
    /// Make a token and print it.
    Create(CreateArguments),
    /// Delete a token; it stops working at once.
    Delete(DeleteArguments),
}

#[derive(Debug, Args)]
pub struct ListArguments {
    /// Print everything that is known, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Needed<Catalogue>,
}

#[derive(Debug, Args)]
pub struct CreateArguments {
    /// Name of the token.
    name: String,
    /// Make a personal token for the member with this e-mail address, instead of an API token.
    #[arg(long, value_name = "EMAIL", conflicts_with_all = ["grant", "all"])]
    personal: Option<String>,
    /// A capability, as area|action or, for datasets, dataset:area|action (with * for every dataset). Repeat it for
    /// more.
    #[arg(long, value_name = "CAPABILITY")]
    grant: Vec<String>,
    /// Give it every capability.
    #[arg(long, conflicts_with = "grant")]
    all: bool,
    /// When it stops working, such as 2030-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
    /// End it when the member with this e-mail address leaves the organisation. It counts as made by that member.
    #[arg(long, value_name = "EMAIL", conflicts_with = "personal")]
    ends_with: Option<String>,
    /// Organisation, by its name or its id; may be left out if there is only one.
    #[arg(long, value_name = "NAME|ID")]
    org: Option<String>,
    #[command(flatten)]
    settings: Needed<Catalogue>,
}

#[derive(Debug, Args)]
pub struct DeleteArguments {
    /// Id of the token, as `tidegauge token list` shows it.
    id: String,
    #[command(flatten)]
    settings: Needed<Catalogue>,
}

/// A token as the operator sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedToken {
    kind: &'static str,
    org: Option<String>,
    user: String,
    created_at: String,
    last_used_at: Option<String>,
    #[serde(flatten)]
    record: TokenResponse,
}

pub async fn run(command: TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::List(arguments) => list(arguments).await,
        TokenCommand::Create(arguments) => create(arguments).await,
        TokenCommand::Delete(arguments) => delete(arguments).await,
    }
}

async fn list(arguments: ListArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.settings).await?;
    let tokens = installation.catalog.list_all_tokens().await?;
    if arguments.json {
        return output::json(&tokens.into_iter().map(listed).collect::<Vec<_>>());
    }
    let names = Names::read(&installation).await?;
    let columns = ["id", "kind", "organisation", "user", "created", "last used", "expires", "name"];
    let mut list = List::new(columns, "there are no tokens");
    let time = |time: Option<Timestamp>| time.map_or_else(String::new, |time| time.to_string());
    for token in tokens {
        let kind = if token.org.is_some() { "api" } else { "personal" };
        let org = token.org.as_ref().map_or_else(String::new, |org| names.of_org(org));
        let (user, created) = (names.of_user(&token.person), token.created.to_string());
        let (used, expires) = (time(token.last_used_at), end(&token));
        list.add([token.id.to_string(), kind.to_owned(), org, user, created, used, expires, token.name]);
    }
    list.print()
}

/// When a token ends: at a time, with the membership of its user, or both.
fn end(token: &Token) -> String {
    match (token.expires_at, token.ends_with_membership) {
        (Some(time), false) => time.to_string(),
        (Some(time), true) => format!("{time} or with its user"),
        (None, true) => "with its user".to_owned(),
        (None, false) => String::new(),
    }
}

/// What organisations and users are called.
struct Names {
    orgs: BTreeMap<String, String>,
    users: BTreeMap<String, String>,
}

impl Names {
    async fn read(installation: &Installation) -> anyhow::Result<Self> {
        let (mut orgs, mut users) = (BTreeMap::new(), BTreeMap::new());
        for org in installation.catalog.list_all_orgs().await? {
            for member in installation.catalog.list_members(&org.id).await? {
                users.insert(member.person.id.to_string(), member.person.email);
            }
            orgs.insert(org.id.to_string(), org.name);
        }
        Ok(Self { orgs, users })
    }

    fn of_org(&self, id: &OrgId) -> String {
        self.orgs.get(id.as_str()).cloned().unwrap_or_else(|| id.to_string())
    }

    /// By the address, or by the id for somebody who has left.
    fn of_user(&self, id: &UserId) -> String {
        self.users.get(id.as_str()).cloned().unwrap_or_else(|| id.to_string())
    }
}

fn listed(token: Token) -> ListedToken {
    ListedToken {
        kind: if token.org.is_some() { "api" } else { "personal" },
        org: token.org.as_ref().map(ToString::to_string),
        user: token.person.to_string(),
        created_at: token.created.to_string(),
        last_used_at: token.last_used_at.map(|time| time.to_string()),
        record: token.into(),
    }
}

async fn create(arguments: CreateArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.settings).await?;
    let org = operator::choose_org(&installation, arguments.org.as_deref()).await?;
    let expires_at = arguments.expires_at.as_deref().map(Timestamp::parse).transpose();
    let expires_at = expires_at.map_err(wrong_arguments)?;
    if expires_at.is_some_and(|time| time <= installation.now()) {
        return Err(wrong_arguments(anyhow!("--expires-at must be in the future")));
    }
    let (kind, person, capabilities) = match &arguments.personal {
        Some(email) => {
            (TokenKind::Personal, a_member(&installation, &org, email).await?, Capabilities::default())
        }
        None => {
            let granted = granted(&arguments).map_err(wrong_arguments)?;
            (TokenKind::Api, a_maker(&installation, &org, arguments.ends_with.as_deref()).await?, granted)
        }
    };
    let now = installation.now();
    let secret = TokenSecret::generate(kind, &installation.rng);
    let token = Token {
        id: TokenId::generate(now, &installation.rng),
        org: (kind == TokenKind::Api).then(|| org.id.clone()),
        person,
        name: arguments.name,
        description: "Made by the operator".to_owned(),
        capabilities,
        created: now,
        expires_at,
        last_used_at: None,
        ends_with_membership: arguments.ends_with.is_some(),
    };
    installation.catalog.insert_token(&token, &secret.digest(), &operator::change(Some(&org.id))).await?;
    output::line(secret.reveal());
    Ok(())
}

/// The member that a personal token is for. Who hands them the token lets the membership count.
async fn a_member(installation: &Installation, org: &Org, email: &str) -> anyhow::Result<UserId> {
    let member = find_member(installation, org, email).await?;
    if !member.accepted {
        let change = operator::change(Some(&org.id));
        installation.catalog.accept_membership(&org.id, &member.person.id, &change).await?;
    }
    Ok(member.person.id)
}

/// An API token needs somebody who answers for it: the member that it ends with, or an owner.
async fn a_maker(installation: &Installation, org: &Org, ends_with: Option<&str>) -> anyhow::Result<UserId> {
    let Some(email) = ends_with else {
        let members = installation.catalog.list_members(&org.id).await?;
        let owner = members.into_iter().find(|member| member.role == Role::Owner && member.accepted);
        return Ok(owner.context("the organisation has no owner")?.person.id);
    };
    let found = find_member(installation, org, email).await?;
    if !found.accepted {
        bail!("{email} has not accepted the invitation to {}: the token would have ended already", org.name);
    }
    Ok(found.person.id)
}

async fn find_member(installation: &Installation, org: &Org, email: &str) -> anyhow::Result<Member> {
    let found = installation.catalog.find_member_by_email(&org.id, &fold_email(email)).await?;
    found.with_context(|| format!("there is no user with the address {email} in {}", org.name))
}

fn granted(arguments: &CreateArguments) -> anyhow::Result<Capabilities> {
    if arguments.all {
        return Ok(Capabilities::all());
    }
    if arguments.grant.is_empty() {
        bail!("give the token something to do with --grant, or --all");
    }
    let mut input = CapabilityInput::default();
    for grant in &arguments.grant {
        let Some((area, action)) = grant.rsplit_once('|') else {
            bail!("{grant:?} is not of the form area|action or dataset:area|action");
        };
        let actions = match area.rsplit_once(':') {
            Some((dataset, area)) => {
                let areas = input.dataset.entry(dataset.to_owned()).or_insert_with(|| Some(BTreeMap::new()));
                areas.get_or_insert_default().entry(area.to_owned()).or_default()
            }
            None => input.org.entry(area.to_owned()).or_default(),
        };
        actions.get_or_insert_default().push(action.to_owned());
    }
    capabilities::read(&input).map_err(|violation| {
        anyhow::anyhow!("{} (for datasets write {ANY}:query|read or name:query|read)", violation.problem)
    })
}

async fn delete(arguments: DeleteArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.settings).await?;
    if !installation
        .catalog
        .revoke_token(&TokenId::from(arguments.id.as_str()), &operator::change(None))
        .await?
    {
        bail!("there is no token {}: `tidegauge token list` lists them", arguments.id);
    }
    output::line(&format!("deleted {}", arguments.id));
    Ok(())
}
