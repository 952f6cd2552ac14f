//! States of monitors as the catalogue keeps them: what can be read comes back when it is written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tidegauge_alerting::State;

fuzz_target!(|text: &str| {
    let Ok(state) = State::from_text(text) else { return };
    let again = State::from_text(&state.to_text()).expect("what was written can be read");
    assert_eq!(again, state);
    assert_eq!(again.to_text(), state.to_text());
});
