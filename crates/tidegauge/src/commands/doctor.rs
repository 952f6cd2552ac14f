//! `tidegauge doctor`: looks at the disk, the clock, and the catalogue against the segments, and says what is wrong and
//! what to do. It changes nothing and runs beside the service. `rebuild-catalog` makes the catalogue's entries anew
//! from the segments; for that the service must be stopped.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use tidegauge_cli::commands::output;
use tidegauge_model::Timestamp;
use tidegauge_model::dataset::{AUDIT_DATASET, AUDIT_KIND};
use tidegauge_store::{check_objects, rebuild};

use super::operator::{self, Installation};
use super::serve::open_folder;
use crate::config::Config;
use crate::config::arguments::SettingArguments;
use crate::config::needed::{Needed, Segments};

/// How many syncs are measured.
const SYNCS: usize = 64;

/// A sync that takes longer makes every request wait.
const SYNC_SLOW: Duration = Duration::from_millis(20);

/// Below this, the log may soon find no room.
const FREE_BYTES_MIN: u64 = 2 << 30;

/// While the service runs, an entry waits for a second or two.
const AUDIT_WAIT_MAX: Duration = Duration::from_secs(10 * 60);

/// What is measured is written in pieces of this size.
const PIECE: [u8; 4096] = [7; 4096];

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DoctorArguments {
    #[command(subcommand)]
    command: Option<DoctorCommand>,
    /// Read every segment and compare it with its checksum.
    #[arg(long)]
    deep: bool,
    #[command(flatten)]
    settings: Needed<Segments>,
}

#[derive(Debug, Subcommand)]
enum DoctorCommand {
    /// Put datasets and segments that the catalogue does not have back into it, from the segments alone.
    RebuildCatalog(RebuildArguments),
}

#[derive(Debug, Args)]
struct RebuildArguments {
    /// Organisation, by its name or its id, for datasets whose own the catalogue does not know; needed only if there
    /// are several.
    #[arg(long, value_name = "NAME|ID")]
    org: Option<String>,
    #[command(flatten)]
    settings: Needed<Segments>,
}

pub async fn run(arguments: DoctorArguments) -> anyhow::Result<()> {
    match arguments.command {
        Some(DoctorCommand::RebuildCatalog(arguments)) => rebuild_catalog(arguments).await,
        None => examine(&arguments.settings, arguments.deep).await,
    }
}

async fn examine(settings: &SettingArguments, is_deep: bool) -> anyhow::Result<()> {
    let config = operator::load(settings)?;
    let installation = operator::open(settings).await?;
    let mut report = Report::default();
    check_disk(&config, &mut report)?;
    match open_folder(&config.data)? {
        Some(problem) => report.bad("folder", &problem),
        None => report.good("folder", "other users of this machine cannot read it"),
    }
    check_clock(&installation, &mut report).await?;
    check_catalog(&installation, &mut report).await?;
    show_lease(&installation, &report).await?;
    check_quarantine(&config, &mut report)?;
    check_audit_datasets(&installation, &mut report).await?;
    let findings =
        check_objects(&installation.catalog, &config.store.objects, is_deep, installation.now()).await?;
    if findings.is_empty() {
        let depth = if is_deep { "every segment was read" } else { "read every segment with --deep" };
        report.good("segments", &format!("the catalogue and the objects fit together; {depth}"));
    }
    for finding in findings {
        report.bad("segments", &finding.to_string());
    }
    report.finish()
}

/// Lines of good and bad news.
#[derive(Default)]
struct Report {
    problems: usize,
}

impl Report {
    fn good(&self, what: &str, text: &str) {
        output::line(&format!("ok       {what}: {text}"));
    }

    fn bad(&mut self, what: &str, text: &str) {
        self.problems += 1;
        output::line(&format!("problem  {what}: {text}"));
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.problems {
            0 => Ok(()),
            1 => bail!("1 problem was found"),
            problems => bail!("{problems} problems were found"),
        }
    }
}

fn check_disk(config: &Config, report: &mut Report) -> anyhow::Result<()> {
    let mut times = measure_syncs(&config.data).context("measuring the disk")?;
    times.sort();
    let (half, worst) = (times[SYNCS / 2], times[SYNCS - 1]);
    let text = format!("a sync of 4 KiB takes {} µs, at most {} µs", half.as_micros(), worst.as_micros());
    if half > SYNC_SLOW {
        report.bad("disk", &format!("{text}: every request waits for one; use a faster disk for --data"));
    } else {
        report.good("disk", &text);
    }
    let space = rustix::fs::statvfs(&config.data).context("asking for free space")?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let text = format!("{:.1} GB free in {}", free as f64 / 1e9, config.data.display());
    if free < FREE_BYTES_MIN {
        report.bad("space", &format!("{text}: events are refused when it is used up; make room"));
    } else {
        report.good("space", &text);
    }
    Ok(())
}

