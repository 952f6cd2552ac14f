//! JSON bodies: pieces and what a reader remembers make no difference, errors name a place in the body, and what another
//! parser takes for one document of events is taken here too.

#![no_main]

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use tidegauge_fuzz_plain::bodies::{limits, read_however};
use tidegauge_ingest::Options;

/// How many events a document has: the elements of an array, or one.
struct Counted(u64);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl<'de> Visitor<'de> for Count {
            type Value = Counted;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an array or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Counted, A::Error> {
                let mut count = 0;
                while elements.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Counted(count))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Counted, A::Error> {
                while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Counted(1))
            }
        }
        deserializer.deserialize_any(Count)
    }
}

fn options(choice: u8) -> Options {
    let mut options = Options::default();
    if choice & 1 != 0 {
        options.timestamp_field = Some("at.time".to_owned());
    }
    if choice & 2 != 0 {
        options.map_fields = Arc::new(HashSet::from(["m".to_owned(), "a.m".to_owned()]));
    }
    options
}

fuzz_target!(|data: &[u8]| {
    let [choice, seed, body @ ..] = data else { return };
    let read = read_however(&options(*choice), &limits(choice >> 2), body, *seed);
    let has_usual_limits = (choice >> 2) % 4 == 0;
    if has_usual_limits && let Ok(Counted(count)) = serde_json::from_slice(body) {
        let (outcome, _) = read.expect("the body is one document");
        assert_eq!(outcome.ingested + outcome.failed, count);
    }
});
