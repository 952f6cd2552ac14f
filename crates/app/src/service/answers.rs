//! Answers that are kept as they were seen, so that a link shows the same rows to colleagues and later. Who may see one is
//! who may query all that it read; it ends after a while, with the datasets that it read, and when events are deleted
//! that it may show.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::frozen_answers::FrozenAnswer;
use tidegauge_model::{Action, DatasetArea, ErrorKind, OrgId, Timestamp};

use super::query::history::new_id;
use super::{Caller, Error, Result};
use crate::app::App;

/// Largest answer that is kept, in bytes of JSON, and in bytes once it is compressed.
const BYTES_MAX: usize = 16 << 20;
const COMPRESSED_MAX: usize = 1 << 20;

const NOT_FOUND_HINT: &str = "an answer goes after 90 days, when there are 200 newer ones, and when events that it may \
    show are deleted or expire; ask the query again";

/// An answer that is to be kept.
#[derive(Debug)]
pub struct AnswerInput {
    pub apl: String,
    /// The range that was looked at, as absolute times.
    pub start_time: String,
    pub end_time: String,
    /// The names of all datasets that it read, each once.
    pub reads: Vec<String>,
    /// The moment before it read them, of [`begin`].
    pub since: u64,
    /// JSON text.
    pub answer: Vec<u8>,
}

/// An answer that was kept, with its JSON text.
#[derive(Debug)]
pub struct KeptAnswer {
    pub frozen: FrozenAnswer,
    pub text: String,
}

/// The moment before a query whose answer is to be kept.
pub fn begin(app: &App) -> u64 {
    app.store.erasures().mark()
}

/// Keeps an answer, and gives its id. What was read of events that have gone since is not kept: nothing would take it away.
pub async fn keep(app: &Arc<App>, caller: &Caller, input: AnswerInput) -> Result<String> {
    let org = caller.org_to_create_in()?;
    let answer = app.background.compute(move || compressed(&input.answer)).await?;
    let keeping =
        app.store.erasures().keep(org, &input.reads, input.since).await.ok_or_else(gone_meanwhile)?;
    for name in &input.reads {
        find_read(app, org, name, caller.now).await?.ok_or_else(gone_meanwhile)?;
    }
    let frozen = FrozenAnswer {
        id: new_id(&*app.rng),
        who: caller.user.to_string(),
        apl: input.apl,
        start_time: input.start_time,
        end_time: input.end_time,
        reads: input.reads,
        answer,
        created: caller.now,
    };
    let (id, writer, org, change) = (frozen.id.clone(), Arc::clone(app), org.clone(), caller.change());
    // It goes on by itself if the caller goes away, so that it has ended when events can be erased again.
    let writing = app.tasks.spawn(async move {
        let written = writer.catalog.insert_frozen_answer(&org, &frozen, &change).await;
        drop(keeping);
        written
    });
    let written = writing.await.map_err(|cause| Error {
        source: Some(Box::new(cause)),
        ..Error::new(ErrorKind::Internal, "the answer could not be kept")
    })?;
    written?;
    Ok(id)
}

fn gone_meanwhile() -> Error {
    let message =
        "events that the query read were deleted or expired while it ran, and its answer is not kept";
    Error::new(ErrorKind::Conflict, message).hint("ask again")
}

/// A dataset that an answer of a time has read. One that was made later is another one, which it has not read.
async fn find_read(app: &App, org: &OrgId, name: &str, at: Timestamp) -> Result<Option<Dataset>> {
    let present = app.catalog.find_dataset(org, name).await?;
    Ok(present.filter(|dataset| dataset.created <= at))
}

/// Finds an answer that was kept. To who may not query all that it read, it does not exist; one that read nothing exists
/// to its keeper alone. Nor does one whose data has gone with its dataset, also where there is another of its name.
pub async fn find(app: &App, caller: &Caller, id: &str) -> Result<KeptAnswer> {
    let not_found = || Error::not_found("answer").hint(NOT_FOUND_HINT);
    let frozen = app.catalog.find_frozen_answer(caller.org()?, id).await?.ok_or_else(not_found)?;
    if frozen.reads.is_empty() && !caller.is_user(&frozen.who) {
        return Err(not_found());
    }
    for name in &frozen.reads {
        if !caller.capabilities.allows_dataset(name, DatasetArea::Query, Action::Read) {
            return Err(not_found());
        }
        find_read(app, caller.org()?, name, frozen.created).await?.ok_or_else(not_found)?;
    }
    let (frozen, text) = app
        .background
        .compute(move || {
            let text = decompressed(&frozen.answer);
            (frozen, text)
        })
        .await;
    Ok(KeptAnswer { frozen, text: text? })
}

fn compressed(answer: &[u8]) -> Result<Vec<u8>> {
    if answer.len() > BYTES_MAX {
        return Err(too_large());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(answer).and_then(|()| encoder.finish());
    // Writing to memory does not fail.
    let bytes = written.unwrap_or_default();
    if bytes.len() > COMPRESSED_MAX {
        return Err(too_large());
    }
    Ok(bytes)
}

fn too_large() -> Error {
    Error::new(ErrorKind::TooLarge, "the answer is too large to be kept")
        .hint("ask for fewer rows or fields, such as with `take` or `project`, or export them as a file")
}

fn decompressed(bytes: &[u8]) -> Result<String> {
    let mut text = String::new();
    match GzDecoder::new(bytes).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(source) => {
            let error = Error::new(ErrorKind::Corrupt, "the answer cannot be read any more");
            Err(Error { source: Some(Box::new(source)), ..error })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back_as_it_was_and_has_a_limit() {
        let text = "{\"n\":9007199254740993,\"t\":\"ü\"}".repeat(1_000);
        let bytes = compressed(text.as_bytes()).unwrap();
        assert!(bytes.len() < text.len() / 10);
        assert_eq!(decompressed(&bytes).unwrap(), text);
        assert_eq!(compressed(&vec![b' '; BYTES_MAX + 1]).unwrap_err().kind, ErrorKind::TooLarge);
        assert_eq!(decompressed(b"damaged").unwrap_err().kind, ErrorKind::Corrupt);
    }
}
