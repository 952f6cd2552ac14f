//! Nodes, what they publish, and calls to the database that fail or wait where a case wants it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::Catalog;
use tidegauge_catalog::context::{CatalogContext, Point};
use tidegauge_catalog::nodes::publish::{LogFlush, Published};
use tidegauge_catalog::nodes::{Log, NodeStart};
use tidegauge_catalog::segments::NewSegment;
use tidegauge_model::{DatasetId, Timestamp};
use tokio::sync::Notify;

use crate::database::{KEY_BYTE, TestCatalog};
use crate::event_samples::segment;
use crate::samples::at;

/// Longer than any case takes.
pub(crate) const LONG: Duration = Duration::from_secs(3_600);
/// Nobody is heard of within it.
pub(crate) const OVER: Duration = Duration::ZERO;

pub(crate) fn start(name: &str) -> NodeStart {
    NodeStart {
        name: name.to_owned(),
        address: format!("{name}.example:9080"),
        build: "0.1.0+4f2a".to_owned(),
    }
}

pub(crate) async fn join(catalog: &Catalog, name: &str) -> Log {
    catalog.join_node(&start(name)).await.unwrap()
}

pub(crate) fn part<'a>(
    dataset: &'a DatasetId,
    segments: &'a [NewSegment],
    (from, upto): (u64, u64),
) -> LogFlush<'a> {
    LogFlush { dataset, segments, from, upto, keys: &[], usage: &[] }
}

/// Publishes one segment from where the mark is to where it shall be.
pub(crate) async fn publish(
    catalog: &Catalog,
    log: Log,
    dataset: &DatasetId,
    id: &str,
    bounds: (u64, u64),
) -> Published {
    let segments = [segment(id)];
    catalog.publish_log(log, part(dataset, &segments, bounds), at(70)).await.unwrap()
}

/// The commit of what was published.
pub(crate) fn commit_of(published: Published) -> u64 {
    match published {
        Published::Done(commit) => commit,
        refused => panic!("{refused:?}"),
    }
}

/// The marks of all logs that are open.
pub(crate) async fn marks(catalog: &Catalog) -> Vec<(DatasetId, Log, u64)> {
    let open = catalog.directory().await.unwrap().open;
    open.marks.into_iter().map(|mark| (mark.dataset, mark.log, mark.sequence)).collect()
}

/// Another process on the same catalogue, to which something happens.
pub(crate) async fn in_context(test: &TestCatalog<'_>, context: Arc<dyn CatalogContext>) -> Catalog {
    let mut catalog = test.database.open(KEY_BYTE).await.unwrap();
    catalog.set_context(context);
    catalog
}

/// When everything else was long ago.
fn far_off() -> Timestamp {
    Timestamp::from_micros(4_000_000_000_000_000)
}

type Passed<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// Calls fail at a point.
#[derive(Debug)]
pub(crate) struct FailsAt(pub(crate) Point);

impl CatalogContext for FailsAt {
    fn now(&self) -> Timestamp {
        far_off()
    }

    fn pass(&self, point: Point, _: &'static str) -> Passed<'_> {
        Box::pin(std::future::ready(point != self.0))
    }
}

/// A transaction stands still before its commit until somebody says that it may go on.
#[derive(Debug, Default)]
pub(crate) struct StandsStill {
    pub(crate) stands: Notify,
    pub(crate) goes_on: Notify,
}

impl CatalogContext for StandsStill {
    fn now(&self) -> Timestamp {
        far_off()
    }

    fn pass(&self, point: Point, _: &'static str) -> Passed<'_> {
        Box::pin(async move {
            if point == Point::Commit {
                self.stands.notify_one();
                self.goes_on.notified().await;
            }
            true
        })
    }
}

/// Lets the other one go on when a transaction begins.
#[derive(Debug)]
pub(crate) struct BeginsBeside(pub(crate) Arc<StandsStill>);

impl CatalogContext for BeginsBeside {
    fn now(&self) -> Timestamp {
        far_off()
    }

    fn pass(&self, point: Point, _: &'static str) -> Passed<'_> {
        if point == Point::Begin {
            self.0.goes_on.notify_one();
        }
        Box::pin(std::future::ready(true))
    }
}
