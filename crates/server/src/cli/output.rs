//! What commands print: their answer on standard output, and beside it what a person who waits wants to know.

use serde::Serialize;

#[expect(clippy::print_stdout, reason = "this is the answer of a command")]
pub fn line(text: &str) {
    println!("{text}");
}

/// Prints a value as indented JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Something for the person who waits, not part of the answer.
#[expect(clippy::print_stderr, reason = "the answer of a command must stay alone on standard output")]
pub fn note(text: &str) {
    eprintln!("{text}");
}
