//! Opens the service, or the catalogue alone for an operator's command, and finds the organisation that a command is about.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use tidegauge_admission::config::PublicUrl;
use tidegauge_app::App;
use tidegauge_app::app::Parts;
use tidegauge_app::background::Background;
use tidegauge_app::secret_key;
use tidegauge_app::service::query::geoip::GeoIp;
use tidegauge_catalog::{Catalog, Change};
use tidegauge_cli::commands::failure::wrong_arguments;
use tidegauge_engine::Engine;
use tidegauge_model::os_rng::OsRng;
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Clock, Org, OrgId, Rng, Timestamp};
use tidegauge_store::{Store, StoreSettings};

use crate::config::arguments::SettingArguments;
use crate::config::{Config, layers};

/// What an operator's command works on. It leaves the events alone, so it runs beside the service.
#[derive(Debug)]
pub struct Installation {
    pub catalog: Catalog,
    pub rng: OsRng,
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
    Ok(Installation { catalog: open_catalog(&config).await?, rng: OsRng })
}

/// Opens the catalogue with its key.
pub async fn open_catalog(config: &Config) -> anyhow::Result<Catalog> {
    let key = secret_key::read_or_make(&config.secret_key_file, &OsRng)?;
    Catalog::open(&config.catalog, key).await.context("opening the catalogue")
}

/// Opens everything that the service needs.
pub async fn open_app(
    config: &Config,
    address: SocketAddr,
    public_url: PublicUrl,
) -> anyhow::Result<Arc<App>> {
    let geoip = config.geo_database.clone().map(GeoIp::open).transpose();
    let geoip = geoip.map_err(|error| anyhow!("setting geo_database: {error:#}"))?;
    let catalog = Arc::new(open_catalog(config).await?);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let rng: Arc<dyn Rng> = Arc::new(OsRng);
    let settings = StoreSettings { address: address.to_string(), ..config.store.clone() };
    let store = Store::open(Arc::clone(&catalog), Arc::clone(&clock), Arc::clone(&rng), settings);
    let store = store.await.context("opening the store of events")?;
    let store = Arc::new(store);
    let engine = Engine::new(Arc::clone(&store), config.engine.clone()).context("preparing for queries")?;
    let (geoip, oauth) = (geoip.map(Arc::new), config.oauth.clone());
    let sending = config.notify.options(secret_key::read_signing_key(&config.secret_key_file, &OsRng)?)?;
    let background = Background::new().context("starting the background threads")?;
    let parts = Parts {
        catalog,
        store,
        engine,
        background,
        clock,
        rng,
        geoip,
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
