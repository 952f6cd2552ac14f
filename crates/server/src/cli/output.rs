//! What commands print: their answer on standard output, and beside it what a person who waits wants to know.

use std::io::Write;

use serde::Serialize;

pub fn line(text: &str) {
    // Whoever reads may have had enough, as `head` does.
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Writes an answer as it is. False if whoever reads has had enough.
pub fn bytes(answer: &[u8]) -> anyhow::Result<bool> {
    let mut out = std::io::stdout().lock();
    match out.write_all(answer).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
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
