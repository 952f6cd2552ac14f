//! Where addresses are, with something that knows it and without.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use tidegauge_engine::{Answer, Message, Options, Place, Places};

use crate::support::house::{House, Placement, START, Way, block_on};
use crate::support::reply::value;

/// Knows two addresses, and keeps what it is asked for.
#[derive(Default)]
struct Atlas {
    asked: Mutex<Vec<IpAddr>>,
}

impl Places for Atlas {
    fn find(&self, address: IpAddr) -> Option<Place> {
        self.asked.lock().unwrap().push(address);
        match address.to_string().as_str() {
            "203.0.113.7" => Some(Place {
                country: "Germany".to_owned(),
                state: "Schleswig-Holstein".to_owned(),
                city: "Husum \"port\"".to_owned(),
                latitude: Some(54.4858),
                longitude: Some(9.0525),
                country_iso: "DE".to_owned(),
                time_zone: "Europe/Berlin".to_owned(),
            }),
            "2001:db8::7" => Some(Place { country: "Denmark".to_owned(), ..Place::default() }),
            _ => None,
        }
    }
}

fn husum() -> Json {
    json!({"country": "Germany", "state": "Schleswig-Holstein", "city": "Husum \"port\"", "latitude": 54.4858,
        "longitude": 9.0525, "country_iso": "DE", "time_zone": "Europe/Berlin"})
}

fn only(country: &str) -> Json {
    json!({"country": country, "state": "", "city": "", "latitude": null, "longitude": null, "country_iso": "",
        "time_zone": ""})
}

fn options(places: Option<Arc<dyn Places>>) -> Options {
    Options { places, ..Options::at(START) }
}

async fn asked(house: &House, text: &str, places: Option<Arc<dyn Places>>) -> Answer {
    let answer = house.ask_with(&[], text, Way::Threads, options(places)).await;
    answer.unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// The values of the first field.
fn first(answer: &Answer) -> Vec<Json> {
    let table = &answer.tables[0];
    (0..table.rows).map(|row| value(&table.fields[0], row)).collect()
}

#[test]
fn addresses_are_looked_up() {
    let cases = [
        ("\"203.0.113.7\"", husum()),
        ("\" 203.0.113.7 \"", husum()),
        ("\"::ffff:203.0.113.7\"", husum()),
        ("\"2001:db8::7\"", only("Denmark")),
        ("\"2001:0DB8:0:0::7\"", only("Denmark")),
        ("\"192.168.1.1\"", only("")),
        ("\"203.0.113.7/24\"", Json::Null),
        ("\"nowhere\"", Json::Null),
        ("\"\"", Json::Null),
        ("dynamic(null)", Json::Null),
    ];
    block_on(async {
        let house = House::new().await;
        for (address, expected) in cases {
            let text = format!("print place = geo_info_from_ip_address({address})");
            let answer = asked(&house, &text, Some(Arc::new(Atlas::default()))).await;
            assert_eq!(first(&answer), [expected], "{text}");
            assert!(answer.messages.is_empty(), "{text}");
        }
    });
}

#[test]
fn addresses_of_many_events_are_looked_up_less_often_than_there_are_events() {
    let addresses = ["203.0.113.7", "10.0.0.1", "2001:db8::7"];
    let event = |number: usize| {
        let (second, ip) = (number % 60, addresses[number % 3]);
        json!({"_time": format!("2026-07-01T09:00:{second:02}Z"), "ip": ip}).to_string() + "\n"
    };
    let request: String = (0..300).map(event).collect();
    let text = "logs | extend place = geo_info_from_ip_address(ip) \
        | summarize count() by country = tostring(place.country) | sort by country asc";
    block_on(async {
        let house = House::new().await;
        for placement in Placement::ALL {
            let filled = house.filled(std::slice::from_ref(&request), placement).await;
            let atlas = Arc::new(Atlas::default());
            let datasets = [("logs", &filled.state)];
            let options = options(Some(Arc::clone(&atlas) as _));
            let answer = house.ask_with(&datasets, text, Way::Threads, options).await.unwrap();
            assert_eq!(first(&answer), ["", "Denmark", "Germany"]);
            let counts = (0..3).map(|row| value(&answer.tables[0].fields[1], row));
            assert_eq!(counts.collect::<Vec<_>>(), [100, 100, 100]);
            if placement == Placement::Merged {
                assert!(atlas.asked.lock().unwrap().len() < 100);
            }
            house.forget(&filled);
        }
    });
}

#[test]
fn that_nothing_knows_the_places_is_told_once() {
    let texts = [
        "print place = geo_info_from_ip_address(\"203.0.113.7\")",
        "let home = geo_info_from_ip_address(\"203.0.113.7\"); print place = home",
        "datatable(ip:string)[\"203.0.113.7\"] | extend place = geo_info_from_ip_address(ip), \
            other = geo_info_from_ip_address(ip) | project place, other",
        "datatable(ip:string)[\"203.0.113.7\", \"2001:db8::7\"] \
            | summarize count() by place = geo_info_from_ip_address(ip)",
    ];
    block_on(async {
        let house = House::new().await;
        for text in texts {
            let answer = asked(&house, text, None).await;
            assert_eq!(first(&answer), [only("")], "{text}");
            assert_eq!(answer.messages, [Message::NoPlaces], "{text}");
        }
        assert!(asked(&house, "print 1", None).await.messages.is_empty());
    });
}
