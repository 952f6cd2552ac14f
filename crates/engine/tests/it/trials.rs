//! The examples of the reference page: each operator's query gives the rows that stand beside it, and each aggregation
//! function's query its value. Those of functions of one row are run beside their tests.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value as Json;
use tidegauge_engine::{Answer, Files, Table};
use tidegauge_lang::{functions, parse_expression, stages};

use crate::support::house::{House, block_on};
use crate::support::reply::value;

/// The file of the reference page.
#[derive(Debug)]
struct ExampleFiles;

impl Files for ExampleFiles {
    fn read<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        let file = match address {
            "https://example.com/users.csv" => Ok(b"1,Ann\n2,Bob\n".to_vec()),
            _ => Err(format!("there is no file at {address}")),
        };
        std::future::ready(file).boxed()
    }
}

async fn asked(house: &House, text: &str) -> Answer {
    match house.ask_files(text, Arc::new(ExampleFiles)).await {
        Ok(answer) => answer,
        Err(errors) => panic!("{}", errors[0].render(text)),
    }
}

fn objects(table: &Table) -> Vec<Json> {
    let object = |row: usize| {
        let members = table.fields.iter().map(|field| (field.name.clone(), value(field, row)));
        Json::Object(members.collect())
    };
    (0..table.rows).map(object).collect()
}

#[test]
fn the_queries_of_operators_give_their_rows() {
    block_on(async {
        let house = House::new().await;
        for operator in stages::operators() {
            let trial = operator.trial;
            let answer = asked(&house, trial.query).await;
            let found: Vec<String> = objects(&answer.tables[0]).iter().map(plain).collect();
            let expected = trial.rows.iter().map(|row| plain(&serde_json::from_str(row).unwrap()));
            assert_eq!(found, expected.collect::<Vec<String>>(), "{}", trial.query);
        }
    });
}

#[test]
fn the_queries_of_aggregates_give_their_values() {
    block_on(async {
        let house = House::new().await;
        for function in functions::aggregates() {
            let answer = asked(&house, function.example.text).await;
            let table = &answer.tables[0];
            assert_eq!(table.rows, 1, "{}", function.example.text);
            let (_, mistakes) = parse_expression(function.example.result);
            assert_eq!(mistakes, [], "{}", function.name);
            let expected = asked(&house, &format!("print x = {}", function.example.result)).await;
            let (found, expected) = (value(&table.fields[0], 0), value(&expected.tables[0].fields[0], 0));
            assert_eq!(plain(&found), plain(&expected), "{}", function.example.text);
        }
    });
}

/// Equal values have equal texts, whatever kind of number they hold.
fn plain(value: &Json) -> String {
    match value {
        Json::Number(number) => format!("{:?}", number.as_f64()),
        Json::Array(elements) => format!("{:?}", elements.iter().map(plain).collect::<Vec<String>>()),
        Json::Object(members) => {
            let mut members: Vec<(String, String)> =
                members.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
            members.sort();
            format!("{members:?}")
        }
        other => other.to_string(),
    }
}
