//! Expressions of a statement: operators with their parameters, functions, columns and values.

use serde_json::{Value as Json, json};

use super::lexer::Token;
use super::parser::Parser;

fn operation(operator: &str, parameters: Vec<Json>) -> Json {
    json!({ "operator": operator, "params": parameters })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<Json> {
        self.deeper(|parser| parser.joined("or", |parser| parser.joined("and", Self::negation)))
    }

    /// Parts with a word between them, all of them parameters of one operation.
    fn joined(&mut self, word: &str, mut read: impl FnMut(&mut Self) -> Option<Json>) -> Option<Json> {
        let first = read(self)?;
        if !self.is_word(word) {
            return Some(first);
        }
        let mut parts = vec![first];
        while self.takes(word) {
            parts.push(read(self)?);
        }
        Some(operation(word, parts))
    }

    fn negation(&mut self) -> Option<Json> {
        if self.takes("not") {
            return self.deeper(|parser| Some(operation("not", vec![parser.negation()?])));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Option<Json> {
        let left = self.sum()?;
        for operator in ["=", "<>", "!=", "<=", ">=", "<", ">"] {
            if self.sign(operator) {
                return Some(operation(operator, vec![left, self.sum()?]));
            }
        }
        if self.takes("is") {
            let operator = if self.takes("not") { "is not null" } else { "is null" };
            return self.takes("null").then(|| operation(operator, vec![left]));
        }
        let is_negated = self.takes("not");
        let named = |operator: &str| if is_negated { format!("not {operator}") } else { operator.to_owned() };
        if self.takes("in") {
            return Some(operation(&named("in"), vec![left, self.members()?]));
        }
        if self.takes("between") {
            let low = self.sum()?;
            let high = if self.takes("and") { self.sum()? } else { return None };
            return Some(operation(&named("between"), vec![left, low, high]));
        }
        for operator in ["like", "ilike"] {
            if self.takes(operator) {
                return Some(operation(&named(operator), vec![left, self.sum()?]));
            }
        }
        (!is_negated).then_some(left)
    }

    /// What `in` looks through: a list, or a statement.
    fn members(&mut self) -> Option<Json> {
        if !self.sign("(") {
            return None;
        }
        let members = if self.is_word("select") {
            json!({ "select": self.select()? })
        } else {
            json!({ "list": self.list(Self::expression)? })
        };
        self.sign(")").then_some(members)
    }

    fn sum(&mut self) -> Option<Json> {
        self.chain(&["+", "-", "||"], Self::product)
    }

    fn product(&mut self) -> Option<Json> {
        self.chain(&["*", "/", "%"], Self::operand)
    }

    /// Parts with signs between them. The same sign again adds a parameter to its operation.
    fn chain(&mut self, operators: &[&str], read: fn(&mut Self) -> Option<Json>) -> Option<Json> {
        let mut left = read(self)?;
        let mut last = "";
        while let Some(operator) = operators.iter().find(|operator| self.sign(operator)) {
            let right = read(self)?;
            let same = if last == *operator { left.get_mut("params") } else { None };
            match same.and_then(Json::as_array_mut) {
                Some(parameters) => parameters.push(right),
                None => {
                    self.link()?;
                    left = operation(operator, vec![left, right]);
                }
            }
            last = operator;
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<Json> {
        if self.sign("-") {
            return self.deeper(|parser| {
                let operand = parser.operand()?;
                Some(match operand["value"].as_str().filter(|value| !value.starts_with('-')) {
                    Some(value) if operand["valtype"] == "integer" || operand["valtype"] == "float" => {
                        json!({ "value": format!("-{value}"), "valtype": operand["valtype"] })
                    }
                    _ => operation("-", vec![operand]),
                })
            });
        }
        if self.sign("(") {
            let inner =
                if self.is_word("select") { json!({ "select": self.select()? }) } else { self.expression()? };
            return self.sign(")").then_some(inner);
        }
        let value = |value: &str, kind: &str| json!({ "value": value, "valtype": kind });
        let operand = match self.peek()? {
            Token::Number(number) if number.contains(['.', 'e', 'E']) => value(number, "float"),
            Token::Number(number) => value(number, "integer"),
            Token::Text(text) => value(text, "string"),
            Token::Parameter(name) => value(name, "parameter"),
            Token::Word(word) if word.eq_ignore_ascii_case("null") => value("null", "null"),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => value("true", "boolean"),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => value("false", "boolean"),
            Token::Word(word) if word.eq_ignore_ascii_case("exists") => return self.exists(),
            _ => return self.column_or_function(),
        };
        self.advance();
        Some(operand)
    }

    fn exists(&mut self) -> Option<Json> {
        self.advance();
        if !self.sign("(") {
            return None;
        }
        let select = self.select()?;
        self.sign(")").then(|| operation("exists", vec![json!({ "select": select })]))
    }

    /// A name, with those of its table and schema in front, or a call.
    fn column_or_function(&mut self) -> Option<Json> {
        let mut name = self.name()?;
        if self.sign("(") {
            return self.call(&name);
        }
        let mut table = String::new();
        while self.sign(".") {
            if !table.is_empty() {
                table.push('.');
            }
            table.push_str(&name);
            name = if self.sign("*") { "*".to_owned() } else { self.name()? };
        }
        Some(if table.is_empty() {
            json!({ "colname": name })
        } else {
            json!({ "table": table, "colname": name })
        })
    }

    fn call(&mut self, name: &str) -> Option<Json> {
        let mut call = json!({ "function": name.to_ascii_lowercase() });
        if self.takes("distinct") {
            call["distinct"] = true.into();
        }
        let parameters = if self.sign("*") {
            vec![json!({ "colname": "*" })]
        } else if matches!(self.peek(), Some(Token::Sign(")"))) {
            Vec::new()
        } else {
            self.list(Self::expression)?
        };
        call["params"] = parameters.into();
        // Windows are not read.
        (self.sign(")") && !self.is_word("over")).then_some(call)
    }
}
