//! `tidegauge org`: what only an operator decides about an organisation.

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand};
use tidegauge_app::service::orgs::OrgWithRole;
use tidegauge_cli::commands::failure::wrong_arguments;
use tidegauge_cli::commands::output::{self, List};
use tidegauge_http::resources::audit::AuditResponse;
use tidegauge_http::resources::orgs::OrgResponse;
use tidegauge_model::org::NoTransition;
use tidegauge_model::{Org, PaymentStatus, Timestamp};

use super::operator;
use crate::config::needed::{Catalogue, Needed};

#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// List the organisations.
    List(ListArguments),
    /// Show one organisation with its licence.
    Show(OrgArguments),
    /// Set limits of the licence, such as maxUsers=50.
    SetLimits(SetLimitsArguments),
    /// Move to another payment status: success, failed or blocked.
    SetPayment(SetPaymentArguments),
    /// Show the newest entries of the audit trail.
    Audit(AuditArguments),
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
pub struct OrgArguments {
    /// Organisation, by its name or its id; may be left out if there is only one.
    #[arg(long, value_name = "NAME|ID")]
    org: Option<String>,
    /// Print everything that is known, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Needed<Catalogue>,
}

#[derive(Debug, Args)]
pub struct SetLimitsArguments {
    /// Limits as name=value.
    #[arg(required = true, value_name = "NAME=VALUE")]
    limits: Vec<String>,
    #[command(flatten)]
    target: OrgArguments,
}

#[derive(Debug, Args)]
pub struct SetPaymentArguments {
    /// The payment status to move to.
    status: String,
    #[command(flatten)]
    target: OrgArguments,
}

#[derive(Debug, Args)]
pub struct AuditArguments {
    /// Show refused calls that belong to no organisation instead.
    #[arg(long)]
    anonymous: bool,
    #[command(flatten)]
    target: OrgArguments,
}

const AUDIT_ENTRIES: i64 = 1_000;

pub async fn run(command: OrgCommand) -> anyhow::Result<()> {
    match command {
        OrgCommand::List(arguments) => list(&arguments).await,
        OrgCommand::Show(target) => show(&target).await,
        OrgCommand::SetLimits(arguments) => set_limits(arguments).await,
        OrgCommand::SetPayment(arguments) => set_payment(arguments).await,
        OrgCommand::Audit(arguments) => audit(arguments).await,
    }
}

async fn list(arguments: &ListArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.settings).await?;
    let (orgs, now) = (installation.catalog.list_all_orgs().await?, installation.now());
    if arguments.json {
        let response = |org| OrgResponse::of(OrgWithRole { org, role: None }, now);
        return output::json(&orgs.into_iter().map(response).collect::<Vec<_>>());
    }
    let mut list = List::new(["id", "name", "plan", "payment"], "there are no organisations");
    for org in orgs {
        let (plan, payment) = (org.plan.name().to_owned(), org.payment.status_at(now).name().to_owned());
        list.add([org.id.to_string(), org.name, plan, payment]);
    }
    list.print()
}

async fn show(target: &OrgArguments) -> anyhow::Result<()> {
    let installation = operator::open(&target.settings).await?;
    let org = operator::choose_org(&installation, target.org.as_deref()).await?;
    print(org, installation.now(), target.json)
}

async fn set_limits(arguments: SetLimitsArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.target.settings).await?;
    let org = operator::choose_org(&installation, arguments.target.org.as_deref()).await?;
    let edit = |org: &mut Org| arguments.limits.iter().try_for_each(|limit| set_limit(org, limit));
    let changed = installation
        .catalog
        .update_org(&org.id, "org.limits", &operator::change(Some(&org.id)), edit)
        .await?;
    let changed = changed.context("the organisation is gone")?.map_err(wrong_arguments)?;
    print(changed, installation.now(), arguments.target.json)
}

fn set_limit(org: &mut Org, text: &str) -> anyhow::Result<()> {
    let Some((name, value)) = text.split_once('=') else {
        bail!("{text:?} is not of the form name=value");
    };
    let value: i64 = value.parse().with_context(|| format!("{name}: {value:?} is not a whole number"))?;
    let mut named = org.licence.limits.named();
    let names = named.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
    let Some((known, limit)) = named.iter_mut().find(|(known, _)| *known == name) else {
        bail!("{name:?} is not a limit; the limits are {names}");
    };
    let least = if *known == "apiRateLimitPerSecond" { 1 } else { 0 };
    if value < least {
        bail!("{name} must be at least {least}");
    }
    **limit = value;
    Ok(())
}

async fn set_payment(arguments: SetPaymentArguments) -> anyhow::Result<()> {
    let Some(status) = PaymentStatus::from_name(&arguments.status) else {
        let names = PaymentStatus::names().join(", ");
        let message = format!("{:?} is not a payment status; they are {names}", arguments.status);
        return Err(wrong_arguments(anyhow!(message)));
    };
    let installation = operator::open(&arguments.target.settings).await?;
    let org = operator::choose_org(&installation, arguments.target.org.as_deref()).await?;
    let now = installation.now();
    let edit = |org: &mut Org| -> Result<(), NoTransition> { org.payment.move_to(status, now) };
    let changed = installation
        .catalog
        .update_org(&org.id, "org.payment", &operator::change(Some(&org.id)), edit)
        .await?;
    print(changed.context("the organisation is gone")??, now, arguments.target.json)
}

async fn audit(arguments: AuditArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.target.settings).await?;
    let org = if arguments.anonymous {
        None
    } else {
        Some(operator::choose_org(&installation, arguments.target.org.as_deref()).await?.id)
    };
    let beginning = Timestamp::from_micros(i64::MIN);
    let entries = installation.catalog.list_audit(org.as_ref(), beginning, i64::MAX, AUDIT_ENTRIES).await?;
    let entries = entries.into_iter().map(AuditResponse::from);
    if arguments.target.json {
        return output::json(&entries.collect::<Vec<_>>());
    }
    let columns = ["time", "actor", "action", "resource", "outcome", "count", "detail"];
    let mut list = List::new(columns, "there are no entries");
    for AuditResponse { time, actor, action, resource, outcome, count, detail, .. } in entries {
        list.add([time, actor, action, resource, outcome, count.to_string(), detail]);
    }
    list.print()
}

fn print(org: Org, now: Timestamp, is_json: bool) -> anyhow::Result<()> {
    if is_json {
        return output::json(&OrgResponse::of(OrgWithRole { org, role: None }, now));
    }
    let Org { id, name, plan, payment, mut licence, .. } = org;
    let mut lines = vec![
        ("id", id.to_string()),
        ("name", name),
        ("plan", plan.name().to_owned()),
        ("payment", payment.status_at(now).name().to_owned()),
    ];
    lines.extend(licence.limits.named().map(|(limit, value)| (limit, value.to_string())));
    output::record(&lines);
    Ok(())
}
