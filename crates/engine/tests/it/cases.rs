//! Worked cases of the language from a file, asked of the engine. The file of the project is always run; another one is
//! run by its path in `TIDEGAUGE_CASES`.

use serde_json::Value as Json;

use crate::case_file::{cases, compare};
use crate::support::house::{House, Way, block_on};
use crate::support::reply::value;

#[test]
fn worked_cases_give_their_rows() {
    let cases = cases();
    let mut failed = Vec::new();
    block_on(async {
        let house = House::new().await;
        for case in &cases {
            if let Err(reason) = check(&house, case).await {
                failed.push(format!("{}: {}\n  {reason}", case["id"], case["apl"]));
            }
        }
    });
    assert!(failed.is_empty(), "{} of {} cases fail:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

async fn check(house: &House, case: &Json) -> Result<(), String> {
    let apl = case["apl"].as_str().unwrap();
    let answer = house
        .ask_text(&[], apl, Way::Threads)
        .await
        .map_err(|errors| errors.iter().map(|error| error.render(apl)).collect::<Vec<String>>().join("\n"))?;
    let table = &answer.tables[0];
    let names: Vec<&str> = table.fields.iter().map(|field| field.name.as_str()).collect();
    let row = |row: usize| Json::Array(table.fields.iter().map(|field| value(field, row)).collect());
    compare(case, &names, (0..table.rows).map(row).collect())
}
