//! `tidegauge serve`: opens everything in order, serves, and closes in the opposite order.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use tidegauge_admission::config::{FirstStart, PublicUrl};
use tidegauge_app::jobs::Jobs;
use tidegauge_app::service::first_start::{self, Made};
use tidegauge_cli::commands::output;
use tidegauge_http::serve::{Ports, listen, outlive_hangups, serve, stop_signal};
use tidegauge_listeners::Listeners;

use super::{address, operator};
use crate::config::Config;
use crate::config::arguments::SettingArguments;
use crate::telemetry;

#[derive(Debug, Args)]
pub struct ServeArguments {
    #[command(flatten)]
    settings: SettingArguments,
}

pub async fn run(arguments: ServeArguments) -> anyhow::Result<()> {
    outlive_hangups()?;
    let config = operator::load(&arguments.settings)?;
    telemetry::start(&config.log)?;
    let _lock = lock_data_folder(&config.data)?;
    if let Some(problem) = open_folder(&config.data)? {
        tracing::warn!("{problem}");
    }
    let ports = Ports {
        all: listen(config.listen, "listen")?,
        otlp_grpc: config.otlp_grpc_listen.map(|port| listen(port, "otlp-grpc-listen")).transpose()?,
    };
    let address = ports.all.local_addr()?;

    let app = operator::open_app(&config, address, config.public_url_at(address)).await?;
    address::keep(&config.data, &app.public_url)?;
    let made = first_start::set_up(&app.catalog, &config.first_start, &*app.rng, app.now()).await?;
    if let Some(made) = made {
        welcome(&made, &config.first_start, &app.public_url);
    }
    if !app.catalog.is_durable().await? {
        tracing::warn!("the catalogue's database does not wait for its disk: a power cut can lose changes");
    }
    let stop = stop_signal();
    let listeners = Listeners::start(&app, &config.listeners).await?;
    let jobs = Jobs::start(&app);
    for (what, address) in listeners.addresses() {
        output::line(&format!("Takes {what} at {address}"));
    }
    if let Some(port) = &ports.otlp_grpc {
        output::line(&format!("Takes OTLP over gRPC at {}", port.local_addr()?));
    }
    let scheme = if config.serving.tls.is_some() { "https" } else { "http" };
    output::line(&format!("Tidegauge {} listens on {scheme}://{address}", env!("CARGO_PKG_VERSION")));
    tracing::info!(%address, data = %config.data.display(), catalog = catalog_kind(&config), "serving");

    let mut taken_over = None;
    let stop = async {
        tokio::select! {
            () = stop => {}
            // What others publish is not seen here, so that even answers would be wrong before long.
            reason = app.store.lease_lost() => taken_over = Some(reason),
        }
    };
    let served = serve(&app, &config.serving, ports, stop).await;
    listeners.stop(config.serving.shutdown_grace).await;
    jobs.stop(&app).await;
    app.catalog.close().await;
    if let Some(reason) = taken_over {
        bail!("{reason}");
    }
    tracing::info!("stopped");
    served
}

/// One service per data folder: a second one would write the same files.
fn lock_data_folder(data: &Path) -> anyhow::Result<File> {
    tidegauge_store::make_folder(data)
        .with_context(|| format!("making the data folder {}", data.display()))?;
    let path = data.join("lock");
    let file = File::create(&path).with_context(|| format!("making {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            bail!("another tidegauge serves the data folder {}", data.display())
        }
        Err(std::fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("locking {}", path.display()))
        }
    }
}

/// What to tell of a data folder that others on the machine can read: whoever can is the operator.
pub fn open_folder(data: &Path) -> anyhow::Result<Option<String>> {
    const READ_OR_ENTER_BY_OTHERS: u32 = 0o005;
    let folder = std::fs::metadata(data).with_context(|| format!("looking at {}", data.display()))?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&folder.permissions());
    let data = data.display();
    Ok((mode & READ_OR_ENTER_BY_OTHERS != 0).then(|| {
        format!("every user of this machine can read the data folder {data}: take that away with `chmod o-rwx {data}`")
    }))
}

/// The database without its address, which may hold a password.
fn catalog_kind(config: &Config) -> &'static str {
    match config.catalog {
        tidegauge_catalog::Location::Sqlite(_) => "sqlite",
        tidegauge_catalog::Location::Postgres(_) => "postgres",
    }
}

fn welcome(made: &Made, settings: &FirstStart, public_url: &PublicUrl) {
    output::line(&format!(
        "First start: made organisation {} with owner {}.",
        made.org, settings.owner_email
    ));
    output::line(&format!("Your personal token, also kept in {}:", settings.token_file.display()));
    output::line(&format!("  {}", made.secret.reveal()));
    output::line(
        "To sign in with a browser, set your password by this link, which is good once and for 7 days:",
    );
    output::line(&format!("  {}", made.link.address(public_url)));
}
