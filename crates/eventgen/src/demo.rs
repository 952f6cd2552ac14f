//! Events of a small shop over some hours, for somebody who wants to see the service work: a wave of visitors, four
//! services, and a release of one of them that makes it slow and failing until it is taken back. Whoever compares the
//! failures with the rest finds the release. The same end gives the same events, byte for byte.

use std::time::Duration;

use tidegauge_model::Timestamp;

use super::draws::{Draws, Skew, mix_two};
use super::message::address;
use super::text;

/// So many that every chart has a shape, and so few that they are there at once.
pub const EVENTS: u64 = 50_000;

/// How long before the end the first event is.
pub const SPAN: Duration = Duration::from_secs(6 * 60 * 60);

const SEED: u64 = 0x7465_6d6f;

/// The release goes out, and is taken back, after so many thousandths of the time.
const RELEASED: u64 = 600;
const MENDED: u64 = 720;

/// Waves of visitors in the time, and by how much of it the highest of one moves its events.
const WAVES: u64 = 3;
const SWAY_DIVISOR: i64 = 70;

/// Neighbours that belong to the same visit.
const EVENTS_OF_VISIT: u64 = 4;

/// The highest number of a thousandth of the time, for drawing with whole numbers.
const WHOLE: u64 = 1_000;

const CITIES: [(&str, &str); 9] = [
    ("Vienna", "AT"),
    ("Lisbon", "PT"),
    ("Ulm", "DE"),
    ("Oslo", "NO"),
    ("Kyoto", "JP"),
    ("Austin", "US"),
    ("Lagos", "NG"),
    ("Lima", "PE"),
    ("Galway", "IE"),
];

const REGIONS: [&str; 3] = ["eu-central", "eu-west", "us-east"];

/// A path of the shop, who answers it, how often of a hundred, and in how many microseconds in most cases.
#[derive(Debug)]
struct Page {
    method: &'static str,
    path: &'static str,
    service: &'static str,
    weight: u64,
    micros: u64,
}

const fn page(
    method: &'static str,
    path: &'static str,
    service: &'static str,
    weight: u64,
    micros: u64,
) -> Page {
    Page { method, path, service, weight, micros }
}

const PAGES: &[Page] = &[
    page("GET", "/", "web", 22, 14_000),
    page("GET", "/product/{id}", "web", 26, 22_000),
    page("GET", "/search", "search", 18, 48_000),
    page("POST", "/login", "accounts", 6, 65_000),
    page("GET", "/account", "accounts", 5, 19_000),
    page("GET", "/cart", "checkout", 11, 26_000),
    page("POST", "/cart/items", "checkout", 7, 31_000),
    page("POST", "/checkout", "checkout", 5, 120_000),
];

/// The events up to a moment.
#[derive(Debug)]
pub struct Demo {
    from: i64,
    span: i64,
    by_traffic: Skew,
    by_city: Skew,
}

impl Demo {
    /// The last event is before `until`, the first one [`SPAN`] before it.
    pub fn until(until: Timestamp) -> Self {
        let weights: Vec<u64> = PAGES.iter().map(|page| page.weight).collect();
        let from = until.minus(SPAN).as_micros();
        Self {
            from,
            span: until.as_micros() - from,
            by_traffic: Skew::by_weights(&weights),
            by_city: Skew::falling(CITIES.len()),
        }
    }

    /// When the release went out, and when it was taken back.
    pub fn release(&self) -> (Timestamp, Timestamp) {
        let at = |thousandths: u64| Timestamp::from_micros(self.from + self.share(thousandths, WHOLE));
        (at(RELEASED), at(MENDED))
    }

    /// All events, one on each line, in parts of so many.
    pub fn parts(self, events: u64) -> impl Iterator<Item = Vec<u8>> + Send {
        let step = usize::try_from(events.max(1)).unwrap_or(usize::MAX);
        (0..EVENTS).step_by(step).map(move |first| {
            let mut part = Vec::new();
            for number in first..(first + events.max(1)).min(EVENTS) {
                self.write_line(number, &mut part);
            }
            part
        })
    }

