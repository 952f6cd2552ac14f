//! What the sample rows of version 14 must mean: dashboards and their versions, beside all that was stored before.

use tidegauge_catalog::Catalog;
use tidegauge_catalog::dashboards::versions::DashboardVersion;
use tidegauge_catalog::dashboards::{Dashboard, Visible};
use tidegauge_model::{OrgId, Timestamp};

use crate::database::{Database, KEY_BYTE};
use crate::{stored_forms, stored_rows};

const ORG: &str = "org_018bcfe56800700080000000000000a1";
const ADA: &str = "user_018bcfe56800700080000000000000b1";

pub(crate) async fn version_14_is_still_read(database: &Database) {
    stored_rows::restore(database, 14).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    check_dashboards(&catalog).await;
    catalog.close().await;
}

/// Checks what version 14 adds, which later samples hold too.
pub(crate) async fn check_dashboards(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    let all = catalog.list_dashboards(&org, Visible::All, 10, 0).await.unwrap();
    assert_eq!(all, [high_water(), harbour()]);
    assert_eq!(catalog.list_dashboards(&org, Visible::Of(None), 10, 0).await.unwrap(), [harbour()]);
    assert_eq!(catalog.find_dashboard(&org, &"high-water".into()).await.unwrap(), Some(high_water()));

    let versions = catalog.list_dashboard_versions(&org, &harbour().id, 10, 0).await.unwrap();
    let first = version(1, "as the quay wants it", 82);
    assert_eq!(versions, [version(2, "renamed", 83), first.clone()]);
    let quay = harbour().document.replace("Harbour", "Quay");
    assert_eq!(catalog.find_dashboard_version(&org, &harbour().id, 1).await.unwrap(), Some((first, quay)));
}

fn version(version: i64, message: &str, at: i64) -> DashboardVersion {
    DashboardVersion { version, message: message.to_owned(), created: micros(at), created_by: ADA.into() }
}

/// So many microseconds after the time that the sample begins with.
fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

fn high_water() -> Dashboard {
    let charts = concat!(
        r#"[{"id":"levels","type":"TimeSeries","query":{"apl":"['tide.levels'] | summarize max(level) "#,
        r#"by bin_auto(_time)"},"decimals":1.50}]"#
    );
    Dashboard {
        id: "dash_018bcfe5680070008000000000000141".into(),
        uid: "high-water".into(),
        name: "High water".to_owned(),
        owner: Some(ADA.into()),
        document: format!(
            concat!(
                r#"{{"name":"High water","owner":"{}","charts":{},"layout":[{{"i":"levels","x":0,"y":null,"w":12,"h":6}}],"#,
                r#""refreshTime":60,"schemaVersion":2,"timeWindowStart":"qr-now-1d","timeWindowEnd":"qr-now"}}"#
            ),
            ADA, charts
        ),
        version: 1,
        created: micros(81),
        created_by: ADA.into(),
        modified: micros(81),
        modified_by: ADA.into(),
    }
}

fn harbour() -> Dashboard {
    let document = concat!(
        r#"{ "name":"Harbour", "charts":[], "layout":[], "refreshTime":6e1, "schemaVersion":2, "#,
        r#""timeWindowStart":"1704067200000", "timeWindowEnd":"qr-now", "description":"für alle"}"#
    );
    Dashboard {
        id: "dash_018bcfe5680070008000000000000142".into(),
        uid: "018bcfe5-6800-7000-8000-000000000143".into(),
        name: "Harbour".to_owned(),
        owner: None,
        document: document.to_owned(),
        version: 2,
        created: micros(82),
        created_by: ADA.into(),
        modified: micros(83),
        modified_by: ADA.into(),
    }
}
