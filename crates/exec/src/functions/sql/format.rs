//! The text of a statement that a map of its parts stands for, on one line with keywords in lower case. What is no such
//! map gives none.

use serde_json::Value as Json;

use super::words::is_reserved;

pub(super) fn statement(parts: &Json, text: &mut String) -> Option<()> {
    match parts.get("statement")?.as_str()? {
        "select" => select(parts, text),
        "insert" => insert(parts, text),
        "update" => {
            text.push_str("update ");
            name(parts.get("table")?, text)?;
            text.push_str(" set ");
            list(parts.get("set")?, text, |set, text| {
                name(set.get("colname")?, text)?;
                text.push_str(" = ");
                expression(set.get("expr")?, text, 0)
            })?;
            tail(parts, text)
        }
        "delete" => {
            text.push_str("delete from ");
            list(parts.get("from")?, text, table)?;
            tail(parts, text)
        }
        _ => None,
    }
}

fn select(parts: &Json, text: &mut String) -> Option<()> {
    text.push_str("select ");
    if is_set(parts, "distinct") {
        text.push_str("distinct ");
    }
    list(parts.get("columns")?, text, |column, text| {
        expression(column, text, 0)?;
        alias(column, text)
    })?;
    if let Some(from) = parts.get("from") {
        text.push_str(" from ");
        for (place, source) in from.as_array()?.iter().enumerate() {
            match source.get("join") {
                Some(join) if place > 0 => joined(source, join.as_str()?, text)?,
                _ => {
                    text.push_str(if place > 0 { ", " } else { "" });
                    table(source, text)?;
                }
            }
        }
    }
    tail(parts, text)
}

fn joined(source: &Json, join: &str, text: &mut String) -> Option<()> {
    text.push_str(match join {
        "inner" => " join ",
        "left" => " left join ",
        "right" => " right join ",
        "full" => " full join ",
        "cross" => " cross join ",
        _ => return None,
    });
    table(source, text)?;
    if let Some(on) = source.get("on") {
        text.push_str(" on ");
        expression(on, text, 0)?;
    } else if let Some(using) = source.get("using") {
        text.push_str(" using (");
        list(using, text, name)?;
        text.push(')');
    }
    Some(())
}

fn insert(parts: &Json, text: &mut String) -> Option<()> {
    text.push_str("insert into ");
    name(parts.get("table")?, text)?;
    if let Some(columns) = parts.get("columns") {
        text.push_str(" (");
        list(columns, text, |column, text| name(column.get("colname")?, text))?;
        text.push(')');
    }
    match parts.get("values") {
        Some(rows) => {
            text.push_str(" values ");
            list(rows, text, |row, text| {
                text.push('(');
                list(row, text, |value, text| expression(value, text, 0))?;
                text.push(')');
                Some(())
            })
        }
        None => {
            text.push(' ');
            select(parts.get("select")?, text)
        }
    }
}

/// The clauses that follow what a statement is about.
fn tail(parts: &Json, text: &mut String) -> Option<()> {
    for (part, keyword) in [("where", " where "), ("group", " group by "), ("having", " having ")] {
        let Some(found) = parts.get(part) else { continue };
        text.push_str(keyword);
        match found {
            Json::Array(_) => list(found, text, |item, text| expression(item, text, 0))?,
            _ => expression(found, text, 0)?,
        }
    }
    if let Some(orders) = parts.get("order") {
        text.push_str(" order by ");
        list(orders, text, |order, text| {
            expression(order.get("expr")?, text, 0)?;
            if order.get("direction").and_then(Json::as_str) == Some("desc") {
                text.push_str(" desc");
            }
            Some(())
        })?;
    }
    for (part, keyword) in [("limit", " limit "), ("offset", " offset ")] {
        if let Some(found) = parts.get(part) {
            text.push_str(keyword);
            expression(found, text, 0)?;
        }
    }
    Some(())
}

fn table(source: &Json, text: &mut String) -> Option<()> {
    match source.get("select") {
        Some(inner) => enclosed(inner, text)?,
        None => name(source.get("table")?, text)?,
    }
    alias(source, text)
}

fn alias(of: &Json, text: &mut String) -> Option<()> {
    if let Some(alias) = of.get("alias") {
        text.push_str(" as ");
        name(alias, text)?;
    }
    Some(())
}

fn enclosed(inner: &Json, text: &mut String) -> Option<()> {
    text.push('(');
    select(inner, text)?;
    text.push(')');
    Some(())
}

