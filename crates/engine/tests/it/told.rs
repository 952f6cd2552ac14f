//! What an answer tells of its cuts: each one that left something out, and none that did not.

use tidegauge_engine::Message;

use crate::support::house::{House, Placement, START, Way, block_on};

const TEXT_MAX: u64 = 16 << 20;

fn cut(function: &'static str, limit: u64, unit: &'static str) -> Option<Message> {
    Some(Message::Cut { function, limit, unit })
}

fn null_beyond(function: &'static str, limit: u64, unit: &'static str) -> Option<Message> {
    Some(Message::NullBeyond { function, limit, unit })
}

fn check(cases: &[(String, Option<Message>)]) {
    block_on(async {
        let house = House::new().await;
        for (text, expected) in cases {
            let answer = house.ask_text(&[], text, Way::Threads).await;
            let answer = answer.unwrap_or_else(|errors| panic!("{}", errors[0].render(text)));
            assert_eq!(answer.messages, expected.iter().cloned().collect::<Vec<Message>>(), "{text}");
        }
    });
}

#[test]
fn values_of_sets_and_lists() {
    let of = |values: u64, aggregate: &str| {
        format!("print x = range(1, {values}) | mv-expand x | summarize {aggregate}")
    };
    let groups = "values for a group";
    check(&[
        (of(128, "make_set(x)"), None),
        (of(128, "make_set(x, 128)"), None),
        (of(129, "make_set(x)"), cut("make_set", 128, groups)),
        // Who asks for so many is not told that there are more.
        (of(129, "make_set(x, 128)"), None),
        (of(129, "make_set(x, 129)"), None),
        (of(129, "make_set_if(x, true)"), None),
        (of(5, "make_list(x, 5)"), None),
        (of(5, "make_list(x, 4)"), None),
        (of(5, "make_list(x)"), None),
    ]);
}

#[test]
fn words_of_phrases() {
    let of = |words: u64| format!("print t = strrep('a b ', {}) | summarize phrases(t)", words / 2);
    let long = |bytes: usize, text: &str| {
        format!("let long = strrep('x', {bytes}); print t = strcat({text}) | summarize phrases(t)")
    };
    let bytes = || cut("phrases", 100, "bytes for a word");
    check(&[
        (of(1_000), None),
        (of(1_002), cut("phrases", 1_000, "words of a text")),
        (long(100, "long"), None),
        (long(101, "long"), bytes()),
        // Marks at the ends are no part of a word.
        (long(100, "'(', long, ')'"), None),
        (long(101, "'a b ', long"), bytes()),
        (long(101, "strrep('a ', 1000), long"), cut("phrases", 1_000, "words of a text")),
        ("print t = 1 | take 0 | project t = tostring(t) | summarize phrases(t)".to_owned(), None),
    ]);
}

#[test]
fn words_that_are_too_long_are_told_of_all_groups() {
    block_on(async {
        let house = House::new().await;
        let request: String = ["a b", &"x".repeat(101)]
            .iter()
            .enumerate()
            .map(|(number, text)| format!("{{\"_time\":{START},\"n\":{number},\"t\":\"{text}\"}}\n"))
            .collect();
        let filled = house.filled(&[request], Placement::Segments).await;
        for way in [Way::Threads, Way::Cached, Way::Cached] {
            let text = "logs | summarize phrases(t) by n";
            let answer = house.ask_text(&[("logs", &filled.state)], text, way).await.unwrap();
            let expected = cut("phrases", 100, "bytes for a word");
            assert_eq!(answer.messages, expected.into_iter().collect::<Vec<Message>>());
        }
    });
}

#[test]
fn values_that_are_compared() {
    // So many different values on one side, and as many others on the other.
    let of = |values: u64| {
        format!(
            "print x = range(1, {}) | mv-expand x | extend s = strcat('v', x) \
            | summarize spotlight(x <= {values}, s)",
            values * 2
        )
    };
    let long = |bytes: u64| {
        format!(
            "print x = range(1, 12) | mv-expand x | extend s = strrep('v', iff(x == 1, {bytes}, 1)) \
            | summarize spotlight(x > 6, s)"
        )
    };
    check(&[
        // With less than six rows of a kind nothing is compared, and nothing is left out.
        (of(5), None),
        (of(6), cut("spotlight", 10, "values of a field")),
        (long(1_000), None),
        (long(1_022), None),
        (long(1_023), cut("spotlight", 1_024, "bytes for a value")),
    ]);
}

#[test]
fn texts_and_series_that_are_null_because_they_are_too_long() {
    let long = "let long = strrep(strrep('0123456789abcdef', 1024), 1024);";
    let bytes = "bytes of text";
    let products = "products of values and weights";
    let filtered = |call: &str| format!("print s = range(1, 17000) | project n = isnull({call})");
    check(&[
        (format!("{long} print n = strlen(long)"), None),
        (format!("{long} print n = isnull(strcat(long, 'b'))"), null_beyond("strcat", TEXT_MAX, bytes)),
        (format!("{long} print n = isnull(strrep(long, 2))"), null_beyond("strrep", TEXT_MAX, bytes)),
        (
            format!("{long} print n = isnull(replace_string('0', 'xx', long))"),
            null_beyond("replace_string", TEXT_MAX, bytes),
        ),
        (filtered("series_fir(s, dynamic([1, 1]))"), None),
        (filtered("series_fir(s, s)"), null_beyond("series_fir", 1 << 28, products)),
        (filtered("series_iir(s, s, dynamic([1]))"), null_beyond("series_iir", 1 << 28, products)),
    ]);
}

#[test]
fn who_asks_again_is_told_again() {
    block_on(async {
        let house = House::new().await;
        let request = format!(
            "{{\"_time\":{START},\"s\":\"ab\",\"n\":2000}}\n{{\"_time\":{START},\"s\":\"a\",\"n\":2}}\n"
        );
        let filled = house.filled(&[request], Placement::Segments).await;
        let text = "logs | summarize count() by l = strlen(strrep(s, n))";
        for way in [Way::Cached; 4] {
            let answer = house.ask_text(&[("logs", &filled.state)], text, way).await.unwrap();
            let expected = cut("strrep", 1_024, "repetitions");
            assert_eq!(answer.messages, expected.into_iter().collect::<Vec<Message>>());
        }
    });
}

#[test]
fn columns_of_a_row_tell_what_they_are_of() {
    block_on(async {
        let house = House::new().await;
        for (columns, told) in [(64_usize, 64_usize), (65, 2)] {
            let values: Vec<String> = (0..columns).map(|number| format!("c{number} = {number}")).collect();
            let text = format!("print {} | summarize arg_max(c0, *)", values.join(", "));
            let answer = house.ask_text(&[], &text, Way::Threads).await;
            let answer = answer.unwrap_or_else(|errors| panic!("{}", errors[0].render(&text)));
            let fields = &answer.tables[0].fields;
            assert_eq!(fields.len(), columns);
            for field in fields {
                let info = field.aggregate.as_ref().unwrap();
                assert_eq!((info.name, info.fields.len()), ("argmax", told), "{}", field.name);
                assert!(info.fields.contains(&field.name) && info.fields[0] == "c0", "{info:?}");
            }
        }
    });
}
