//! One made-up event: a request that a service has answered, as one line of JSON. Every event is drawn from the
//! seed and its own number alone, so a stream begins with the same lines whatever its length.

use super::draws::{Draws, Skew, mix, mix_two, person};
use super::fleet::Fleet;
use super::lines::Lines;
use super::message::{self, Happening, Messages};
use super::pace::Pace;
use super::shape::Shape;
use super::text;
use super::words::{
    BROWSERS, CITIES, ERRORS, FLAGS, FRAMES, METHODS, PROGRAMS, PROTOCOLS, STATUSES, SYSTEMS,
};

/// Events of about this many neighbours belong to the same traces.
const TRACE_WINDOW: u64 = 1_024;
/// Traces in a window: four events each.
const TRACES_IN_WINDOW: u64 = 256;
/// A user who comes back after about this many events has another session.
const SESSION_WINDOW: u64 = 200_000;

/// A stream of events.
#[derive(Debug)]
pub struct Events {
    seed: u64,
    shape: Shape,
    pace: Pace,
    fleet: Fleet,
    messages: Messages,
    agents: Vec<String>,
    by_status: Skew,
    by_method: Skew,
    by_protocol: Skew,
    by_city: Skew,
    by_agent: Skew,
}

impl Lines for Events {
    fn write_line(&self, number: u64, out: &mut Vec<u8>) {
        let mut draws = Draws::of(self.seed, number);
        let draws = &mut draws;
        let (pod, path) = self.fleet.draw(draws);
        let status = STATUSES[self.by_status.draw(draws)].0;
        let happening = Happening {
            method: METHODS[self.by_method.draw(draws)].0,
            path,
            status,
            // Failures are slow: they are mostly waiting.
            micros: draws.around(if status >= 500 { 900_000 } else { 18_000 }, 22_000),
            bytes: if status == 204 || status == 304 { 0 } else { draws.around(2_400, 24_000) },
            user: person(draws),
        };
        out.extend_from_slice(br#"{"_time":""#);
        text::time(out, self.pace.time(number, draws));
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&pod.head);
        self.write_request(out, &happening, draws);
        self.write_ids(out, number, &happening, draws);
        self.write_client(out, &happening);
        out.extend_from_slice(br#","message":""#);
        self.messages.write(out, &happening, draws);
        out.push(b'"');
        out.extend_from_slice(&pod.tail);
        self.write_extras(out, status, draws);
        out.extend_from_slice(b"}\n");
    }
}

impl Events {
    pub fn new(seed: u64, shape: Shape, pace: Pace) -> Self {
        let agents = agents();
        let weights = |pairs: &[(&str, u64)]| pairs.iter().map(|(_, weight)| *weight).collect::<Vec<_>>();
        let statuses: Vec<u64> = STATUSES.iter().map(|(_, weight)| *weight).collect();
        Self {
            seed,
            shape,
            pace,
            fleet: Fleet::new(shape),
            messages: Messages::read(),
            by_status: Skew::by_weights(&statuses),
            by_method: Skew::by_weights(&weights(METHODS)),
            by_protocol: Skew::by_weights(&weights(PROTOCOLS)),
            by_city: Skew::falling(CITIES.len()),
            by_agent: Skew::falling(agents.len()),
            agents,
        }
    }

