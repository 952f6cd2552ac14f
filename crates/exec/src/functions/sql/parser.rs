//! Statements as maps of their parts: select, insert, update and delete. Expressions are left to `expressions`. What
//! cannot be read, such as common tables and windows, gives none.

use serde_json::{Map, Value as Json, json};

use super::lexer::{Token, tokens};
use super::words::is_reserved;

/// How deep expressions and statements may lie in each other.
const DEPTH_MAX: usize = 32;

/// How deep the map of a statement may be, so that other functions can read it.
const MAP_DEPTH_MAX: usize = 100;

/// The longest statement that is read, in bytes.
const LENGTH_MAX: usize = 64 << 10;

pub(super) struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    /// How many operations lie in each other without parentheses.
    links: usize,
}

/// The parts of one statement.
pub(super) fn parse(source: &str) -> Option<Json> {
    if source.len() > LENGTH_MAX {
        return None;
    }
    let mut parser = Parser { tokens: tokens(source)?, at: 0, depth: 0, links: 0 };
    let statement = if parser.takes("insert") {
        parser.insert()?
    } else if parser.takes("update") {
        parser.update()?
    } else if parser.takes("delete") {
        parser.delete()?
    } else {
        parser.select()?
    };
    while parser.sign(";") {}
    let statement = Json::Object(statement);
    (parser.at == parser.tokens.len() && depth(&statement) <= MAP_DEPTH_MAX).then_some(statement)
}

