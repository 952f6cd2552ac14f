//! Retention of several datasets: one that cannot be changed keeps none of the others waiting.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tidegauge_catalog::datasets::DatasetPatch;

use crate::events::SECOND;
use crate::house::{House, START, events};

/// Changes the catalogue behind the store's back. Says whether there is a Python to do it with.
#[expect(clippy::print_stderr, reason = "what is not tested is said")]
fn behind_its_back(folder: &Path, statement: &str) -> bool {
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    let arguments = ["-c", script, &folder.join("catalog.db").display().to_string(), statement];
    match Command::new("python3").args(arguments).status() {
        Ok(status) => {
            assert!(status.success());
            true
        }
        Err(error) => {
            eprintln!("a dataset that fails: not run ({error}: there is no python3)");
            false
        }
    }
}

#[tokio::test]
async fn one_dataset_that_fails_keeps_none_of_the_others() {
    let house = House::new().await;
    let patch = || DatasetPatch { use_retention: Some(true), retention_days: Some(1), ..Default::default() };
    let mut datasets = Vec::new();
    for name in ["first", "second", "third"] {
        let dataset = house.dataset(name).await;
        house.append(&dataset, &events(&[START * 1000, START * 1000 + SECOND])).await;
        house.store.flush(&dataset).await.unwrap();
        let now = house.receipt().arrival / 1000;
        let now = tidegauge_model::Timestamp::from_micros(now);
        house.catalog.update_dataset(&house.org, name, patch(), now, &house.change()).await.unwrap().unwrap();
        datasets.push(dataset);
    }
    let segments = || datasets.iter().map(|dataset| dataset.info().segments).collect::<Vec<u64>>();
    house.advance(Duration::from_secs(10 * 86_400));
    let refuses = format!(
        "CREATE TRIGGER refuses BEFORE UPDATE ON segment WHEN OLD.dataset_id = '{}' \
         BEGIN SELECT RAISE(ABORT, 'not this one'); END",
        datasets[0].id()
    );
    if !behind_its_back(house.folder.path(), &refuses) {
        return;
    }
    house.store.enforce_retention().await.unwrap_err();
    assert_eq!(segments(), [1, 0, 0]);
    assert!(behind_its_back(house.folder.path(), "DROP TRIGGER refuses"));
    house.store.enforce_retention().await.unwrap();
    assert_eq!(segments(), [0, 0, 0]);
}