/// Times the disk as the log uses it: appends to a file whose space was taken in advance.
fn measure_syncs(folder: &Path) -> std::io::Result<Vec<Duration>> {
    let path = folder.join(format!("doctor-{}.tmp", std::process::id()));
    let measured = (|| {
        let file = std::fs::File::create(&path)?;
        let space = (SYNCS * PIECE.len()) as u64;
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, space)?;
        file.sync_all()?;
        let mut times = Vec::with_capacity(SYNCS);
        for piece in 0..SYNCS {
            #[expect(clippy::disallowed_methods, reason = "a duration, not a time of day, is measured here")]
            let begun = Instant::now();
            std::os::unix::fs::FileExt::write_all_at(&file, &PIECE, (piece * PIECE.len()) as u64)?;
            file.sync_data()?;
            times.push(begun.elapsed());
        }
        Ok(times)
    })();
    let _ = std::fs::remove_file(&path);
    measured
}

/// A clock that went back would give new events older times of arrival than stored ones.
async fn check_clock(installation: &Installation, report: &mut Report) -> anyhow::Result<()> {
    let now = installation.now();
    let newest = installation.catalog.newest_commit_time().await?;
    match newest {
        Some(newest) if newest > now => {
            let text = format!("it is {now} here, and the catalogue was changed at {newest}: set the clock");
            report.bad("clock", &text);
        }
        _ => report.good("clock", &format!("it is {now}, after the last change of the catalogue")),
    }
    Ok(())
}

async fn check_catalog(installation: &Installation, report: &mut Report) -> anyhow::Result<()> {
    if installation.catalog.is_durable().await? {
        report.good("catalogue", "a change is on its disk before it is acknowledged");
    } else {
        report.bad("catalogue", "its database does not wait for its disk: a power cut can lose changes");
    }
    Ok(())
}

/// Who may write, so that it is known what has to be stopped, or waited for.
async fn show_lease(installation: &Installation, report: &Report) -> anyhow::Result<()> {
    let text = match installation.catalog.lease_holder().await? {
        None => "nobody has ever written to the catalogue".to_owned(),
        Some(last) if last.has_given_back() => format!("nobody has it; {last} gave it back"),
        Some(holder) if holder.ends_at > installation.now() => {
            format!("{holder} has it until {}, and renews it for as long as it runs", holder.ends_at)
        }
        Some(holder) => {
            format!(
                "{holder} had it until {} and did not give it back: the next start has it",
                holder.ends_at
            )
        }
    };
    report.good("lease", &text);
    Ok(())
}

/// What was damaged in the log when the service started lies in a folder of its own.
fn check_quarantine(config: &Config, report: &mut Report) -> anyhow::Result<()> {
    let folder = config.data.join("quarantine");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        report.good("log", "no part of it was ever damaged");
        return Ok(());
    };
    let mut is_empty = true;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            is_empty = false;
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            report.bad("log", &format!("{}; delete {} when it is dealt with", text.trim(), path.display()));
        }
    }
    if is_empty {
        report.good("log", "no part of it is damaged");
    }
    Ok(())
}

/// Whether the audit trail of each organisation can be put into its dataset. It cannot where somebody has made a dataset
/// or a view of that name before it was taken.
async fn check_audit_datasets(installation: &Installation, report: &mut Report) -> anyhow::Result<()> {
    let catalog = &installation.catalog;
    let mut taken = 0;
    for org in catalog.list_all_orgs().await? {
        let what = match catalog.find_dataset(&org.id, AUDIT_DATASET).await? {
            Some(dataset) if dataset.kind != AUDIT_KIND => "a dataset",
            Some(_) => continue,
            None if catalog.view_by_name(&org.id, AUDIT_DATASET).await?.is_some() => "a view",
            None => continue,
        };
        taken += 1;
        let text = format!(
            "the organisation {:?} has {what} of its own with the name {AUDIT_DATASET}: its audit trail is not there as \
             events until that is deleted",
            org.name
        );
        report.bad("audit", &text);
    }
    let size = catalog.feed_size().await?;
    let waits_since = installation.now().minus(AUDIT_WAIT_MAX);
    if taken == 0 && size.oldest.is_some_and(|oldest| oldest < waits_since) {
        let text = format!(
            "{} entries of audit trails wait to be put into datasets: start the service",
            size.waiting
        );
        report.bad("audit", &text);
    } else if taken == 0 {
        report.good(
            "audit",
            &format!("the audit trail of each organisation is in its dataset {AUDIT_DATASET}"),
        );
    }
    Ok(())
}

async fn rebuild_catalog(arguments: RebuildArguments) -> anyhow::Result<()> {
    let config = operator::load(&arguments.settings)?;
    let installation = operator::open(&arguments.settings).await?;
    let org = match &arguments.org {
        Some(org) => Some(operator::choose_org(&installation, Some(org)).await?.id),
        None => operator::choose_org(&installation, None).await.ok().map(|org| org.id),
    };
    let now: Timestamp = installation.now();
    let change = operator::change(org.as_ref());
    let rebuilt = rebuild(&installation.catalog, &config.store, org.as_ref(), now, &change)
        .await
        .context("rebuilding the catalogue")?;
    for skipped in &rebuilt.skipped {
        output::note(skipped);
    }
    let (datasets, segments, rows) = (rebuilt.datasets, rebuilt.segments, rebuilt.rows);
    output::line(&format!("put back {datasets} datasets with {segments} segments and {rows} events"));
    Ok(())
}
