//! How an expression is written, for who looks for a fault.

use std::fmt;

use super::{Node, Typed};

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, parts: &[Typed]| {
            let mut tuple = f.debug_tuple(name);
            parts.iter().for_each(|part| {
                tuple.field(&part.node);
            });
            tuple.finish()
        };
        match self {
            Self::Input(place) => write!(f, "#{place}"),
            Self::Literal(value) => write!(f, "{value:?}"),
            Self::Call { name, arguments, .. } => list(f, name, arguments),
            Self::And(parts) => list(f, "and", parts),
            Self::Or(parts) => list(f, "or", parts),
            Self::Shared(of) => write!(f, "{:?}", of.node),
        }
    }
}
