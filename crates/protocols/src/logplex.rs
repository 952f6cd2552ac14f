//! Heroku's Logplex: messages of syslog without structured data, each behind the count of its bytes. A frame that is
//! broken ends the body, because nothing says where the next one begins: what stands before it is taken, and it and
//! what the request announces behind it are events that failed, so that the answer tells them.

use tidegauge_ingest::Events;

use crate::answer::Problem;
use crate::syslog::{Form, Messages, Origin};

/// The media type of such a body.
pub const MEDIA_TYPE: &str = "application/logplex-1";

/// A count of more digits is none.
const DIGITS_MAX: usize = 9;

/// So many messages that are announced and not there are counted, because a header alone announces them.
const MISSED_MAX: u64 = 1_000;

/// So much of a drain's name is kept, because each event has it.
const DRAIN_BYTES_MAX: usize = 256;

/// What the headers of a request say about its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head<'a> {
    /// How many messages there are.
    pub messages: Option<u64>,
    /// Which drain they come by.
    pub drain: Option<&'a str>,
}

/// Reads the body of a request. The answer is that of the ingest route.
pub fn read(body: &[u8], head: Head<'_>, events: &mut Events<'_>) -> Result<(), Problem> {
    let mut messages = Messages::default();
    let drain = head.drain.map(|drain| &drain[..drain.floor_char_boundary(DRAIN_BYTES_MAX)]);
    let origin = Origin { form: Form::Logplex, drain, ..Origin::default() };
    let (mut rest, mut found, mut broken) = (body, 0, None);
    loop {
        match next_frame(rest) {
            Ok(None) => break,
            Ok(Some((message, behind))) => {
                messages.write(message, origin, events)?;
                found += 1;
                rest = behind;
            }
            Err(reason) => {
                broken = Some(reason);
                break;
            }
        }
    }
    let missed = head.messages.unwrap_or(0).saturating_sub(found);
    let reason = match broken {
        Some(reason) => format!("frame {found} {reason}"),
        None if missed > 0 => format!("{} messages are announced, and there are {found}", found + missed),
        None => return Ok(()),
    };
    if found == 0 {
        return Err(Problem::malformed(format!("the body is not what {MEDIA_TYPE} says: {reason}")));
    }
    for _ in 0..missed.clamp(1, MISSED_MAX) {
        events.start();
        events.fail(|| format!("it cannot be found in the body: {reason}"));
        events.end()?;
    }
    Ok(())
}

/// The message of a frame, and what stands behind the frame.
type Frame<'a> = (&'a [u8], &'a [u8]);

/// The first frame; nothing at the end of the body.
fn next_frame(bytes: &[u8]) -> Result<Option<Frame<'_>>, String> {
    let bytes = bytes.trim_ascii_start();
    if bytes.is_empty() {
        return Ok(None);
    }
    let (digits, behind) = bytes.split_at(bytes.iter().take_while(|byte| byte.is_ascii_digit()).count());
    let is_count = (1..=DIGITS_MAX).contains(&digits.len());
    let count: Option<usize> =
        std::str::from_utf8(digits).ok().filter(|_| is_count).and_then(|digits| digits.parse().ok());
    let (Some(count), Some(behind)) = (count, behind.strip_prefix(b" ")) else {
        return Err("does not begin with the count of its bytes and a space".to_owned());
    };
    match behind.split_at_checked(count) {
        Some(split) => Ok(Some(split)),
        None => Err(format!("is to have {count} bytes, and {} are there", behind.len())),
    }
}
