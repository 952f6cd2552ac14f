//! Functions of the language that have no row in the table yet: their names and how many arguments they take, so that
//! queries with them are read and checked. A row in the table goes before the outline of the same name.

/// What is known of a function without its row.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub least: usize,
    pub most: usize,
}

const MANY: usize = super::function::ARGUMENTS_MAX;

const fn signature(name: &'static str, least: usize, most: usize) -> Signature {
    Signature { name, least, most }
}

pub(super) const SIGNATURES: &[Signature] = &[
    // Arrays and maps.
    signature("pack", 1, MANY),
    // Conditions.
    signature("iif", 3, 3),
    // Conversion.
    signature("typeof", 1, 1),
    signature("toboolean", 1, 1),
    // Texts.
    signature("notempty", 1, 1),
    signature("notnull", 1, 1),
];

impl Signature {
    /// Whether it can be called with so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }

    /// How many arguments it takes, in words.
    pub fn count_text(&self) -> String {
        match (self.least, self.most) {
            (0, 0) => "no arguments".to_owned(),
            (1, 1) => "1 argument".to_owned(),
            (least, most) if least == most => format!("{least} arguments"),
            (0, most) => format!("at most {most} argument{}", if most == 1 { "" } else { "s" }),
            (least, most) => format!("{least} to {most} arguments"),
        }
    }
}
