//! Rule: the modules of a crate do not import each other in a circle; what macros are handed is not looked at. A parent
//! that only declares or re-exports its children does not import them; whoever takes a name from a re-export imports
//! where the name is defined. In the crates of `WITH_PARENTS` children still use what their parents define and are used
//! by them: there only modules that lie side by side are told apart, each with all inside it. Both lists only shrink.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{Import, Module, imports_of};
use crate::report::{Violation, assert_none, problems};
use crate::source::{self, Source};

/// Crates in which a file and one that is inside it may still import each other.
const WITH_PARENTS: &[&str] = &["store"];

/// Modules that still reach each other: the crate with the module that they lie in, and their names.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "store",
        &[
            "abandoned",
            "blocks",
            "dataset",
            "earlier_wal",
            "eviction",
            "flush",
            "gc",
            "keys",
            "lease",
            "merge",
            "merge_input",
            "publish",
            "segment",
            "store",
            "templates",
        ],
    ),
    ("store::blocks", &["footer", "footer_cache"]),
];

const REMEDY: &str = "move what both use into a module below both, or hand it in";

#[test]
fn modules_import_each_other_in_no_circle() {
    let sources = source::those(|path, _| path.split('/').nth(2) == Some("src"));
    assert_none("circles", check(&sources, WITH_PARENTS, KNOWN));
}

fn check(sources: &[Source], with_parents: &[&str], known: &[(&str, &[&str])]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut found = BTreeSet::new();
    for (name, imports) in imports_of(sources) {
        let root = format!("crates/{name}/src");
        let is_loose = with_parents.contains(&name.as_str());
        let circles = circles(&of_files(&imports));
        if is_loose && circles.is_empty() {
            let problem = format!("`{name}` has no circle of files any more");
            violations.push(Violation::in_file(&root, problem, "take it out of WITH_PARENTS"));
        }
        if !is_loose {
            violations.extend(circles.iter().map(|circle| {
                let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
                Violation::in_file(&root, format!("files in a circle: {}", names.join(", ")), REMEDY)
            }));
            continue;
        }
        for (parent, siblings) in of_siblings(&imports) {
            let place: Vec<String> = std::iter::once(&name).chain(&parent).cloned().collect();
            let place = place.join("::");
            found.extend(self::circles(&siblings).into_iter().map(|circle| (place.clone(), circle)));
        }
    }
    violations.extend(differences(found, known));
    violations
}

/// What was found and is not known, and what is known and was not found.
fn differences(found: BTreeSet<(String, Vec<String>)>, known: &[(&str, &[&str])]) -> Vec<Violation> {
    let file = "crates/tidy/tests/it/circles.rs";
    let owned = |(place, names): &(&str, &[&str])| {
        ((*place).to_owned(), names.iter().map(|name| (*name).to_owned()).collect())
    };
    let known: BTreeSet<(String, Vec<String>)> = known.iter().map(owned).collect();
    let new = found.difference(&known).map(|(place, names)| {
        Violation::in_file(place, format!("modules in a circle: {}", names.join(", ")), REMEDY)
    });
    let gone = known.difference(&found).map(|(place, names)| {
        let problem = format!("KNOWN has a circle in `{place}` that is none: {}", names.join(", "));
        Violation::in_file(file, problem, "take out what is not in it any more")
    });
    new.chain(gone).collect()
}

type Graph<T> = BTreeMap<T, BTreeSet<T>>;

/// Files and what they import.
fn of_files(imports: &[Import]) -> Graph<Module> {
    let mut graph = Graph::new();
    for Import { from, to } in imports {
        graph.entry(from.clone()).or_insert_with(BTreeSet::new).insert(to.clone());
        graph.entry(to.clone()).or_default();
    }
    graph
}

