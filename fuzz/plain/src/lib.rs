//! What the targets share: bodies that are cut into pieces, reading them, and the checks that hold for every answer.

pub mod bodies;
pub mod edits;
pub mod events;

/// Cuts bytes into pieces of sizes that a seed chooses: single bytes, small ones, or mixed.
pub fn cut(bytes: &[u8], seed: u8) -> Vec<&[u8]> {
    let largest = [1, 2, 3, 7, 16, 61, 300, 5000][usize::from(seed % 8)];
    let mut state = u64::from(seed) | 1;
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = 1 + (state >> 33) as usize % largest;
        let (piece, after) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}
