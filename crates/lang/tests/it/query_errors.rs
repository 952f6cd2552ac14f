//! What is said about wrong queries: message, place and hint. The list is also how we notice a bad message.

use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::parse_query;

const WRONG: &[&str] = &[
    // No query, no source, no stage.
    "",
    " // nothing",
    "let a = 5;",
    "| where a == 1",
    "logs |",
    "logs | | count",
    "logs || count",
    "logs | 5",
    "where status == 500",
    "summarize count() by host",
    "logs where status == 500",
    "logs\nwhere status == 500\n| count",
    "logs | where a == 1 summarize count() by b",
    "web-logs | count",
    "web-logs-2 | count",
    "\"web-logs\" | count",
    "web* | count",
    "5 | count",
    "getdata() | count",
    "table() | count",
    "['']",
    // Habits of other languages.
    "SELECT * FROM logs",
    "select host from logs where a = 1",
    "from logs | where a == 1",
    "logs | select host, path",
    "logs | group by host",
    "logs | where a = 1",
    "logs | where a == 1 AND b == 2",
    "logs | where a <> 1 and b like '%x%'",
    "logs | where a == 1 && b == 2",
    "logs | where a == 1 & b == 2",
    "logs | where a == 1 || b == 2",
    "logs | where a is null",
    "logs | where not a == 1",
    "logs | where !isnull(a)",
    "logs | where a == 1 order by b",
    "logs | where a == 1 limit 10",
    "logs | order host desc",
    "logs | ORDER BY host",
    "logs | sort by host DESC",
    "logs | sort by host descending",
    "logs | stats count by host",
    "logs | eval x = 1",
    "logs | head 10",
    "logs | rename a as b",
    "logs | dedup host",
    "logs | fields host",
    "logs | timechart count()",
    "logs | summarize count() by host having count_ > 1",
    "logs | summarize count(*) by host",
    "logs | summarize count(distinct host)",
    "logs | summarize total = sum(x) group by host",
    "logs | project a as b",
    "logs | project *",
    "range x from 1 to 10 step 1",
    // Names of operators.
    "logs | wher a == 1",
    "logs | Where a == 1",
    "logs | sumarize count()",
    "logs | project_away a",
    "logs | projectaway a",
    "logs | mv_expand a",
    "logs | extendvalid a = 1",
    "logs | render timechart",
    "logs | mv-apply a on (count)",
    "logs | top-nested 5 of a",
    "logs | foo a",
    "logs | a == 1",
    // Stages without what they need.
    "logs | where",
    "logs | where | count",
    "logs | extend",
    "logs | project",
    "logs | project-away",
    "logs | project-rename a",
    "logs | distinct",
    "logs | limit",
    "logs | take -5",
    "logs | take 1.5",
    "logs | take ten rows",
    "logs | top 5",
    "logs | top by duration",
    "logs | sample 5",
    "logs | sample 0",
    "logs | sort",
    "logs | sort host",
    "logs | sort by",
    "logs | summarize",
    "logs | summarize count() host",
    "logs | summarize count() by",
    "logs | count by host",
    "logs | count()",
    "logs | parse message 'a' b",
    "logs | parse message with",
    "logs | parse message with a b",
    "logs | parse message with 'x' a:integer",
    "logs | parse-kv message as user",
    "logs | parse-kv message as (user) with (delimiter=';')",
    "logs | mv-expand",
    "logs | mv-expand tags to string",
    "logs | make-series count() on _time",
    "logs | make-series count() step 1h",
    "logs | search",
    "logs | redact",
    "logs | redact email",
    "logs | externaldata (a:long) ['x']",
    "logs | getschema()",
    // Joins.
    "logs | join",
    "logs | join users",
    "logs | join on id (users)",
    "logs | join users kind=inner on id",
    "logs | join kind=outer users on id",
    "logs | join kind=inner users where a == b",
    "logs | join users on a = b",
    "logs | join users on a == b and c == d",
    "logs | join users on $left.a == $left.b",
    "logs | join (users | where a on id",
    "logs | join (users | wher a == 1) on id",
    "logs | join 'users' on id",
    "logs | lookup users",
    "logs | lookup kind=fullouter users on id",
    "logs | union",
    "logs | union a,",
    "logs | union isfuzzy=true a",
    // Aggregates and functions.
    "logs | where count() > 5",
    "logs | extend x = sum(y)",
    "logs | extend m = max(a, b)",
    "logs | summarize host",
    "logs | summarize count by host",
    "logs | summarize toupper(host)",
    "logs | summarize 5 by host",
    "logs | summarize avg(max(x))",
    "logs | summarize mean(x)",
    "logs | summarize median(x) by host",
    "logs | summarize percentile(x)",
    "logs | summarize sum()",
    "logs | summarize count() by sum(x)",
    "logs | summarize count() by 1h",
    "logs | summarize count() by bin(_time)",
    "logs | summarize count() by bin(_time, 1hour30)",
    "logs | extend a = toloer(b)",
    "logs | extend a = series_abs(b, c)",
    "logs | extend a = iff(b > 1, 2)",
    "logs | extend a = strlen(*)",
    "logs | summarize arg_max(*, x)",
    // Brackets, texts and literals.
    "logs | where (a == 1",
    "logs | where a == 1)",
    "logs | where a in (1, 2 | count",
    "logs | where a in [1, 2]",
    "logs | where a in ()",
    "logs | where a == \"x",
    "logs | where a == 'it's'",
    "logs | where a['b == 1",
    "['logs | where a == 1",
    "['logs' | where a == 1",
    "logs | summarize sum(x by host",
    "logs | where a > 5x",
    "logs | where _time > ago(1 h)",
    "logs | where _time > ago(1hr30)",
    "logs | where _time > datetime(yesterday)",
    "logs | where _time > datetime(2026-13-01)",
    "logs | where a matches regex \"\\d+\"",
    "logs | where a == dynamic([1, 2)",
    "logs | where a between 1 and 5",
    "logs | where a between (1, 5)",
    "logs | where a ? b : c",
    // Statements.
    "let a = 5\nlogs | where x > a",
    "let T = logs | take 5\nT | count",
    "let a = -5\nlogs | where x > a",
    "let = 5; logs",
    "let a; logs",
    "let a = ; logs",
    "let a == 5; logs",
    "let f = (x:long) { x + 1 }; logs",
    "set foo; logs",
    "set stricttype; logs",
    "declare parameters(a:string); logs",
    "declare query_parameters(a); logs",
    "declare query_parameters(a:text); logs",
    "logs | count; users | count",
    // Tables in the query.
    "datatable(a)[1]",
    "datatable(a:long)",
    "datatable(a:long) [1, 2",
    "datatable(a:long, b:string)[1, 'x', 2]",
    "datatable(a:number)[1]",
    "datatable()[1]",
    "print",
    "print x == 1, y =",
    "externaldata (a:long)",
    "externaldata (a:long) [https://x.example/a.csv]",
    "externaldata (a:long) ['https://x.example/a'] with (format='xml')",
    "union",
    "search in (logs)",
    // Several at once.
    "logs | wher a == 1 | summarize cout() by b | take -1",
    "logs\n| where a = 1\n| extend b = toitn(c)\n| limt 5",
    "let x = ago(1g);\nlogs | where a > x | project | sort a",
];

