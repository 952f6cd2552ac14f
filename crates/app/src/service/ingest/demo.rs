//! Events to look around with, for who has none yet: made here, and stored as those of every sender are, by the same
//! rights, limits and acknowledgement. What they tell of is the affair of `tidegauge-eventgen`.

mod dashboards;

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use tidegauge_eventgen::demo::Demo;
use tidegauge_ingest::{Encoding, Format};
use tidegauge_model::{Action, DatasetArea, ErrorKind, OrgArea, Timestamp};

use super::{IngestAnswer, IngestInput, quota};
use crate::app::App;
use crate::service::annotations::{self, AnnotationInput};
use crate::service::datasets::{self, DatasetInput};
use crate::service::{Caller, Error, Result};

/// Where they go.
pub const DATASET: &str = "demo";

const DESCRIPTION: &str =
    "Made-up events of a small shop, with a release that goes wrong. Delete it whenever you like.";

/// They are sent in requests of so many, which are far smaller than a body may be.
const EVENTS_OF_REQUEST: u64 = 2_000;

/// Makes the dataset and its events, which end now, marks the release in them, and makes the dashboards that show them. A dataset that has events already is
/// left as it is: nothing is mixed with what somebody sent, and nothing is there twice.
pub async fn load(app: &App, caller: &Caller) -> Result<IngestAnswer> {
    caller.check_dataset(DATASET, DatasetArea::Ingest, Action::Create)?;
    match datasets::find_state(app, caller, DATASET).await? {
        Some(state) if state.info().rows > 0 => return Err(is_filled()),
        Some(_) => {}
        None => {
            // Told before the dataset is made, which else would stay behind empty.
            quota::check(app, caller).await?;
            let (name, description) = (DATASET.to_owned(), Some(DESCRIPTION.to_owned()));
            let input = DatasetInput { name, description, ..DatasetInput::default() };
            datasets::create(app, caller, input).await?;
        }
    }
    let demo = Demo::until(caller.now);
    let release = demo.release();
    let mut loaded: Option<IngestAnswer> = None;
    for part in demo.parts(EVENTS_OF_REQUEST) {
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(part))]);
        let mut answer = super::ingest(app, caller, input(), body).await?;
        answer.ingested.ingested += loaded.map_or(0, |before| before.ingested.ingested);
        loaded = Some(answer);
    }
    mark(app, caller, release).await?;
    dashboards::make(app, caller).await?;
    loaded.ok_or_else(is_filled)
}

fn input() -> IngestInput {
    IngestInput {
        dataset: DATASET.to_owned(),
        format: Format::Json,
        encoding: Encoding::Identity,
        timestamp_field: None,
        timestamp_format: None,
        csv_delimiter: None,
        csv_fields: None,
        labels: None,
        idempotency_key: None,
    }
}

/// Marks the release on charts, for who may.
async fn mark(app: &App, caller: &Caller, (released, mended): (Timestamp, Timestamp)) -> Result<()> {
    if !caller.capabilities.allows_org(OrgArea::Annotations, Action::Create) {
        return Ok(());
    }
    let marks = [(released, "checkout 2.4.0 is released"), (mended, "checkout 2.4.1 mends it")];
    for (at, title) in marks {
        let input = AnnotationInput {
            datasets: Some(vec![DATASET.to_owned()]),
            time: Some(at.to_string()),
            kind: Some("release".to_owned()),
            title: Some(title.to_owned()),
            ..AnnotationInput::default()
        };
        annotations::create(app, caller, input).await?;
    }
    Ok(())
}

fn is_filled() -> Error {
    Error::new(ErrorKind::Conflict, "the dataset demo has events already")
        .hint("query it as it is; or delete it, and load the demo events again")
}
