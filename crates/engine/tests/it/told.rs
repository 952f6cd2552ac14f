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
    check(&[(of(1_000), None), (of(1_002), cut("phrases", 1_000, "words of a text"))]);
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
