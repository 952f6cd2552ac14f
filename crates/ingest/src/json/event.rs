//! Reads one event: flattens its objects into names with dots and hands each value to the rows. An event that cannot
//! be stored is still read to its end, so that those after it can be.

use simdutf8::basic::from_utf8;

use super::cursor::{Cursor, EXPECTED_VALUE, Stop};
use super::number::{Number, number};
use super::shapes::{ROOT, Shapes};
use super::string::string;
use super::text::{SKIPPED, TextMemory, TextReader};
use crate::limits::{FieldGate, Limits};
use crate::outcome::Replaced;
use crate::rows::{NONE, Rows};

/// What is kept from event to event and from request to request.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(super) shapes: Shapes,
    /// The objects around the one that is read.
    frames: Vec<Frame>,
    /// A flattened name that `shapes` does not hold.
    path: Vec<u8>,
    unescaped: Vec<u8>,
    text: TextMemory,
}

impl Memory {
    pub(crate) fn begin(&mut self, map_fields: &std::sync::Arc<std::collections::HashSet<String>>) {
        self.shapes.begin(map_fields);
    }

    pub(crate) fn is_map(&self, flattened: &str) -> bool {
        self.shapes.is_map(flattened)
    }

    pub(crate) fn forget(&mut self) {
        self.shapes.forget();
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.shapes.retained_bytes()
            + self.text.retained_bytes()
            + self.path.capacity()
            + self.unescaped.capacity()
            + self.frames.capacity() * size_of::<Frame>()
    }
}

/// An object that is being read.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Its node, or [`NONE`] if its names are not remembered; then `path` begins with its prefix.
    node: u32,
    /// The name before the next one.
    previous: u32,
    prefix_bytes: usize,
}

/// A name that was just read.
#[derive(Clone, Copy, Debug)]
enum Name {
    Known(u32),
    /// Its flattened form is in `path`.
    Loose,
    /// Not valid UTF-8; the event fails.
    Invalid,
}

pub(crate) struct EventReader<'m, 'a> {
    pub(crate) cursor: Cursor<'a>,
    /// The input is known to be valid UTF-8.
    pub(crate) clean: bool,
    pub(crate) memory: &'m mut Memory,
    pub(crate) rows: &'m mut Rows,
    pub(crate) limits: &'m Limits,
    pub(crate) gate: &'m dyn FieldGate,
}

impl EventReader<'_, '_> {
    /// Reads the event at the cursor. The caller has started it in the rows and ends it.
    #[inline]
    pub(crate) fn event(&mut self, first: u8) -> Result<(), Stop> {
        if first == b'{' { self.whole_object(ROOT) } else { self.not_an_object(first) }
    }

    fn not_an_object(&mut self, first: u8) -> Result<(), Stop> {
        self.text(SKIPPED)?;
        let what = match first {
            b'[' => "an array in an array",
            b'"' => "a string",
            b't' | b'f' => "a boolean",
            b'n' => "null",
            _ => "a number",
        };
        self.rows.fail(|| format!("an event must be a JSON object, this is {what}"));
        Ok(())
    }

    /// Reads the value at the cursor as that of a flattened name.
    pub(crate) fn named(&mut self, name: &str) -> Result<(), Stop> {
        self.memory.frames.clear();
        self.memory.path.clear();
        self.memory.path.extend_from_slice(name.as_bytes());
        match self.cursor.next_significant()? {
            b'{' => match self.inner_object(Name::Loose)? {
                Some(frame) => self.object(frame),
                None => Ok(()),
            },
            byte => self.value(Name::Loose, byte),
        }
    }

    pub(super) fn whole_object(&mut self, root: u32) -> Result<(), Stop> {
        self.memory.frames.clear();
        self.cursor.position += 1;
        self.object(Frame { node: root, previous: NONE, prefix_bytes: 0 })
    }

    /// Reads an object whose bracket was read.
    fn object(&mut self, outermost: Frame) -> Result<(), Stop> {
        let mut frame = outermost;
        let mut first = true;
        loop {
            let byte = self.cursor.next_significant()?;
            let mut closed = first && byte == b'}';
            if closed {
                self.cursor.position += 1;
            } else if let Some(inner) = self.member(byte, &mut frame)? {
                self.memory.frames.push(frame);
                frame = inner;
                first = true;
                continue;
            }
            loop {
                if closed {
                    match self.memory.frames.pop() {
                        Some(outer) => frame = outer,
                        None => return Ok(()),
                    }
                }
                match self.cursor.next_significant()? {
                    b',' => break,
                    b'}' => closed = true,
                    _ => return Err(Stop::Malformed("expected ',' or '}' after a value")),
                }
                self.cursor.position += 1;
            }
            self.cursor.position += 1;
            first = false;
        }
    }

