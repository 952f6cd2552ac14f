//! A geo database that the service is started with, and one that takes its place.

use std::path::Path;

use serde_json::{Value, json};

use crate::database::Backend;
use crate::geo_file::geo_file;
use crate::process::{Installation, Service, client, eventually};

fn write_country(path: &Path, country: &str) {
    let record = json!({"country": {"iso_code": "XX", "names": {"en": country}}});
    std::fs::write(path, geo_file("Test-City", &[("203.0.113.0/24", record)])).unwrap();
}

async fn answer(installation: &Installation, service: &Service) -> Value {
    let apl = "print country = tostring(geo_info_from_ip_address('203.0.113.7').country)";
    let request = client()
        .post(format!("{}/v1/query/_apl?format=tabular", service.url))
        .bearer_auth(installation.first_token())
        .json(&json!({"apl": apl}));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

fn country(answer: &Value) -> &Value {
    &answer["tables"][0]["columns"][0][0]
}

fn codes(answer: &Value) -> Vec<&Value> {
    answer["status"]["messages"].as_array().unwrap().iter().map(|message| &message["code"]).collect()
}

pub(crate) async fn come_from_the_database(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let without = answer(&installation, &service).await;
    assert_eq!((country(&without), codes(&without)), (&json!(""), vec![&json!("no_geo_database")]));
    service.kill();

    let path = installation.path("cities.mmdb");
    write_country(&path, "Germany");
    let service = installation.start(&["--geo-database", path.to_str().unwrap()]);
    let with = answer(&installation, &service).await;
    assert_eq!(country(&with), "Germany");
    assert!(codes(&with).is_empty(), "{with}");

    write_country(&path, "Denmark");
    service.hang_up();
    eventually("the new database", async || {
        (country(&answer(&installation, &service).await) == "Denmark").then_some(())
    })
    .await;
}

pub(crate) async fn are_refused_at_the_start(backend: Backend) {
    let installation = Installation::new(backend);
    let path = installation.path("cities.mmdb");
    std::fs::write(&path, "not a database").unwrap();
    let cases = [
        ("/nowhere.mmdb", "setting geo_database: reading /nowhere.mmdb: No such file"),
        (path.to_str().unwrap(), "is not a database in the MaxMind format"),
    ];
    for (file, expected) in cases {
        let output = installation.run(&["serve", "--listen", "127.0.0.1:0", "--geo-database", file]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(message.contains(expected), "{file}: {message}");
    }
}
