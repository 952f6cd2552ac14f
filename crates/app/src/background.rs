//! The threads for work that nobody watches a clock for: reading the bodies of events, writing and merging segments.
//! They have a lower priority than those that answer questions, so that a question does not wait behind the events that
//! pour in.

use std::future::Future;

use tidegauge_engine::lower_priority;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

/// By how much the system prefers other threads, on its scale to 19. Enough for a thread that wakes up to go first; and
/// where nothing else is to be done, these get all of the machine.
const NICE: i32 = 10;

/// Threads of their own. There until this is dropped.
#[derive(Debug)]
pub struct Background {
    threads: Option<Runtime>,
    handle: Handle,
}

impl Background {
    pub fn new() -> std::io::Result<Self> {
        let threads = Builder::new_multi_thread()
            .thread_name("background")
            .enable_all()
            .on_thread_start(|| lower_priority(NICE))
            .build()?;
        Ok(Self { handle: threads.handle().clone(), threads: Some(threads) })
    }

    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Does some work there. Dropping the future stops it.
    pub async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        joined(AbortOnDropHandle::new(self.handle.spawn(work.in_current_span()))).await
    }

    /// Computes something there that never waits, such as bytes from other bytes.
    pub async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        joined(self.handle.spawn_blocking(work)).await
    }
}

/// What was done; a panic goes on where it was asked for.
async fn joined<T>(task: impl Future<Output = Result<T, JoinError>>) -> T {
    match task.await {
        Ok(done) => done,
        Err(stopped) => match stopped.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The threads end only when nobody waits for an answer any more.
            Err(_) => std::future::pending().await,
        },
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Waiting for threads is not allowed where this may be dropped.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}