    /// Reads a name with its value. An object as the value is entered and left to the caller.
    #[inline]
    fn member(&mut self, byte: u8, frame: &mut Frame) -> Result<Option<Frame>, Stop> {
        if byte != b'"' {
            return Err(Stop::Malformed("expected a field name in double quotes"));
        }
        let name = self.name(frame)?;
        self.cursor.colon()?;
        match self.cursor.next_significant()? {
            b'{' => self.inner_object(name),
            byte => self.value(name, byte).map(|()| None),
        }
    }

    #[inline]
    fn name(&mut self, frame: &mut Frame) -> Result<Name, Stop> {
        if frame.node != NONE {
            let text = &self.cursor.input[self.cursor.position + 1..];
            if let Some((child, length)) = self.memory.shapes.guess(frame.node, frame.previous, text) {
                self.cursor.position += 1 + length;
                frame.previous = child;
                return Ok(Name::Known(child));
            }
        }
        self.unexpected_name(frame)
    }

    fn unexpected_name(&mut self, frame: &mut Frame) -> Result<Name, Stop> {
        let plain = string(&mut self.cursor, &mut self.memory.unescaped)?;
        let memory = &mut *self.memory;
        let Ok(name) = from_utf8(plain.unwrap_or(&memory.unescaped)) else {
            self.rows.fail(|| "a field name is not valid UTF-8".to_owned());
            return Ok(Name::Invalid);
        };
        if frame.node == NONE {
            memory.path.truncate(frame.prefix_bytes);
        } else {
            if let Some(child) = memory.shapes.find(frame.node, frame.previous, name) {
                frame.previous = child;
                return Ok(Name::Known(child));
            }
            memory.path.clear();
            memory.path.extend_from_slice(memory.shapes.prefix(frame.node));
        }
        memory.path.extend_from_slice(name.as_bytes());
        Ok(Name::Loose)
    }

    #[inline]
    fn value(&mut self, name: Name, byte: u8) -> Result<(), Stop> {
        match byte {
            b'"' => {
                let start = self.cursor.position + 1;
                let plain = string(&mut self.cursor, &mut self.memory.unescaped)?;
                let Some(field) = self.field(name) else { return Ok(()) };
                match plain {
                    Some(text) if self.clean => {
                        self.rows.string_in(field, self.cursor.input, start..start + text.len());
                    }
                    plain => self.doubtful_string(field, plain),
                }
            }
            b'-' | b'0'..=b'9' => {
                let start = self.cursor.position;
                let number = number(&mut self.cursor)?;
                if let Number::Infinite | Number::TooLarge = number {
                    self.beyond(name, number);
                    return Ok(());
                }
                let Some(field) = self.field(name) else { return Ok(()) };
                match number {
                    Number::Integer(value) => self.rows.integer(field, value),
                    Number::Float(value) => {
                        self.rows.float(field, value, &self.cursor.input[start..self.cursor.position]);
                    }
                    Number::LongInteger(nearest) => {
                        let digits = &self.cursor.input[start..self.cursor.position];
                        self.rows.long_integer(field, nearest, digits);
                    }
                    Number::Infinite | Number::TooLarge => {}
                }
            }
            b't' | b'f' => {
                self.cursor.word(if byte == b't' { "true" } else { "false" })?;
                let Some(field) = self.field(name) else { return Ok(()) };
                self.rows.boolean(field, byte == b't');
            }
            b'n' => {
                self.cursor.word("null")?;
                self.null(name);
            }
            b'[' => self.array(name)?,
            _ => return Err(Stop::Malformed(EXPECTED_VALUE)),
        }
        Ok(())
    }

    /// A string that had escapes, or that may not be valid UTF-8.
    fn doubtful_string(&mut self, field: u32, plain: Option<&[u8]>) {
        let text = plain.unwrap_or(&self.memory.unescaped);
        let valid = self.clean || from_utf8(text).is_ok();
        if valid { self.rows.string(field, text) } else { self.rows.not_text(field) }
    }

    /// How many objects are around the value that is read.
    fn depth(&self) -> usize {
        self.memory.frames.len() + 1
    }

    fn array(&mut self, name: Name) -> Result<(), Stop> {
        if self.depth() >= self.limits.depth_max {
            self.text(SKIPPED)?;
            self.rows.replace(Replaced { too_deep: 1, ..Replaced::default() });
            self.null(name);
            return Ok(());
        }
        self.text(self.depth())?;
        if self.memory.text.has_too_large {
            self.too_large(name);
        } else if let Some(field) = self.field(name) {
            self.rows.array(field, &self.memory.text.out);
        }
        Ok(())
    }

