//! Asks before something is deleted for good. Where nobody can be asked, it must be said in advance.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, anyhow, bail};

use super::failure::wrong_arguments;
use super::output;

/// Goes on if the user has said so, or types the name of what is meant.
pub fn deletion(what: &str, name: &str, is_agreed: bool) -> anyhow::Result<()> {
    if is_agreed {
        return Ok(());
    }
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let message =
            format!("this deletes {what}: add --yes if that is meant, since nobody can be asked here");
        return Err(wrong_arguments(anyhow!(message)));
    }
    output::note(&format!("This deletes {what} for good. Type {name} to go on:"));
    let mut line = String::new();
    stdin.lock().read_line(&mut line).context("reading the answer")?;
    if line.trim() != name {
        bail!("nothing was deleted");
    }
    Ok(())
}
