//! A query is not refused for memory that it does not need, in the process that measures what each query holds: groups by
//! several keys whose values multiply to far more than there are groups.

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, client};

const EVENTS: i64 = 150_000;
const OF_A_REQUEST: i64 = 15_000;

const SUMMARIZE: &str =
    "web | summarize zz = count(), a0 = max(opt) by n8, b = bin(n8, 10), uniq, s = substring(hi, 5, 2)";

fn request(first: i64) -> String {
    let line = |number: i64| {
        let event = json!({
            "n8": number % 200, "uniq": format!("u-{number:012}-{}", number * 7),
            "hi": format!("h{:07}", number % 60_000), "opt": number % 1_000,
        });
        event.to_string() + "\n"
    };
    (first..first + OF_A_REQUEST).map(line).collect()
}

pub(crate) async fn of_many_groups(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-query-memory-bytes", "536870912"]);
    let token = installation.first_token();
    let post = |path: &str| client().post(format!("{}{path}", service.url)).bearer_auth(&token);
    let made = post("/v2/datasets").json(&json!({"name": "web"})).send().await.unwrap();
    assert_eq!(made.status(), 200);
    for first in (0..EVENTS).step_by(OF_A_REQUEST as usize) {
        let sent = post("/v1/datasets/web/ingest").header("content-type", "application/x-ndjson");
        assert_eq!(sent.body(request(first)).send().await.unwrap().status(), 200);
    }
    let ask = async |apl: &str| -> Value {
        let asked = post("/v1/query/_apl?format=tabular").json(&json!({"apl": apl})).send().await.unwrap();
        let (status, text) = (asked.status().as_u16(), asked.text().await.unwrap());
        assert_eq!(status, 200, "{apl}: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["tables"][0]["columns"].clone()
    };
    assert_eq!(ask(&format!("{SUMMARIZE} | count")).await, json!([[EVENTS]]));
    let first = ask(&format!("{SUMMARIZE} | sort by zz desc, n8 asc | take 25 | project zz, n8")).await;
    let (ones, zeros) = ([1; 25], [0; 25]);
    assert_eq!(first, json!([ones, zeros]));
}
