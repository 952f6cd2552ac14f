//! Completion: texts with `¦` at the cursor, and what is proposed there.

use proptest::prelude::*;
use tidegauge_lang::complete::{Completion, CompletionKind, Completions, Existing, KnownField, sources_of};
use tidegauge_lang::tree::Type;
use tidegauge_lang::{complete, parse_query};

fn fields(dataset: &str) -> Vec<KnownField> {
    let list: &[(&str, &[Type])] = match dataset {
        "web" => &[
            ("_time", &[Type::Datetime]),
            ("host", &[Type::String]),
            ("status", &[Type::Integer]),
            ("duration", &[Type::Float]),
            ("ok", &[Type::Boolean]),
            ("geo.city", &[Type::String]),
            ("geo.country", &[Type::String]),
            ("user agent", &[Type::String]),
            ("tags", &[Type::Array]),
        ],
        "my-logs" => &[("_time", &[Type::Datetime]), ("level", &[Type::String]), ("host", &[Type::String])],
        _ => &[],
    };
    let known = |(name, kinds): &(&str, &[Type])| KnownField {
        name: (*name).to_owned(),
        kinds: kinds.to_vec(),
        doc: String::new(),
    };
    list.iter().map(known).collect()
}

fn values(dataset: &str, field: &str) -> Vec<String> {
    match (dataset, field) {
        ("web", "host") => vec!["alpha".to_owned(), "beta \"2\"".to_owned()],
        _ => Vec::new(),
    }
}

fn asked(marked: &str) -> Completions {
    let position = marked.find('¦').unwrap();
    let datasets = ["web", "my-logs", "take"].map(str::to_owned);
    let views = ["errors".to_owned()];
    let known = Existing { datasets: &datasets, views: &views, fields: &fields, values: &values };
    complete(&marked.replace('¦', ""), position, &known)
}

fn labels(marked: &str) -> Vec<String> {
    asked(marked).items.into_iter().map(|item| item.label).collect()
}

fn item(marked: &str, label: &str) -> Completion {
    let found = asked(marked).items.into_iter().find(|item| item.label == label);
    found.unwrap_or_else(|| panic!("{marked}: {label} is not proposed"))
}

/// The first items, then with `+` what is somewhere among them and with `-` what is not.
fn check(cases: &[(&str, &str)]) {
    for (marked, expected) in cases {
        let found = labels(marked);
        let mut firsts = Vec::new();
        for word in expected.split_whitespace() {
            let word = word.replace('␣', " ");
            if let Some(within) = word.strip_prefix('+') {
                assert!(found.iter().any(|label| label == within), "{marked}: no {within} in {found:?}");
            } else if let Some(without) = word.strip_prefix('-') {
                assert!(!found.iter().any(|label| label == without), "{marked}: {without} in {found:?}");
            } else {
                firsts.push(word);
            }
        }
        let shown: Vec<&String> = found.iter().take(firsts.len()).collect();
        assert_eq!(shown, firsts.iter().collect::<Vec<_>>(), "{marked}: {found:?}");
    }
}

#[test]
fn queries_begin_with_tables_and_statements() {
    check(&[
        ("¦", "web my-logs take errors +print +datatable +union +search +let -where"),
        ("w¦", "web -my-logs"),
        ("my-l¦", "my-logs"),
        ("['my¦", "my-logs -web"),
        ("let big = 5; ¦", "web +print -big"),
        ("let slow = web | where duration > 5; sl¦", "slow"),
        ("let x = ¦", "web +ago +print"),
        ("set ¦", "stricttypes"),
        ("declare ¦", "query_parameters"),
        ("declare query_parameters(a:¦", "string long"),
        ("datatable(x:¦", "string long real bool"),
        ("union ¦", "web my-logs take errors +kind= +withsource="),
        ("union web, ¦", "web my-logs"),
        ("search in (¦", "web my-logs"),
        ("web ¦", "|"),
    ]);
}

#[test]
fn stages_begin_with_operators() {
    check(&[
        ("web | ¦", "where extend +summarize +project-away +limit -externaldata -web"),
        ("web | su¦", "summarize"),
        ("web | project-¦", "project-away project-keep project-rename project-reorder"),
        ("web | project-re¦", "project-rename project-reorder"),
        ("web | where status == 1 | so¦", "sort"),
        ("web | where foo( | wh¦", "where"),
        ("web\n| where x //¦", ""),
        ("web | where x // note ¦ more", ""),
        ("web | join (my-logs | ¦", "where"),
    ]);
    assert_eq!(item("web | ¦", "summarize").insert, "summarize ");
    assert_eq!(item("web | ¦", "count").insert, "count");
    assert!(item("web | ¦", "join").detail.contains("kind="));
}

