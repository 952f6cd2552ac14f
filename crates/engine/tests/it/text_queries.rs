//! Queries in text over datasets: names of fields that are there or not, orders and limits, tables of other datasets,
//! and what the answer tells beside its rows.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tidegauge_engine::{Answer, Message, Options, Progress, SoFar, Table};
use tidegauge_store::DatasetState;

use crate::support::house::{House, Placement, SECOND, START, Way, block_on};
use crate::support::reply::value;

/// Eight requests to two hosts, one second after the other, the last one with a field that no other has.
fn web() -> Vec<String> {
    let line = |number: i64| {
        let time = START + number * SECOND;
        let host = if number % 2 == 0 { "a" } else { "b" };
        let status = [200, 200, 404, 500, 200, 500, 200, 200][number as usize];
        let extra = if number == 7 { r#","note":"last one","tags":["x","y"]"# } else { "" };
        format!(
            r#"{{"_time":{time},"host":"{host}","status":{status},"took":{}.5,"req":{{"path":"/p/{number}"}}{extra}}}"#,
            number * 10
        )
    };
    (0..8).map(line).collect()
}

fn hosts() -> Vec<String> {
    vec![format!(
        "{{\"_time\":{START},\"host\":\"a\",\"city\":\"Oslo\"}}\n{{\"_time\":{START},\"host\":\"c\",\"city\":\"Rome\"}}"
    )]
}

struct Both {
    house: House,
    web: Arc<DatasetState>,
    hosts: Arc<DatasetState>,
}

impl Both {
    async fn new(placement: Placement) -> Self {
        let house = House::new().await;
        let web = house.filled(&web(), placement).await.state;
        let hosts = house.filled(&hosts(), placement).await.state;
        Self { house, web, hosts }
    }

    async fn ask(&self, text: &str) -> Answer {
        let datasets = [("web", &self.web), ("web-hosts", &self.hosts)];
        match self.house.ask_text(&datasets, text, Way::Threads).await {
            Ok(answer) => answer,
            Err(errors) => panic!("{}", errors[0].render(text)),
        }
    }

    async fn refusal(&self, text: &str) -> String {
        let datasets = [("web", &self.web), ("web-hosts", &self.hosts)];
        let errors = self.house.ask_text(&datasets, text, Way::Threads).await.unwrap_err();
        errors[0].render(text)
    }
}

fn rows(table: &Table) -> Json {
    let row = |row: usize| Json::Array(table.fields.iter().map(|field| value(field, row)).collect());
    Json::Array((0..table.rows).map(row).collect())
}

fn names(table: &Table) -> Vec<&str> {
    table.fields.iter().map(|field| field.name.as_str()).collect()
}

fn check(placement: Placement, cases: &[(&str, Json)]) {
    block_on(async {
        let both = Both::new(placement).await;
        for (text, expected) in cases {
            let answer = both.ask(text).await;
            assert_eq!(rows(&answer.tables[0]), *expected, "{placement:?}: {text}");
        }
    });
}

#[test]
fn rows_are_filtered_computed_sorted_and_limited() {
    let cases = [
        ("web | where status == 500 | project took", json!([[50.5], [30.5]])),
        ("web | where status == 500 | project took | sort by took asc", json!([[30.5], [50.5]])),
        ("web | project host, took | take 2", json!([["b", 70.5], ["a", 60.5]])),
        ("web | sort by _time asc | take 2 | project took", json!([[0.5], [10.5]])),
        ("web | sort by _time asc | take 3 | where host == 'a' | project took", json!([[0.5], [20.5]])),
        ("web | top 2 by took asc | project took", json!([[0.5], [10.5]])),
        ("web | extend slow = took > 45 | where slow | count", json!([[3]])),
        (
            "web | where took between (10 .. 31) | project took | sort by took desc",
            json!([[30.5], [20.5], [10.5]]),
        ),
        ("web | where ['req.path'] == '/p/3' | project ['req.path']", json!([["/p/3"]])),
        ("web | where * has 'last' | project took", json!([[70.5]])),
        ("web | search 'last' | project took", json!([[70.5]])),
        ("web | where note == 'last one' | project tags[1]", json!([["y"]])),
        ("web | where isnull(note) | count", json!([[7]])),
        ("web | where note != 'last one' | count", json!([[7]])),
        ("web | distinct host | sort by host asc", json!([["a"], ["b"]])),
        ("web | project-keep h*, st* | sort by status desc | take 1", json!([["b", 500]])),
        ("web | project-away req*, note, tags, _sysTime, _time | take 1", json!([["b", 200, 70.5]])),
        ("web | project-rename machine = host | project machine | take 1", json!([["b"]])),
        ("web | project took, host | project-reorder host | take 1", json!([["b", 70.5]])),
        ("web | take 0 | count", json!([[0]])),
        ("web | sort by nothing | take 3 | count", json!([[3]])),
        ("union web, web | top 2 by took asc | project took", json!([[0.5], [0.5]])),
        (
            "web | sort by took asc | join kind=inner (web | project host, status) on host, status | take 1 | project took",
            json!([[0.5]]),
        ),
        ("web | where took in ((union web, web, web | project took)) | count", json!([[8]])),
        ("web | where _time >= datetime(2027-01-15T08:00:06Z) | project took", json!([[70.5], [60.5]])),
        ("web | where _time > ago(-5s) | count", json!([[2]])),
        (
            "web | project x = column_ifexists('nothing', 'none'), y = column_ifexists('host', '') | take 1",
            json!([["none", "b"]]),
        ),
        ("web | project x = ensure_field('nothing', typeof(string)) | take 1", json!([[null]])),
        ("web | where ingestion_time() >= _time | take 1 | count", json!([[1]])),
        ("web | project p = pack_array(host, status) | take 1", json!([[["b", 200]]])),
        (
            "web | project host, status | take 1 | project p = bag_pack(*)",
            json!([[{"host": "b", "status": 200}]]),
        ),
    ];
    for placement in [Placement::Buffer, Placement::Both] {
        check(placement, &cases);
    }
}

#[test]
fn rows_are_grouped() {
    let cases = [
        ("web | summarize count() by host | sort by host asc", json!([["a", 4], ["b", 4]])),
        (
            "web | summarize n = count(), worst = max(status) by host | sort by worst desc, host asc",
            json!([["b", 4, 500], ["a", 4, 404]]),
        ),
        ("web | summarize share = 100.0 * countif(status >= 400) / count()", json!([[37.5]])),
        ("web | summarize sum(took) by status | top 1 by sum_took", json!([[200, 182.5]])),
        ("web | summarize arg_max(took, host, status)", json!([[70.5, "b", 200]])),
        (
            "web | summarize make_list(status) by host | sort by host asc",
            json!([["a", [200, 404, 200, 200]], ["b", [200, 500, 500, 200]]]),
        ),
        ("web | summarize by status | sort by status asc", json!([[200], [404], [500]])),
        (
            "web | summarize count() by even = status % 200 == 0 | sort by even asc",
            json!([[false, 3], [true, 5]]),
        ),
        (
            "web | where host == 'none' | summarize count(), sum(took), avg(took), make_set(host)",
            json!([[0, 0.0, null, []]]),
        ),
        ("web | where host == 'none' | summarize count() by host", json!([])),
        ("web | summarize c = count() by host | where c > 100", json!([])),
        ("web | summarize c = count() by host | extend d = c * 2 | project d | take 1", json!([[8]])),
        ("web | summarize c = count() by status | summarize most = max(c), kinds = count()", json!([[5, 3]])),
    ];
    for placement in [Placement::Buffer, Placement::Both] {
        check(placement, &cases);
    }
}

#[test]
fn tables_are_put_together() {
    let cases = [
        (
            "web | where status == 404 | join kind=inner ['web-hosts'] on host | project host, city",
            json!([["a", "Oslo"]]),
        ),
        (
            "web | where status == 500 | join kind=leftouter ['web-hosts'] on host | project host, city | take 1",
            json!([["b", ""]]),
        ),
        (
            "web | distinct host | lookup (['web-hosts'] | project host, city) on host | sort by host asc",
            json!([["a", "Oslo"], ["b", ""]]),
        ),
        (
            "web | summarize n = count() by host | join kind=rightanti (['web-hosts'] | project host, city) on host | project city",
            json!([["Rome"]]),
        ),
        ("web | where host in ((['web-hosts'] | project host)) | count", json!([[4]])),
        ("let known = ['web-hosts'] | project host; web | where host !in (known) | count", json!([[4]])),
        ("union web, ['web-hosts'] | count", json!([[10]])),
        (
            "union withsource=origin web* | summarize count() by origin | sort by origin asc",
            json!([["web", 8], ["web-hosts", 2]]),
        ),
        (
            "union kind=inner web, ['web-hosts'] | project-away _time, _sysTime | distinct host | sort by host asc",
            json!([["a"], ["b"], ["c"]]),
        ),
        (
            "web | where status == 404 | union (['web-hosts'] | where city == 'Rome') | project host | sort by host asc",
            json!([["a"], ["c"]]),
        ),
        ("search in (web*) 'Rome' | project city", json!([["Rome"]])),
        ("search 'Rome' or status:404 | project host | sort by host asc", json!([["a"], ["c"]])),
    ];
    for placement in [Placement::Buffer, Placement::Both] {
        check(placement, &cases);
    }
}

#[test]
fn buckets_come_with_totals() {
    block_on(async {
        let both = Both::new(Placement::Both).await;
        let answer = both.ask("web | summarize count() by bin(_time, 4s), host").await;
        let [series, totals] = answer.tables.as_slice() else { panic!("{:?}", answer.tables.len()) };
        assert_eq!((names(series), series.name), (vec!["_time", "host", "count_"], "0"));
        assert_eq!((names(totals), totals.name), (vec!["host", "count_"], "_totals"));
        assert_eq!(series.groups, ["_time", "host"]);
        assert_eq!(series.bucket.map(|bucket| bucket.step), Some(4 * SECOND));
        assert_eq!(rows(totals), json!([["a", 4], ["b", 4]]));
        assert_eq!((series.rows, answer.figures.groups), (4, 2));
        // The first group in every bucket, not the first row.
        let answer = both.ask("web | summarize sum(took) by bin(_time, 4s), host | take 1").await;
        let expected = json!([["2027-01-15T08:00:00Z", "b", 41.0], ["2027-01-15T08:00:04Z", "b", 121.0]]);
        assert_eq!(rows(&answer.tables[0]), expected);
        for text in [
            "let n = 1; web | summarize sum(took) by bin(_time, 4s), host | take n",
            "web | summarize c = sum(took) by bin(_time, 4s), host | sort by c desc nulls last | take 1",
            "let n = 1; web | summarize c = sum(took) by bin(_time, 4s), host | order by c desc nulls last | take n",
        ] {
            assert_eq!(rows(&both.ask(text).await.tables[0]), expected, "{text}");
        }
        // Another place of nulls is an order of rows.
        let text =
            "web | summarize c = sum(took) by bin(_time, 4s), host | sort by c desc nulls first | take 1";
        assert_eq!(rows(&both.ask(text).await.tables[0]), json!([["2027-01-15T08:00:04Z", "b", 121.0]]));
        let answer = both.ask("web | summarize count() by host, bin(_time, 4s) | where count_ > 1").await;
        assert_eq!((names(&answer.tables[0]), answer.tables.len()), (vec!["host", "_time", "count_"], 1));
    });
}

#[test]
fn an_answer_tells_of_itself() {
    block_on(async {
        let both = Both::new(Placement::Segments).await;
        let answer = both.ask("web | where nothing == 1 | project took, noting").await;
        let missing = |name: &str, near: Option<&str>| Message::MissingField {
            name: name.to_owned(),
            near: near.map(str::to_owned),
        };
        assert_eq!(answer.messages, [missing("nothing", None), missing("noting", None)]);
        let answer = both.ask("web | where hots == 'a' | summarize sum(tooks)").await;
        assert_eq!(answer.messages, [missing("hots", Some("host")), missing("tooks", Some("took"))]);
        assert_eq!(answer.tables[0].sources, ["web"]);
        let answer = both.ask("web | summarize c = count() by host").await;
        let info = answer.tables[0].fields[1].aggregate.clone().unwrap();
        assert_eq!((info.name, answer.tables[0].groups.clone()), ("count", vec!["host".to_owned()]));
        let answer = both.ask("web | summarize c = count() by host | project c").await;
        assert!(answer.tables[0].fields[0].aggregate.is_none() && answer.tables[0].groups.is_empty());
        let answer = both.ask("web | getschema | where ColumnName == 'took'").await;
        assert_eq!(rows(&answer.tables[0])[0][2], "real");
        let answer = both.ask("print x = 1").await;
        assert_eq!((answer.tables[0].sources.len(), answer.figures.rows_examined), (0, 0));
    });
}

#[test]
fn fields_that_double_end() {
    block_on(async {
        let both = Both::new(Placement::Buffer).await;
        let fields: Vec<String> = (1..=45).map(|n| format!("a{n} = a{} + a{}", n - 1, n - 1)).collect();
        let text = format!("web | where took < 1 | extend a0 = status, {} | project a45", fields.join(", "));
        let answer = both.ask(&text).await;
        assert_eq!(rows(&answer.tables[0]), json!([[200_i64 << 45]]));
        let lets: Vec<String> = (1..=45).map(|n| format!("let a{n} = a{} + a{};", n - 1, n - 1)).collect();
        let text = format!("let a0 = rand(); {} print a45", lets.join(" "));
        let refused = both.refusal(&text).await;
        assert!(refused.contains("too many parts"), "{refused}");
        // Which of them is the first that is too much is the engine's; it is one, and it is marked.
        assert!(refused.contains("^^^") && !refused.starts_with("line 1, column 1:"), "{refused}");
    });
}

#[test]
fn what_is_told_of_a_table_is_in_it() {
    block_on(async {
        let both = Both::new(Placement::Buffer).await;
        let answer =
            both.ask("web | summarize count() by bin(_time, 4s) | sort by count_ | project count_").await;
        assert!(answer.tables[0].bucket.is_none() && answer.tables[0].order.len() == 1);
        let answer = both.ask("web | summarize count() by host | sort by host | project count_").await;
        assert!(answer.tables[0].order.is_empty());
    });
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    block_on(async {
        let both = Both::new(Placement::Buffer).await;
        for (text, parts) in [
            (
                "web | project took | where hots == 1",
                vec!["invalid field: \"hots\"", "there is `took` alone"],
            ),
            ("web | project host | where hos == 'a'", vec!["line 1, column 28", "did you mean `host`?"]),
            ("web | summarize count() by host | where cont_ > 1", vec!["did you mean `count_`?"]),
            ("wbe | take 1", vec!["dataset not found: \"wbe\"", "did you mean `web`?"]),
            ("web | project-away hots", vec!["invalid field: \"hots\"", "did you mean `host`?"]),
            ("web | where host + 1 == 2", vec!["cannot compute with a string and an integer"]),
            ("web | take 1 | join ['web-hosts'] on $left.took == $right.city", vec!["different types"]),
            ("print x = y", vec!["invalid field: \"y\""]),
        ] {
            let refusal = both.refusal(text).await;
            for part in parts {
                assert!(refusal.contains(part), "{text}: {refusal}");
            }
        }
    });
}

#[test]
fn a_union_has_a_bound_on_its_fields() {
    let table = |letter: char| {
        let fields: Vec<String> = (0..5_100).map(|number| format!("{letter}{number} = 1")).collect();
        format!("(print {})", fields.join(", "))
    };
    block_on(async {
        let both = Both::new(Placement::Buffer).await;
        let refusal = both.refusal(&format!("union {}, {}", table('a'), table('b'))).await;
        assert!(refusal.contains("more than 10000 fields"), "{refusal}");
        let answer = both.ask(&format!("union {}, {} | count", table('a'), table('a'))).await;
        assert_eq!(rows(&answer.tables[0]), json!([[2]]));
    });
}

#[test]
fn constants_have_a_bound_together() {
    let long = "strrep(strrep(strrep('a', 1024), 1024), 8)";
    let fields = |count: usize| vec![long; count].join(", ");
    let names =
        |count: usize| (0..count).map(|number| format!("let n{number} = {long};")).collect::<String>();
    block_on(async {
        let both = Both::new(Placement::Buffer).await;
        let stages: String = (0..40).map(|number| format!("| extend n{number} = {long}")).collect();
        let stages = format!("print 1 {stages} | count");
        for text in [format!("print {}", fields(9)), format!("{} print 1", names(9)), stages] {
            let refusal = both.refusal(&text).await;
            assert!(refusal.contains("more than 64 MiB together"), "{refusal}");
        }
        let answer = both.ask(&format!("{} print strlen(n3)", names(4))).await;
        assert_eq!(rows(&answer.tables[0]), json!([[8 << 20]]));
    });
}

#[test]
fn who_watches_a_query_sees_what_it_reads() {
    block_on(async {
        let house = House::new().await;
        let filled = house.filled(&[lines(0..40), lines(40..80)], Placement::Segments).await;
        let progress = Progress::default();
        assert_eq!(progress.so_far(), SoFar::default());
        let options = Options { progress: Some(progress.clone()), ..Options::at(START) };
        let text = "d | where n < 10 | join kind=inner (d | where n < 5) on n | count";
        let answer = house.ask_with(&[("d", &filled.state)], text, Way::Threads, options).await.unwrap();

        let (so_far, figures) = (progress.so_far(), &answer.figures);
        assert_eq!(so_far.rows_examined, figures.rows_examined);
        assert_eq!((so_far.rows_matched, so_far.bytes_read), (15, figures.bytes_read));
        assert_eq!((so_far.blocks_done, so_far.blocks_total), (4, 4));
    });
}

/// Events that count up.
fn lines(numbers: std::ops::Range<i64>) -> String {
    numbers.map(|n| format!("{{\"_time\":{},\"n\":{n}}}\n", START)).collect()
}
