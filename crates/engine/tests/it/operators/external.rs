//! `externaldata`, with files in memory.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value as Json, json};
use tidegauge_engine::Files;

use super::{answer, refuses, rows_of};
use crate::support::house::{House, Way, block_on};

struct Shelf(HashMap<&'static str, Vec<u8>>);

impl Files for Shelf {
    fn read<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        let file = self.0.get(address).cloned();
        async move { file.ok_or_else(|| "there is no such file".to_owned()) }.boxed()
    }
}

const FILES: &[(&str, &str)] = &[
    (
        "https://x.example/gauges.csv",
        "id,place,level\r\n1,\"Husum, port\",4.5\r\n\r\n2,\"the \"\"old\"\" one\",x\r\n3",
    ),
    ("https://x.example/more.csv?v=1", "id,place,level\n9,List,1"),
    ("https://x.example/a.tsv", "1\t\"x\n2\ty"),
    ("https://x.example/a.psv", "1|x\n2|y"),
    ("https://x.example/a.scsv", "1;x\n2;y"),
    ("https://x.example/a.txt", "one, two\nthree\n"),
    (
        "https://x.example/a.json",
        "{\"id\": 1, \"tags\": [1, 2], \"at\": \"2026-07-01\"}\n{\"id\": \"2\", \"tags\": \"x\", \"at\": 5}",
    ),
    ("https://x.example/list", "[{\"id\": 1.0}, {\"id\": null}, {\"other\": 1}]"),
    ("https://x.example/broken", "{\"id\": "),
    ("https://x.example/empty.csv", ""),
];

async fn ask(house: &House, text: &str) -> Result<Json, String> {
    let mut shelf: HashMap<&'static str, Vec<u8>> =
        FILES.iter().map(|(address, file)| (*address, file.as_bytes().to_vec())).collect();
    shelf.insert("https://x.example/long.csv", vec![b'1'; (5 << 20) + 1]);
    shelf.insert("https://x.example/large.csv", vec![b'1'; 4 << 20]);
    shelf.insert("https://x.example/bytes.csv", vec![0xff, 0xfe]);
    rows_of(house.ask_files(text, Arc::new(Shelf(shelf))).await)
}

#[test]
fn files_of_every_format_are_read() {
    let cases = [
        (
            "externaldata (id:long, place:string, level:real) ['https://x.example/gauges.csv'] with (format='csv', ignoreFirstRecord=true)",
            json!([
                ["id", "place", "level"],
                [1, "Husum, port", 4.5],
                [2, "the \"old\" one", null],
                [3, null, null]
            ]),
        ),
        (
            "externaldata (id:long, place:string) ['https://x.example/gauges.csv', 'https://x.example/more.csv?v=1'] with (ignoreFirstRecord=true) | summarize sum(id)",
            json!([["sum_id"], [15]]),
        ),
        (
            "externaldata (a:long, b:string) ['https://x.example/a.tsv']",
            json!([["a", "b"], [1, "\"x"], [2, "y"]]),
        ),
        (
            "externaldata (a:long, b:string) ['https://x.example/a.psv']",
            json!([["a", "b"], [1, "x"], [2, "y"]]),
        ),
        (
            "externaldata (a:long, b:string) ['https://x.example/a.scsv']",
            json!([["a", "b"], [1, "x"], [2, "y"]]),
        ),
        (
            "externaldata (line:string) ['https://x.example/a.txt']",
            json!([["line"], ["one, two"], ["three"]]),
        ),
        (
            "externaldata (all:string) ['https://x.example/a.txt'] with (format='raw')",
            json!([["all"], ["one, two\nthree\n"]]),
        ),
        (
            "externaldata (id:long, tags:dynamic, at:datetime) ['https://x.example/a.json'] with (format='json')",
            json!([["id", "tags", "at"], [1, [1, 2], "2026-07-01T00:00:00Z"], [2, "x", null]]),
        ),
        (
            "externaldata (id:real) ['https://x.example/list'] with (format='multijson')",
            json!([["id"], [1.0], [null], [null]]),
        ),
        ("externaldata (a:long) ['https://x.example/empty.csv'] | count", json!([["Count"], [0]])),
        (
            "let names = externaldata (a:long, b:string) ['https://x.example/a.psv']; print a = 2 | lookup names on a",
            json!([["a", "b"], [2, "y"]]),
        ),
    ];
    block_on(async {
        let house = House::new().await;
        for (text, expected) in cases {
            assert_eq!(ask(&house, text).await, Ok(expected), "{text}");
        }
    });
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[("externaldata (a:long) ['https://x.example/a.csv']", "may not read files here")]);
    let cases = [
        ("externaldata (a:long) ['https://x.example/nothing']", "there is no such file"),
        ("externaldata (a:long) ['https://x.example/long.csv']", "more than 5 MiB"),
        ("externaldata (a:long) ['https://x.example/bytes.csv']", "no text in UTF-8"),
        ("externaldata (id:long) ['https://x.example/broken'] with (format='json')", "cannot be understood"),
    ];
    let many = vec!["'https://x.example/large.csv'"; 13].join(", ");
    let many = format!("externaldata (a:string) [{many}] with (format='raw')");
    // What one query reads is counted in all its tables together.
    let table = |count: usize, file: &str| {
        let addresses = vec![format!("'https://x.example/{file}'"); count].join(", ");
        format!("(externaldata (a:string) [{addresses}] with (format='raw'))")
    };
    let apart = format!("union {}, {}", table(7, "large.csv"), table(6, "large.csv"));
    let files = format!("union {}, {}", table(11, "a.txt"), table(10, "a.txt"));
    let cases = cases.into_iter().chain([
        (many.as_str(), "more than 50 MiB together"),
        (apart.as_str(), "more than 50 MiB together"),
        (files.as_str(), "more than 20 files"),
    ]);
    block_on(async {
        let house = House::new().await;
        for (text, message) in cases {
            let error = ask(&house, text).await.expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
        let plain = answer(&house, &[], "print 1", Way::Uncached).await;
        assert_eq!(plain, Ok(json!([["print_0"], [1]])));
    });
}
