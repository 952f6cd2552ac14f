//! Nonces for proofs (RFC 9449, 8 and 9): texts by which the service tells its own time to a client, to be repeated in the
//! next proof. Nothing is kept of them: a nonce is a stretch of time with a mark that only this process can make.

use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tidegauge_model::Timestamp;
use tidegauge_model::rng::{self, Rng};

/// How long one nonce is handed out. It is good until the next stretch has ended too.
const STRETCH: Duration = Duration::from_secs(10);

const KEY_BYTES: usize = 32;

/// How much of the mark is sent.
const MARK_BYTES: usize = 16;

const STRETCH_BYTES: usize = 8;

/// Makes nonces, and knows them again.
#[derive(Clone, Debug)]
pub(super) struct Nonces(hmac::Key);

/// What is known of a nonce that came with a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nonce {
    /// It is ours and good until then.
    Good { until: Timestamp, is_newest: bool },
    /// It is ours and its time is over.
    Ended,
    /// It is not ours; another server may have given it to the client.
    Foreign,
}

impl Nonces {
    pub(super) fn new(rng: &dyn Rng) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, &rng::bytes::<KEY_BYTES>(rng)))
    }

    /// The nonce of this moment.
    pub(super) fn at(&self, now: Timestamp) -> String {
        let stretch = stretch_of(now).to_be_bytes();
        let mark = hmac::sign(&self.0, &stretch);
        let mut bytes = stretch.to_vec();
        bytes.extend_from_slice(&mark.as_ref()[..MARK_BYTES]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub(super) fn read(&self, text: &str, now: Timestamp) -> Nonce {
        let Some(stretch) = self.stretch_in(text) else {
            return Nonce::Foreign;
        };
        let until = Timestamp::from_micros(micros().saturating_mul(stretch.saturating_add(2)));
        if until <= now {
            return Nonce::Ended;
        }
        Nonce::Good { until, is_newest: stretch >= stretch_of(now) }
    }

    fn stretch_in(&self, text: &str) -> Option<i64> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (stretch, mark) = bytes.split_first_chunk::<STRETCH_BYTES>()?;
        let expected = hmac::sign(&self.0, stretch);
        let is_ours =
            aws_lc_rs::constant_time::verify_slices_are_equal(mark, &expected.as_ref()[..MARK_BYTES]);
        is_ours.ok().map(|()| i64::from_be_bytes(*stretch))
    }
}

fn micros() -> i64 {
    i64::try_from(STRETCH.as_micros()).unwrap_or(i64::MAX)
}

fn stretch_of(now: Timestamp) -> i64 {
    now.as_micros().div_euclid(micros())
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn a_nonce_is_good_for_its_stretch_and_the_next() {
        let nonces = Nonces::new(&SeededRng::new(1));
        let text = nonces.at(at(1_003));
        assert_eq!(text, nonces.at(at(1_009)));
        for (seconds, is_newest) in [(1_003, true), (1_009, true), (1_010, false), (1_019, false)] {
            assert_eq!(nonces.read(&text, at(seconds)), Nonce::Good { until: at(1_020), is_newest });
        }
        assert_eq!(nonces.read(&text, at(1_020)), Nonce::Ended);
        assert_eq!(nonces.read(&text, at(99_999)), Nonce::Ended);
    }

    #[test]
    fn what_others_made_is_foreign() {
        let (nonces, other) = (Nonces::new(&SeededRng::new(1)), Nonces::new(&SeededRng::new(2)));
        let text = nonces.at(at(1_003));
        let altered = format!("{}B{}", &text[..2], &text[3..]);
        let longer = format!("{text}AAAA");
        for wrong in ["", "x", "=", &text[..28], &altered, &longer, &other.at(at(1_003)), &"A".repeat(9_000)]
        {
            assert_eq!(nonces.read(wrong, at(1_003)), Nonce::Foreign, "{wrong}");
        }
    }
}
