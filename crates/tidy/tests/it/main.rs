//! The rules of the repository, executed. Each module is one rule: a test that reads the files and names
//! every place that breaks it, and tests of the rule itself on small samples. `imports`, `manifest`, `markdown` and
//! `source` read the three kinds of file, `repository` finds them, `report` prints what was found.

#![expect(
    clippy::expect_used,
    reason = "a repository that cannot be read has nothing to report: the test ends"
)]

mod arrows;
mod by_hand;
mod circles;
mod crate_sizes;
mod documents;
mod fast_paths;
mod fuzzed;
mod lengths;
mod module_docs;
mod proofs;
mod randomness;
mod sabotage;
mod senders;
mod settings;
mod unrun;
mod words;

mod imports;
mod manifest;
mod markdown;
mod source;

mod report;
mod repository;