#[test]
fn fields_follow_the_stages_before() {
    check(&[
        ("web | where ¦", "_time host status duration ok +abs -count -level"),
        ("web | where st¦", "status startofday"),
        ("web | where HO¦", "host hourofday"),
        ("web | project host, n = status | where ¦", "host n -status -duration"),
        ("web | extend late = duration > 5 | where la¦", "late"),
        ("web | project-away geo* | where g¦", "gamma +getmonth -geo.city"),
        ("web | project-keep geo* | where ¦", "geo.city geo.country -host"),
        ("web | project-rename machine = host | where ¦", "_time machine -host"),
        ("web | summarize count(), avg(duration) by host | where ¦", "host count_ avg_duration -status"),
        ("web | summarize n = count() by bin(_time, 1h) | sort by ¦", "_time n -host"),
        ("web | parse host with a \"-\" b:long | where ¦", "_time +a +b"),
        ("web | mv-expand tag = tags | where ¦", "_time +tag +tags"),
        ("web | join kind=inner ['my-logs'] on host | where ¦", "_time +level +host1"),
        ("let e = web | project host; e | where ¦", "host -status"),
        ("let limit = 5; web | where duration > ¦", "_time +limit"),
        ("datatable(a:long, b:string)[1, \"x\"] | where ¦", "a b"),
        ("union web, ['my-logs'] | where l¦", "level len -host"),
        ("web | where status in ((['my-logs'] | where ¦", "_time level host -status"),
        ("errors | where ¦", "+abs -host"),
        ("web | getschema | where ¦", "ColumnName"),
    ]);
}

#[test]
fn parts_of_stages_have_their_words() {
    check(&[
        ("web | summarize ¦", "count countif +avg +by +abs -host"),
        ("web | summarize avg(¦", "_time host +abs -avg"),
        ("web | summarize count() ¦", "by +| "),
        ("web | summarize count() by ¦", "_time host +bin +bin_auto -count"),
        ("web | summarize count() by bin(_time, ¦", "1m 5m"),
        ("web | sort ¦", "by"),
        ("web | sort by ¦", "_time host"),
        ("web | sort by host ¦", "asc desc nulls␣first +|"),
        ("web | top 5 ¦", "by"),
        ("web | join kind=¦", "inner innerunique leftouter"),
        ("web | lookup kind=l¦", "leftouter"),
        ("web | join ¦", "web my-logs +kind= -host"),
        ("web | join kind=inner ¦", "web my-logs -kind="),
        ("web | join ['my-logs'] ¦", "on"),
        ("web | join ['my-logs'] on ¦", "_time host $left. $right. +status"),
        ("web | join ['my-logs'] on $right.l¦", "$right.level -$right.status"),
        ("web | project-reorder host ¦", "asc desc granny-asc granny-desc"),
        ("web | project-rename ¦", "-host"),
        ("web | project-rename a = ho¦", "host"),
        ("web | parse ¦", "_time host +kind= +abs"),
        ("web | parse host ¦", "with"),
        ("web | parse host with a:¦", "string long"),
        ("web | parse-kv host as (a) with (¦", "pair_delimiter= kv_delimiter="),
        ("web | mv-expand tags to ¦", "typeof("),
        ("web | mv-expand tags to typeof(¦", "string long"),
        ("web | make-series count() ¦", "default on"),
        ("web | make-series count() on _time step ¦", "1m 5m"),
        ("web | take ¦", "-host"),
        ("web | count ¦", "|"),
    ]);
}

#[test]
fn operators_fit_the_type_before_them() {
    check(&[
        ("web | where host ¦", "== != in !in =~ +contains +!has +matches␣regex -< -+"),
        ("web | where host co¦", "contains contains_cs"),
        ("web | where host !co¦", "!contains !contains_cs"),
        ("web | where status ¦", "== != in !in < <= +between ++ -contains -=~"),
        ("web | where ok ¦", "and or == -contains -<"),
        ("web | where status == 500 ¦", "and or +| -contains"),
        ("web | where strlen(host) ¦", "== != +> -contains"),
        ("web | where x ¦", "and or +contains +<"),
    ]);
}

