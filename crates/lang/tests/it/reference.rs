//! The reference page holds what the tables say. `BLESS=1` writes it anew.

use std::path::Path;

use tidegauge_lang::reference;

#[test]
fn the_reference_page_is_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/language.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut renewed = page.clone();
    for (name, part) in [
        ("operators", reference::operators()),
        ("aggregates", reference::aggregates()),
        ("functions", reference::functions()),
    ] {
        let start = format!("<!-- {name} -->\n");
        let from = renewed.find(&start).unwrap() + start.len();
        let to = from + renewed[from..].find("<!-- end -->").unwrap();
        renewed.replace_range(from..to, &part);
    }
    #[expect(clippy::disallowed_methods, reason = "who blesses the page says so from outside")]
    let is_blessed = std::env::var_os("BLESS").is_some();
    if is_blessed {
        std::fs::write(&path, renewed).unwrap();
        return;
    }
    assert!(
        page == renewed,
        "docs/reference/language.md is not current: BLESS=1 cargo nextest run -p tidegauge-lang reference"
    );
}

/// What the README and the changelog tell of the language is counted here.
#[test]
fn the_numbers_in_the_documents_are_those_of_the_tables() {
    let rows = |part: String, start: &str| part.lines().filter(|line| line.starts_with(start)).count();
    let operators = rows(reference::operators(), "### ");
    let aggregates = rows(reference::aggregates(), "| `");
    let functions = rows(reference::functions(), "| `");
    let counted = format!("{aggregates} aggregations, {functions} functions");
    for (document, wanted) in
        [("README.md", counted.clone()), ("CHANGELOG.md", format!("{operators} operators, {counted}"))]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
        assert!(std::fs::read_to_string(path).unwrap().contains(&wanted), "{document} does not say {wanted}");
    }
}
