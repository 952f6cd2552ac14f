//! Paths of files and their parts, with slashes of either kind.

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::elements::write_member;
use crate::error::Result;
use crate::kernels::json;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[function("parse_path", 1, 1, parse_path)];

/// The parts of a path. Those that it does not have are empty.
#[derive(Default)]
struct Parts<'a> {
    scheme: &'a str,
    root: &'a str,
    directory: &'a str,
    directory_name: &'a str,
    file_name: &'a str,
    extension: &'a str,
    stream: &'a str,
}

impl<'a> Parts<'a> {
    fn of(path: &'a str) -> Self {
        let mut parts = Self::default();
        let is_scheme = |scheme: &str| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        };
        let mut path = path.trim();
        if let Some((scheme, rest)) = path.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) {
            parts.scheme = scheme;
            // A path that begins with its drive has one slash more in front, which belongs to the scheme.
            let drive = rest.strip_prefix('/').filter(|rest| !drive(rest).is_empty());
            path = drive.unwrap_or(rest);
        }
        let local = path.strip_prefix(r"\\?\").unwrap_or(path);
        parts.root = drive(local);
        let below = &local[parts.root.len()..];
        let (directories, last) = match below.rfind(is_slash) {
            Some(slash) => (&below[..slash], &below[slash + 1..]),
            None => ("", below),
        };
        parts.directory = &path[..path.len() - below.len() + directories.len()];
        parts.directory_name = directories.rsplit(is_slash).next().unwrap_or_default();
        (parts.file_name, parts.stream) = last.split_once(':').unwrap_or((last, ""));
        parts.extension = parts.file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
        parts
    }
}

fn is_slash(character: char) -> bool {
    matches!(character, '/' | '\\')
}

/// The letter of a drive with its colon, where a path begins with one.
fn drive(path: &str) -> &str {
    match path.as_bytes() {
        [letter, b':', rest @ ..]
            if letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'/' | b'\\')) =>
        {
            &path[..2]
        }
        _ => "",
    }
}

fn parse_path(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let parts = Parts::of(row.text(0));
        text.push('{');
        for (name, part) in [
            ("Scheme", parts.scheme),
            ("RootPath", parts.root),
            ("DirectoryPath", parts.directory),
            ("DirectoryName", parts.directory_name),
            ("Filename", parts.file_name),
            ("Extension", parts.extension),
            ("AlternateDataStreamName", parts.stream),
        ] {
            write_member(text, name, |text| json::write_string(part, text));
        }
        text.push('}');
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}
