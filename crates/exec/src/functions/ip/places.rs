//! Where addresses are, as far as the query is given something that knows. Finding them is left to that.

use std::net::IpAddr;

use tidegauge_lang::tree::Type;

use super::super::call::Call;
use super::super::elements::write_member;
use crate::error::Result;
use crate::kernels::json;
use crate::lookup::Place;
use crate::value::Value;

/// A map of what is known of the place of an address; null for what is no address.
pub(super) fn geo_info(call: &Call<'_>) -> Result<Value> {
    let places = call.lookup.places();
    let run = call.texts(move |row, text| {
        let address: IpAddr = row.text(0).trim().parse().ok()?;
        let found = places.as_ref().and_then(|places| places.find(address.to_canonical()));
        write(&found.unwrap_or_default(), text);
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}

fn write(place: &Place, text: &mut String) {
    let name = |text: &mut String, name: &str, value: &str| {
        write_member(text, name, |text| json::write_string(value, text));
    };
    let angle = |text: &mut String, name: &str, value: Option<f64>| {
        write_member(text, name, |text| match value {
            Some(value) => json::write_float(value, text),
            None => text.push_str("null"),
        });
    };
    text.push('{');
    name(text, "country", &place.country);
    name(text, "state", &place.state);
    name(text, "city", &place.city);
    angle(text, "latitude", place.latitude);
    angle(text, "longitude", place.longitude);
    name(text, "country_iso", &place.country_iso);
    name(text, "time_zone", &place.time_zone);
    text.push('}');
}