fn depth(of: &Json) -> usize {
    match of {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(parts) => 1 + parts.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<&Token<'_>> {
        self.tokens.get(self.at)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word))
    }

    /// Whether the word comes next, which is then behind.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        self.at += usize::from(is_next);
        is_next
    }

    /// Whether all of the words come next, one behind the other.
    fn takes_all(&mut self, words: &[&str]) -> bool {
        let before = self.at;
        let are_next = words.iter().all(|word| self.takes(word));
        if !are_next {
            self.at = before;
        }
        are_next
    }

    pub(super) fn sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(is_next);
        is_next
    }

    /// Runs one level deeper; none where it is too deep.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Counts an operation that lies in another one.
    pub(super) fn link(&mut self) -> Option<()> {
        self.links += 1;
        (self.links <= MAP_DEPTH_MAX).then_some(())
    }

    pub(super) fn name(&mut self) -> Option<String> {
        let name = match self.peek()? {
            Token::Word(word) if !is_reserved(word) => (*word).to_owned(),
            Token::Name(name) => name.clone(),
            _ => return None,
        };
        self.advance();
        Some(name)
    }

    /// Things with commas between them.
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = vec![read(self)?];
        while self.sign(",") {
            list.push(read(self)?);
        }
        Some(list)
    }

    /// A list in parentheses.
    fn enclosed<T>(&mut self, read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let list = if self.sign("(") { self.list(read)? } else { return None };
        self.sign(")").then_some(list)
    }

    pub(super) fn select(&mut self) -> Option<Map<String, Json>> {
        self.deeper(|parser| {
            if !parser.takes("select") {
                return None;
            }
            let mut parts = begun("select");
            if parser.takes("distinct") {
                parts.insert("distinct".to_owned(), true.into());
            }
            parts.insert("columns".to_owned(), parser.list(Self::column)?.into());
            if parser.takes("from") {
                parts.insert("from".to_owned(), parser.tables()?.into());
            }
            parser.where_(&mut parts)?;
            if parser.takes_all(&["group", "by"]) {
                parts.insert("group".to_owned(), parser.list(Self::expression)?.into());
            }
            if parser.takes("having") {
                parts.insert("having".to_owned(), parser.expression()?);
            }
            parser.order_and_limit(&mut parts)?;
            Some(parts)
        })
    }

    /// An expression, or all columns, with the name that it is given.
    fn column(&mut self) -> Option<Json> {
        let mut column = if self.sign("*") { json!({ "colname": "*" }) } else { self.expression()? };
        self.alias(&mut column)?;
        Some(column)
    }

    fn alias(&mut self, of: &mut Json) -> Option<()> {
        let is_named = self.takes("as");
        match self.name() {
            Some(name) => of["alias"] = name.into(),
            None if is_named => return None,
            None => {}
        }
        Some(())
    }

    fn tables(&mut self) -> Option<Vec<Json>> {
        let mut tables = vec![self.table()?];
        loop {
            let join = if self.sign(",") {
                tables.push(self.table()?);
                continue;
            } else if let Some(join) = self.join() {
                join
            } else {
                return Some(tables);
            };
            let mut table = self.table()?;
            table["join"] = join.into();
            if self.takes("on") {
                table["on"] = self.expression()?;
            } else if self.takes("using") {
                table["using"] = self.enclosed(Self::name)?.into();
            }
            tables.push(table);
        }
    }

    /// How the next table is joined, if it is.
    fn join(&mut self) -> Option<&'static str> {
        for kind in ["left", "right", "full"] {
            if self.takes_all(&[kind, "outer", "join"]) || self.takes_all(&[kind, "join"]) {
                return Some(kind);
            }
        }
        if self.takes_all(&["cross", "join"]) {
            return Some("cross");
        }
        (self.takes_all(&["inner", "join"]) || self.takes("join")).then_some("inner")
    }

    /// A table by its name, with the schema in front, or a statement that makes one.
    fn table(&mut self) -> Option<Json> {
        let mut table = if self.sign("(") {
            let select = self.select()?;
            self.sign(")").then(|| json!({ "select": select }))?
        } else {
            json!({ "table": self.path()? })
        };
        self.alias(&mut table)?;
        Some(table)
    }

    /// Names with dots between them.
    fn path(&mut self) -> Option<String> {
        let mut path = self.name()?;
        while self.sign(".") {
            path.push('.');
            path.push_str(&self.name()?);
        }
        Some(path)
    }

    fn where_(&mut self, parts: &mut Map<String, Json>) -> Option<()> {
        if self.takes("where") {
            parts.insert("where".to_owned(), self.expression()?);
        }
        Some(())
    }

    fn order_and_limit(&mut self, parts: &mut Map<String, Json>) -> Option<()> {
        if self.takes_all(&["order", "by"]) {
            let orders = self.list(|parser| {
                let expression = parser.expression()?;
                let is_descending = parser.takes("desc");
                if !is_descending {
                    parser.takes("asc");
                }
                Some(json!({ "direction": if is_descending { "desc" } else { "asc" }, "expr": expression }))
            })?;
            parts.insert("order".to_owned(), orders.into());
        }
        for clause in ["limit", "offset"] {
            if self.takes(clause) {
                parts.insert(clause.to_owned(), self.expression()?);
            }
        }
        Some(())
    }

    fn insert(&mut self) -> Option<Map<String, Json>> {
        let mut parts = begun("insert");
        if !self.takes("into") {
            return None;
        }
        parts.insert("table".to_owned(), self.path()?.into());
        if matches!(self.peek(), Some(Token::Sign("("))) {
            let columns = self.enclosed(|parser| parser.name().map(|name| json!({ "colname": name })))?;
            parts.insert("columns".to_owned(), columns.into());
        }
        if self.takes("values") {
            let rows = self.list(|parser| parser.enclosed(Self::expression))?;
            parts.insert("values".to_owned(), rows.into());
        } else {
            parts.insert("select".to_owned(), self.select()?.into());
        }
        Some(parts)
    }

    fn update(&mut self) -> Option<Map<String, Json>> {
        let mut parts = begun("update");
        parts.insert("table".to_owned(), self.path()?.into());
        if !self.takes("set") {
            return None;
        }
        let set = self.list(|parser| {
            let column = parser.path()?;
            if !parser.sign("=") {
                return None;
            }
            Some(json!({ "colname": column, "expr": parser.expression()? }))
        })?;
        parts.insert("set".to_owned(), set.into());
        self.where_(&mut parts)?;
        self.order_and_limit(&mut parts)?;
        Some(parts)
    }

    fn delete(&mut self) -> Option<Map<String, Json>> {
        let mut parts = begun("delete");
        if !self.takes("from") {
            return None;
        }
        parts.insert("from".to_owned(), json!([self.table()?]));
        self.where_(&mut parts)?;
        self.order_and_limit(&mut parts)?;
        Some(parts)
    }
}

fn begun(statement: &str) -> Map<String, Json> {
    Map::from_iter([("statement".to_owned(), statement.into())])
}
