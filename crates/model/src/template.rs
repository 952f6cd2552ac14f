//! Templates of texts: what stays the same in texts that a program writes again and again, and the variables that it
//! puts in between. A text is split by its letters alone, in one pass, so that equal texts have equal templates
//! wherever and whenever they are split.

/// Stands for a variable in a template. It is part of no text.
pub const HOLE: u8 = 0xff;

/// What a hole is shown as.
pub const SHOWN_HOLE: &str = "<*>";

/// The letters that a token is made of, as bits.
pub mod letters {
    pub const DIGITS: u8 = 1;
    /// `a` to `f`.
    pub const LOWER_HEX: u8 = 2;
    /// `g` to `z`.
    pub const LOWER: u8 = 4;
    /// `A` to `F`.
    pub const UPPER_HEX: u8 = 8;
    /// `G` to `Z`.
    pub const UPPER: u8 = 16;
    /// Letters and digits of other scripts.
    pub const OTHER: u8 = 32;
}

/// Tokens of nothing but hexadecimal letters are variables from this length on: words of English are shorter.
const HEX_WORD_BYTES: usize = 8;

/// A variable of the text that was split last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub start: usize,
    pub end: usize,
    /// Which of [`letters`] it has.
    pub letters: u8,
}

/// Splits texts one after the other, and keeps its room between them.
#[derive(Debug, Default)]
pub struct Splitter {
    template: Vec<u8>,
    variables: Vec<Variable>,
}

impl Splitter {
    /// Splits a text into its template and its variables. A token is a longest run of letters and digits; it is a
    /// variable if it has a digit, or if it is long and has hexadecimal letters alone.
    pub fn split(&mut self, text: &str) {
        self.template.clear();
        self.variables.clear();
        let mut copied = 0;
        let mut at = 0;
        while at < text.len() {
            let (width, first) = letter_at(text, at);
            at += width;
            if first == 0 {
                continue;
            }
            let start = at - width;
            let mut seen = first;
            while at < text.len() {
                let (width, class) = letter_at(text, at);
                if class == 0 {
                    break;
                }
                seen |= class;
                at += width;
            }
            if is_variable_of(seen, at - start) {
                self.template.extend_from_slice(&text.as_bytes()[copied..start]);
                self.template.push(HOLE);
                self.variables.push(Variable { start, end: at, letters: seen });
                copied = at;
            }
        }
        self.template.extend_from_slice(&text.as_bytes()[copied..]);
    }

    /// The template of the text that was split last.
    pub fn template(&self) -> &[u8] {
        &self.template
    }

    /// Its variables, one for each hole, in their order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

/// Whether a whole token is a variable.
pub fn is_variable(token: &str) -> bool {
    is_variable_of(letters_of(token), token.len())
}

/// Which of [`letters`] a text has.
pub fn letters_of(text: &str) -> u8 {
    let mut seen = 0;
    let mut at = 0;
    while at < text.len() {
        let (width, class) = letter_at(text, at);
        seen |= class;
        at += width;
    }
    seen
}

/// How many bytes of letters and digits a text begins with.
pub fn token_bytes(text: &str) -> usize {
    let mut at = 0;
    while at < text.len() {
        let (width, class) = letter_at(text, at);
        if class == 0 {
            break;
        }
        at += width;
    }
    at
}

/// A template as text.
pub fn shown(template: &[u8]) -> String {
    let mut text = String::with_capacity(template.len() + 16);
    write_shown(template, &mut text);
    text
}

/// Writes a template behind what a text has already.
pub fn write_shown(template: &[u8], text: &mut String) {
    for (number, fixed) in template.split(|byte| *byte == HOLE).enumerate() {
        if number > 0 {
            text.push_str(SHOWN_HOLE);
        }
        // Templates are cut at the ends of letters, so that nothing is lost here.
        text.push_str(&String::from_utf8_lossy(fixed));
    }
}

fn is_variable_of(letters: u8, bytes: usize) -> bool {
    use letters::{DIGITS, LOWER_HEX, UPPER_HEX};
    letters & DIGITS != 0 || (bytes >= HEX_WORD_BYTES && letters & !(LOWER_HEX | UPPER_HEX) == 0)
}

/// How many bytes the character at a place has, and which of the letters it is; none is zero.
fn letter_at(text: &str, at: usize) -> (usize, u8) {
    let byte = text.as_bytes()[at];
    if byte < 0x80 {
        return (1, CLASSES[usize::from(byte)]);
    }
    let Some(character) = text[at..].chars().next() else { return (1, 0) };
    let class = if character.is_alphanumeric() { letters::OTHER } else { 0 };
    (character.len_utf8(), class)
}

const CLASSES: [u8; 128] = classes();

const fn classes() -> [u8; 128] {
    let mut classes = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' => letters::DIGITS,
            b'a'..=b'f' => letters::LOWER_HEX,
            b'g'..=b'z' => letters::LOWER,
            b'A'..=b'F' => letters::UPPER_HEX,
            b'G'..=b'Z' => letters::UPPER,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (String, Vec<&str>) {
        let mut splitter = Splitter::default();
        splitter.split(text);
        let variables = splitter.variables().iter().map(|variable| &text[variable.start..variable.end]);
        (shown(splitter.template()), variables.collect())
    }

    #[test]
    fn tokens_with_digits_and_long_hexadecimal_words_are_variables() {
        let (template, variables) = split("user usr_4f3a read /v1/orders in 12.5 ms, id abcdefab");
        assert_eq!(template, "user usr_<*> read /<*>/orders in <*>.<*> ms, id <*>");
        assert_eq!(variables, ["4f3a", "v1", "12", "5", "abcdefab"]);
        assert_eq!(split("a facade faded").0, "a facade faded");
        assert_eq!(split("").0, "");
        assert_eq!(split("42").0, "<*>");
    }

    #[test]
    fn letters_of_other_scripts_are_letters() {
        assert_eq!(split("größe4 → Größe, 4日本").0, "<*> → Größe, <*>");
        assert_eq!(split("\u{10ffff}7\u{10ffff}").0, "\u{10ffff}<*>\u{10ffff}");
        assert_eq!(token_bytes("größe4 x"), "größe4".len());
    }

    #[test]
    fn a_template_and_its_variables_make_the_text_again() {
        let text = "x1 é2é — 3; abc ABCDEF01 <*> \u{0} end9";
        let mut splitter = Splitter::default();
        splitter.split(text);
        let mut again: Vec<u8> = Vec::new();
        let mut variables = splitter.variables().iter();
        for byte in splitter.template() {
            if *byte == HOLE {
                let variable = variables.next().unwrap();
                assert!(is_variable(&text[variable.start..variable.end]));
                again.extend_from_slice(&text.as_bytes()[variable.start..variable.end]);
            } else {
                again.push(*byte);
            }
        }
        assert_eq!(again, text.as_bytes());
        assert_eq!(variables.next(), None);
    }
}
