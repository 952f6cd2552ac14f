//! Statements of SQL.

use proptest::prelude::*;
use tidegauge_lang::tree::Literal;

use super::{Json, Null, cases, refusals, results, with_columns};

#[test]
fn statements_are_parsed() {
    let of_where = "{\"statement\":\"select\",\"columns\":[{\"colname\":\"id\"},{\"colname\":\"status\"},\
        {\"colname\":\"uri\"}],\"from\":[{\"table\":\"requests\"}],\"where\":{\"operator\":\">\",\"params\":[\
        {\"colname\":\"req_duration_ms\"},{\"value\":\"1000\",\"valtype\":\"integer\"}]},\"order\":[\
        {\"direction\":\"desc\",\"expr\":{\"colname\":\"req_duration_ms\"}}]}";
    let of_or = "{\"statement\":\"select\",\"columns\":[{\"colname\":\"id\"}],\"from\":[{\"table\":\"logs\"}],\
        \"where\":{\"operator\":\"or\",\"params\":[{\"operator\":\"=\",\"params\":[{\"colname\":\"status\"},\
        {\"value\":\"401\",\"valtype\":\"integer\"}]},{\"operator\":\"=\",\"params\":[{\"colname\":\"status\"},\
        {\"value\":\"no\",\"valtype\":\"string\"}]}]}}";
    let of_insert = "{\"statement\":\"insert\",\"table\":\"t\",\"columns\":[{\"colname\":\"a\"}],\"values\":[[\
        {\"value\":\"-1.5\",\"valtype\":\"float\"}],[{\"value\":\"?\",\"valtype\":\"parameter\"}]]}";
    let of_sum = "{\"statement\":\"select\",\"columns\":[{\"operator\":\"-\",\"params\":[{\"operator\":\"+\",\
        \"params\":[{\"colname\":\"a\"},{\"value\":\"1\",\"valtype\":\"integer\"},{\"table\":\"t\",\
        \"colname\":\"b\"}]},{\"colname\":\"c\"}],\"alias\":\"d\"}]}";
    cases! {
        parse_sql("select a + 1 + t.b - c d") => Json(of_sum);
        parse_sql(
            "SELECT id, status, uri FROM requests WHERE req_duration_ms > 1000 ORDER BY req_duration_ms DESC"
        ) => Json(of_where);
        parse_sql("SELECT id FROM logs WHERE status = 401 OR status = 'no'") => Json(of_or);
        parse_sql("insert into t (a) values (-1.5), (?)") => Json(of_insert);
        parse_sql("select 1") =>
            Json("{\"statement\":\"select\",\"columns\":[{\"value\":\"1\",\"valtype\":\"integer\"}]}");
        parse_sql("") => Null;
        parse_sql("select") => Null;
        parse_sql("select from t") => Null;
        parse_sql("select a from t where") => Null;
        parse_sql("select a from t where a = 'open") => Null;
        parse_sql("select a from t; select b from t") => Null;
        parse_sql("with x as (select 1) select * from x") => Null;
        parse_sql("select row_number() over (order by a) from t") => Null;
        parse_sql("drop table t") => Null;
        parse_sql(Null) => Null;
        format_sql(Json(of_where)) =>
            "select id, status, uri from requests where req_duration_ms > 1000 order by req_duration_ms desc";
        format_sql(Json("{\"statement\":\"drop\"}")) => Null;
        format_sql(Json("{}")) => Null;
        format_sql(Json("[]")) => Null;
        format_sql("select 1") => Null;
        format_sql(Null) => Null;
    }
    refusals! {
        parse_sql() => "`parse_sql` takes 1 argument, and 0 are given";
        format_sql() => "`format_sql` takes 1 argument, and 0 are given";
    }
}

fn of(name: &str, argument: Literal) -> Literal {
    let (expr, columns) = with_columns(name, &[argument], |_| false);
    results(&expr, &columns, 1).unwrap().remove(0)
}

fn there_and_back(statement: &str) -> String {
    match of("format_sql", of("parse_sql", Literal::String(statement.to_owned()))) {
        Literal::String(text) => text,
        other => panic!("{statement}: {other:?}"),
    }
}

