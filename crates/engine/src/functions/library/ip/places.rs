//! Where addresses are. No geo database is read yet: every address has a place of which nothing is known.

use std::net::IpAddr;

use tidegauge_lang::tree::Type;

use super::super::call::Call;
use super::super::elements::write_member;
use super::super::rows;
use crate::Result;
use crate::functions::json;
use crate::value::Value;

/// What is known of the place of an address. Unknown names are empty.
#[derive(Default)]
struct Place {
    country: String,
    state: String,
    city: String,
    latitude: Option<f64>,
    longitude: Option<f64>,
    country_iso: String,
    time_zone: String,
}

impl Place {
    /// The only spot that a database has to answer for.
    fn of(_address: IpAddr) -> Self {
        Self::default()
    }

    fn write(&self, text: &mut String) {
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
        name(text, "country", &self.country);
        name(text, "state", &self.state);
        name(text, "city", &self.city);
        angle(text, "latitude", self.latitude);
        angle(text, "longitude", self.longitude);
        name(text, "country_iso", &self.country_iso);
        name(text, "time_zone", &self.time_zone);
        text.push('}');
    }
}

/// A map of what is known of the place of an address; null for what is no address.
pub(super) fn geo_info(call: &Call<'_>) -> Result<Value> {
    let run = rows::texts(|row, text| {
        Place::of(row.text(0).trim().parse().ok()?).write(text);
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}