/// For each module, its children and which of them import others, each with all that is inside it.
fn of_siblings(imports: &[Import]) -> BTreeMap<Module, Graph<String>> {
    let mut graphs: BTreeMap<Module, Graph<String>> = BTreeMap::new();
    for Import { from, to } in imports {
        let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
            let graph = graphs.entry(from[..shared].to_vec()).or_default();
            graph.entry(one.clone()).or_default().insert(other.clone());
            graph.entry(other.clone()).or_default();
        }
    }
    graphs
}

/// Those that reach each other, in groups of two or more.
fn circles<T: Clone + Ord>(graph: &Graph<T>) -> Vec<Vec<T>> {
    let reached: BTreeMap<&T, BTreeSet<&T>> = graph.keys().map(|from| (from, reached(graph, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, to) in &reached {
        if to.contains(from) {
            let circle = to.iter().filter(|other| reached[**other].contains(from));
            circles.insert(circle.map(|module| (*module).clone()).collect::<Vec<T>>());
        }
    }
    circles.into_iter().filter(|circle| circle.len() > 1).collect()
}

/// All that can be reached by at least one step.
fn reached<'a, T: Ord>(graph: &'a Graph<T>, from: &'a T) -> BTreeSet<&'a T> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for to in graph.get(at).into_iter().flatten() {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

mod samples {
    use super::*;

    fn found(files: &[(&str, &str)], with_parents: &[&str], known: &[(&str, &[&str])]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::parse(&format!("crates/x/src/{path}"), text)).collect();
        let violations = check(&sources, with_parents, known);
        problems(&violations).into_iter().map(str::to_owned).collect()
    }

    const NOTHING: [&str; 0] = [];

    #[test]
    fn circles_of_files_are_found_however_the_other_is_named() {
        let ways = ["use crate::b::f;", "use super::b;", "fn g() { crate::b::f() }", "use crate::{b::*, c};"];
        for way in ways {
            let files =
                [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", way), ("b.rs", "use crate::a;"), ("c.rs", "")];
            assert_eq!(found(&files, &[], &[]), ["files in a circle: a, b"], "{way}");
        }
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b;"), ("b.rs", "use std::fmt;")];
        assert_eq!(found(&files, &[], &[]), NOTHING);
    }

    #[test]
    fn a_re_export_is_no_import_and_leads_to_where_the_name_is_defined() {
        let parent = "mod b; mod c; pub(crate) use b::B;";
        let files = [("lib.rs", "mod a;"), ("a.rs", parent), ("a/b.rs", ""), ("a/c.rs", "use super::B;")];
        assert_eq!(found(&files, &[], &[]), NOTHING);
        let parent = "mod b; use b::B; struct A;";
        let files = [("lib.rs", "mod a;"), ("a.rs", parent), ("a/b.rs", "use super::A; struct B;")];
        assert_eq!(found(&files, &[], &[]), ["files in a circle: a, a::b"]);
        assert_eq!(found(&files, &["x"], &[]), NOTHING);
    }

    #[test]
    fn with_parents_those_side_by_side_are_told_apart() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod c; use c::C;"),
            ("a/c.rs", "use super::A; use crate::b::B;"),
            ("b.rs", "use crate::a::A;"),
        ];
        assert_eq!(found(&files, &["x"], &[]), ["modules in a circle: a, b"]);
        assert_eq!(found(&files, &["x"], &[("x", &["a", "b"])]), NOTHING);
        let known: &[(&str, &[&str])] = &[("x", &["a", "b"]), ("x::a", &["c", "d"])];
        assert_eq!(found(&files, &["x"], known), ["KNOWN has a circle in `x::a` that is none: c, d"]);
        assert_eq!(found(&[("lib.rs", "")], &["x"], &[]), ["`x` has no circle of files any more"]);
    }

    #[test]
    fn tests_and_what_makes_something_visible_are_no_imports() {
        let tests = "#[cfg(test)] mod tests { use crate::b; } pub(in crate::b) fn f() {}";
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", tests), ("b.rs", "use crate::a;")];
        assert_eq!(found(&files, &[], &[]), NOTHING);
    }
}
