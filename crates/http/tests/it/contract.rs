//! The API document as a snapshot: a change of the interface is a change of a file that a reviewer sees. Run with
//! `INSTA_UPDATE=always` to accept one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::app::TestApp;
use crate::database::Backend;

/// The page that has every address of senders.
const SENDER_TABLE: &str = include_str!("../../../../docs/reference/sender-table.md");

pub(crate) fn openapi_snapshot() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let document = runtime.block_on(async {
        let app = TestApp::start(Backend::Sqlite).await;
        app.send("GET", "/openapi.json", None, None).await.json()
    });
    assert_eq!(document["openapi"], "3.1.0");
    let mut known = std::collections::HashSet::new();
    for path in document["paths"].as_object().unwrap().values() {
        for operation in path.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(known.insert(id.to_owned()), "two operations have the id {id}");
        }
    }
    check_sender_table(&document);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_json_snapshot!("openapi", document));
}

/// The table of addresses has those of the document, no more and no less, with their methods, statuses and media types.
fn check_sender_table(document: &Value) {
    let paths = document["paths"].as_object().unwrap().iter();
    let served: BTreeSet<String> = paths.flat_map(|(path, item)| sender_rows(path, item)).collect();
    let rows = SENDER_TABLE.lines().skip_while(|line| !line.starts_with("| protocol | method | address |"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    // Without the protocol, which the document does not tell.
    let written: BTreeSet<String> =
        rows.filter_map(|row| row.split_once(") | ").map(|(_, rest)| rest.to_owned())).collect();
    assert!(!served.is_empty(), "the document has addresses of senders");
    assert_eq!(written, served, "docs/reference/sender-table.md has other addresses than the document");
}

/// What the table says of a path, if senders send to it: a row for the methods that have the same success and media types.
fn sender_rows(path: &str, item: &Value) -> Vec<String> {
    let mut methods: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (method, operation) in item.as_object().into_iter().flatten() {
        if operation["tags"][0] != "senders" {
            continue;
        }
        let statuses: BTreeSet<&String> = operation["responses"].as_object().unwrap().keys().collect();
        let success = match statuses.first().unwrap().as_str() {
            refused if refused >= "300" => format!("{refused}: always refused"),
            success => success.to_owned(),
        };
        let content = operation["requestBody"]["content"].as_object();
        let media: BTreeSet<String> =
            content.into_iter().flatten().map(|(media, _)| format!("`{media}`")).collect();
        let media: Vec<String> = media.into_iter().collect();
        let media = if media.is_empty() { "none".to_owned() } else { media.join(", ") };
        methods.entry((success, media)).or_default().push(method.to_uppercase());
    }
    let row = |((success, media), mut methods): ((String, String), Vec<String>)| {
        methods.sort();
        format!("{} | `{path}` | {success} | {media} |", methods.join(", "))
    };
    methods.into_iter().map(row).collect()
}
