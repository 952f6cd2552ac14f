//! What is said about queries that can be read and make no sense: message, place and hint. The file beside this one
//! holds the answers, and is also how we notice a bad message.

use std::path::Path;

use tidegauge_lang::Diagnostic;
use tidegauge_lang::diagnostic::render_all;

use crate::golden::is_blessed;
use crate::support::house::{House, Placement, Way, block_on};

const WRONG: &[&str] = &[
    // Tables that are not there.
    "lgs | count",
    "nothing-like-it | count",
    "logs | union lgs",
    "union logs, lgs",
    "logs | join lgs on host",
    "logs | lookup (lgs | take 5) on host",
    "logs | where host in ((lgs | project host))",
    "search in (lgs) 'x'",
    "table('lgs') | count",
    // Fields that are not there, behind what says which there are.
    "logs | project host, took | where hots == 'a'",
    "logs | project host | extend x = took * 2",
    "logs | project host | sort by took",
    "logs | project host | top 5 by took",
    "logs | project host | summarize sum(took)",
    "logs | project host | summarize count() by took",
    "logs | project host | distinct took",
    "logs | project host | project-away took",
    "logs | project host | project-keep hots",
    "logs | project host | project-rename h = hots",
    "logs | project host | project-reorder hots",
    "logs | project host | mv-expand tags",
    "logs | project host | parse took with 'a' b",
    "logs | project host | parse-kv took as (a)",
    "logs | project host | redact 'a' on took",
    "logs | project host | make-series count() on took step 1",
    "logs | project host | lookup (print host = 'a') on took",
    "logs | project host | join (print host = 'a') on hots",
    "logs | join (print x = 'a') on host",
    "logs | summarize n = count() by host | where took > 5",
    "logs | summarize n = count() by host | extend share = n / totl",
    "logs | summarize count() by host | sort by count",
    "logs | summarize n = count() by host\n| where n > 5\n| project host, took",
    "logs | project-away took | where took > 1",
    "logs | project-rename duration = took | where took > 1",
    "logs | count | where host == 'a'",
    "logs | distinct host | project took",
    "logs | getschema | project host",
    "datatable(a:long)[1] | where b > 1",
    "print a = 1 | project b = a + c",
    "let t = datatable(a:long)[1]; t | where aa > 1",
    // Types that do not fit, where that matters.
    "set stricttypes; logs | where took == 'a'",
    "set stricttypes; logs | where host > 5",
    "set stricttypes = true; logs | where took between ('a' .. 'b')",
    "set stricttypes; logs | where host in ('a', 5)",
    "datatable(at:datetime)['soon']",
    "datatable(n:long)['many']",
    // Conditions that are none.
    "logs | where took",
    "logs | where took + 1",
    "logs | where 'x'",
    "logs | where strlen(host)",
    "logs | where host and is_ok",
    "logs | where is_ok or 5",
    "logs | where not(took)",
    "logs | extend x = iff(took, 1, 2)",
    "logs | extend x = case(is_ok, 1, host, 2, 3)",
    "logs | summarize countif(took)",
    "logs | summarize sumif(took, host)",
    // Values of a type that does not fit.
    "logs | extend x = host + 1",
    "logs | extend x = host * took",
    "logs | extend x = is_ok / 2",
    "logs | extend x = _time + 5",
    "logs | extend x = _time * 2",
    "logs | extend x = 1h + 'a'",
    "logs | extend x = -host",
    "logs | extend x = abs(host)",
    "logs | extend x = sqrt(is_ok)",
    "logs | extend x = bin(host, 5)",
    "logs | extend x = bin(_time, 5)",
    "logs | extend x = startofday(took)",
    "logs | extend x = ago(5)",
    "logs | extend x = now('1h')",
    "logs | extend x = datetime_part('decade', _time)",
    "logs | extend x = datetime_add('day', host, _time)",
    "logs | extend x = substring(host, 'a')",
    "logs | extend x = max_of(took, host)",
    "logs | extend x = series_abs(host)",
    "logs | extend x = len(took)",
    "logs | extend x = array_slice(tags, 'a', 2)",
    "logs | extend x = bag_pack('a', 1, 'b')",
    "logs | extend x = array_extract(tags, 'name')",
    "logs | extend x = column_ifexists(strcat('a', 'b'), 1)",
    // Regular expressions that cannot be read.
    "logs | where host matches regex '('",
    "logs | where host !matches regex '[a'",
    "logs | where host matches regex '(a{1000}){1000}'",
    "logs | extend x = extract('(a{1000}){1000}', 0, host)",
    "logs | extend x = extract('(?<=a)b', 0, host)",
    "logs | extend x = replace_regex('*', '', host)",
    "logs | parse kind=regex host with '(' a",
    "logs | parse-kv host as (a) with (regex='(')",
    "logs | redact '[0-9' on host",
    "logs | redact redactGroups=true '[0-9]' on host",
    // Aggregates with something else than they need.
    "logs | summarize sum(host)",
    "logs | summarize avg(is_ok)",
    "logs | summarize stdev(host)",
    "logs | summarize rate(host)",
    "logs | summarize percentile(host, 95)",
    "logs | summarize percentile(took, 101)",
    "logs | summarize percentile(took, host)",
    "logs | summarize percentiles_array(took, 50, 'a')",
    "logs | summarize histogram(host, 5)",
    "logs | summarize histogram(took, 0)",
    "logs | summarize topk(host, -1)",
    "logs | summarize topk(host, took)",
    "logs | summarize make_list(host, 'a')",
    "logs | summarize phrases(took, 5)",
    "logs | summarize spotlight(took, host)",
    "logs | summarize count() + host",
    // Stages with something else than they need.
    "logs | take host",
    "logs | take 'a'",
    "logs | top 'a' by took",
    "logs | sample 2",
    "logs | sample host",
    "logs | join (print took = 'a') on took",
    "logs | join (print h = 1) on $left.host == $right.h",
    "logs | lookup (print took = 'a') on took",
    "logs | make-series count() on host from 1 to 5 step 1",
    "logs | make-series count() on _time from 1 to 5 step 1",
    "logs | make-series count() on _time from datetime(2024-01-01) to datetime(2024-01-02) step 5",
    "logs | make-series count() on took from 0 to 10 step 0",
    "logs | make-series count() default = host on took from 0 to 10 step 1",
    "logs | make-series count() on took from 0 to 9000000000 step 1",
    "logs | parse-kv host as (a) with (pair_delimiter='', kv_delimiter='=')",
    "datatable(a:long)['x']",
    "datatable(a:long)[host]",
    "print a = host",
    "print a = bin_auto(datetime(2024-01-01))",
    "externaldata (a:long) ['https://x.example/a.csv']",
];