    fn write_request(&self, out: &mut Vec<u8>, happening: &Happening<'_>, draws: &mut Draws) {
        let level = match happening.status {
            500.. => "error",
            400.. => "warn",
            _ if draws.in_thousand(40) => "debug",
            _ => "info",
        };
        string(out, "level", level);
        string(out, "method", happening.method);
        string(out, "path", happening.path);
        string(out, "protocol", PROTOCOLS[self.by_protocol.draw(draws)].0);
        number(out, "status", happening.status);
        out.extend_from_slice(br#","duration_ms":"#);
        text::thousandths(out, happening.micros);
        number(out, "bytes", happening.bytes);
    }

    fn write_ids(&self, out: &mut Vec<u8>, event: u64, happening: &Happening<'_>, draws: &mut Draws) {
        out.extend_from_slice(br#","user_id":""#);
        message::user(out, happening.user);
        out.extend_from_slice(br#"","session_id":""#);
        text::hex::<16>(out, mix_two(self.seed ^ happening.user, event / SESSION_WINDOW));
        let trace = event / TRACE_WINDOW * TRACES_IN_WINDOW + draws.below(TRACES_IN_WINDOW);
        let trace = mix_two(self.seed, trace ^ (1 << 63));
        out.extend_from_slice(br#"","trace_id":""#);
        text::hex::<16>(out, trace);
        text::hex::<16>(out, mix(trace));
        out.extend_from_slice(br#"","span_id":""#);
        text::hex::<16>(out, draws.bits());
        out.push(b'"');
    }

    /// A user is mostly in one place with one device.
    fn write_client(&self, out: &mut Vec<u8>, happening: &Happening<'_>) {
        let draws = &mut Draws::of(self.seed, happening.user.wrapping_neg());
        let bits = draws.bits();
        out.extend_from_slice(br#","client_ip":""#);
        for (index, octet) in [1 + bits % 222, (bits >> 8) & 255, (bits >> 16) & 255].into_iter().enumerate()
        {
            if index > 0 {
                out.push(b'.');
            }
            text::number(out, octet);
        }
        out.push(b'.');
        text::number(out, (bits >> 24) & 255);
        out.push(b'"');
        let (city, country) = CITIES[self.by_city.draw(draws)];
        string(out, "user_agent", &self.agents[self.by_agent.draw(draws)]);
        match self.shape {
            Shape::Nested => {
                out.extend_from_slice(br#","geo":{"city":""#);
                out.extend_from_slice(city.as_bytes());
                out.extend_from_slice(br#"","country":""#);
                out.extend_from_slice(country.as_bytes());
                out.extend_from_slice(b"\"}");
            }
            Shape::Flat => {
                string(out, "geo.city", city);
                string(out, "geo.country", country);
            }
        }
    }

    /// What most events do not have, and a mark that all have.
    fn write_extras(&self, out: &mut Vec<u8>, status: u64, draws: &mut Draws) {
        let sampled: &[u8] =
            if draws.in_thousand(100) { br#","sampled":true"# } else { br#","sampled":false"# };
        out.extend_from_slice(sampled);
        if draws.in_thousand(30) {
            number(out, "retries", 1 + draws.below(4));
        }
        if draws.in_thousand(80) {
            out.extend_from_slice(br#","flags":["#);
            let first = draws.below(FLAGS.len() as u64) as usize;
            for place in 0..=draws.below(3) as usize {
                if place > 0 {
                    out.push(b',');
                }
                quoted(out, FLAGS[(first + place) % FLAGS.len()]);
            }
            out.push(b']');
        }
        if status >= 500 {
            self.write_error(out, status, draws);
        }
    }

    fn write_error(&self, out: &mut Vec<u8>, status: u64, draws: &mut Draws) {
        let begin = draws.below(ERRORS.len() as u64) as usize;
        let mut fitting =
            ERRORS.iter().cycle().skip(begin).take(ERRORS.len()).filter(|(_, of)| *of == status);
        let kind = fitting.next().map_or("Unknown", |(kind, _)| kind);
        let (kind_key, stack_key, end): (&[u8], &[u8], &[u8]) = match self.shape {
            Shape::Nested => (br#","error":{"kind":"#, br#","stack":""#, b"\"}"),
            Shape::Flat => (br#","error.kind":"#, br#","error.stack":""#, b"\""),
        };
        out.extend_from_slice(kind_key);
        quoted(out, kind);
        out.extend_from_slice(stack_key);
        out.extend_from_slice(kind.as_bytes());
        let depth = 3 + draws.below(4) as usize;
        let first = draws.below((FRAMES.len() - depth) as u64) as usize;
        for frame in &FRAMES[first..=first + depth] {
            out.extend_from_slice(br"\n    at ");
            out.extend_from_slice(frame.as_bytes());
        }
        out.extend_from_slice(end);
    }
}

fn agents() -> Vec<String> {
    let mut agents = Vec::new();
    for browser in BROWSERS {
        agents.extend(SYSTEMS.iter().map(|system| format!("Mozilla/5.0 ({system}) {browser}")));
    }
    // In turn, so that both browsers and programs are among the frequent ones.
    for (place, program) in PROGRAMS.iter().enumerate() {
        agents.insert(1 + place * 2, (*program).to_owned());
    }
    agents
}

fn string(out: &mut Vec<u8>, key: &str, value: &str) {
    out.push(b',');
    quoted(out, key);
    out.push(b':');
    quoted(out, value);
}

fn number(out: &mut Vec<u8>, key: &str, value: u64) {
    out.push(b',');
    quoted(out, key);
    out.push(b':');
    text::number(out, value);
}

/// None of the words has a character that JSON would escape.
fn quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}
