//! Functions of the language that have no row in the table yet: their names and how many arguments they take, so that
//! queries with them are read and checked. A row in the table goes before the outline of the same name.

/// What is known of a function without its row.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub least: usize,
    pub most: usize,
}

const MANY: usize = super::ARGUMENTS_MAX;

const fn outline(name: &'static str, least: usize, most: usize) -> Outline {
    Outline { name, least, most }
}

pub(super) const OUTLINES: &[Outline] = &[
    // Arrays and maps.
    outline("pack", 1, MANY),
    // Conditions.
    outline("iif", 3, 3),
    // Conversion.
    outline("typeof", 1, 1),
    outline("toboolean", 1, 1),
    // Texts.
    outline("notempty", 1, 1),
    outline("notnull", 1, 1),
];

impl Outline {
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
