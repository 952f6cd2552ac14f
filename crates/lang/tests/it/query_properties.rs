//! Properties of reading and printing whole queries, over generated texts and trees.

use proptest::prelude::*;
use tidegauge_lang::tree::{
    AggregateCall, AggregateFunction, Column, DataTable, Expand, ExpandKind, ExpandedField, Expr, ExprKind,
    ExternalData, ExternalFormat, Join, JoinKind, JoinPair, Let, LetValue, Literal, Lookup, LookupKind,
    MakeSeries, NamePattern, Named, NamedAggregate, Nulls, OrderKey, Parse, ParseKeyValue, ParseMode,
    ParsePart, Program, Query, QueryParameter, Redact, Renamed, ReorderBy, Reordered, Search, SearchCase,
    Series, Setting, SortKey, Source, Stage, Statement, Summarize, TimeRange, Top, Type, Union,
};
use tidegauge_lang::{Span, parse_query, print_query};

use crate::properties::{expressions, names};

/// A tree as text without its places.
fn unplaced(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut parts = text.split("span: Span { ");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push_str(part.split_once('}').map_or("", |(_, after)| after));
    }
    rest
}

/// Reading a text holds its promises: all places lie in it, and what was understood is printed and read again.
fn check(text: &str) {
    let (program, diagnostics) = parse_query(text);
    let shown = format!("{program:?}");
    for place in shown.split("Span { start: ").skip(1) {
        let (start, rest) = place.split_once(", end: ").unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        // A text in the tree may look like a place.
        if let (Ok(start), Ok(end)) = (start.parse::<usize>(), digits.parse::<usize>()) {
            assert!(
                text.get(start..end).is_some() || !text.is_char_boundary(0),
                "{start}..{end} of {text:?}"
            );
        }
    }
    for diagnostic in &diagnostics {
        assert!(text.get(diagnostic.span.range()).is_some(), "{:?} of {text:?}", diagnostic.span);
        assert!(diagnostic.hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{}", diagnostic.message);
        diagnostic.render(text);
    }
    if diagnostics.is_empty() {
        assert!(!shown.contains("kind: Error"), "{text:?} has an error without a diagnostic");
        let printed = print_query(&program);
        let (again, diagnostics) = parse_query(&printed);
        assert_eq!(diagnostics, [], "{text:?} is printed as {printed:?}");
        assert_eq!(print_query(&again), printed);
    }
}

fn exprs() -> BoxedStrategy<Expr> {
    expressions().boxed()
}

fn field(name: String) -> Expr {
    Expr::new(ExprKind::Field(name), Span::default())
}

fn fields() -> impl Strategy<Value = Expr> {
    names().prop_map(field)
}

fn named() -> impl Strategy<Value = Named> {
    prop_oneof![
        (names(), exprs()).prop_map(|(name, expr)| Named { name, expr }),
        names().prop_map(|name| Named { expr: field(name.clone()), name }),
    ]
}

fn list<T: std::fmt::Debug>(item: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(item, 1..4)
}

fn types() -> impl Strategy<Value = Type> {
    prop::sample::select(vec![
        Type::Boolean,
        Type::Integer,
        Type::Float,
        Type::String,
        Type::Datetime,
        Type::Timespan,
        Type::Dynamic,
    ])
}

fn columns() -> impl Strategy<Value = Vec<Column>> {
    prop::collection::btree_map(names(), types(), 1..4)
        .prop_map(|columns| columns.into_iter().map(|(name, kind)| Column { name, kind }).collect())
}

fn patterns() -> impl Strategy<Value = NamePattern> {
    prop_oneof![
        names().prop_map(|name| NamePattern::new(vec![name])),
        prop::collection::vec(prop_oneof![Just(String::new()), names()], 2..4).prop_map(NamePattern::new),
    ]
}

/// Patterns of tables, in which a star is a star in brackets too.
fn table_patterns() -> impl Strategy<Value = NamePattern> {
    patterns()
        .prop_filter("has no star of its own", |pattern| pattern.parts.iter().all(|part| !part.contains('*')))
}

fn aggregates() -> impl Strategy<Value = Expr> {
    let call = |function: &str, arguments: Vec<Expr>| {
        Expr::new(ExprKind::Call { function: function.to_owned(), arguments }, Span::default())
    };
    prop_oneof![
        Just(call("count", Vec::new())),
        (prop::sample::select(vec!["sum", "avg", "dcount", "min", "countif", "make_set", "rate"]), exprs())
            .prop_map(move |(function, value)| call(function, vec![value])),
        (exprs(), 1_i64..99).prop_map(move |(value, percent)| {
            let percent = Expr::new(ExprKind::Literal(Literal::Integer(percent)), Span::default());
            call("percentile", vec![value, percent])
        }),
        exprs().prop_map(move |value| {
            call("arg_max", vec![value, Expr::new(ExprKind::AllFields, Span::default())])
        }),
        (names(), exprs(), exprs()).prop_map(move |(name, value, other)| {
            let kind = ExprKind::Named { name, value: Box::new(value) };
            call("arg_min", vec![Expr::new(kind, Span::default()), other])
        }),
    ]
}

fn order_keys() -> impl Strategy<Value = Vec<OrderKey>> {
    let nulls = prop::sample::select(vec![None, Some(Nulls::First), Some(Nulls::Last)]);
    list((exprs(), any::<bool>(), nulls)).prop_map(|keys| {
        keys.into_iter().map(|(expr, is_descending, nulls)| OrderKey { expr, is_descending, nulls }).collect()
    })
}

fn plain_stages() -> impl Strategy<Value = Stage> {
    let orders = prop::sample::select(vec![
        None,
        Some(ReorderBy::Ascending),
        Some(ReorderBy::Descending),
        Some(ReorderBy::GrannyAscending),
        Some(ReorderBy::GrannyDescending),
    ]);
    prop_oneof![
        exprs().prop_map(Stage::Filter),
        list(named()).prop_map(Stage::Extend),
        list(named()).prop_map(Stage::ExtendValid),
        list(named()).prop_map(Stage::Project),
        list(patterns()).prop_map(Stage::ProjectAway),
        list(patterns()).prop_map(Stage::ProjectKeep),
        list((names(), names()).prop_map(|(name, from)| Renamed { name, from, span: Span::default() }))
            .prop_map(Stage::ProjectRename),
        list((patterns(), orders).prop_map(|(pattern, order)| Reordered { pattern, order }))
            .prop_map(Stage::ProjectReorder),
        prop::collection::vec(named(), 0..3).prop_map(Stage::Distinct),
        list((names(), any::<bool>()).prop_map(|(field, is_descending)| SortKey {
            field,
            is_descending,
            ..SortKey::default()
        }))
        .prop_map(Stage::Sort),
        order_keys()
            .prop_filter("is not plain", |keys| {
                keys.iter().any(|key| key.nulls.is_some() || !matches!(key.expr.kind, ExprKind::Field(_)))
            })
            .prop_map(Stage::Order),
        (0_i64..1_000, order_keys()).prop_map(|(count, keys)| {
            let count = Expr::new(ExprKind::Literal(Literal::Integer(count)), Span::default());
            Stage::Top(Top { count, keys })
        }),
        any::<u32>().prop_map(|count| Stage::Limit(u64::from(count))),
        fields().prop_map(Stage::Take),
        fields().prop_map(Stage::Sample),
        Just(Stage::Count),
        Just(Stage::GetSchema),
    ]
}

fn group_stages() -> impl Strategy<Value = Stage> {
    let aggregate = (names(), aggregates()).prop_map(|(name, expr)| {
        let span = Span::default();
        let function = AggregateFunction::Computed(Box::new(expr));
        NamedAggregate { name, call: AggregateCall { function, of: None, span } }
    });
    let series = (names(), aggregates(), prop::option::of(exprs()))
        .prop_map(|(name, expr, default)| Series { name, expr, default });
    // Rows are not grouped by a timespan: that is told as a mistake.
    let is_key = |expr: &Expr| !matches!(expr.kind, ExprKind::Literal(Literal::Timespan(_)));
    let key = move || {
        (names(), exprs().prop_filter("is a key", is_key)).prop_map(|(name, expr)| Named { name, expr })
    };
    let keys = || prop::collection::vec(key(), 1..3);
    prop_oneof![
        (prop::collection::vec(aggregate, 0..3), keys()).prop_map(|(aggregates, keys)| {
            Stage::Summarize(Summarize { aggregates, keys, bucket: None })
        }),
        (
            list(series),
            fields(),
            prop::option::of(exprs()),
            prop::option::of(exprs()),
            exprs(),
            any::<(bool, bool)>(),
            keys()
        )
            .prop_map(|(series, axis, from, to, step, (is_range, is_nonempty), keys)| {
                let is_range = is_range && from.is_some() && to.is_some();
                Stage::MakeSeries(MakeSeries { series, axis, from, to, step, is_range, is_nonempty, keys })
            }),
    ]
}

fn parse_stages() -> impl Strategy<Value = Stage> {
    let part =
        prop_oneof![Just(None), (names(), types()).prop_map(|(name, kind)| Some(Column { name, kind }))];
    let pattern = list((".{0,5}", part)).prop_map(|parts| {
        let mut pattern = Vec::new();
        for (text, column) in parts {
            pattern.push(ParsePart::Text(text));
            pattern.push(column.map_or(ParsePart::Skip, ParsePart::Column));
        }
        pattern
    });
    let modes = prop::sample::select(vec![ParseMode::Simple, ParseMode::Regex, ParseMode::Relaxed]);
    let parse = (modes, prop::option::of("[a-zA-Z]{1,3}"), exprs(), pattern)
        .prop_map(|(mode, flags, of, pattern)| Parse { mode, flags, of, pattern })
        .boxed();
    let text = || prop::option::of(".{0,3}");
    prop_oneof![
        parse.clone().prop_map(Stage::Parse),
        parse.prop_map(Stage::ParseWhere),
        (exprs(), columns(), text(), text(), text(), text(), any::<bool>(), text()).prop_map(
            |(of, keys, pair_delimiter, kv_delimiter, quote, escape, is_greedy, regex)| {
                Stage::ParseKeyValue(ParseKeyValue {
                    of,
                    keys,
                    pair_delimiter,
                    kv_delimiter,
                    quote,
                    escape,
                    is_greedy,
                    regex,
                })
            }
        ),
        (
            prop::option::of(".{0,3}"),
            any::<bool>(),
            any::<bool>(),
            list(".{0,6}"),
            prop::collection::vec(patterns(), 0..3)
        )
            .prop_map(|(token, is_hash, is_groups, patterns, fields)| {
                let is_hash = is_hash && token.is_none();
                Stage::Redact(Redact { token, is_hash, is_groups, patterns, span: Span::default(), fields })
            }),
        expand_stages(),
    ]
}

fn expand_stages() -> impl Strategy<Value = Stage> {
    let expanded = (named(), prop::option::of(types()))
        .prop_map(|(Named { name, expr }, kind)| ExpandedField { name, expr, kind });
    let kinds = prop::sample::select(vec![None, Some(ExpandKind::Bag), Some(ExpandKind::Array)]);
    (kinds, prop::option::of(names()), list(expanded), prop::option::of(any::<u32>())).prop_map(
        |(kind, index, fields, limit)| {
            Stage::Expand(Expand { kind, index, fields, limit: limit.map(u64::from) })
        },
    )
}

fn searches() -> impl Strategy<Value = Search> {
    let test = |left: Expr| {
        let right = Box::new(left.clone());
        Expr::new(
            ExprKind::Binary {
                operator: tidegauge_lang::tree::BinaryOperator::Equal,
                left: Box::new(left),
                right,
            },
            Span::default(),
        )
    };
    let predicate = prop_oneof![
        Just(Expr::new(ExprKind::AllFields, Span::default())),
        exprs().prop_map(test),
        names().prop_map(field),
    ];
    let case = prop::sample::select(vec![SearchCase::Insensitive, SearchCase::Sensitive]);
    (case, prop::collection::vec(table_patterns(), 0..3), predicate)
        .prop_map(|(case, tables, predicate)| Search { case, tables, predicate, range: TimeRange::ALL })
}

fn sources() -> impl Strategy<Value = Source> {
    const RANGE: TimeRange = TimeRange::ALL;
    let table_name = || names().prop_filter("has no star", |name| !name.contains('*'));
    let formats =
        prop::sample::select(vec![None, Some(ExternalFormat::Csv), Some(ExternalFormat::MultiJson)]);
    prop_oneof![
        4 => table_name().prop_map(|name| Source::Dataset { name, range: RANGE, span: Span::default() }),
        1 => exprs().prop_map(|name| Source::Table { name, range: RANGE }),
        1 => list((names(), exprs()).prop_map(|(name, expr)| Named { name, expr })).prop_map(Source::Print),
        1 => (columns(), 0_usize..3).prop_flat_map(|(columns, rows)| {
            let count = columns.len() * rows;
            prop::collection::vec(exprs(), count)
                .prop_map(move |values| Source::Values(DataTable { columns: columns.clone(), values }))
        }),
        1 => (columns(), list(".{0,8}"), formats, any::<bool>()).prop_map(|(columns, addresses, format, skips_first)| {
            Source::External(ExternalData { columns, addresses, span: Span::default(), format, skips_first })
        }),
        1 => searches().prop_map(Source::Search),
    ]
}

fn queries() -> impl Strategy<Value = Query> {
    let simple = (sources(), prop::collection::vec(plain_stages(), 0..3))
        .prop_map(|(source, stages)| Query { source, stages });
    simple.prop_recursive(2, 6, 2, |inner| {
        let stage = prop_oneof![
            3 => plain_stages(),
            2 => group_stages(),
            2 => parse_stages(),
            1 => searches().prop_map(Stage::Search),
            2 => table_stages(inner.boxed()),
        ];
        (sources(), prop::collection::vec(stage, 0..4)).prop_map(|(source, stages)| Query { source, stages })
    })
}

fn table_stages(inner: BoxedStrategy<Query>) -> impl Strategy<Value = Stage> {
    let several =
        table_patterns().prop_filter("has a star", |pattern| pattern.parts.len() > 1).prop_map(|pattern| {
            Query { source: Source::Datasets { pattern, range: TimeRange::ALL }, stages: Vec::new() }
        });
    let tables = list(prop_oneof![inner.clone(), several]);
    let pair = || {
        prop_oneof![
            fields().prop_map(|both| JoinPair { left: both.clone(), right: both }),
            (fields(), fields()).prop_map(|(left, right)| JoinPair { left, right }),
        ]
    };
    let kinds = prop::sample::select(vec![
        JoinKind::Inner,
        JoinKind::InnerUnique,
        JoinKind::LeftOuter,
        JoinKind::RightOuter,
        JoinKind::FullOuter,
        JoinKind::LeftAnti,
        JoinKind::RightAnti,
        JoinKind::LeftSemi,
        JoinKind::RightSemi,
    ]);
    let lookups = prop::sample::select(vec![LookupKind::LeftOuter, LookupKind::Inner]);
    prop_oneof![
        (prop::option::of(names()), any::<bool>(), tables).prop_map(|(source_field, is_inner, tables)| {
            Stage::Union(Union { source_field, is_inner, tables })
        }),
        (kinds, inner.clone(), list(pair())).prop_map(|(kind, right, on)| Stage::Join(Join {
            kind,
            right: Box::new(right),
            on
        })),
        (lookups, inner.clone(), list(pair())).prop_map(|(kind, table, on)| Stage::Lookup(Lookup {
            kind,
            table: Box::new(table),
            on
        })),
        (exprs(), inner)
            .prop_map(|(value, query)| {
                let list = vec![Expr::new(ExprKind::Table(Box::new(query)), Span::default())];
                let kind =
                    ExprKind::In { value: Box::new(value), list, is_negated: false, is_case_sensitive: true };
                Stage::Filter(Expr::new(kind, Span::default()))
            })
            .prop_filter("is a table in any case", has_stages),
    ]
}

/// Whether the query after `in` has a stage: without one a dataset is read as a value.
fn has_stages(stage: &Stage) -> bool {
    let Stage::Filter(Expr { kind: ExprKind::In { list, .. }, .. }) = stage else { return true };
    matches!(&list[0].kind, ExprKind::Table(query) if !query.stages.is_empty())
}

fn statements() -> impl Strategy<Value = Statement> {
    let span = Span::default();
    prop_oneof![
        (names(), exprs()).prop_map(move |(name, expr)| {
            Statement::Let(Let { name, value: LetValue::Scalar(expr), span })
        }),
        (names(), queries().prop_filter("is a table in any case", |query| !query.stages.is_empty()))
            .prop_map(move |(name, query)| Statement::Let(Let { name, value: LetValue::Table(query), span })),
        prop::option::of(exprs()).prop_map(move |value| Statement::Set(Setting {
            name: "stricttypes".to_owned(),
            value,
            span
        })),
        columns().prop_flat_map(move |columns| {
            let count = columns.len();
            prop::collection::vec(prop::option::of(exprs()), count).prop_map(move |defaults| {
                let parameters = columns.clone().into_iter().zip(defaults);
                Statement::Parameters(
                    parameters.map(|(column, default)| QueryParameter { column, default, span }).collect(),
                )
            })
        }),
    ]
}

pub(crate) fn programs() -> impl Strategy<Value = Program> {
    (prop::collection::vec(statements(), 0..3), queries())
        .prop_map(|(statements, query)| Program { statements, query })
}

const WORDS: &[&str] = &[
    "logs",
    "| where",
    "| extend a =",
    "| project",
    "| project-away",
    "| summarize",
    "count()",
    "by",
    "bin(_time, 1h)",
    "| sort by",
    "asc",
    "desc",
    "nulls first",
    "| take 5",
    "| top 5 by",
    "| join",
    "kind=inner",
    "on",
    "(",
    ")",
    "[",
    "]",
    "| union",
    "| parse m with",
    "\"x\"",
    "a:long",
    "*",
    "| mv-expand",
    "to typeof(long)",
    "limit 5",
    "| search",
    "| redact",
    "| make-series",
    "default = 0",
    "step 1h",
    "from",
    "to",
    "let x =",
    ";",
    "set stricttypes",
    "declare",
    "query_parameters(",
    "datatable(",
    "print",
    "externaldata(",
    "union",
    "search",
    "table(",
    "in (",
    "a",
    "1",
    ",",
    "=",
    "==",
    "|",
    "||",
    "-",
    "a*",
    "$left.a == $right.b",
    "| count",
    "| distinct *",
    "| parse-kv m as (",
    "with (",
    "| lookup",
    "| sample 0.5",
    "| getschema",
    "SELECT",
    "| foo",
    "'",
    "\"",
    "//",
    "\n",
    "§",
    ":",
    "{",
    "ä",
    "| project-",
    "| project-reorder",
    "granny-asc",
    "arg_max(",
    "..",
    "between (",
    "datetime(",
    "dynamic(",
    "['a b']",
];

fn word_salads() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..25).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text);
        check(&format!("logs | {text}"));
    }

    #[test]
    fn any_words_of_the_language_are_read(text in word_salads()) {
        check(&text);
        check(&text.replace(' ', ""));
        check(&format!("logs {text}"));
    }

    #[test]
    fn what_is_printed_reads_back(program in programs()) {
        let printed = print_query(&program);
        let (again, diagnostics) = parse_query(&printed);
        prop_assert_eq!(diagnostics, Vec::new(), "{}", printed);
        prop_assert_eq!(unplaced(&again), unplaced(&program), "{}", printed);
    }

    #[test]
    fn damaged_queries_are_read(
        program in programs(),
        place in any::<prop::sample::Index>(),
        length in 0_usize..6,
        piece in prop::sample::select(vec!["", "(", ")", "'", "\"", "|", ";", " by ", "=", "[", "*", "ä", "\n", ",", "let "]),
    ) {
        let printed = print_query(&program);
        let characters: Vec<char> = printed.chars().collect();
        let start = place.index(characters.len() + 1);
        let end = (start + length).min(characters.len());
        let before: String = characters[..start].iter().collect();
        let after: String = characters[end..].iter().collect();
        check(&format!("{before}{piece}{after}"));
    }
}
