//! Labels as Prometheus writes them: `{name="value", other="value"}`, with the escapes of Go in the values.

/// Hands on each label of a text; what is wrong otherwise.
pub(super) fn each(text: &str, mut label: impl FnMut(&str, &str)) -> Result<(), &'static str> {
    let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let mut rest = inner.ok_or("labels must stand in braces")?.trim_start();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('=').ok_or("a label needs a value")?;
        let (value, behind) = quoted(behind.trim_start())?;
        label(name.trim(), &value);
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind.trim_start(),
            None if rest.is_empty() => {}
            None => return Err("labels must stand apart by commas"),
        }
    }
    Ok(())
}

/// A value in quotes or backticks, and what stands behind it.
fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    if let Some(raw) = text.strip_prefix('`') {
        let (value, rest) = raw.split_once('`').ok_or("a value does not end")?;
        return Ok((value.to_owned(), rest));
    }
    let inner = text.strip_prefix('"').ok_or("a value must stand in quotes")?;
    let mut value = String::new();
    let mut characters = inner.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return Ok((value, &inner[place + 1..])),
            '\\' => match characters.next().map(|(_, escaped)| escaped) {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some('x') => value.push(hexadecimal(&mut characters, 2)?),
                Some('u') => value.push(hexadecimal(&mut characters, 4)?),
                Some('U') => value.push(hexadecimal(&mut characters, 8)?),
                Some(escaped) => value.push(escaped),
                None => break,
            },
            _ => value.push(character),
        }
    }
    Err("a value does not end")
}

fn hexadecimal(characters: &mut std::str::CharIndices<'_>, digits: usize) -> Result<char, &'static str> {
    let mut value = 0_u32;
    for _ in 0..digits {
        let digit = characters.next().and_then(|(_, character)| character.to_digit(16));
        value = (value << 4) | digit.ok_or("an escape needs more digits")?;
    }
    Ok(char::from_u32(value).unwrap_or('\u{fffd}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, &'static str> {
        let mut labels = Vec::new();
        each(text, |name, value| labels.push(format!("{name}={value}")))?;
        Ok(labels)
    }

    #[test]
    fn labels_are_read_with_their_escapes() {
        let labels = read(r#" {a="1", b = "x\"y\\\n\u00e4" ,c=`\raw`,} "#);
        assert_eq!(labels, Ok(vec!["a=1".to_owned(), "b=x\"y\\\nä".to_owned(), "c=\\raw".to_owned()]));
        assert_eq!(read("{}"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_list_of_labels_is_told() {
        for text in
            ["", "a=\"1\"", "{a}", "{a=1}", "{a=\"1}", "{a=\"1\" b=\"2\"}", "{a=\"\\", "{a=\"\\u12\"}"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
