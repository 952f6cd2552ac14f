//! What whole queries are read as: statements, sources and stages, shown as the canonical text.

use tidegauge_lang::diagnostic::render_all;
use tidegauge_lang::tree::{LetValue, Program, Source, Stage, Statement, TimeRange};
use tidegauge_lang::{functions, parse_query, print_query, stages};

pub(crate) fn read(text: &str) -> Program {
    let (program, diagnostics) = parse_query(text);
    assert!(diagnostics.is_empty(), "{}", render_all(&diagnostics, text));
    program
}

/// Each text is printed as the one beside it, which reads back to itself.
fn check(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        assert_eq!(print_query(&read(text)), *expected, "{text}");
        assert_eq!(print_query(&read(expected)), *expected, "{text}");
    }
}

#[test]
fn datasets_are_named_in_every_way() {
    check(&[
        ("logs", "logs"),
        ("['web-logs'] | take 5", "['web-logs']\n| take 5"),
        ("[\"web logs\"] | count", "['web logs']\n| count"),
        ("['logs']", "logs"),
        ("['print'] | count", "['print']\n| count"),
        ("table('web-logs') | count", "table(\"web-logs\")\n| count"),
        ("(logs | where a) | where b", "logs\n| where a\n| where b"),
        ("((logs))", "logs"),
        ("logs;", "logs"),
        ("logs | take 1 ; ", "logs\n| take 1"),
    ]);
    let Source::Dataset { name, range, .. } = read("['web-logs']").query.source else { panic!() };
    assert_eq!((name.as_str(), range), ("web-logs", TimeRange::ALL));
}

#[test]
fn pipes_and_comments_stand_anywhere() {
    let expected = "logs\n| where a == 1\n| take 5";
    for text in [
        "logs|where a==1|take 5",
        "logs |\nwhere a == 1 |\ntake 5",
        "logs // all\n| where a == 1 // some\n| take 5 // few",
        "// first\nlogs\n\n\t| where a == 1\n\n| take 5\n// last",
    ] {
        assert_eq!(print_query(&read(text)), expected, "{text}");
    }
}

#[test]
fn tables_stand_in_the_query() {
    check(&[
        ("datatable(a:long)[1, 2,]", "datatable(a:long)[1, 2]"),
        (
            "datatable (a:int, b:string, c:datetime)\n[1, 'x', datetime(2026-07-01), int(null), '', datetime(null)]",
            "datatable(a:long, b:string, c:datetime)[1, \"x\", datetime(2026-07-01T00:00:00Z), null, \"\", null]",
        ),
        ("datatable(['a b']:dynamic)[dynamic([1, 2])]", "datatable(['a b']:dynamic)[dynamic([1,2])]"),
        ("datatable(x:real)[-1.5, 2] | summarize sum(x)", "datatable(x:real)[-1.5, 2]\n| summarize sum(x)"),
        ("datatable(x:bool)[]", "datatable(x:bool)[]"),
        ("print 1", "print 1"),
        ("print x = 1 + 2, strlen('abc'), z = now()", "print x = 1 + 2, strlen(\"abc\"), z = now()"),
        ("print dynamic({'a': dynamic([1])}).a", "print dynamic({\"a\":[1]})[\"a\"]"),
        (
            "externaldata (id:long, name:string) ['https://x.example/a.csv', 'https://x.example/b.csv'] with \
             (format='csv', ignoreFirstRecord=true)",
            "externaldata (id:long, name:string) [\"https://x.example/a.csv\", \"https://x.example/b.csv\"] with \
             (format=\"csv\", ignoreFirstRecord=true)",
        ),
        (
            "externaldata(a:dynamic)[h'https://x.example/a']",
            "externaldata (a:dynamic) [\"https://x.example/a\"]",
        ),
        (
            "externaldata(a:real)['u'] with (format=raw)",
            "externaldata (a:real) [\"u\"] with (format=\"raw\")",
        ),
    ]);
    let Source::Print(values) = read("print 1, b = 2, 3").query.source else { panic!() };
    let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(names, ["print_0", "b", "print_2"]);
}

#[test]
fn unions_and_searches_begin_queries() {
    check(&[
        ("union web, ['api-logs'] | count", "union web, ['api-logs']\n| count"),
        (
            "union withsource=t web* | summarize count() by t",
            "union withsource=t web*\n| summarize count() by t",
        ),
        ("union (web | where a), (print x = 1)", "union (web | where a), (print x = 1)"),
        ("union *", "union *"),
        ("search 'x'", "search * has \"x\""),
        ("search in (web, ['api-*']) 'x' | take 3", "search in (web, ['api-']*) * has \"x\"\n| take 3"),
        ("search kind=case_sensitive in (w*) a:'B'", "search kind=case_sensitive in (w*) a has_cs \"B\""),
    ]);
}

