//! Lists of words that stand for themselves on the wire and in the catalogue: the macro that makes an enumeration of
//! such a list.

/// A word that stands for itself on the wire and in the catalogue.
macro_rules! string_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $wire:literal $(| $alias:literal)?,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($variant,)*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $wire,)*
                }
            }

            /// Reads the name, or another spelling that clients use.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($wire $(| $alias)? => Some(Self::$variant),)*
                    _ => None,
                }
            }

            pub fn names() -> Vec<&'static str> {
                Self::ALL.iter().map(|word| word.name()).collect()
            }
        }
    };
}

pub(crate) use string_enum;
