//! Writes small databases in the MaxMind format: a tree over the bits of addresses, the records that its leaves point to,
//! and what the file says of itself. IPv4 networks lie below `::/96`, as they do in the databases that people use.

use std::net::IpAddr;

use serde_json::{Value, json};

/// Between the tree and the records.
const GAP: usize = 16;

/// Begins what the file says of itself.
const MARKER: &[u8] = b"\xab\xcd\xefMaxMind.com";

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
    let about = json!({
        "binary_format_major_version": 2, "binary_format_minor_version": 0, "build_epoch": 1_782_900_000_u32,
        "database_type": kind, "description": {"en": "made by a test"}, "ip_version": 6, "languages": ["en"],
        "node_count": nodes.len(), "record_size": 32
    });
    write(&about, &mut file);
    file
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
            head(2, text.len(), out);
            out.extend(text.as_bytes());
        }
        Value::Number(number) if number.is_f64() => {
            head(3, 8, out);
            out.extend(number.as_f64().unwrap().to_be_bytes());
        }
        Value::Number(number) => {
            head(6, 4, out);
            out.extend(u32::try_from(number.as_u64().unwrap()).unwrap().to_be_bytes());
        }
        Value::Object(members) => {
            head(7, members.len(), out);
            for (name, value) in members {
                write(&Value::from(name.as_str()), out);
                write(value, out);
            }
        }
        Value::Array(elements) => {
            // Types above 7 have a byte of their own, which counts from there.
            out.extend([u8::try_from(elements.len()).unwrap(), 11 - 7]);
            elements.iter().for_each(|element| write(element, out));
        }
        other => panic!("{other} has no place in such a file"),
    }
}

fn head(kind: u8, length: usize, out: &mut Vec<u8>) {
    match u8::try_from(length).unwrap() {
        short @ ..29 => out.push(kind << 5 | short),
        long => out.extend([kind << 5 | 29, long - 29]),
    }
}
