//! Where addresses are, out of a database file in the MaxMind format. The file is read into memory whole; one that a
//! running service is told to read again is taken over by the queries that begin afterwards.

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context, bail};
use maxminddb::{Reader, WithinOptions};
use serde::de::{Deserialize, Deserializer, Visitor};
use tidegauge_engine::{Place, Places};

/// So many records are looked at to see whether a database has places: some tell no more than who owns a network.
const SAMPLE: usize = 1_000;

/// The database file, and what was last read from it.
#[derive(Debug)]
pub struct GeoIp {
    path: PathBuf,
    current: RwLock<Arc<GeoDatabase>>,
}

impl GeoIp {
    pub fn open(path: PathBuf) -> anyhow::Result<Self> {
        let current = RwLock::new(Arc::new(GeoDatabase::open(&path)?));
        Ok(Self { path, current })
    }

    /// For one query, so that all its rows see the same places.
    pub fn current(&self) -> Arc<dyn Places> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&*current) as _
    }

    /// Reads the file again. One that cannot be used leaves the places as they are.
    pub fn read_again(&self) -> anyhow::Result<()> {
        let read = Arc::new(GeoDatabase::open(&self.path)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }
}

#[derive(Debug)]
struct GeoDatabase(Reader<Vec<u8>>);

impl GeoDatabase {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("reading {shown}"))?;
        let reader = Reader::from_source(bytes).with_context(|| {
            format!("{shown} is not a database in the MaxMind format: name an .mmdb file, unpacked")
        })?;
        if !has_places(&reader).with_context(|| format!("{shown} is damaged"))? {
            let kind = &reader.metadata().database_type;
            bail!("{shown} holds no places but {kind:?}: name a database of cities, such as GeoLite2-City");
        }
        Ok(Self(reader))
    }
}

/// Databases of other things have the same format, and would leave every place empty.
fn has_places(reader: &Reader<Vec<u8>>) -> Result<bool, maxminddb::MaxMindDbError> {
    for found in reader.networks(WithinOptions::default())?.take(SAMPLE) {
        // Members of other types than expected are another kind of database, not damage.
        let record = found?.decode::<Record<'_>>().ok().flatten();
        if record.is_some_and(|record| Place::from(record) != Place::default()) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Places for GeoDatabase {
    fn find(&self, address: IpAddr) -> Option<Place> {
        // A database of IPv4 alone refuses others, and a damaged record is nothing that is known.
        let record: Option<Record<'_>> = self.0.lookup(address).ok()?.decode().ok()?;
        record.map(Place::from)
    }
}

/// What is read of a record. Names are in English; those in other languages are passed over.
#[derive(serde::Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    country: Area<'a>,
    #[serde(borrow, default)]
    subdivisions: Vec<Area<'a>>,
    #[serde(borrow, default)]
    city: Area<'a>,
    #[serde(borrow, default)]
    location: Location<'a>,
}

#[derive(Default, serde::Deserialize)]
struct Area<'a> {
    #[serde(borrow, default)]
    names: Names<'a>,
    #[serde(default)]
    iso_code: &'a str,
}

#[derive(Default, serde::Deserialize)]
struct Names<'a> {
    #[serde(default)]
    en: &'a str,
}

#[derive(Default, serde::Deserialize)]
struct Location<'a> {
    latitude: Option<Degrees>,
    longitude: Option<Degrees>,
    #[serde(default)]
    time_zone: &'a str,
}

/// A coordinate. Databases differ in the type that they keep it in.
#[derive(Clone, Copy)]
struct Degrees(f64);

impl<'de> Deserialize<'de> for Degrees {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNumber).map(Self)
    }
}

struct AnyNumber;

impl Visitor<'_> for AnyNumber {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_f32<E>(self, value: f32) -> Result<f64, E> {
        // By way of its text, so that 52.52 does not become 52.52000045776367.
        Ok(value.to_string().parse().unwrap_or(f64::from(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_u64<E>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

impl From<Record<'_>> for Place {
    fn from(record: Record<'_>) -> Self {
        // Subdivisions go from the largest to the smallest.
        let state = record.subdivisions.first().map_or("", |area| area.names.en);
        Self {
            country: record.country.names.en.to_owned(),
            state: state.to_owned(),
            city: record.city.names.en.to_owned(),
            latitude: record.location.latitude.map(|Degrees(value)| value),
            longitude: record.location.longitude.map(|Degrees(value)| value),
            country_iso: record.country.iso_code.to_owned(),
            time_zone: record.location.time_zone.to_owned(),
        }
    }
}
