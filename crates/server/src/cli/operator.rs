//! Opens the catalogue for an operator's command, and finds the organisation that a command is about.

use std::sync::Arc;

use anyhow::{Context, bail};
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Clock, Org, OrgId};

use crate::app::App;
use crate::chance::OsChance;
use crate::config::arguments::SettingArguments;
use crate::config::{Config, layers};
use crate::secret_key;

/// Opens what the settings point to, without starting anything.
pub async fn open(settings: &SettingArguments) -> anyhow::Result<Arc<App>> {
    let config = layers::load(settings)?;
    if !config.secret_key_file.try_exists()? {
        let data = config.data.display();
        bail!(
            "there is no installation in {data}: name its folder with --data, or start one with `tidegauge serve`"
        );
    }
    open_app(&config).await
}

/// Opens the catalogue with its key.
pub async fn open_app(config: &Config) -> anyhow::Result<Arc<App>> {
    let key = secret_key::read_or_make(&config.secret_key_file, &OsChance)?;
    let catalog = Catalog::open(&config.catalog, key).await.context("opening the catalogue")?;
    Ok(App::new(catalog, Arc::new(SystemClock), Arc::new(OsChance), config.http.clone()))
}

/// The audit record of a change that the operator makes.
pub fn change(org: Option<&OrgId>) -> Change {
    Change {
        org: org.cloned(),
        actor: "operator".to_owned(),
        at: SystemClock.now(),
        request_id: String::new(),
    }
}

/// The organisation with this id, or the only one there is.
pub async fn choose_org(app: &App, id: Option<&str>) -> anyhow::Result<Org> {
    let mut orgs = app.catalog.list_all_orgs().await?;
    match id {
        Some(id) => match orgs.into_iter().find(|org| org.id.as_str() == id) {
            Some(org) => Ok(org),
            None => bail!("there is no organisation {id}: `tidegauge org list` lists them"),
        },
        None if orgs.len() == 1 => Ok(orgs.remove(0)),
        None => bail!("there are {} organisations: name one with --org", orgs.len()),
    }
}
