//! Lays the sources of settings over each other: reference, then file, then environment and flags. Every error
//! names the place that the value came from.

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use super::arguments::{Given, SettingArguments};
use super::{Config, Error, Settings, reference};

/// The configuration that results from what was given.
pub fn load(arguments: &SettingArguments) -> Result<Config, Error> {
    let mut table = reference::table();
    let issuer = reference::take_issuer(&mut table);
    if let Some(path) = &arguments.file {
        lay_file_over(&mut table, &issuer, path)?;
    }
    for given in &arguments.given {
        lay_given_over(&mut table, given)?;
    }
    let settings = Settings::deserialize(Value::Table(table))
        .map_err(|error| layer("settings", error.message().to_owned()))?;
    Config::try_from(settings)
}

fn layer(place: impl Into<String>, problem: impl Into<String>) -> Error {
    Error::Layer { place: place.into(), problem: problem.into() }
}

fn lay_file_over(table: &mut Table, issuer: &Table, path: &Path) -> Result<(), Error> {
    let place = format!("configuration file {}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| layer(&place, error.to_string()))?;
    let file: Table = text.parse().map_err(|error: toml::de::Error| layer(&place, error.to_string()))?;
    for (section, keys) in file {
        let Some(Value::Table(known)) = table.get_mut(&section) else {
            return Err(layer(
                &place,
                format!("[{section}] is not a section; config/reference.toml lists them"),
            ));
        };
        let Value::Table(keys) = keys else {
            return Err(layer(&place, format!("{section} must stand under a section such as [server]")));
        };
        for (key, value) in keys {
            match known.get_mut(&key) {
                Some(Value::Array(list)) => *list = read_list(&place, &section, &key, value, issuer)?,
                _ => lay_value_over(known, &place, &section, key, value)?,
            }
        }
    }
    Ok(())
}

/// Puts a value in the place of a default, which it must have the type of.
fn lay_value_over(
    known: &mut Table,
    place: &str,
    section: &str,
    key: String,
    value: Value,
) -> Result<(), Error> {
    match known.get(&key) {
        None => Err(layer(place, format!("[{section}] has no setting {key}"))),
        Some(default) if !default.same_type(&value) => {
            let wanted = default.type_str();
            Err(layer(place, format!("{key} must be a {wanted}, not a {}", value.type_str())))
        }
        Some(_) => {
            known.insert(key, value);
            Ok(())
        }
    }
}

/// A list of tables, each laid over what stands in the reference for one of them.
fn read_list(
    place: &str,
    section: &str,
    key: &str,
    value: Value,
    default: &Table,
) -> Result<Vec<Value>, Error> {
    let name = format!("[{section}.{key}]");
    let Value::Array(entries) = value else {
        return Err(layer(place, format!("{section}.{key} must be a list of tables, each after [{name}]")));
    };
    let mut list = Vec::with_capacity(entries.len());
    for entry in entries {
        let Value::Table(entry) = entry else {
            return Err(layer(
                place,
                format!("{section}.{key} must be a list of tables, each after [{name}]"),
            ));
        };
        let mut whole = default.clone();
        for (key, value) in entry {
            lay_value_over(&mut whole, place, &name, key, value)?;
        }
        list.push(Value::Table(whole));
    }
    Ok(list)
}

fn lay_given_over(table: &mut Table, given: &Given) -> Result<(), Error> {
    let place = table.iter_mut().find_map(|(_, section)| section.as_table_mut()?.get_mut(&given.key));
    let Some(slot) = place else {
        return Err(layer(&given.place, "is not a setting"));
    };
    *slot = match slot {
        Value::Integer(_) => match given.text.parse() {
            Ok(number) => Value::Integer(number),
            Err(_) => return Err(layer(&given.place, format!("{:?} is not a whole number", given.text))),
        },
        Value::Boolean(_) => match given.text.parse() {
            Ok(flag) => Value::Boolean(flag),
            Err(_) => return Err(layer(&given.place, format!("{:?} is neither true nor false", given.text))),
        },
        _ => Value::String(given.text.clone()),
    };
    Ok(())
}
