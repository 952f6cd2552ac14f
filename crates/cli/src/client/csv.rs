//! Where CSV records end, which is not at a line break inside quotes, and how later parts name their fields: in a
//! header of the request if the names are plain, and else by the first record of the file once more.

/// What some editors write at the beginning of a UTF-8 file.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Longer lists of names than this might not fit into the head of a request.
const LONGEST_NAMES: usize = 4 * 1024;

/// Looks for the ends of records.
#[derive(Debug)]
pub struct CsvBorders {
    delimiter: u8,
    scanned: usize,
    border: usize,
    in_quotes: bool,
    /// Just after the quote that ended a quoted text; another quote there means that it was a quote in the text.
    closed_at: Option<usize>,
    header: Option<Header>,
    /// Where the names of the fields end in the buffer, if they are in it.
    header_end: usize,
}

#[derive(Debug)]
struct Header {
    record: Vec<u8>,
    names: Option<Vec<u8>>,
}

impl CsvBorders {
    pub fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            scanned: 0,
            border: 0,
            in_quotes: false,
            closed_at: None,
            header: None,
            header_end: 0,
        }
    }

    pub fn scan(&mut self, buffer: &[u8]) -> usize {
        let from = self.scanned;
        for at in memchr::memchr2_iter(b'"', b'\n', &buffer[from..]).map(|found| from + found) {
            if buffer[at] == b'\n' {
                self.end_of_line(buffer, at + 1);
            } else if self.in_quotes {
                self.in_quotes = false;
                self.closed_at = Some(at + 1);
            } else if self.opens(buffer, at) {
                self.in_quotes = true;
            }
        }
        self.scanned = buffer.len();
        self.border
    }

    /// A quote opens a quoted text at the beginning of a field only; elsewhere it is an ordinary character.
    fn opens(&self, buffer: &[u8], at: usize) -> bool {
        let begins_file = self.header.is_none() && at == MARK.len() && buffer.starts_with(MARK);
        let begins_field = at == self.border || buffer[at - 1] == self.delimiter;
        begins_file || begins_field || self.closed_at == Some(at)
    }

    fn end_of_line(&mut self, buffer: &[u8], end: usize) {
        if self.in_quotes {
            return;
        }
        let record = &buffer[self.border..end];
        if self.header.is_none() && !matches!(record, b"\n" | b"\r\n") {
            let names = field_names(record, self.delimiter);
            self.header = Some(Header { record: record.to_vec(), names });
            self.header_end = end;
        }
        self.border = end;
        self.closed_at = None;
    }

    pub fn cut(&mut self, part: &[u8]) {
        let opening = self.opening().len();
        self.scanned = self.scanned - part.len() + opening;
        self.border = opening;
        self.header_end = opening;
        self.closed_at = self.closed_at.and_then(|at| at.checked_sub(part.len())).map(|at| at + opening);
    }

    /// Where the names end in the buffer; events stand behind it.
    pub fn header_end(&self) -> usize {
        self.header_end
    }

    /// The first record, for parts that cannot name their fields in a header.
    pub fn opening(&self) -> &[u8] {
        match &self.header {
            Some(Header { record, names: None }) => record,
            _ => b"",
        }
    }

    /// The names for the header of later parts, if that can hold them.
    pub fn names(&self) -> Option<&[u8]> {
        self.header.as_ref()?.names.as_deref()
    }
}

/// The names of a header record, joined by commas; nothing if they would not be read back as they are.
fn field_names(header: &[u8], delimiter: u8) -> Option<Vec<u8>> {
    let header = header.strip_prefix(MARK).unwrap_or(header);
    let header = header.strip_suffix(b"\n").unwrap_or(header);
    let header = header.strip_suffix(b"\r").unwrap_or(header);
    if header.len() > LONGEST_NAMES {
        return None;
    }
    let mut names = Vec::with_capacity(header.len());
    for (index, name) in header.split(|byte| *byte == delimiter).enumerate() {
        let is_quoted = name.len() >= 2 && name.starts_with(b"\"") && name.ends_with(b"\"");
        let name = if is_quoted { &name[1..name.len() - 1] } else { name };
        let is_plain = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b',' | b'"') || *byte == b' ';
        if name.is_empty() || name.trim_ascii() != name || !name.iter().all(is_plain) {
            return None;
        }
        if index > 0 {
            names.push(b',');
        }
        names.extend_from_slice(name);
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records, found with the text arriving in two blocks.
    fn last_border(text: &[u8], first_block: usize) -> usize {
        let mut borders = CsvBorders::new(b',');
        borders.scan(&text[..first_block]);
        borders.scan(text)
    }

    #[test]
    fn line_breaks_in_quotes_do_not_end_a_record() {
        let cases: &[(&[u8], usize)] = &[
            (b"a,b\n1,2\n", 8),
            (b"a,b\n1,\"x\ny", 4),
            (b"a,b\n1,\"x\ny\"\n2", 12),
            (b"a\n\"he said \"\"hi\n\"\"\"\n", 20),
            (b"a\n5\" pipe\n6\" pipe\n", 18),
            (b"\"a\nb\",c\n1,2\n", 12),
            (b"a\r\n1\r\n", 6),
            (b"a,b\n\"\",\"\"\n", 10),
            (b"\xEF\xBB\xBF\"a\nb\"\n", 9),
        ];
        for (text, expected) in cases {
            for first_block in 0..=text.len() {
                let found = last_border(text, first_block);
                assert_eq!(found, *expected, "{:?} in two at {first_block}", String::from_utf8_lossy(text));
            }
        }
    }

    #[test]
    fn plain_names_are_joined_by_commas_and_others_are_not() {
        let names =
            |text: &[u8], delimiter| String::from_utf8(field_names(text, delimiter).unwrap()).unwrap();
        assert_eq!(names(b"a,b,c\n", b','), "a,b,c");
        assert_eq!(names(b"\xEF\xBB\xBFa;\"b x\";c\r\n", b';'), "a,b x,c");
        let not_plain: [&[u8]; 7] = [
            b"\"a,1\",b\n",
            b"\"b\"\"\",c\n",
            "größe,b\n".as_bytes(),
            b",\n",
            b" a,b\n",
            b"\"a\nb\",c\n",
            b"a;b,c\n",
        ];
        for header in &not_plain[..6] {
            assert_eq!(field_names(header, b','), None, "{:?}", String::from_utf8_lossy(header));
        }
        assert_eq!(field_names(not_plain[6], b';'), None);
        assert_eq!(field_names(&[b'a'; LONGEST_NAMES + 1], b','), None);
    }
}