#[test]
fn statements_come_back_as_they_were() {
    for statement in [
        "select * from t",
        "select distinct a, b as c, t.d, t.* from public.t as t",
        "select count(*), count(distinct a), coalesce(a, 0) as b, now() from t",
        "select a from t where a >= 1 and b <> 2 or not c = 3",
        "select a from t where (a = 1 or b = 2) and (not (c = 3 or d = 4))",
        "select a from t where a in (1, 2) and b not in (select b from u where u.x = t.x)",
        "select a from t where a like 'x%' and b not like '%''y' and c between 1 and 2 and d not between 3 and 4",
        "select a from t where a is null and b is not null and exists (select 1 from u)",
        "select a + b * c - d, (a + b) * c, a - (b - c), a - b - c, a || 'x' from t",
        "select -a, -1, -(a + b) from t",
        "select t.a from t join u on t.id = u.id left join v as w using (id, no) cross join x, y",
        "select a, sum(b) as s from t where c = true group by a, d having sum(b) > 10 order by s desc, a limit 5 offset 10",
        "select a from (select b as a from u) as t",
        "select \"order\", \"two words\", \"with \"\"quotes\"\"\" from \"select\"",
        "insert into t values (1, 'a', null), (2, ?, :name)",
        "insert into t (a, b) select a, b from u where c = $1",
        "update t set a = a + 1, b = 'x' where id = 7",
        "delete from t where a < 1.5e10 limit 10",
    ] {
        let expected = statement
            .replace("(not (c = 3 or d = 4))", "not (c = 3 or d = 4)")
            .replace("select -a,", "select -(a),");
        assert_eq!(there_and_back(statement), expected);
        assert_eq!(there_and_back(&expected), expected);
    }
}

#[test]
fn case_comments_and_quotes_do_not_matter() {
    for (statement, expected) in [
        ("SELECT A FROM T -- the end\n WHERE A = 1;", "select A from T where A = 1"),
        ("select/* all */*from`t`", "select * from t"),
        (
            "select [a b] x from t u inner join v on u.i = v.i",
            "select \"a b\" as x from t as u join v on u.i = v.i",
        ),
        (
            "select a from t left outer join u on true order by a asc",
            "select a from t left join u on true order by a",
        ),
        ("select COUNT(*) from t", "select count(*) from t"),
        ("select - -1", "select -(-1)"),
    ] {
        assert_eq!(there_and_back(statement), expected);
    }
}

#[test]
fn what_is_too_long_or_too_deep_gives_null() {
    let parse = |text: String| of("parse_sql", Literal::String(text));
    assert_eq!(parse(format!("select {}1{}", "(".repeat(1000), ")".repeat(1000))), Literal::Null);
    assert_eq!(parse(format!("select a from t where {}a = 1", "not ".repeat(1000))), Literal::Null);
    assert_eq!(parse(format!("select {}1", "- ".repeat(10_000))), Literal::Null);
    assert_eq!(parse(format!("select 1{}", " + 1 - 1".repeat(1000))), Literal::Null);
    assert_eq!(parse(format!("select '{}'", "x".repeat(100_000))), Literal::Null);
    assert_ne!(parse(format!("select a from t where a = 1{}", " or a = 2".repeat(1000))), Literal::Null);
    assert_ne!(parse(format!("select 1{}", " + 1".repeat(1000))), Literal::Null);
}

fn any_condition() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "t.b", "1", "-2.5", "'x''y'", "null", "true", "?", "count(*)", "f(a, 1)", "\"from\"",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 40, 3, |inner| {
        let operators = vec!["=", "<>", "<", "and", "or", "+", "-", "*", "/", "||", "like", "not like"];
        prop_oneof![
            (inner.clone(), prop::sample::select(operators), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left}) {operator} ({right})")),
            inner.clone().prop_map(|of| format!("not ({of})")),
            inner.clone().prop_map(|of| format!("-({of})")),
            inner.clone().prop_map(|of| format!("({of}) is not null")),
            (inner.clone(), inner.clone()).prop_map(|(of, member)| format!("({of}) in (3, {member})")),
            (inner.clone(), inner).prop_map(|(of, low)| format!("({of}) between ({low}) and 9")),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(condition in any_condition()) {
        let parsed = of("parse_sql", Literal::String(format!("select a from t where {condition}")));
        prop_assert_ne!(&parsed, &Literal::Null, "{}", condition);
        let text = of("format_sql", parsed.clone());
        prop_assert_eq!(of("parse_sql", text), parsed);
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(prop::sample::select(vec![
        "select", "from", "where", "a", "t", "*", ",", "(", ")", "=", "1", "'x", "'", "\"", "--", "/*", "join", "on", "as",
        "in", "not", "is", "null", "order", "by", "insert", "into", "values", "update", "set", "delete", "-", ".", "ü", "$",
    ]), 0..20)) {
        of("parse_sql", Literal::String(words.join(" ")));
        of("parse_sql", Literal::String(format!("select a from t {}", words.concat())));
    }
}
