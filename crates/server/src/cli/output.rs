//! What commands print: their answer on standard output, nothing else.

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
