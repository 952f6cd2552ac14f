//! Makes the catalogue's datasets, columns and segments anew from the segment files alone, after the catalogue was
//! lost. What people had set about a dataset (description, retention) is not in the files and starts over; what was
//! removed less than the grace time ago comes back.

mod found;
mod lineage;

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use tidegauge_catalog::columns::{DatasetColumn, name_columns};
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::recovery::Recovered;
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::dataset::{AUDIT_KIND, EVENTS_KIND, is_audit_name};
use tidegauge_model::{DatasetId, DatasetName, FieldKind, OrgId, Timestamp};

use crate::objects::Objects;
use crate::segment::{Origin, is_nameable};
use crate::store::{lock_folder, prepare};
use crate::wal::{WalSettings, look_at};
use crate::{Result, StoreSettings, lease};
use found::{Found, find};

/// What was put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    pub datasets: u64,
    pub segments: u64,
    pub rows: u64,
    /// What was left out, each with the reason.
    pub skipped: Vec<String>,
}

/// Reads every segment and puts back what the catalogue does not have. A dataset belongs to the organisation that
/// its files name, or to the given one where the catalogue does not know that. The store must not be open.
pub async fn rebuild(
    catalog: &Catalog,
    settings: &StoreSettings,
    org: Option<&OrgId>,
    now: Timestamp,
    change: &Change,
) -> Result<Rebuilt> {
    let wal_settings = prepare(settings)?;
    let _lock = lock_folder(settings)?;
    lease::take_for_work(catalog, settings).await?;
    let rebuilt = put_back(catalog, settings, &wal_settings, org, now, change).await;
    catalog.release_lease().await?;
    rebuilt
}

async fn put_back(
    catalog: &Catalog,
    settings: &StoreSettings,
    wal_settings: &WalSettings,
    org: Option<&OrgId>,
    now: Timestamp,
    change: &Change,
) -> Result<Rebuilt> {
    let objects = Objects::open(&settings.objects, &settings.disk)?;
    catalog.set_data_path(objects.data_path()).await?;
    let mut logged: HashMap<DatasetId, BTreeSet<u64>> = HashMap::new();
    look_at(wal_settings, &mut |dataset, sequence, _| {
        logged.entry(dataset).or_default().insert(sequence);
    })?;
    let mut rebuilt = Rebuilt::default();
    let known: BTreeSet<DatasetId> =
        catalog.all_datasets().await?.into_iter().map(|dataset| dataset.id).collect();
    for (dataset, found) in find(&objects, &mut rebuilt.skipped).await? {
        if known.contains(&dataset) {
            rebuilt.skipped.push(format!("{dataset}: the catalogue has this dataset already"));
            continue;
        }
        let Some(origin) = found.iter().max_by_key(|found| &found.segment.id) else { continue };
        let origin = origin.description.origin.clone();
        let Some((org, name)) = location(catalog, &origin, org).await? else {
            rebuilt.skipped.push(format!(
                "{dataset} ({}): its organisation {} is not in the catalogue: name one that is",
                origin.name, origin.org
            ));
            continue;
        };
        let none = BTreeSet::new();
        let kept = lineage::kept(found, logged.get(&dataset).unwrap_or(&none), &mut rebuilt.skipped);
        let recovered = recovered(dataset, org, name, kept, now, change);
        rebuilt.datasets += 1;
        rebuilt.segments += recovered.segments.len() as u64;
        rebuilt.rows += recovered.segments.iter().map(|segment| segment.rows).sum::<u64>();
        catalog.insert_recovered(&recovered, now, change).await?;
    }
    Ok(rebuilt)
}

/// The organisation and the name that a dataset gets.
async fn location(
    catalog: &Catalog,
    origin: &Origin,
    given: Option<&OrgId>,
) -> Result<Option<(OrgId, DatasetName)>> {
    let own = OrgId::from(origin.org.as_str());
    let org = match catalog.find_org(&own).await? {
        Some(_) => own,
        None => match given {
            Some(given) => given.clone(),
            None => return Ok(None),
        },
    };
    let digits = origin.dataset.len().saturating_sub(8);
    let other = format!("recovered-{}", origin.dataset.get(digits..).unwrap_or_default());
    let name = match catalog.find_dataset(&org, &origin.name).await? {
        None => DatasetName::parse(&origin.name),
        // A dataset of this name was made since.
        Some(_) => DatasetName::parse(&format!("{}-{other}", origin.name)),
    };
    Ok(name.or_else(|| DatasetName::parse(&other)).map(|name| (org, name)))
}

fn recovered(
    dataset: DatasetId,
    org: OrgId,
    name: DatasetName,
    kept: Vec<Found>,
    now: Timestamp,
    change: &Change,
) -> Recovered {
    let columns = columns(&kept);
    // Nobody but the service makes one of this name.
    let kind = if is_audit_name(name.as_str()) { AUDIT_KIND } else { EVENTS_KIND };
    let maps: BTreeSet<String> = columns
        .iter()
        .filter(|column| column.kind == FieldKind::Map)
        .map(|column| column.field.clone())
        .collect();
    let dataset = Dataset {
        id: dataset,
        number: 0,
        org,
        name,
        description: String::new(),
        kind: kind.to_owned(),
        created: now,
        created_by: change.actor.as_str().into(),
        modified: now,
        use_retention: false,
        retention_days: 0,
        map_fields: maps.into_iter().collect(),
        flushed: kept.iter().map(Found::flushed).max().unwrap_or(0),
        vacuumed: None,
        region: String::new(),
        edge_deployment: String::new(),
    };
    Recovered { dataset, columns, segments: kept.into_iter().map(|found| found.segment).collect() }
}

/// The columns that the files name, and after them the fields that never had one.
fn columns(kept: &[Found]) -> Vec<DatasetColumn> {
    let mut numbers: BTreeMap<(&str, FieldKind), u32> = BTreeMap::new();
    for column in kept.iter().flat_map(|found| &found.description.columns) {
        let Some(kind) = FieldKind::parse(&column.kind) else { continue };
        // A field that was forgotten and came again has the number that it got last.
        let number = numbers.entry((&column.field, kind)).or_default();
        *number = column.number.max(*number);
    }
    let mut last = numbers.values().copied().max().unwrap_or(0).max(FIRST_NUMBER - 1);
    for (field, kind, _) in kept.iter().flat_map(|found| &found.description.rest) {
        let Some(kind) = FieldKind::parse(kind).filter(|_| is_nameable(field)) else { continue };
        numbers.entry((field, kind)).or_insert_with(|| {
            last += 1;
            last
        });
    }
    let mut numbered: Vec<(u32, String, FieldKind)> =
        numbers.into_iter().map(|((field, kind), number)| (number, field.to_owned(), kind)).collect();
    numbered.sort();
    name_columns(numbered)
}

/// The first number that a field's column can have.
const FIRST_NUMBER: u32 = 16;
