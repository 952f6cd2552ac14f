//! The API document as a snapshot: a change of the interface is a change of a file that a reviewer sees. Run with
//! `INSTA_UPDATE=always` to accept one.

use crate::app::TestApp;
use crate::database::Backend;

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
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_json_snapshot!("openapi", document));
}