/// How tightly an operator binds.
fn strength(operator: &str) -> u8 {
    match operator {
        "or" => 1,
        "and" => 2,
        "not" => 3,
        "+" | "-" | "||" => 5,
        "*" | "/" | "%" => 6,
        _ => 4,
    }
}

/// An expression, in parentheses where it binds less than what it stands in.
fn expression(of: &Json, text: &mut String, outer: u8) -> Option<()> {
    if let Some(operator) = of.get("operator") {
        let operator = operator.as_str()?;
        let (own, parameters) = (strength(operator), of.get("params")?.as_array()?);
        let is_enclosed = own < outer;
        text.push_str(if is_enclosed { "(" } else { "" });
        operation(operator, parameters, own, text)?;
        text.push_str(if is_enclosed { ")" } else { "" });
        return Some(());
    }
    if let Some(value) = of.get("value") {
        let value = value.as_str()?;
        match of.get("valtype").and_then(Json::as_str) {
            Some("string") => quoted(value, '\'', text),
            _ => text.push_str(value),
        }
        return Some(());
    }
    if let Some(function) = of.get("function") {
        name(function, text)?;
        text.push_str(if is_set(of, "distinct") { "(distinct " } else { "(" });
        list(of.get("params")?, text, |parameter, text| expression(parameter, text, 0))?;
        text.push(')');
        return Some(());
    }
    if let Some(inner) = of.get("select") {
        return enclosed(inner, text);
    }
    if let Some(table) = of.get("table") {
        name(table, text)?;
        text.push('.');
    }
    name(of.get("colname")?, text)
}

fn operation(operator: &str, parameters: &[Json], own: u8, text: &mut String) -> Option<()> {
    match (operator, parameters) {
        ("not" | "exists", [of]) => {
            text.push_str(operator);
            text.push(' ');
            expression(of, text, own)
        }
        ("-", [of]) => {
            // Two signs without a parenthesis between them would begin a comment.
            text.push_str("-(");
            expression(of, text, 0)?;
            text.push(')');
            Some(())
        }
        ("is null" | "is not null", [of]) => {
            expression(of, text, own + 1)?;
            text.push(' ');
            text.push_str(operator);
            Some(())
        }
        ("between" | "not between", [of, low, high]) => {
            expression(of, text, own + 1)?;
            text.push(' ');
            text.push_str(operator);
            text.push(' ');
            expression(low, text, own + 1)?;
            text.push_str(" and ");
            expression(high, text, own + 1)
        }
        ("in" | "not in", [of, members]) => {
            expression(of, text, own + 1)?;
            text.push(' ');
            text.push_str(operator);
            text.push(' ');
            match members.get("list") {
                Some(members) => {
                    text.push('(');
                    list(members, text, |member, text| expression(member, text, 0))?;
                    text.push(')');
                    Some(())
                }
                None => enclosed(members.get("select")?, text),
            }
        }
        (_, [first, others @ ..]) if !others.is_empty() => {
            // A comparison does not stand beside another without parentheses, and without them the same operator
            // would make one operation of both.
            let is_same = first.get("operator").and_then(Json::as_str) == Some(operator);
            expression(first, text, if own == 4 || is_same { own + 1 } else { own })?;
            for other in others {
                text.push(' ');
                text.push_str(operator);
                text.push(' ');
                expression(other, text, own + 1)?;
            }
            Some(())
        }
        _ => None,
    }
}

fn list(
    items: &Json,
    text: &mut String,
    mut write: impl FnMut(&Json, &mut String) -> Option<()>,
) -> Option<()> {
    for (place, item) in items.as_array()?.iter().enumerate() {
        text.push_str(if place > 0 { ", " } else { "" });
        write(item, text)?;
    }
    Some(())
}

/// A name, or several with dots between them, in quotes where it is no plain word.
fn name(of: &Json, text: &mut String) -> Option<()> {
    let name = of.as_str()?;
    let is_word = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
            && !is_reserved(part)
    };
    if name == "*" || name.split('.').all(is_word) {
        text.push_str(name);
    } else {
        quoted(name, '"', text);
    }
    Some(())
}

fn quoted(inner: &str, quote: char, text: &mut String) {
    text.push(quote);
    for character in inner.chars() {
        text.push(character);
        if character == quote {
            text.push(quote);
        }
    }
    text.push(quote);
}

fn is_set(of: &Json, part: &str) -> bool {
    of.get(part).and_then(Json::as_bool) == Some(true)
}
