//! What templates say of strings, and that they read back as they were stored.

use tidegauge_model::template::shown;

use super::*;

fn strings(count: usize) -> Vec<Option<String>> {
    let text = |row: usize| match row % 5 {
        0 => Some(format!("request {row} of user usr_{} answered after {}.5 ms", id(row as u64), row % 90)),
        1 => Some("nothing to do for now, going to sleep".to_owned()),
        2 => None,
        3 => Some(format!("größe {row} → 日本{row}, fertig")),
        _ => Some(format!("connection from 10.0.{}.{} closed", row % 250, row % 7)),
    };
    (0..count).map(text).collect()
}

/// Ten hexadecimal digits that have little to do with those of other rows.
fn id(row: u64) -> String {
    format!("{:010x}", (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24)
}

fn templates_of(strings: &[Option<String>]) -> Option<Templates> {
    Templates::of(strings.iter().map(Option::as_deref))
}

#[test]
fn rows_with_the_same_wording_have_the_same_template() {
    let templates = templates_of(&strings(50)).unwrap();
    let all: Vec<String> = (0..templates.len()).map(|code| shown(templates.template(code))).collect();
    assert_eq!(
        all,
        [
            "request <*> of user usr_<*> answered after <*>.<*> ms",
            "nothing to do for now, going to sleep",
            "größe <*> → <*>, fertig",
            "connection from <*>.<*>.<*>.<*> closed",
        ]
    );
    assert_eq!(templates.codes().at(2), templates.null_code());
    assert_eq!(templates.codes().at(3), 2);
    assert_eq!(templates.holes(0)[1], Hole { letters: letters::DIGITS | letters::LOWER_HEX, longest: 10 });
    assert!(templates.holes(2)[1].is_foreign());
}

#[test]
fn the_filter_knows_parts_of_variables_and_not_others() {
    let templates = templates_of(&strings(5000)).unwrap();
    for row in (0..5000).step_by(5) {
        let id = id(row);
        assert!(
            templates.may_hold(&id)
                && templates.may_hold(&id[1..9])
                && templates.may_hold(&id.to_uppercase())
        );
    }
    let absent = (5000..6000).filter(|row| !templates.may_hold(&id(*row)));
    assert!(absent.count() > 900);
    assert!(templates.may_hold("short"), "of short texts nothing is known");
}

#[test]
fn templates_read_back_and_damage_is_an_error() {
    for count in [1, 50, 3000] {
        let templates = templates_of(&strings(count)).unwrap();
        let bytes = templates.encode().unwrap();
        let again = Templates::decode(&bytes, count).unwrap().unwrap();
        assert_eq!(format!("{again:?}"), format!("{templates:?}"));
        assert!(Templates::decode(&bytes, count + 1).is_err());
        for length in [0, 5, 27, 40, bytes.len() - 1] {
            assert!(Templates::decode(&bytes[..length], count).is_err(), "{length}");
        }
        let mut newer = bytes.clone();
        newer[0] = 2;
        assert!(Templates::decode(&newer, count).unwrap().is_none());
    }
}

#[test]
fn many_templates_have_codes_of_two_bytes() {
    let words: Vec<String> =
        (0..3000).map(|row| format!("some fixed words and one {}", letters_for(row % 300))).collect();
    let strings: Vec<Option<String>> = words.into_iter().map(Some).collect();
    let templates = templates_of(&strings).unwrap();
    assert_eq!(templates.len(), 300);
    let again = Templates::decode(&templates.encode().unwrap(), 3000).unwrap().unwrap();
    assert!((0..3000).all(|row| again.codes().at(row) == row % 300));
}

#[test]
fn texts_that_do_not_repeat_have_no_templates() {
    let different: Vec<Option<String>> =
        (0..5000).map(|row| Some(format!("a text that is like no other {}", letters_for(row)))).collect();
    assert!(templates_of(&different).is_none());
    let ids: Vec<Option<String>> = (0..100).map(|row| Some(format!("{row:032x}"))).collect();
    assert!(templates_of(&ids).is_none());
    assert!(templates_of(&[Some(String::new()), Some("short".to_owned())]).is_none());
    assert!(templates_of(&[None, None]).is_none());
}

#[test]
fn a_few_odd_texts_keep_the_others_from_nothing() {
    let mut strings = strings(1000);
    strings[10] = Some("very long ".repeat(1000));
    let templates = templates_of(&strings).unwrap();
    assert_eq!(templates.codes().at(10), templates.other_code());
    let again = Templates::decode(&templates.encode().unwrap(), 1000).unwrap().unwrap();
    assert_eq!(again.codes().at(10), templates.other_code());
}

/// A number in letters that are no hexadecimal digits.
fn letters_for(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'p')).collect()
}
