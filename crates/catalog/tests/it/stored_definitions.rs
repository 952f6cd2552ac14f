//! What the sample rows of version 4 must mean: virtual fields and views, beside all that version 3 stores.

use tidegauge_catalog::Catalog;
use tidegauge_catalog::views::View;
use tidegauge_catalog::virtual_fields::VirtualField;
use tidegauge_model::{OrgId, Timestamp};

use crate::database::{Database, KEY_BYTE};
use crate::{stored_events, stored_rows};

const ORG: &str = "org_018bcfe56800700080000000000000a1";
const ADA: &str = "user_018bcfe56800700080000000000000b1";

pub(crate) async fn version_4_is_still_read(database: &Database) {
    stored_rows::restore(database, 4).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_events::check_events(&catalog).await;
    stored_events::check_queries(&catalog).await;
    check_definitions(&catalog).await;
    let org: OrgId = ORG.into();
    assert_eq!(catalog.list_members(&org).await.unwrap().len(), 1);
    assert!(catalog.list_roles(&org).await.unwrap().is_empty());
    assert!(catalog.list_groups(&org).await.unwrap().is_empty());
    catalog.close().await;
}

/// Checks what version 4 adds, which later samples hold too.
pub(crate) async fn check_definitions(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    // In the order of their places, not of their times.
    assert_eq!(catalog.list_virtual_fields(&org, Some("tide.levels")).await.unwrap(), [metres(), is_high()]);
    let expressions = [("metres", "level / 100.0"), ("is high", "metres > 4")];
    let expressions = expressions.map(|(name, expression)| (name.to_owned(), expression.to_owned()));
    assert_eq!(catalog.virtual_fields_of(&org, "tide.levels").await.unwrap(), expressions);
    assert_eq!(catalog.list_views(&org).await.unwrap(), [daily()]);
    assert_eq!(catalog.view_by_name(&org, "daily").await.unwrap(), Some(daily()));
}

/// So many microseconds after the time that the sample begins with.
fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

fn metres() -> VirtualField {
    VirtualField {
        id: "vfield_018bcfe5680070008000000000000111".into(),
        dataset: "tide.levels".to_owned(),
        name: "metres".to_owned(),
        expression: "level / 100.0".to_owned(),
        description: "above the mark".to_owned(),
        kind: "number".to_owned(),
        unit: "m".to_owned(),
        created: micros(51),
        created_by: ADA.into(),
        modified: micros(52),
    }
}

fn is_high() -> VirtualField {
    VirtualField {
        id: "vfield_018bcfe5680070008000000000000112".into(),
        name: "is high".to_owned(),
        expression: "metres > 4".to_owned(),
        description: String::new(),
        kind: String::new(),
        unit: String::new(),
        created: micros(50),
        modified: micros(50),
        ..metres()
    }
}

fn daily() -> View {
    View {
        id: "view_018bcfe5680070008000000000000121".into(),
        name: "daily".to_owned(),
        apl: "['tide.levels']\n| summarize max(level) by bin(_time, 1d)".to_owned(),
        datasets: vec!["tide.levels".to_owned(), "it's".to_owned()],
        description: "the highest water".to_owned(),
        created: micros(53),
        created_by: ADA.into(),
        modified: micros(54),
    }
}
