//! Tests of a value's text against another's: each of its types has a text, and of arrays the elements have.

use tidegauge_lang::tree::{TextTest, Type};

use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::text::{elements, kernel, literal_text, name};
use crate::kernels::{convert, logic};
use crate::search::Search;
use crate::value::Value;

/// Whether the text of a value passes a test against another's. A value that is null does not pass.
pub fn test(test: TextTest, is_case_sensitive: bool, left: &Value, right: &Value) -> Result<Typed> {
    let Some(needle) = right.text()? else { return Ok(logic::constant(false)) };
    let mut parts = Vec::new();
    for variant in &left.variants {
        let may_be_array = test == TextTest::Contains && matches!(variant.kind, Type::Array | Type::Dynamic);
        if may_be_array {
            let arguments = vec![variant.clone(), needle.clone()];
            let call = Typed::call("contains", Type::Boolean, arguments, elements(is_case_sensitive))?;
            parts.push(logic::known(call)?);
        }
        let text = match variant.kind {
            Type::Array if may_be_array => continue,
            Type::Dynamic if may_be_array => convert::to_text_unless_array(variant.clone())?,
            _ => convert::to_text(variant.clone())?,
        };
        let run = kernel(test, is_case_sensitive, &needle);
        let search = literal_text(&needle).filter(|_| variant.kind == Type::String);
        let search = search.and_then(|needle| Search::new(test, is_case_sensitive, needle));
        let call = Typed::call(name(test), Type::Boolean, vec![text, needle.clone()], run)?;
        parts.push(logic::known(call.with_search(search))?);
    }
    Ok(if parts.is_empty() { logic::constant(false) } else { Typed::any(parts) })
}
