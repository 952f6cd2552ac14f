//! Rule: files and functions stay short. What is longer stands in `ratchet.toml` with its length, and an
//! entry there may only shrink. A function is counted from its `fn` to its closing brace, in tests too.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};
use toml::de::{DeTable, DeValue};

use crate::report::{Violation, assert_none, line_of};
use crate::repository;
use crate::source::{self, Source};

const PRODUCTION_FILE: usize = 400;
const TEST_FILE: usize = 600;
const FUNCTION: usize = 60;
const RATCHET: &str = "crates/tidy/ratchet.toml";

#[test]
fn files_and_functions_stay_short() {
    let measures: Vec<Measure> = source::all().iter().flat_map(measure).collect();
    let ratchet = repository::read(RATCHET).expect("crates/tidy/ratchet.toml is part of this rule");
    assert_none("lengths", check(&measures, &ratchet));
}

/// The length of a file or a function. `key` is its name in the ratchet; of functions that share a name only
/// the longest has one.
struct Measure {
    file: String,
    line: usize,
    what: String,
    key: Option<String>,
    lines: usize,
    limit: usize,
}

fn measure(source: &Source) -> Vec<Measure> {
    let (what, limit) = if source.is_test { ("test file", TEST_FILE) } else { ("file", PRODUCTION_FILE) };
    let mut measures = vec![Measure {
        file: source.path.clone(),
        line: 1,
        what: what.to_owned(),
        key: Some(source.path.clone()),
        lines: source.counted_lines(),
        limit,
    }];
    let mut functions = Functions::default();
    functions.visit_file(&source.syntax);
    functions.found.sort_by_key(|function| Reverse(function.lines));
    let mut seen = BTreeSet::new();
    for Function { name, line, lines } in functions.found {
        measures.push(Measure {
            file: source.path.clone(),
            line,
            what: format!("function `{name}`"),
            key: seen.insert(name.clone()).then(|| format!("{}::{name}", source.path)),
            lines,
            limit: FUNCTION,
        });
    }
    measures
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

#[derive(Default)]
struct Functions {
    found: Vec<Function>,
}

impl Functions {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let line = signature.fn_token.span.start().line;
        let lines = body.brace_token.span.close().end().line - line + 1;
        self.found.push(Function { name: signature.ident.to_string(), line, lines });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// An exception in the ratchet: how many lines, and on which line it says so.
struct Exception {
    lines: usize,
    line: usize,
}

fn check(measures: &[Measure], ratchet: &str) -> Vec<Violation> {
    let (mut exceptions, mut violations) = read_ratchet(ratchet);
    for measure in measures {
        let exception = measure.key.as_ref().and_then(|key| exceptions.remove(key));
        violations.extend(match exception {
            Some(exception) => check_exception(measure, &exception),
            None => check_limit(measure),
        });
    }
    for (key, exception) in exceptions {
        let problem = format!("`{key}` is not there any more");
        violations.push(Violation::at(RATCHET, exception.line, problem, "remove the entry"));
    }
    violations
}

fn check_limit(measure: &Measure) -> Option<Violation> {
    let Measure { file, line, what, lines, limit, .. } = measure;
    if lines <= limit {
        return None;
    }
    let problem = format!("{what} has {lines} lines, at most {limit} are allowed");
    Some(Violation::at(file, *line, problem, "cut it by responsibility and keep the branching in the caller"))
}

fn check_exception(measure: &Measure, exception: &Exception) -> Option<Violation> {
    let Measure { file, line, what, lines, limit, .. } = measure;
    let allowed = exception.lines;
    if lines > limit && *lines > allowed {
        let problem = format!("{what} has grown to {lines} lines, its exception is {allowed}");
        return Some(Violation::at(
            file,
            *line,
            problem,
            "make it shorter again: an exception may only shrink",
        ));
    }
    let entry =
        |problem: String, remedy: String| Some(Violation::at(RATCHET, exception.line, problem, remedy));
    if lines <= limit {
        let problem = format!("{what} of {file} has {lines} lines and needs no exception");
        return entry(problem, "remove the entry".to_owned());
    }
    if *lines < allowed {
        let problem = format!("{what} of {file} has {lines} lines, the entry says {allowed}");
        return entry(problem, format!("lower the entry to {lines}"));
    }
    None
}

fn read_ratchet(text: &str) -> (BTreeMap<String, Exception>, Vec<Violation>) {
    let table = DeTable::parse(text).unwrap_or_else(|error| panic!("{RATCHET} is not TOML: {error}"));
    let mut exceptions = BTreeMap::new();
    let mut violations = Vec::new();
    for (key, value) in table.get_ref() {
        let line = line_of(text, key.span().start);
        let lines = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            _ => None,
        };
        match lines {
            Some(lines) => {
                exceptions.insert(key.get_ref().to_string(), Exception { lines, line });
            }
            None => violations.push(Violation::at(
                RATCHET,
                line,
                format!("`{}` is not a number of lines", key.get_ref()),
                "write \"path\" = lines or \"path::function\" = lines, without sections",
            )),
        }
    }
    (exceptions, violations)
}

mod samples {
    use super::*;
    use crate::report::problems;

    fn found(path: &str, text: &str, ratchet: &str) -> Vec<String> {
        let violations = check(&measure(&Source::parse(path, text)), ratchet);
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    /// A function of that many lines.
    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    work();\n".repeat(lines - 2))
    }

    #[test]
    fn a_long_file_is_found_without_its_tests() {
        let code = "const A: u8 = 1;\n";
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", code.repeat(300));
        let path = "crates/x/src/y.rs";
        assert_eq!(found(path, &(code.repeat(400) + &tests), ""), Vec::<String>::new());
        assert_eq!(
            found(path, &(code.repeat(401) + &tests), ""),
            ["file has 401 lines, at most 400 are allowed"]
        );
        let path = "crates/x/tests/it/y.rs";
        assert_eq!(found(path, &code.repeat(600), ""), Vec::<String>::new());
        assert_eq!(found(path, &code.repeat(601), ""), ["test file has 601 lines, at most 600 are allowed"]);
    }

    #[test]
    fn long_functions_methods_and_tests_are_found() {
        let path = "crates/x/src/y.rs";
        assert_eq!(found(path, &function("f", 60), ""), Vec::<String>::new());
        let long = |name: &str| format!("function `{name}` has 61 lines, at most 60 are allowed");
        assert_eq!(found(path, &function("f", 61), ""), [long("f")]);
        let method = format!("impl X {{\n{}}}", function("method", 61));
        assert_eq!(found(path, &method, ""), [long("method")]);
        let provided = format!("trait T {{\nfn required();\n{}}}", function("provided", 61));
        assert_eq!(found(path, &provided, ""), [long("provided")]);
        let test = format!("#[cfg(test)]\nmod tests {{\n#[test]\n{}}}", function("test", 61));
        assert_eq!(found(path, &test, ""), [long("test")]);
        let documented = format!("/// Doc.\n/// Doc.\n#[must_use]\n{}", function("documented", 60));
        assert_eq!(found(path, &documented, ""), Vec::<String>::new());
    }

    #[test]
    fn an_exception_may_only_shrink() {
        let path = "crates/x/src/y.rs";
        let entry = |lines: usize| format!("\"{path}::f\" = {lines}");
        assert_eq!(found(path, &function("f", 80), &entry(80)), Vec::<String>::new());
        assert_eq!(
            found(path, &function("f", 81), &entry(80)),
            ["function `f` has grown to 81 lines, its exception is 80"]
        );
        assert_eq!(
            found(path, &function("f", 79), &entry(80)),
            ["function `f` of crates/x/src/y.rs has 79 lines, the entry says 80"]
        );
        assert_eq!(
            found(path, &function("f", 60), &entry(80)),
            ["function `f` of crates/x/src/y.rs has 60 lines and needs no exception"]
        );
        assert_eq!(
            found(path, &function("g", 10), &entry(80)),
            ["`crates/x/src/y.rs::f` is not there any more"]
        );
        assert_eq!(
            found(path, "", &format!("\"{path}\" = true")),
            [format!("`{path}` is not a number of lines")]
        );
    }

    #[test]
    fn an_exception_is_for_one_function_of_that_name() {
        let path = "crates/x/src/y.rs";
        let both = format!("impl A {{\n{}}}\nimpl B {{\n{}}}", function("f", 70), function("f", 80));
        assert_eq!(
            found(path, &both, &format!("\"{path}::f\" = 80")),
            ["function `f` has 70 lines, at most 60 are allowed"]
        );
    }
}
