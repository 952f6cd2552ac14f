//! Amazon Data Firehose: records in base64, which hold JSON texts one behind the other, lines of text, or what
//! CloudWatch Logs sends, compressed. The id of a request stays the same when it is repeated, so it is a key against
//! repetition.

mod record;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidegauge_ingest::{Events, JsonWalk};

use crate::answer::{Answer, Problem, status_of};
use crate::json_text::JsonText;
use record::Records;

/// Longer messages are taken for no answer.
const MESSAGE_BYTES_MAX: usize = 8 << 10;

/// What a request is besides its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The same in each attempt.
    pub id: String,
    pub records: u64,
}

/// Reads the body of a request. `common_attributes` is the header of that name, whose pairs are added to every event;
/// `bytes_max` is what its compressed records may become together.
pub fn read(
    body: &[u8],
    common_attributes: Option<&str>,
    bytes_max: u64,
    events: &mut Events<'_>,
) -> Result<Request, Problem> {
    events.take_unreadable_times();
    let mut request = Request::default();
    let mut records = Records::new(common_attributes, bytes_max)?;
    let mut walk = JsonWalk::new(body);
    walk.object(|walk, name| match name {
        "requestId" => {
            request.id = walk.text()?.into_owned();
            Ok(())
        }
        "records" => walk.array(|walk| {
            let number = request.records;
            request.records += 1;
            record(walk, &mut records, events).map_err(|problem| problem.of_item(number))
        }),
        _ => walk.value().map(|_| ()).map_err(Problem::from),
    })?;
    if !walk.is_at_end() {
        return Err(walk.wrong("there is more after the object of the request").into());
    }
    Ok(request)
}

fn record(walk: &mut JsonWalk<'_>, records: &mut Records, events: &mut Events<'_>) -> Result<(), Problem> {
    let mut data = None;
    walk.object(|walk, name| {
        match name {
            "data" => data = Some(walk.string()?),
            _ => {
                walk.value()?;
            }
        }
        Ok::<_, Problem>(())
    })?;
    let Some(data) = data else { return Err(Problem::malformed("a record has no \"data\"")) };
    let bytes = STANDARD.decode(data.as_bytes());
    let bytes = bytes.map_err(|_| Problem::malformed("the \"data\" of a record is no base64"))?;
    records.read(&bytes, events)
}

/// The answer to a request whose events are stored, as far as they did not fail.
pub fn accepted(request_id: &str, now_ms: i64) -> Answer {
    answer(200, request_id, now_ms, None)
}

/// The answer to a request of which nothing is stored. The id is that of the header, since the body may not be read.
pub fn refused(request_id: &str, now_ms: i64, problem: &Problem) -> Answer {
    answer(status_of(problem.kind), request_id, now_ms, Some(&problem.message)).with_retry_after()
}

fn answer(status: u16, request_id: &str, now_ms: i64, message: Option<&str>) -> Answer {
    let mut text = JsonText::default();
    text.open('{');
    text.name("requestId");
    text.string(request_id);
    text.name("timestamp");
    text.integer(now_ms);
    if let Some(message) = message {
        text.name("errorMessage");
        text.string(&message[..message.floor_char_boundary(MESSAGE_BYTES_MAX / 2)]);
    }
    text.close('}');
    Answer::json(status, text.into_bytes())
}
