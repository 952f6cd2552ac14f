//! The queries that were asked on this machine: one on each line of a file that only its owner reads, the newest last.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Lines that are kept.
const LINES_MAX: usize = 1_000;

/// Where the history is.
#[derive(Debug)]
pub(super) struct History {
    path: PathBuf,
}

impl History {
    /// The file in the folder for states, which is below the home unless another is told.
    pub(super) fn new(state_folder: Option<&Path>, home: Option<&Path>) -> anyhow::Result<Self> {
        let folder = match (state_folder.filter(|folder| folder.is_absolute()), home) {
            (Some(folder), _) => folder.to_owned(),
            (None, Some(home)) => home.join(".local").join("state"),
            (None, None) => bail!("there is no home folder to keep queries in"),
        };
        Ok(Self { path: folder.join("tidegauge").join("queries") })
    }

    /// All queries, the newest first.
    pub(super) fn list(&self) -> anyhow::Result<Vec<String>> {
        let mut queries = self.read()?;
        queries.reverse();
        Ok(queries)
    }

    /// The query of a number in the list, from one on.
    pub(super) fn get(&self, number: usize) -> anyhow::Result<String> {
        let found = number.checked_sub(1).and_then(|place| self.list().ok()?.into_iter().nth(place));
        found.with_context(|| format!("there is no query {number}; --history lists them"))
    }

    /// Keeps a query as the newest, once.
    pub(super) fn add(&self, query: &str) -> anyhow::Result<()> {
        let mut queries = self.read()?;
        queries.retain(|known| known != query);
        queries.push(query.to_owned());
        let from = queries.len().saturating_sub(LINES_MAX);
        let lines: String = queries[from..]
            .iter()
            .map(|query| format!("{}\n", serde_json::Value::from(query.as_str())))
            .collect();
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A half-written file must not take the place of a whole one.
        let beside = self.path.with_extension(format!("new-{}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(lines.as_bytes())?;
        fs::rename(&beside, &self.path)?;
        Ok(())
    }

    /// What the file has, the oldest first. A line that is no text in quotes is left out.
    fn read(&self) -> anyhow::Result<Vec<String>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).with_context(|| format!("reading {}", self.path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn queries_are_kept_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(Some(folder.path()), None).unwrap();
        assert_eq!(history.list().unwrap(), Vec::<String>::new());
        for number in 0..1_005 {
            history.add(&format!("web\n| take {number}")).unwrap();
        }
        history.add("web\n| take 1000").unwrap();
        let queries = history.list().unwrap();
        assert_eq!(queries.len(), 1_000);
        assert_eq!(&queries[..2], ["web\n| take 1000", "web\n| take 1004"]);
        assert_eq!(history.get(2).unwrap(), "web\n| take 1004");
        assert!(history.get(0).is_err() && history.get(1_001).is_err());
        let mode = fs::metadata(folder.path().join("tidegauge/queries")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
