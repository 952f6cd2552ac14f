//! Work in turns: a future that is polled only while its query has a turn, and what such work can do about it. The
//! operators' library starts tasks of its own; they take turns as well.

use std::any::Any;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion_common_runtime::{JoinSetTracer, set_join_set_tracer};
use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::priority;
use super::state::Share;

/// A turn whose work took more from the heap ends at its next pause.
const TAKEN_BYTES_MAX: i64 = 4 << 20;

tokio::task_local! {
    static TURN: Turn;
}

/// The turn that the work at hand has.
struct Turn {
    number: u64,
    share: Arc<Share>,
    began: Instant,
    /// What its thread held of the heap then.
    held: i64,
}

impl Turn {
    /// Whether its work should let others go on: after a while, or when it has taken so much that it is to be counted.
    fn is_over(&self) -> bool {
        self.began.elapsed() >= self.share.turns.length()
            || tidegauge_heap::held() - self.held > TAKEN_BYTES_MAX
    }
}

/// Gives the turn back whatever the work does, a panic included.
impl Drop for Turn {
    fn drop(&mut self) {
        let nanos = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.share.took(tidegauge_heap::held() - self.held);
        self.share.turns.give_back(self.number, nanos);
    }
}

/// Work of a query, in turns.
pub(crate) struct InTurns<F> {
    work: Pin<Box<F>>,
    share: Arc<Share>,
    ticket: Option<u64>,
}

impl<F: Future> InTurns<F> {
    pub(crate) fn new(share: Arc<Share>, work: F) -> Self {
        Self { work: Box::pin(work), share, ticket: None }
    }
}

impl<F: Future> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        // Whoever waits for it learns that, and drops it.
        if this.share.is_over() {
            return Poll::Pending;
        }
        let Poll::Ready(number) = this.share.turns.poll_take(&this.share, &mut this.ticket, context) else {
            return Poll::Pending;
        };
        let (share, began) = (Arc::clone(&this.share), Instant::now());
        let turn = Turn { number, share, began, held: tidegauge_heap::held() };
        TURN.sync_scope(turn, || this.work.as_mut().poll(context))
    }
}

impl<F> Drop for InTurns<F> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.share.turns.give_up(ticket);
        }
    }
}

/// Work that is started by work in turns takes its own turns of the same share.
pub(crate) fn in_turns<F: Future>(work: F) -> impl Future<Output = F::Output> + use<F> {
    let share = TURN.try_with(|turn| Arc::clone(&turn.share));
    async move {
        match share {
            Ok(share) => InTurns::new(share, work).await,
            Err(_) => work.await,
        }
    }
}

/// Lets others go on, if the turn has lasted long enough. Work that never waits calls it often.
pub(crate) async fn pause() {
    if TURN.try_with(Turn::is_over).unwrap_or(true) {
        step_back().await;
    }
}

/// Ends the turn and waits for the next.
async fn step_back() {
    let mut is_behind = false;
    // Not the runtime's own way: it puts the task aside until its thread has nothing else to do, where no other thread
    // finds it, and the next task of that thread may not pause at all.
    poll_fn(|context| {
        if std::mem::replace(&mut is_behind, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Work beside the threads of queries, which cannot pause: it takes no turn, and what it took is charged. Those who
/// compute in turns go before it.
pub(crate) fn beside<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let share = TURN.try_with(|turn| Arc::clone(&turn.share)).ok();
    move || {
        priority::give_way_to_turns();
        let (began, held) = (Instant::now(), tidegauge_heap::held());
        let done = work();
        if let Some(share) = share {
            share.took(tidegauge_heap::held() - held);
            share.charge(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
        done
    }
}

/// Lets the tasks that operators start take turns of the query that they are part of.
pub(crate) fn spread_to_operators() {
    // Set by the first engine of the process, and it is the same for all.
    let _ = set_join_set_tracer(&OfOperators);
}

struct OfOperators;

type Erased = Box<dyn Any + Send>;

impl JoinSetTracer for OfOperators {
    fn trace_future(&self, work: BoxFuture<'static, Erased>) -> BoxFuture<'static, Erased> {
        match TURN.try_with(|turn| Arc::clone(&turn.share)) {
            Ok(share) => Box::pin(InTurns::new(share, work)),
            Err(_) => work,
        }
    }

    fn trace_block(&self, work: Box<dyn FnOnce() -> Erased + Send>) -> Box<dyn FnOnce() -> Erased + Send> {
        match TURN.try_with(|turn| Arc::clone(&turn.share)) {
            // What is read back from the disk is freed in turns.
            Ok(share) => Box::new(move || {
                let held = tidegauge_heap::held();
                let done = work();
                share.took(tidegauge_heap::held() - held);
                done
            }),
            Err(_) => work,
        }
    }
}
