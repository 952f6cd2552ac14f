//! What earlier events looked like. Every object that was seen is a node, every name in it a child, and each child
//! remembers which child came after it; so the next name is mostly found by comparing it with one guess. This is
//! memory only: all of it can be forgotten at any time, and what a name means is known to `rows`.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::scan::plain_end;
use crate::rows::NONE;

/// The node of an event.
pub(super) const ROOT: u32 = 0;
/// The node of the labels. They are apart from the events so that both are guessed well.
pub(super) const LABELS: u32 = 1;

/// More names are read without being remembered, so that a body of ever new names costs no memory.
const CHILDREN_MAX: usize = 65_536;
/// Longer names are rare, and mostly too long for a field.
const NAME_BYTES_MAX: usize = 256;
/// How far a name may be from where it stood in the event before. Each step is a field that is missing now.
const GUESSES: usize = 4;
const HEAD_BYTES: usize = size_of::<u128>();

#[derive(Debug)]
struct Node {
    /// The flattened name of the object with a dot behind it; empty for the event.
    prefix: Box<str>,
    /// The child that an object of this kind began with.
    first: u32,
}

#[derive(Debug)]
pub(super) struct Child {
    /// The first bytes of `quoted`, and which of them count: comparing them so costs less than a call.
    head: u128,
    head_mask: u128,
    /// The name as it stands in the input, with the closing quote.
    quoted: Box<[u8]>,
    /// The child that came after this one.
    next: u32,
    parent: u32,
    /// The field that values of this name belong to, once it is known.
    pub(super) field: u32,
    /// The node of objects under this name, once there was one.
    node: u32,
    /// How many fields were known when none had this name.
    pub(super) absent_among: u32,
    /// Objects under this name are kept as maps.
    pub(super) is_map: bool,
}

#[derive(Debug)]
pub(super) struct Shapes {
    nodes: Vec<Node>,
    children: Vec<Child>,
    /// Children by node and name.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    map_fields: Arc<HashSet<String>>,
}

impl Child {
    /// Whether a text behind an opening quote starts with this name.
    #[inline]
    fn starts(&self, text: &[u8]) -> bool {
        let Some(head) = text.first_chunk::<HEAD_BYTES>() else {
            return text.starts_with(&self.quoted);
        };
        let same = u128::from_le_bytes(*head) & self.head_mask == self.head;
        same && (self.quoted.len() <= HEAD_BYTES || text.starts_with(&self.quoted))
    }
}

/// The start of a name as a number, and a mask of its bytes.
fn head(quoted: &[u8]) -> (u128, u128) {
    let mut bytes = [0; HEAD_BYTES];
    let mut mask = [0; HEAD_BYTES];
    for (place, byte) in quoted.iter().take(HEAD_BYTES).enumerate() {
        bytes[place] = *byte;
        mask[place] = 0xff;
    }
    (u128::from_le_bytes(bytes), u128::from_le_bytes(mask))
}

impl Default for Shapes {
    fn default() -> Self {
        let mut shapes = Self {
            nodes: Vec::new(),
            children: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            map_fields: Arc::default(),
        };
        shapes.forget();
        shapes
    }
}

impl Shapes {
    pub(super) fn forget(&mut self) {
        self.nodes = vec![Node { prefix: "".into(), first: NONE }, Node { prefix: "".into(), first: NONE }];
        self.children = Vec::new();
        self.index = HashTable::new();
    }

    /// Prepares for a request: other map fields make what was learnt wrong, and a full memory learns nothing new.
    pub(super) fn begin(&mut self, map_fields: &Arc<HashSet<String>>) {
        let same = Arc::ptr_eq(&self.map_fields, map_fields) || self.map_fields == *map_fields;
        if !same || self.children.len() == CHILDREN_MAX {
            self.forget();
        }
        self.map_fields = Arc::clone(map_fields);
    }

    #[inline]
    pub(super) fn child(&mut self, child: u32) -> &mut Child {
        &mut self.children[child as usize]
    }

    /// The child whose name the text (behind the opening quote) starts with, and the length of its quoted name, if
    /// it stands about where it stood before.
    #[inline]
    pub(super) fn guess(&self, node: u32, previous: u32, text: &[u8]) -> Option<(u32, usize)> {
        let mut guess = match self.children.get(previous as usize) {
            Some(previous) => previous.next,
            None => self.nodes[node as usize].first,
        };
        for _ in 0..GUESSES {
            let child = self.children.get(guess as usize)?;
            if child.starts(text) {
                return Some((guess, child.quoted.len()));
            }
            guess = child.next;
        }
        None
    }