#[test]
fn wrong_queries_have_these_diagnostics() {
    let mut rendered = String::new();
    for text in WRONG {
        let (_, diagnostics) = parse_query(text);
        assert_ne!(diagnostics, [], "{text:?} has a mistake");
        rendered.push_str(&format!("{text:?}\n{}\n\n", render_all(&diagnostics, text)));
    }
    insta::assert_snapshot!(rendered);
}

#[test]
fn messages_are_lowercase_without_a_full_stop_and_say_what_to_write() {
    for text in WRONG {
        for diagnostic in parse_query(text).1 {
            let message = &diagnostic.message;
            let begins_well = message.starts_with(|c: char| c.is_lowercase() || c.is_numeric() || c == '`');
            assert!(begins_well && !message.ends_with('.'), "{message}");
            assert!(diagnostic.hint.is_some_and(|hint| !hint.ends_with('.')), "{text}: {message}");
        }
    }
}

/// What stands behind a mistake is read: the stages around a wrong one are there.
#[test]
fn reading_goes_on_behind_mistakes() {
    for (text, stages) in [
        ("logs | wher a | take 5", 1),
        ("logs | where a == | take 5", 2),
        ("logs | take 5 | where (a == 1 | count", 3),
        ("logs | project | project | count", 1),
        ("logs where a == 1 | count", 2),
        ("logs | join users | count", 1),
        ("logs | summarize count() host | take 5", 2),
        ("logs ) | take 5 | count", 2),
    ] {
        let (program, diagnostics) = parse_query(text);
        assert_ne!(diagnostics, [], "{text}");
        assert_eq!(program.query.stages.len(), stages, "{text}");
    }
}