    fn write_line(&self, number: u64, out: &mut Vec<u8>) {
        let draws = &mut Draws::of(SEED, number);
        let micros = self.since_start(number, draws);
        let page = &PAGES[self.by_traffic.draw(draws)];
        let happening = Happening::draw(page, self.is_released(micros), draws);
        out.extend_from_slice(br#"{"_time":""#);
        text::time(out, Timestamp::from_micros(self.from + micros));
        out.push(b'"');
        self.write_origin(out, &happening, self.is_mended(micros), draws);
        happening.write(out);
        self.write_visitor(out, number / EVENTS_OF_VISIT, draws);
        happening.write_message(out, draws);
        out.extend_from_slice(b"}\n");
    }

    /// Events come more often on the way up of a wave and less often on its way down: a parabola up, and one down.
    fn since_start(&self, number: u64, draws: &mut Draws) -> i64 {
        let even = self.share(number, EVENTS);
        let half = (self.span / (2 * WAVES as i64)).max(1);
        let (within, is_up) = (even % half, (even / half) % 2 == 0);
        let curve = i128::from(within) * i128::from(half - within) * 4 * i128::from(self.span)
            / (i128::from(half) * i128::from(half) * i128::from(SWAY_DIVISOR));
        let sway = i64::try_from(curve).unwrap_or(0);
        let jitter = draws.below(2_000_000) as i64;
        let moved = if is_up { even + sway } else { even - sway };
        (moved - jitter).clamp(0, self.span - 1)
    }

    /// `part` of `of` of the time.
    fn share(&self, part: u64, of: u64) -> i64 {
        let micros = i128::from(self.span) * i128::from(part) / i128::from(of.max(1));
        i64::try_from(micros).unwrap_or(self.span)
    }

    fn is_released(&self, micros: i64) -> bool {
        micros >= self.share(RELEASED, WHOLE) && !self.is_mended(micros)
    }

    fn is_mended(&self, micros: i64) -> bool {
        micros >= self.share(MENDED, WHOLE)
    }

    fn write_origin(&self, out: &mut Vec<u8>, happening: &Happening, is_mended: bool, draws: &mut Draws) {
        let service = happening.page.service;
        let version = match (service, happening.is_released, is_mended) {
            ("checkout", true, _) => "2.4.0",
            ("checkout", _, true) => "2.4.1",
            ("checkout", ..) => "2.3.9",
            ("search", ..) => "1.18.2",
            _ => "5.0.3",
        };
        string(out, "level", happening.level);
        string(out, "service", service);
        string(out, "version", version);
        string(out, "host", &format!("{service}-{}", 1 + draws.below(4)));
        string(out, "region", draws.pick::<&str>(&REGIONS));
    }

    /// A visitor is in one place.
    fn write_visitor(&self, out: &mut Vec<u8>, visit: u64, draws: &mut Draws) {
        let of_visit = &mut Draws::of(SEED ^ 1, visit);
        let user = 1_000 + of_visit.below(400).min(of_visit.below(400));
        let (city, country) = CITIES[self.by_city.draw(&mut Draws::of(SEED ^ 2, user))];
        out.extend_from_slice(br#","geo":{"city":""#);
        out.extend_from_slice(city.as_bytes());
        out.extend_from_slice(br#"","country":""#);
        out.extend_from_slice(country.as_bytes());
        out.extend_from_slice(br#""},"user":{"id":"u"#);
        text::number(out, user);
        out.extend_from_slice(br#""},"trace_id":""#);
        let trace = mix_two(SEED, visit);
        text::hex::<16>(out, trace);
        text::hex::<16>(out, mix_two(trace, SEED));
        out.extend_from_slice(br#"","span_id":""#);
        text::hex::<16>(out, draws.bits());
        out.push(b'"');
    }
}

/// What an event tells of.
#[derive(Debug)]
struct Happening {
    page: &'static Page,
    is_released: bool,
    level: &'static str,
    status: u64,
    micros: u64,
    bytes: u64,
    order: u64,
}

impl Happening {
    fn draw(page: &'static Page, is_released: bool, draws: &mut Draws) -> Self {
        let suffers = is_released && page.service == "checkout";
        let fails = draws.in_thousand(if suffers { 420 } else { 6 });
        let status = match fails {
            true => *draws.pick(&[500, 502, 503, 503]),
            false if draws.in_thousand(28) => 404,
            false if page.method == "POST" => 201,
            false => 200,
        };
        let level = match status {
            500.. => "error",
            400.. => "warn",
            _ if draws.in_thousand(110) => "debug",
            _ => "info",
        };
        // The release waits for a database that does not answer, and who fails has waited before.
        let waited = match (suffers, fails) {
            (true, _) => 380_000 + draws.below(900_000),
            (false, true) => 200_000 + draws.below(150_000),
            (false, false) => 0,
        };
        let micros = draws.around(page.micros, 26_000) + waited;
        let bytes = if fails { 180 + draws.below(90) } else { draws.around(5_200, 24_000) };
        Self { page, is_released, level, status, micros, bytes, order: 10_000 + draws.below(90_000) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        string(out, "method", self.page.method);
        string(out, "path", self.page.path);
        out.extend_from_slice(br#","status":"#);
        text::number(out, self.status);
        out.extend_from_slice(br#","duration_ms":"#);
        text::thousandths(out, self.micros);
        out.extend_from_slice(br#","bytes":"#);
        text::number(out, self.bytes);
    }

    fn write_message(&self, out: &mut Vec<u8>, draws: &mut Draws) {
        let (method, order, ms) = (self.page.method, self.order, self.micros / 1_000);
        let path = self.page.path.replace("{id}", &order.to_string());
        let message = match (self.status, self.page.path) {
            (503, _) => {
                let mut upstream = Vec::new();
                address(&mut upstream, draws.bits());
                let upstream = String::from_utf8_lossy(&upstream);
                format!("order {order} failed: no answer from database {upstream}:5432 within {ms} ms")
            }
            (500.., _) => {
                format!("{method} {path} failed after {ms} ms, attempt {} of 3", 1 + draws.below(3))
            }
            (404, _) => format!("nothing found at {path}"),
            (_, "/checkout") => format!("order {order} paid with {} items in {ms} ms", 1 + draws.below(9)),
            (_, "/search") => format!("search found {} products in {ms} ms", draws.below(240)),
            (_, "/login") => format!("user u{} signed in after {ms} ms", 1_000 + draws.below(400)),
            (_, "/cart/items") => format!("item {order} put into the cart in {ms} ms"),
            _ => format!("{method} {path} answered in {ms} ms, {} bytes", self.bytes),
        };
        string(out, "message", &message);
    }
}

/// None of the texts has a character that JSON would escape.
fn string(out: &mut Vec<u8>, key: &str, value: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":\"");
    out.extend_from_slice(value.as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn events() -> Vec<Value> {
        let until = Timestamp::parse("2026-06-01T12:00:00Z").unwrap();
        let bytes: Vec<u8> = Demo::until(until).parts(7_000).flatten().collect();
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn the_events_end_now_and_fill_the_hours_before() {
        let events = events();
        assert_eq!(events.len() as u64, EVENTS);
        let times: Vec<&str> = events.iter().map(|event| event["_time"].as_str().unwrap()).collect();
        let (first, last) = (times.iter().min().unwrap(), times.iter().max().unwrap());
        assert!("2026-06-01T06:00:00" <= *first && *first < "2026-06-01T06:02:00", "{first}");
        assert!("2026-06-01T11:59:00" < *last && *last < "2026-06-01T12:00:00", "{last}");
        let at = |minute: &str| times.iter().filter(|time| time.starts_with(minute)).count();
        let (high, low) = (at("2026-06-01T06:0"), at("2026-06-01T06:3"));
        assert!(high.abs_diff(low) > 150, "no wave: {high} and {low} events in ten minutes");
    }

    #[test]
    fn the_release_fails_and_what_came_after_it_does_not() {
        let events = events();
        let failing = |version: &str| {
            let of: Vec<_> = events.iter().filter(|event| event["version"] == version).collect();
            let failed = of.iter().filter(|event| event["status"].as_u64() >= Some(500)).count();
            failed * 100 / of.len()
        };
        assert!((35..50).contains(&failing("2.4.0")), "{}", failing("2.4.0"));
        assert!(failing("2.3.9") < 2 && failing("2.4.1") < 2);
        let (released, mended) = Demo::until(Timestamp::parse("2026-06-01T12:00:00Z").unwrap()).release();
        let (released, mended) = (released.to_string(), mended.to_string());
        assert!("2026-06-01T09:36:00" <= released.as_str() && mended.as_str() <= "2026-06-01T10:20:00Z");
        for event in events.iter().filter(|event| event["version"] == "2.4.0") {
            let time = event["_time"].as_str().unwrap();
            assert!(&released[..19] <= time && time <= mended.as_str(), "{time}");
        }
    }
}