#[test]
fn names_members_and_values_are_written_as_they_must_be() {
    check(&[
        ("web | where geo.¦", "geo.city geo.country"),
        ("web | where geo['¦", "city country"),
        ("web | where ['us¦", "user␣agent"),
        ("web | where host == \"¦", "alpha beta␣\"2\""),
        ("web | where host == ¦", "alpha beta␣\"2\" +host"),
        ("web | where host in (\"alpha\", '¦", "alpha beta␣\"2\""),
        ("web | where status == \"¦", ""),
        ("web | where status == 5¦", ""),
        ("web | where _time > datetime(20¦", ""),
    ]);
    for (marked, label, insert, replaced) in [
        ("my¦", "my-logs", "['my-logs']", "my"),
        ("¦", "take", "['take']", ""),
        ("['my¦-l'] | where x", "my-logs", "['my-logs']", "['my-l']"),
        ("web | where us¦", "user agent", "['user agent']", "us"),
        ("web | where ['us¦", "user agent", "['user agent']", "['us"),
        ("web | where geo.ci¦ty", "geo.city", "geo.city", "geo.city"),
        ("web | where host == \"b¦\" and x", "beta \"2\"", "beta \\\"2\\\"", "b"),
        ("web | where host == b¦", "beta \"2\"", "\"beta \\\"2\\\"\"", "b"),
        ("web | where strl¦", "strlen", "strlen(", "strl"),
        ("web | where strl¦(x)", "strlen", "strlen", "strl"),
        ("web | summarize cou¦", "count", "count()", "cou"),
    ] {
        let found = asked(marked);
        let item = found.items.iter().find(|item| item.label == label);
        assert_eq!(item.map(|item| item.insert.as_str()), Some(insert), "{marked}");
        assert_eq!(&marked.replace('¦', "")[found.replace.range()], replaced, "{marked}");
    }
    let strlen = item("web | where strl¦", "strlen");
    assert_eq!((strlen.kind, strlen.detail.as_str()), (CompletionKind::Function, "strlen(text)"));
    assert_eq!(item("web | where sta¦", "status").detail, "long");
}

#[test]
fn there_are_at_most_two_hundred() {
    let datasets: Vec<String> = (0..1000).map(|number| format!("d{number}")).collect();
    let known =
        Existing { datasets: &datasets, views: &[], fields: &|_| Vec::new(), values: &|_, _| Vec::new() };
    assert_eq!(complete("d", 1, &known).items.len(), 200);
}

/// Each of these would take minutes if something were looked at again and again.
#[test]
fn long_texts_are_asked_for_too() {
    let mut lets = "let t0 = web; ".to_owned();
    for number in 1..9 {
        let tables = vec![format!("t{}", number - 1); 2_000].join(", ");
        lets.push_str(&format!("let t{number} = union {tables}; "));
    }
    for text in [
        format!("web | where {}", "a.".repeat(100_000)),
        "a-".repeat(100_000),
        format!("web | search {}", "in ".repeat(30_000)),
        format!("web | where {}", "f(".repeat(90_000)),
        format!("web | project-reorder {}z | where x", "a, ".repeat(30_000)),
        format!("web | extend {}z = 1 | where x", "a, ".repeat(30_000)),
        format!("{lets}t8 | where x"),
    ] {
        let known = Existing { datasets: &[], views: &[], fields: &fields, values: &values };
        complete(&text, text.len(), &known);
    }
}

#[test]
fn what_a_query_reads_is_told() {
    for (text, expected) in [
        ("web | where x", "web"),
        ("let a = logs | where x; a | join (b | where y in ((c | project z))) on k", "logs b c"),
        ("union d*, e | lookup f on k", "d* e f"),
        ("search \"x\"", "*"),
        ("table(\"t\") | take 1", "t"),
        ("print 1", ""),
    ] {
        assert_eq!(sources_of(&parse_query(text).0).join(" "), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_place_of_any_text_can_be_asked_for(pieces in prop::collection::vec(pieces(), 0..14)) {
        let text = pieces.concat();
        for place in 0..=text.len() + 1 {
            let datasets = ["web".to_owned()];
            let known = Existing { datasets: &datasets, views: &[], fields: &fields, values: &values };
            let found = complete(&text, place, &known);
            prop_assert!(text.get(found.replace.range()).is_some(), "{:?} of {text:?}", found.replace);
            prop_assert!(found.items.len() <= 200);
        }
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let words = "web where summarize by join kind = on ( ) [ ] ['a'] \" ' | , ; . ! == $left. let - * // \n : datetime( \
        count() parse with in (( x y.z 1h 5 project-away ö 😀 @\" ``` ..";
    let known: Vec<String> = words.split(' ').map(str::to_owned).collect();
    prop_oneof![
        4 => prop::sample::select(known).prop_map(|word| format!("{word} ")),
        2 => "[a-z|(\\[\"'.=! ]{1,4}",
        1 => ".{0,3}",
    ]
}