fn said(errors: &[Diagnostic], text: &str) -> String {
    format!("{text}\n{}\n\n", render_all(errors, text))
}

/// What is said about each of them.
fn all() -> Vec<(&'static str, Vec<Diagnostic>)> {
    let event = |number: i64| {
        format!(
            r#"{{"_time":{},"host":"h{number}","took":{number},"is_ok":true,"tags":["a",{number}]}}"#,
            crate::support::house::START - number
        )
    };
    block_on(async {
        let house = House::new().await;
        let events: String = (1..5).map(|number| event(number) + "\n").collect();
        let filled = house.filled(&[events], Placement::ALL[0]).await;
        let mut all = Vec::new();
        for text in WRONG {
            let answer = house.ask_text(&[("logs", &filled.state)], text, Way::Threads).await;
            all.push((*text, answer.err().unwrap_or_default()));
        }
        all
    })
}

#[test]
fn queries_that_make_no_sense_have_these_diagnostics() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/query_errors.txt");
    let now: String = all().iter().map(|(text, errors)| said(errors, text)).collect();
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    if now != before && is_blessed() {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    let both = now.lines().zip(before.lines()).enumerate();
    let first = both.into_iter().find(|(_, (now, before))| now != before);
    assert!(now == before, "{first:?} differs\nBLESS=1 writes what is said into the file: read it before");
}

#[test]
fn every_message_has_a_place_and_says_what_to_write() {
    let mut bad = Vec::new();
    for (text, errors) in all() {
        if errors.is_empty() {
            bad.push(format!("{text}: is not refused"));
        }
        for Diagnostic { message, span, hint } in errors {
            let begins_well = message.starts_with(|c: char| c.is_lowercase() || c.is_numeric() || c == '`');
            if !begins_well || message.ends_with('.') {
                bad.push(format!("{text}: {message}"));
            }
            if span.start == span.end {
                bad.push(format!("{text}: {message}: has no place"));
            }
            if hint.as_ref().is_none_or(|hint| hint.ends_with('.')) {
                bad.push(format!("{text}: {message}: has no hint"));
            }
        }
    }
    assert!(bad.is_empty(), "{} are bad:\n{}", bad.len(), bad.join("\n"));
}
