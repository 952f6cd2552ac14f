//! `tidegauge org`: what only an operator decides about an organisation.

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use tidegauge_model::org::NoTransition;
use tidegauge_model::{Org, PaymentStatus, Timestamp};

use super::{operator, output};
use crate::config::arguments::SettingArguments;
use crate::http::resources::audit::AuditResponse;
use crate::http::resources::orgs::OrgResponse;
use crate::service::orgs::OrgWithRole;

#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// List the organisations: id, name, plan, payment status.
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
    #[command(flatten)]
    settings: SettingArguments,
}

#[derive(Debug, Args)]
pub struct OrgArguments {
    /// Id of the organisation; may be left out if there is only one.
    #[arg(long)]
    org: Option<String>,
    #[command(flatten)]
    settings: SettingArguments,
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
        OrgCommand::List(arguments) => list(&arguments.settings).await,
        OrgCommand::Show(target) => show(&target).await,
        OrgCommand::SetLimits(arguments) => set_limits(arguments).await,
        OrgCommand::SetPayment(arguments) => set_payment(arguments).await,
        OrgCommand::Audit(arguments) => audit(arguments).await,
    }
}

async fn list(settings: &SettingArguments) -> anyhow::Result<()> {
    let installation = operator::open(settings).await?;
    for org in installation.catalog.list_all_orgs().await? {
        let status = org.payment.status_at(installation.now()).name();
        output::line(&format!("{}\t{}\t{}\t{status}", org.id, org.name, org.plan.name()));
    }
    Ok(())
}

async fn show(target: &OrgArguments) -> anyhow::Result<()> {
    let installation = operator::open(&target.settings).await?;
    let org = operator::choose_org(&installation, target.org.as_deref()).await?;
    print(org, installation.now())
}

async fn set_limits(arguments: SetLimitsArguments) -> anyhow::Result<()> {
    let installation = operator::open(&arguments.target.settings).await?;
    let org = operator::choose_org(&installation, arguments.target.org.as_deref()).await?;
    let edit = |org: &mut Org| arguments.limits.iter().try_for_each(|limit| set_limit(org, limit));
    let changed = installation
        .catalog
        .update_org(&org.id, "org.limits", &operator::change(Some(&org.id)), edit)
        .await?;
    print(changed.context("the organisation is gone")??, installation.now())
}

fn set_limit(org: &mut Org, text: &str) -> anyhow::Result<()> {
    let Some((name, value)) = text.split_once('=') else {
        bail!("{text:?} is not of the form name=value");
    };
    let value: i64 = value.parse().with_context(|| format!("{name}: {value:?} is not a whole number"))?;
    let mut named = org.licence.limits.named();
    let names = named.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(" ");
    let Some((known, limit)) = named.iter_mut().find(|(known, _)| *known == name) else {
        bail!("{name:?} is not a limit; the limits are [{names}]");
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
        bail!(
            "{:?} is not a payment status; they are [{}]",
            arguments.status,
            PaymentStatus::names().join(" ")
        );
    };
    let installation = operator::open(&arguments.target.settings).await?;
    let org = operator::choose_org(&installation, arguments.target.org.as_deref()).await?;
    let now = installation.now();
    let edit = |org: &mut Org| -> Result<(), NoTransition> { org.payment.move_to(status, now) };
    let changed = installation
        .catalog
        .update_org(&org.id, "org.payment", &operator::change(Some(&org.id)), edit)
        .await?;
    print(changed.context("the organisation is gone")??, now)
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
    output::json(&entries.into_iter().map(AuditResponse::from).collect::<Vec<_>>())
}

fn print(org: Org, now: Timestamp) -> anyhow::Result<()> {
    output::json(&OrgResponse::of(OrgWithRole { org, role: None }, now))
}