    #[inline]
    fn inner_object(&mut self, name: Name) -> Result<Option<Frame>, Stop> {
        if self.depth() >= self.limits.depth_max || matches!(name, Name::Invalid) {
            self.text(SKIPPED)?;
            self.rows.replace(Replaced { too_deep: 1, ..Replaced::default() });
            self.null(name);
            return Ok(None);
        }
        if self.is_map(name) {
            self.map(name)?;
            return Ok(None);
        }
        self.cursor.position += 1;
        if let Name::Known(child) = name {
            if let Some(node) = self.memory.shapes.node_of(child, self.limits.name_bytes_max) {
                return Ok(Some(Frame { node, previous: NONE, prefix_bytes: 0 }));
            }
            self.memory.shapes.flattened(child, &mut self.memory.path);
        }
        self.memory.path.push(b'.');
        Ok(Some(Frame { node: NONE, previous: NONE, prefix_bytes: self.memory.path.len() }))
    }

    #[inline]
    fn is_map(&mut self, name: Name) -> bool {
        match name {
            Name::Known(child) => self.memory.shapes.child(child).is_map,
            Name::Loose => from_utf8(&self.memory.path).is_ok_and(|path| self.memory.shapes.is_map(path)),
            Name::Invalid => false,
        }
    }

    fn map(&mut self, name: Name) -> Result<(), Stop> {
        self.text(self.depth())?;
        if self.memory.text.has_too_large {
            self.too_large(name);
        } else if self.memory.text.out == b"{}" {
            self.null(name);
        } else if let Some(field) = self.field(name) {
            self.rows.map(field, &self.memory.text.out);
        }
        Ok(())
    }

    /// A number that is none of the columns'.
    #[cold]
    fn beyond(&mut self, name: Name, number: Number) {
        if number != Number::Infinite {
            return self.too_large(name);
        }
        self.rows.replace(Replaced { infinite: 1, ..Replaced::default() });
        self.null(name);
    }

    /// The event fails: every digit of an integer is kept, and here that cannot be.
    #[cold]
    fn too_large(&mut self, name: Name) {
        let memory = &mut *self.memory;
        if let Name::Known(child) = name {
            memory.shapes.flattened(child, &mut memory.path);
        }
        let path = String::from_utf8_lossy(&memory.path);
        self.rows
            .fail(|| format!("an integer of the field {path:?} is beyond the range of a float, 1.8e308"));
    }

    fn text(&mut self, depth: usize) -> Result<(), Stop> {
        let (cursor, memory) = (&mut self.cursor, &mut self.memory.text);
        TextReader { cursor, memory, limits: self.limits, clean: self.clean }.read(depth)?;
        self.rows.replace(self.memory.text.replaced);
        Ok(())
    }

    /// The field that a value is stored in; nothing if the event fails because of it.
    #[inline]
    fn field(&mut self, name: Name) -> Option<u32> {
        if let Name::Known(child) = name {
            let field = self.memory.shapes.child(child).field;
            if field != NONE && !self.rows.needs_admission(field) {
                return Some(field);
            }
        }
        self.new_field(name)
    }

    #[cold]
    fn new_field(&mut self, name: Name) -> Option<u32> {
        let memory = &mut *self.memory;
        match name {
            Name::Known(child) => {
                memory.shapes.flattened(child, &mut memory.path);
                let field = self.rows.resolve(from_utf8(&memory.path).ok()?, self.gate)?;
                memory.shapes.child(child).field = field;
                Some(field)
            }
            Name::Loose => self.rows.resolve(from_utf8(&memory.path).ok()?, self.gate),
            Name::Invalid => None,
        }
    }

    /// Null is no value, but it takes the place of one that stood before it under the same name.
    fn null(&mut self, name: Name) {
        let memory = &mut *self.memory;
        if let Name::Known(child) = name {
            let fields = self.rows.fields_known() as u32;
            let known = memory.shapes.child(child);
            if known.field == NONE && known.absent_among != fields {
                known.absent_among = fields;
                memory.shapes.flattened(child, &mut memory.path);
                let found = from_utf8(&memory.path).ok().and_then(|path| self.rows.find(path));
                memory.shapes.child(child).field = found.unwrap_or(NONE);
            }
            let field = memory.shapes.child(child).field;
            if field != NONE {
                self.rows.null(field);
            }
        } else if matches!(name, Name::Loose)
            && let Some(field) = from_utf8(&memory.path).ok().and_then(|path| self.rows.find(path))
        {
            self.rows.null(field);
        }
    }
}
