//! Templates of texts: a template and its variables make the text again, what a row group knows of its texts is true of
//! each, and it reads back as it was stored.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_model::template::{HOLE, Splitter, is_variable, letters_of, shown};
use tidegauge_store::testing::{decode_templates, encode_templates};
use tidegauge_store::{FRAGMENT_BYTES_LEAST, Templates};

fn check_split(splitter: &mut Splitter, text: &str) {
    splitter.split(text);
    let mut again = Vec::new();
    let mut variables = splitter.variables().iter();
    for byte in splitter.template() {
        if *byte == HOLE {
            let variable = variables.next().expect("each hole has a variable");
            let part = &text[variable.start..variable.end];
            assert!(is_variable(part));
            assert_eq!(variable.letters, letters_of(part));
            again.extend_from_slice(part.as_bytes());
        } else {
            again.push(*byte);
        }
    }
    assert_eq!(variables.next(), None);
    assert_eq!(again, text.as_bytes());
    let _ = shown(splitter.template());
}

fn check_row(templates: &Templates, row: usize, text: Option<&str>, splitter: &mut Splitter) {
    let code = templates.codes().at(row);
    let Some(text) = text else { return assert_eq!(code, templates.null_code()) };
    if code == templates.other_code() {
        return assert!(templates.has_others());
    }
    splitter.split(text);
    assert_eq!(templates.template(code), splitter.template());
    assert_eq!(templates.holes(code).len(), splitter.variables().len());
    for (hole, variable) in templates.holes(code).iter().zip(splitter.variables()) {
        let part = &text[variable.start..variable.end];
        assert!(hole.fits(variable.letters, part.len()));
        if part.is_ascii() && part.len() >= FRAGMENT_BYTES_LEAST {
            assert!(templates.may_hold(part), "{part}");
            assert!(templates.may_hold(&part[1..]), "a part of {part}");
        }
    }
}

fuzz_target!(|text: &str| {
    let mut splitter = Splitter::default();
    // Each line many times, so that it is worth it; an empty one is a row without a text.
    let lines: Vec<Option<&str>> =
        text.lines().map(|line| Some(line).filter(|line| !line.is_empty())).collect();
    lines.iter().flatten().for_each(|line| check_split(&mut splitter, line));
    let texts: Vec<Option<&str>> = lines.iter().copied().cycle().take(lines.len() * 3).collect();
    let Some(templates) = Templates::of(texts.iter().copied()) else { return };
    for (row, text) in texts.iter().enumerate() {
        check_row(&templates, row, *text, &mut splitter);
    }
    let stored = encode_templates(&templates).expect("memory takes all bytes");
    let again = decode_templates(&stored, texts.len()).expect("they read back").expect("in this form");
    assert_eq!(format!("{again:?}"), format!("{templates:?}"));
    assert!(decode_templates(&stored, texts.len() + 1).is_err());
});
