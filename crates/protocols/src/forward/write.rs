//! Writes the few forms of MessagePack that answers need.

/// So few members that their number fits the head.
pub(super) fn map(members: u8, out: &mut Vec<u8>) {
    out.push(0x80 | (members & 0x0f));
}

/// So few elements that their number fits the head.
pub(super) fn array(elements: u8, out: &mut Vec<u8>) {
    out.push(0x90 | (elements & 0x0f));
}

pub(super) fn boolean(value: bool, out: &mut Vec<u8>) {
    out.push(if value { 0xc3 } else { 0xc2 });
}

pub(super) fn text(text: &str, out: &mut Vec<u8>) {
    let length = text.len();
    match length {
        0..32 => out.push(0xa0 | length as u8),
        32..0x1_0000 => {
            out.push(0xda);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            out.push(0xdb);
            out.extend_from_slice(&(length as u32).to_be_bytes());
        }
    }
    out.extend_from_slice(text.as_bytes());
}

/// At most 255 bytes.
pub(super) fn bytes(bytes: &[u8], out: &mut Vec<u8>) {
    let bytes = &bytes[..bytes.len().min(255)];
    out.extend_from_slice(&[0xc4, bytes.len() as u8]);
    out.extend_from_slice(bytes);
}
