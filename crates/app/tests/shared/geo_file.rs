//! Writes small databases in the MaxMind format: a tree over the bits of addresses, the records that its leaves point to,
//! and what the file says of itself. IPv4 networks lie below `::/96`, as they do in the databases that people use.

use std::net::IpAddr;

use serde_json::{Value, json};

/// Between the tree and the records.
const GAP: usize = 16;

/// Begins what the file says of itself.
const MARKER: &[u8] = b"\xab\xcd\xefMaxMind.com";

const STRING: u8 = 2;
const DOUBLE: u8 = 3;
const UINT16: u8 = 5;
const UINT32: u8 = 6;
const MAP: u8 = 7;
const UINT64: u8 = 9;
const ARRAY: u8 = 11;

#[derive(Clone, Copy)]
enum Branch {
    Nothing,
    Node(usize),
    /// The place of a record among the records.
    Record(usize),
}

/// The bytes of a database that has a record for each of these networks. No network lies in another.
pub(crate) fn geo_file(kind: &str, networks: &[(&str, Value)]) -> Vec<u8> {
    let mut nodes = vec![[Branch::Nothing; 2]];
    let mut records = Vec::new();
    for (network, record) in networks {
        insert(&mut nodes, network, records.len());
        write(record, &mut records);
    }
    let mut file = Vec::new();
    for branch in nodes.iter().flatten() {
        let number = match *branch {
            Branch::Nothing => nodes.len(),
            Branch::Node(node) => node,
            Branch::Record(place) => nodes.len() + GAP + place,
        };
        file.extend(u32::try_from(number).unwrap().to_be_bytes());
    }
    file.extend([0; GAP]);
    file.extend(records);
    file.extend(MARKER);
    write_about(kind, nodes.len(), &mut file);
    file
}

/// Every number has the type that readers expect of it.
fn write_about(kind: &str, nodes: usize, out: &mut Vec<u8>) {
    let texts = json!({"database_type": kind, "description": {"en": "made by a test"}, "languages": ["en"]});
    let numbers = [
        ("binary_format_major_version", UINT16, 2),
        ("binary_format_minor_version", UINT16, 0),
        ("build_epoch", UINT64, 1_782_900_000),
        ("ip_version", UINT16, 6),
        ("node_count", UINT32, nodes as u64),
        ("record_size", UINT16, 32),
    ];
    let texts = texts.as_object().unwrap();
    head(MAP, texts.len() + numbers.len(), out);
    for (name, value) in texts {
        write(&Value::from(name.as_str()), out);
        write(value, out);
    }
    for (name, kind, value) in numbers {
        write(&Value::from(name), out);
        write_number(kind, value, out);
    }
}

fn insert(nodes: &mut Vec<[Branch; 2]>, network: &str, record: usize) {
    let (address, length) = network.split_once('/').unwrap();
    let length: usize = length.parse().unwrap();
    let (bits, length) = match address.parse().unwrap() {
        IpAddr::V4(address) => (u128::from(address.to_bits()), length + 96),
        IpAddr::V6(address) => (address.to_bits(), length),
    };
    let side = |depth: usize| usize::from(bits >> (127 - depth) & 1 == 1);
    let mut node = 0;
    for depth in 0..length - 1 {
        node = match nodes[node][side(depth)] {
            Branch::Node(next) => next,
            _ => {
                nodes.push([Branch::Nothing; 2]);
                nodes[node][side(depth)] = Branch::Node(nodes.len() - 1);
                nodes.len() - 1
            }
        };
    }
    nodes[node][side(length - 1)] = Branch::Record(record);
}

/// Each value begins with its type and its length, in one byte where both are small.
fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(text) => {
            head(STRING, text.len(), out);
            out.extend(text.as_bytes());
        }
        Value::Number(number) if number.is_f64() => {
            head(DOUBLE, 8, out);
            out.extend(number.as_f64().unwrap().to_be_bytes());
        }
        Value::Number(number) => write_number(UINT32, number.as_u64().unwrap(), out),
        Value::Object(members) => {
            head(MAP, members.len(), out);
            for (name, value) in members {
                write(&Value::from(name.as_str()), out);
                write(value, out);
            }
        }
        Value::Array(elements) => {
            head(ARRAY, elements.len(), out);
            elements.iter().for_each(|element| write(element, out));
        }
        other => panic!("{other} has no place in such a file"),
    }
}

/// Numbers go without the zeros that they begin with.
fn write_number(kind: u8, number: u64, out: &mut Vec<u8>) {
    let bytes: Vec<u8> = number.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
    head(kind, bytes.len(), out);
    out.extend(bytes);
}

/// Types above 7 have a byte of their own, which counts from there; so has the rest of a length from 29 on.
fn head(kind: u8, length: usize, out: &mut Vec<u8>) {
    let length = u8::try_from(length).unwrap();
    out.push((if kind > MAP { 0 } else { kind << 5 }) | length.min(29));
    out.extend((kind > MAP).then(|| kind - MAP));
    out.extend((length >= 29).then(|| length - 29));
}