    /// The child of a name, which is added unless it must not or cannot be remembered.
    pub(super) fn find(&mut self, node: u32, previous: u32, name: &str) -> Option<u32> {
        let hash = self.hash(node, name.as_bytes());
        let matches = |child: &Child| {
            child.parent == node
                && child.quoted.split_last().is_some_and(|(_, known)| known == name.as_bytes())
        };
        let found = self.index.find(hash, |child| matches(&self.children[*child as usize])).copied();
        let child = match found {
            Some(child) => child,
            None => self.add(node, name, hash)?,
        };
        match self.children.get_mut(previous as usize) {
            Some(previous) => previous.next = child,
            None => self.nodes[node as usize].first = child,
        }
        Some(child)
    }

    fn add(&mut self, parent: u32, name: &str, hash: u64) -> Option<u32> {
        // A name with a quote in it would also match other input.
        let is_plain = plain_end(name.as_bytes(), 0) == name.len();
        if !is_plain || name.len() > NAME_BYTES_MAX || self.children.len() >= CHILDREN_MAX {
            return None;
        }
        let is_map = !self.map_fields.is_empty() && {
            let flattened = format!("{}{name}", self.nodes[parent as usize].prefix);
            self.is_map(&flattened)
        };
        let mut quoted = Vec::with_capacity(name.len() + 1);
        quoted.extend_from_slice(name.as_bytes());
        quoted.push(b'"');
        let child = self.children.len() as u32;
        let (head, head_mask) = head(&quoted);
        self.children.push(Child {
            head,
            head_mask,
            quoted: quoted.into(),
            next: NONE,
            parent,
            field: NONE,
            node: NONE,
            absent_among: NONE,
            is_map,
        });
        let Self { index, children, hasher, .. } = self;
        index.insert_unique(hash, child, |child| {
            let child = &children[*child as usize];
            let (_, name) = child.quoted.split_last().unwrap_or((&b'"', &[]));
            hash_name(hasher, child.parent, name)
        });
        Some(child)
    }

    /// Whether objects under a flattened name are kept as maps.
    pub(super) fn is_map(&self, flattened: &str) -> bool {
        self.map_fields.contains(crate::rows::stored_name(flattened).as_ref())
    }

    /// The node of objects under a name. `None` when the memory is full.
    #[inline]
    pub(super) fn node_of(&mut self, child: u32, name_bytes_max: usize) -> Option<u32> {
        let known = self.children[child as usize].node;
        if known == NONE { self.add_node(child, name_bytes_max) } else { Some(known) }
    }

    fn add_node(&mut self, child: u32, name_bytes_max: usize) -> Option<u32> {
        let mut prefix = Vec::new();
        self.flattened(child, &mut prefix);
        prefix.push(b'.');
        // Every field below would have too long a name.
        if prefix.len() > name_bytes_max + 1 {
            return None;
        }
        let prefix = String::from_utf8(prefix).ok()?;
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { prefix: prefix.into(), first: NONE });
        self.children[child as usize].node = node;
        Some(node)
    }

    /// Writes the flattened name of a child.
    pub(super) fn flattened(&self, child: u32, into: &mut Vec<u8>) {
        let child = &self.children[child as usize];
        into.clear();
        into.extend_from_slice(self.prefix(child.parent));
        into.extend_from_slice(child.quoted.split_last().map_or(&[], |(_, name)| name));
    }

    pub(super) fn prefix(&self, node: u32) -> &[u8] {
        self.nodes[node as usize].prefix.as_bytes()
    }

    fn hash(&self, node: u32, name: &[u8]) -> u64 {
        hash_name(&self.hasher, node, name)
    }

    pub(super) fn retained_bytes(&self) -> usize {
        let names: usize = self.children.iter().map(|child| child.quoted.len()).sum();
        let prefixes: usize = self.nodes.iter().map(|node| node.prefix.len()).sum();
        names
            + prefixes
            + self.children.capacity() * size_of::<Child>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.index.capacity() * size_of::<u64>()
    }
}

fn hash_name(hasher: &DefaultHashBuilder, node: u32, name: &[u8]) -> u64 {
    let mut state = hasher.build_hasher();
    state.write_u32(node);
    state.write(name);
    state.finish()
}
