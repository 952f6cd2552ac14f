//! Structured data: `[id name="value" …]`, where `\"`, `\\` and `\]` stand for the characters behind the backslash.

/// How long the elements at the start of a text are; nothing if they do not end.
pub(super) fn length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut place, mut is_open, mut is_quoted) = (0, false, false);
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'\\' if is_quoted => place += 1,
            b'"' if is_open => is_quoted = !is_quoted,
            b']' if is_open && !is_quoted => is_open = false,
            b'[' if !is_open => is_open = true,
            _ if !is_open => break,
            _ => {}
        }
        place += 1;
    }
    (!is_open && place > 0 && place <= bytes.len()).then_some(place)
}

/// Hands on each value under its name behind that of its element, and an element without any as an empty one.
pub(super) fn each(elements: &str, mut value: impl FnMut(&str, &str)) {
    let mut rest = elements;
    while let Some(behind) = rest.strip_prefix('[') {
        let end = behind.find([' ', ']']).unwrap_or(behind.len());
        let (id, mut inner) = behind.split_at(end);
        let mut has_values = false;
        while let Some((name, behind)) = inner.trim_start().split_once("=\"") {
            // The bracket that closes the element comes first.
            if name.contains(']') {
                break;
            }
            let (text, behind) = unescaped(behind);
            value(&format!("{id}.{name}"), &text);
            has_values = true;
            inner = behind;
        }
        if !has_values && !id.is_empty() {
            value(id, "");
        }
        let Some((_, behind)) = inner.split_once(']') else { return };
        rest = behind;
    }
}

/// A value up to its quote, and what stands behind that.
fn unescaped(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return (value, &text[place + 1..]),
            '\\' => match characters.next() {
                Some((_, escaped @ ('"' | '\\' | ']'))) => value.push(escaped),
                Some((_, other)) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            _ => value.push(character),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut values = Vec::new();
        each(text, |name, value| values.push(format!("{name}={value}")));
        values
    }

    #[test]
    fn values_have_the_names_of_their_elements() {
        let text = r#"[a@1 x="1" y="q\"\]\\z\n"][b][c k="v"]"#;
        assert_eq!(length(text), Some(text.len()));
        assert_eq!(read(text), ["a@1.x=1", "a@1.y=q\"]\\z\\n", "b=", "c.k=v"]);
        assert_eq!(length("[a] rest"), Some(3));
    }

    #[test]
    fn elements_that_do_not_end_are_none() {
        for text in ["", "x", "[a", "[a x=\"]", "[a x=\"1\\"] {
            assert_eq!(length(text), None, "{text}");
            read(text);
        }
    }
}
