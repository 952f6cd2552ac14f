//! Runs an ingest: a thread reads and cuts the files, and as many parts as there are connections are sent at once.
//! The first part that cannot be stored ends it, but for bad lines: who corrects a file and sends it again would store
//! what stands around them twice, and what came by a pipe cannot be sent again.

use anyhow::{Context, bail};
use futures_util::{StreamExt, stream};
use tidegauge_model::{Rng, hex, rng};
use tokio::sync::{mpsc, oneshot};

use super::buffers::Buffers;
use super::input::Input;
use super::part::Part;
use super::progress::Progress;
use super::send::{Sender, Unreadable};
use super::split::{Cutting, Splitter};

/// After so many bad lines with nothing good between them it is taken for granted that no events come.
const BAD_LINES_MAX: u64 = 100;

/// Sends all files. Whether events in stored parts failed is counted in `progress`.
pub async fn run(
    inputs: Vec<Input>,
    cutting: Cutting,
    connections: usize,
    sender: &Sender,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut parts = read_in_background(inputs, cutting, connections)?;
    let (going_on, ended) = oneshot::channel::<()>();
    let parts = stream::poll_fn(move |context| parts.poll_recv(context)).take_until(ended);
    let mut sent =
        parts.map(|part| async move { store(part?, sender, progress).await }).buffer_unordered(connections);
    let (mut going_on, mut outcome) = (Some(going_on), Ok(()));
    while let Some(result) = sent.next().await {
        // What is under way is waited for and counted: the server may have it already.
        if outcome.is_ok() && result.is_err() {
            outcome = result;
            drop(going_on.take());
        }
    }
    outcome
}

/// Has a part stored. Of one that cannot be read, the lines that can.
async fn store(part: Part, sender: &Sender, progress: &Progress) -> anyhow::Result<()> {
    let mut waiting = vec![part];
    while let Some(part) = waiting.pop() {
        match sender.send(&part, |notice| progress.retrying(notice)).await {
            Ok(answer) => progress.stored(&part, &answer),
            Err(error) if part.has_lines() && error.is::<Unreadable>() => match part.halves() {
                Some((first, second)) => waiting.extend([second, first]),
                None if progress.not_taken(&part, &error) < BAD_LINES_MAX => {}
                None => return Err(error),
            },
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads on a thread of its own: a read from standard input may wait for ever, and must not keep the process alive
/// when a part has failed.
fn read_in_background(
    inputs: Vec<Input>,
    cutting: Cutting,
    connections: usize,
) -> anyhow::Result<mpsc::Receiver<anyhow::Result<Part>>> {
    let (sender, receiver) = mpsc::channel(1);
    // One for each request, one that waits for the next request, and one that is being filled.
    let buffers = Buffers::new(connections + 2, cutting.batch_bytes);
    let read = move || {
        if let Err(error) = read_all(&inputs, &cutting, &buffers, &sender) {
            // Nobody listens when a part has failed before.
            let _ = sender.blocking_send(Err(error));
        }
    };
    std::thread::Builder::new().name("read".to_owned()).spawn(read).context("starting the reader")?;
    Ok(receiver)
}

fn read_all(
    inputs: &[Input],
    cutting: &Cutting,
    buffers: &Buffers,
    parts: &mpsc::Sender<anyhow::Result<Part>>,
) -> anyhow::Result<()> {
    for (number, input) in inputs.iter().enumerate() {
        if cutting.stop.is_asked() {
            bail!("{}: stopped before its beginning", input.name());
        }
        let mut splitter = Splitter::open(input, number as u64, buffers, cutting.clone())?;
        while let Some(part) = splitter.next_part()? {
            if parts.blocking_send(Ok(part)).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A name for a run that no other run has.
pub fn new_run_id(source: &dyn Rng) -> String {
    hex::encode(&rng::bytes::<8>(source))
}
