//! Members and elements of JSON text, found without reading the values that lie around them. The text is JSON: what is
//! not may give anything, but never a panic.

use memchr::{memchr2, memchr3};

/// The text of a member's value. Of a name that comes twice the last counts.
pub fn member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let mut scan = Scan::inside(json, b'{')?;
    let mut found = None;
    while scan.skip_to(b'"').is_some() {
        let key = scan.value()?;
        scan.skip_to(b':')?;
        scan.at += 1;
        let value = scan.value()?;
        if is_name(key, name) {
            found = Some(value);
        }
        if scan.next()? != b',' {
            break;
        }
        scan.at += 1;
    }
    found
}

/// The text of an element, counted from 0, or from the end where it is negative.
pub fn element(json: &str, number: i64) -> Option<&str> {
    let place = match usize::try_from(number) {
        Ok(place) => place,
        Err(_) => {
            let from_end = usize::try_from(number.unsigned_abs()).ok()?;
            elements(json)?.count().checked_sub(from_end)?
        }
    };
    elements(json)?.nth(place)
}

/// The texts of an array's elements, in their order.
pub fn elements(json: &str) -> Option<impl Iterator<Item = &str>> {
    let mut scan = Scan::inside(json, b'[')?;
    let mut is_over = false;
    Some(std::iter::from_fn(move || {
        if is_over || scan.next()? == b']' {
            return None;
        }
        let value = scan.value()?;
        is_over = scan.next() != Some(b',');
        scan.at += 1;
        Some(value)
    }))
}

/// Whether a key in its quotes is this name.
fn is_name(key: &str, name: &str) -> bool {
    if key.contains('\\') {
        return serde_json::from_str::<String>(key).is_ok_and(|key| key == name);
    }
    key.get(1..key.len().saturating_sub(1)) == Some(name)
}

struct Scan<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// Behind the mark that the text begins with.
    fn inside(json: &'a str, mark: u8) -> Option<Self> {
        let mut scan = Self { json, at: 0 };
        scan.skip_to(mark)?;
        scan.at += 1;
        Some(scan)
    }

    /// The next byte that is no blank, at which it then stands.
    fn next(&mut self) -> Option<u8> {
        let rest = self.json.as_bytes().get(self.at..)?;
        let blanks = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.at += blanks;
        Some(rest[blanks])
    }

    fn skip_to(&mut self, mark: u8) -> Option<()> {
        (self.next()? == mark).then_some(())
    }

    /// Takes one value.
    fn value(&mut self) -> Option<&'a str> {
        let first = self.next()?;
        let start = self.at;
        match first {
            b'"' => self.skip_text()?,
            b'{' | b'[' => self.skip_nested()?,
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
                let rest = &self.json.as_bytes()[start..];
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
            }
        }
        self.json.get(start..self.at).filter(|value| !value.is_empty())
    }

    /// From a quote behind the one that closes it.
    fn skip_text(&mut self) -> Option<()> {
        let bytes = self.json.as_bytes();
        let mut at = self.at + 1;
        loop {
            at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[at] == b'"' {
                self.at = at + 1;
                return Some(());
            }
            at += 2;
        }
    }

    /// From an opening mark behind the one that closes it.
    fn skip_nested(&mut self) -> Option<()> {
        let bytes = self.json.as_bytes();
        let (open, close) = if bytes[self.at] == b'{' { (b'{', b'}') } else { (b'[', b']') };
        let mut depth = 0_usize;
        loop {
            self.at += memchr3(open, close, b'"', bytes.get(self.at..)?)?;
            match bytes[self.at] {
                b'"' => {
                    self.skip_text()?;
                    continue;
                }
                byte if byte == open => depth += 1,
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}
