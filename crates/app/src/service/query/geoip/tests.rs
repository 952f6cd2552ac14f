//! Databases that are written here, and files that are none.

#[path = "../../../../tests/shared/geo_file.rs"]
mod geo_file;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use self::geo_file::geo_file;
use super::*;

fn husum() -> Value {
    json!({
        "city": {"geoname_id": 2_899_449, "names": {"de": "Husum", "en": "Husum", "fr": "Husum-en-Frise"}},
        "continent": {"code": "EU", "names": {"en": "Europe"}},
        "country": {"iso_code": "DE", "names": {"de": "Deutschland", "en": "Germany", "ja": "ドイツ連邦共和国"}},
        "location": {"accuracy_radius": 20, "latitude": 54.4858, "longitude": 9.0525, "time_zone": "Europe/Berlin"},
        "subdivisions": [
            {"iso_code": "SH", "names": {"en": "Schleswig-Holstein"}}, {"names": {"en": "Nordfriesland"}}
        ]
    })
}

/// As in databases that know fewer things, and coordinates that are whole numbers.
fn ribe() -> Value {
    json!({"country": {"iso_code": "DK", "names": {"en": "Denmark"}}, "location": {"latitude": 55, "longitude": 8.75}})
}

fn file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

fn cities() -> Vec<u8> {
    let networks = [
        ("1.0.0.0/24", json!({"registered_country": {"iso_code": "US"}})),
        ("203.0.113.0/24", husum()),
        ("198.51.100.128/25", ribe()),
        ("2001:db8::/32", ribe()),
    ];
    geo_file("Test-City", &networks)
}

fn opened(bytes: &[u8]) -> GeoIp {
    GeoIp::open(file(bytes).path().to_owned()).unwrap()
}

fn found(geoip: &GeoIp, address: &str) -> Option<Place> {
    geoip.current().find(address.parse().unwrap())
}

#[test]
fn addresses_of_both_versions_have_their_places() {
    let geoip = opened(&cities());
    let husum = Place {
        country: "Germany".to_owned(),
        state: "Schleswig-Holstein".to_owned(),
        city: "Husum".to_owned(),
        latitude: Some(54.4858),
        longitude: Some(9.0525),
        country_iso: "DE".to_owned(),
        time_zone: "Europe/Berlin".to_owned(),
    };
    let ribe = Place {
        country: "Denmark".to_owned(),
        latitude: Some(55.0),
        longitude: Some(8.75),
        country_iso: "DK".to_owned(),
        ..Place::default()
    };
    assert_eq!(found(&geoip, "203.0.113.7"), Some(husum));
    assert_eq!(found(&geoip, "198.51.100.128").as_ref(), Some(&ribe));
    assert_eq!(found(&geoip, "2001:db8:1::1"), Some(ribe));
    assert_eq!(found(&geoip, "1.0.0.1"), Some(Place::default()));
    for unknown in ["198.51.100.127", "192.168.1.1", "10.0.0.1", "2001:db9::1", "fe80::1", "::1"] {
        assert_eq!(found(&geoip, unknown), None, "{unknown}");
    }
}

#[test]
fn a_file_that_is_no_database_of_places_is_refused() {
    let provider = json!({"autonomous_system_number": 64_496, "autonomous_system_organization": "Example"});
    let flat = json!({"country": "Germany", "city": "Husum"});
    let cities = cities();
    let cases: [(&[u8], &str); 7] = [
        (b"", "is not a database in the MaxMind format: name an .mmdb file, unpacked"),
        (b"\x1f\x8b packed", "is not a database in the MaxMind format"),
        (&cities[..cities.len() / 2], "is not a database in the MaxMind format"),
        (&cities[cities.len() - 250..], "is not a database in the MaxMind format"),
        (&geo_file("Test-ASN", &[("203.0.113.0/24", provider)]), "holds no places but \"Test-ASN\""),
        (&geo_file("Flat", &[("203.0.113.0/24", flat)]), "holds no places but \"Flat\""),
        (&geo_file("Empty", &[]), "holds no places but \"Empty\""),
    ];
    for (bytes, expected) in cases {
        let error = format!("{:#}", GeoIp::open(file(bytes).path().to_owned()).unwrap_err());
        assert!(error.contains(expected), "{error}");
    }
    let error = format!("{:#}", GeoIp::open("/nowhere/cities.mmdb".into()).unwrap_err());
    assert!(error.starts_with("reading /nowhere/cities.mmdb: No such file"), "{error}");
}

#[test]
fn a_file_that_is_read_again_counts_for_later_queries() {
    let file = file(&cities());
    let geoip = GeoIp::open(file.path().to_owned()).unwrap();
    let before = geoip.current();
    let country = |places: &dyn Places| places.find("203.0.113.7".parse().unwrap()).unwrap().country;
    std::fs::write(file.path(), geo_file("Test-City", &[("203.0.113.0/24", ribe())])).unwrap();
    geoip.read_again().unwrap();
    assert_eq!(country(&*geoip.current()), "Denmark");
    assert_eq!(country(&*before), "Germany");

    std::fs::write(file.path(), "broken").unwrap();
    geoip.read_again().unwrap_err();
    assert_eq!(country(&*geoip.current()), "Denmark");
}
