//! Opens the service, or the catalogue alone for an operator's command, and finds the organisation that a command is about.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use tidegauge_app::App;
use tidegauge_app::app::Parts;
use tidegauge_app::background::Background;
use tidegauge_app::config::PublicUrl;
use tidegauge_app::secret_key;
use tidegauge_app::service::query::places::Atlas;
use tidegauge_catalog::{Catalog, Change};
use tidegauge_cli::commands::failure::wrong_arguments;
use tidegauge_engine::Engine;
use tidegauge_model::os_chance::OsChance;
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Chance, Clock, Org, OrgId, Timestamp};
use tidegauge_store::{Store, StoreSettings};

use crate::config::arguments::SettingArguments;
use crate::config::{Config, layers};

/// What an operator's command works on. It leaves the events alone, so it runs beside the service.
#[derive(Debug)]
pub struct Installation {
    pub catalog: Catalog,
    pub chance: OsChance,
}

impl Installation {
    pub fn now(&self) -> Timestamp {
        SystemClock.now()
    }
}

/// The configuration that results from the settings. A wrong flag is a command that was written wrongly; a wrong file or
/// environment is not.
pub fn load(settings: &SettingArguments) -> anyhow::Result<Config> {
    layers::load(settings).map_err(|error| match settings.is_by_flag(&error) {
        true => wrong_arguments(error),
        false => error.into(),
    })
}

/// Opens the catalogue that the settings point to, without starting anything.
pub async fn open(settings: &SettingArguments) -> anyhow::Result<Installation> {
    let config = load(settings)?;
    if !config.secret_key_file.try_exists()? {
        let data = config.data.display();
        bail!(
            "there is no installation in {data}: name its folder with --data, or start one with `tidegauge serve`"
        );
    }
    Ok(Installation { catalog: open_catalog(&config).await?, chance: OsChance })
}

/// Opens the catalogue with its key.
pub async fn open_catalog(config: &Config) -> anyhow::Result<Catalog> {
    let key = secret_key::read_or_make(&config.secret_key_file, &OsChance)?;
    Catalog::open(&config.catalog, key).await.context("opening the catalogue")
}

/// Opens everything that the service needs.
pub async fn open_app(
    config: &Config,
    address: SocketAddr,
    public_url: PublicUrl,
) -> anyhow::Result<Arc<App>> {
    let atlas = config.geo_database.clone().map(Atlas::open).transpose();
    let atlas = atlas.map_err(|error| anyhow!("setting geo_database: {error:#}"))?;
    let catalog = Arc::new(open_catalog(config).await?);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let chance: Arc<dyn Chance> = Arc::new(OsChance);
    let settings = StoreSettings { address: address.to_string(), ..config.store.clone() };
    let store = Store::open(Arc::clone(&catalog), Arc::clone(&clock), Arc::clone(&chance), settings);
    let store = store.await.context("opening the store of events")?;
    let store = Arc::new(store);
    let engine = Engine::new(Arc::clone(&store), config.engine.clone()).context("preparing for queries")?;
    let (atlas, oauth) = (atlas.map(Arc::new), config.oauth.clone());
    let sending = config.notify.manner(secret_key::read_signing_key(&config.secret_key_file, &OsChance)?)?;
    let background = Background::new().context("starting the background threads")?;
    let parts = Parts {
        catalog,
        store,
        engine,
        background,
        clock,
        chance,
        atlas,
        public_url,
        trusted_proxies: config.trusted_proxies.clone(),
        organisation_creation: config.organisation_creation,
        elastic_version: config.elastic_version.clone(),
        oauth,
        sending,
    };
    Ok(App::new(parts, config.http.clone(), config.ingest.clone(), config.query.clone()))
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

/// The organisation with this id or name, or the only one there is.
pub async fn choose_org(installation: &Installation, wanted: Option<&str>) -> anyhow::Result<Org> {
    let mut orgs = installation.catalog.list_all_orgs().await?;
    let Some(wanted) = wanted else {
        if orgs.len() == 1 {
            return Ok(orgs.remove(0));
        }
        bail!("there are {} organisations: name one with --org; `tidegauge org list` lists them", orgs.len());
    };
    let is_id = orgs.iter().any(|org| org.id.as_str() == wanted);
    orgs.retain(|org| if is_id { org.id.as_str() == wanted } else { org.name == wanted });
    match orgs.len() {
        0 => bail!("there is no organisation {wanted}: `tidegauge org list` lists them"),
        1 => Ok(orgs.remove(0)),
        several => bail!("{several} organisations are called {wanted}: name one by its id"),
    }
}