#[test]
fn statements_stand_before_the_query() {
    check(&[
        ("let a = 5; logs | where x > a", "let a = 5;\nlogs\n| where x > a"),
        ("let T = logs | where a; T | count", "let T = logs | where a;\nT\n| count"),
        ("let T = datatable(a:long)[1]; T", "let T = datatable(a:long)[1];\nT"),
        (
            "let T = (logs | where a == 1);\nT | join (T) on a",
            "let T = logs | where a == 1;\nT\n| join kind=inner T on a",
        ),
        ("let from = ago(1h); let to = now();\nlogs", "let from = ago(1h);\nlet to = now();\nlogs"),
        ("let x = (1 + 2) * 3; print x", "let x = (1 + 2) * 3;\nprint x"),
        ("let T = union a, b; T", "let T = union a, b;\nT"),
        ("set stricttypes; logs", "set stricttypes;\nlogs"),
        ("set stricttypes = true; logs", "set stricttypes = true;\nlogs"),
        (
            "declare query_parameters(host:string = 'a', n:long); logs | where h == host | take n",
            "declare query_parameters(host:string = \"a\", n:long);\nlogs\n| where h == host\n| take n",
        ),
        (
            "declare query_parameters(t:string); table(t) | count",
            "declare query_parameters(t:string);\ntable(t)\n| count",
        ),
        (";; logs ;", "logs"),
    ]);
    let program = read("let a = b; let T = b | take 1; a");
    let kinds: Vec<bool> = program
        .statements
        .iter()
        .map(|statement| matches!(statement, Statement::Let(it) if matches!(it.value, LetValue::Table(_))))
        .collect();
    assert_eq!(kinds, [false, true], "a name alone is a value until it is known to be a table");
}

#[test]
fn long_queries_keep_their_shape() {
    let text = "\
        let errors = 500;\n\
        let slow = ['web-logs'] | where duration > 1s | distinct trace_id;\n\
        ['web-logs']\n\
        | where _time between (ago(1d) .. now()) and status >= errors and trace_id in (slow)\n\
        | extend path = tolower(split(uri, \"?\")[0]), is_api = path startswith \"/api\"\n\
        | parse message with * \"user=\" user:string \" took \" took:long \"ms\" *\n\
        | join kind=leftouter (users | project user, team = org['team']) on user\n\
        | summarize requests = count(), failed = countif(status >= 500), percentile(took, 95) by bin(_time, 5m), team\n\
        | extend share = round(100.0 * failed / requests, 2)\n\
        | where requests > 10\n\
        | sort by share desc, _time asc\n\
        | project-away failed\n\
        | take 100";
    let printed = print_query(&read(text));
    assert_eq!(read(&printed).query.stages.len(), 10);
    assert_eq!(print_query(&read(&printed)), printed);
    assert_eq!(printed.lines().count(), 13);
}

#[test]
fn what_the_json_query_says_has_a_text() {
    use crate::support::{hour, translated};
    use tidegauge_lang::dataset_query::{Aggregation, DatasetQuery};
    let aggregation = |op: &str, field: &str| Aggregation {
        op: op.to_owned(),
        field: field.to_owned(),
        ..Aggregation::default()
    };
    let query = translated(&DatasetQuery {
        aggregations: vec![
            aggregation("count", ""),
            aggregation("percentiles", "x"),
            aggregation("distinct", "y"),
        ],
        group_by: vec!["host".to_owned()],
        ..hour()
    })
    .query;
    let printed = print_query(&Program { statements: Vec::new(), query });
    let program = read(&printed);
    assert!(matches!(program.query.stages[0], Stage::Summarize(_)), "{printed}");
    assert!(
        printed.contains("COUNT = count(), PERCENTILES = percentiles_array(x, 50.0, 95.0, 99.0)"),
        "{printed}"
    );
    assert!(printed.contains(" by bin(_time, "), "{printed}");
}

#[test]
fn every_aggregation_function_is_read_and_has_an_example() {
    let listed = "arg_max arg_min avg avgif count countif dcount dcountif histogram histogramif make_list make_list_if \
        make_set make_set_if max maxif min minif percentile percentileif percentiles_array percentiles_arrayif phrases \
        rate spotlight stdev stdevif sum sumif topk topkif variance varianceif";
    assert_eq!(functions::aggregates().count(), 36);
    for name in listed.split_whitespace() {
        let function = functions::find_aggregate(name).unwrap_or_else(|| panic!("{name}"));
        assert!(function.example.text.contains(&format!("{name}(")), "{name}");
        assert!(function.doc.ends_with('.'), "{name}");
        read(function.example.text);
        let (_, diagnostics) = tidegauge_lang::parse_expression(function.example.result);
        assert_eq!(diagnostics, [], "{name}");
    }
}

#[test]
fn every_function_of_the_language_is_known() {
    let listed = include_str!("function_names.txt");
    let mut count = 0;
    for name in listed.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
        count += 1;
        let is_known =
            name == "not" || functions::find(name).is_some() || functions::find_signature(name).is_some();
        assert!(is_known, "{name}");
    }
    assert_eq!(count, 258);
}

#[test]
fn operators_tell_of_themselves() {
    assert_eq!(stages::find("limit").unwrap().names, ["take", "limit"]);
    assert!(stages::find("Take").is_none(), "names are case-sensitive");
    for operator in stages::operators() {
        assert!(operator.syntax.starts_with(operator.names[0]), "{}", operator.syntax);
    }
}
