//! Where CSV records end, which is not at a line break inside quotes, and the names in the first record.

use anyhow::bail;

/// What some editors write at the beginning of a UTF-8 file.
const MARK: &[u8] = b"\xEF\xBB\xBF";

const LONGEST_HEADER: usize = 1024 * 1024;

/// Looks for the ends of records.
#[derive(Debug)]
pub struct CsvBorders {
    delimiter: u8,
    scanned: usize,
    border: usize,
    in_quotes: bool,
    /// Just after the quote that ended a quoted text; another quote there means that it was a quote in the text.
    closed_at: Option<usize>,
    header: Option<Vec<u8>>,
}

impl CsvBorders {
    pub fn new(delimiter: u8) -> Self {
        Self { delimiter, scanned: 0, border: 0, in_quotes: false, closed_at: None, header: None }
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
            self.header = Some(record.to_vec());
        }
        self.border = end;
        self.closed_at = None;
    }

    pub fn cut(&mut self, part: &[u8]) {
        self.scanned -= part.len();
        self.border = 0;
        self.closed_at = self.closed_at.and_then(|at| at.checked_sub(part.len()));
    }

    pub fn header(&self) -> Option<&[u8]> {
        self.header.as_deref()
    }
}

/// The names of a header record, joined by commas, for parts that are sent without it.
pub fn field_names(header: &[u8], delimiter: u8) -> anyhow::Result<Vec<u8>> {
    if header.len() > LONGEST_HEADER {
        bail!("the first record, with the names of the fields, is longer than {LONGEST_HEADER} bytes");
    }
    let header = header.strip_prefix(MARK).unwrap_or(header);
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let mut text = vec![0; header.len() + 1];
    let mut ends = vec![0; header.len() + 2];
    let (mut read, mut written, mut fields) = (0, 0, 0);
    loop {
        let (result, used, wrote, ended) =
            reader.read_record(&header[read..], &mut text[written..], &mut ends[fields..]);
        (read, written, fields) = (read + used, written + wrote, fields + ended);
        match result {
            // Asked again with nothing left, it takes the record as ended.
            csv_core::ReadRecordResult::InputEmpty => {}
            csv_core::ReadRecordResult::Record | csv_core::ReadRecordResult::End => break,
            _ => bail!("the first record, with the names of the fields, cannot be read"),
        }
    }
    let mut names = Vec::with_capacity(written + fields);
    let mut from = 0;
    for (index, &end) in ends[..fields].iter().enumerate() {
        if index > 0 {
            names.push(b',');
        }
        push_name(&mut names, &text[from..end])?;
        from = end;
    }
    Ok(names)
}

/// A name with a comma or a quote stands in quotes, as it would in CSV.
fn push_name(names: &mut Vec<u8>, name: &[u8]) -> anyhow::Result<()> {
    if name.iter().any(|byte| byte.is_ascii_control()) {
        bail!(
            "the field name {:?} has a control character, and cannot be sent",
            String::from_utf8_lossy(name)
        );
    }
    if !name.iter().any(|byte| matches!(byte, b',' | b'"')) {
        names.extend_from_slice(name);
        return Ok(());
    }
    names.push(b'"');
    for &byte in name {
        if byte == b'"' {
            names.push(byte);
        }
        names.push(byte);
    }
    names.push(b'"');
    Ok(())
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
    fn names_are_joined_by_commas() {
        let names =
            |text: &[u8], delimiter| String::from_utf8(field_names(text, delimiter).unwrap()).unwrap();
        assert_eq!(names(b"a,b,c\n", b','), "a,b,c");
        assert_eq!(names(b"\xEF\xBB\xBFa;\"b;x\";c\r\n", b';'), "a,b;x,c");
        assert_eq!(names(b"\"a,1\",\"b\"\"\"\n", b','), "\"a,1\",\"b\"\"\"");
        assert_eq!(names("größe,b".as_bytes(), b','), "größe,b");
        assert_eq!(names(b",\n", b','), ",");
        assert!(field_names(b"\"a\nb\",c\n", b',').is_err());
    }
}
