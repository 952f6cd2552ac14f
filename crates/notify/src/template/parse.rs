//! Words to a tree: conditions with their branches, and expressions with names that are known.

use super::cut::{Kind, Mistake, Piece, Word, cut, mistake};
use super::tree::{DEPTH_MAX, Expression, FUNCTIONS, Function, Node, VARIABLES};

pub(super) fn parse(text: &str) -> Result<Vec<Node>, Mistake> {
    let pieces = cut(text)?;
    let mut parser = Parser { text, pieces: &pieces, place: 0 };
    let (nodes, end) = parser.nodes(0)?;
    match end {
        None => Ok(nodes),
        Some(end) => Err(mistake(text, end.at, format!("{} belongs to no if", end.word))),
    }
}

struct Parser<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    place: usize,
}

/// What ended a row of nodes: `else` with what follows it, or `end`.
struct End<'a> {
    at: usize,
    word: &'static str,
    rest: &'a [Word],
}

impl<'a> Parser<'a> {
    fn nodes(&mut self, depth: usize) -> Result<(Vec<Node>, Option<End<'a>>), Mistake> {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.get(self.place) {
            self.place += 1;
            let (words, at) = match piece {
                Piece::Text(text) => {
                    nodes.push(Node::Text(text.clone()));
                    continue;
                }
                Piece::Action(words, at) => (words.as_slice(), *at),
            };
            match words {
                [] => return Err(mistake(self.text, at, "there is nothing between the braces")),
                [Word { kind: Kind::Name(name), at }, rest @ ..] => match name.as_str() {
                    "if" => nodes.push(self.condition(rest, *at, depth + 1)?),
                    "else" => return Ok((nodes, Some(End { at: *at, word: "else", rest }))),
                    "end" => return Ok((nodes, Some(End { at: *at, word: "end", rest }))),
                    "range" | "with" | "define" | "template" | "block" | "break" | "continue" => {
                        let problem = format!("{name} is not supported; there are if, else and end");
                        return Err(mistake(self.text, *at, problem));
                    }
                    _ => nodes.push(Node::Print(self.expression(words, *at)?)),
                },
                [first, ..] => nodes.push(Node::Print(self.expression(words, first.at)?)),
            }
        }
        Ok((nodes, None))
    }

    /// What follows an `if`, up to its `end`.
    fn condition(&mut self, words: &'a [Word], at: usize, depth: usize) -> Result<Node, Mistake> {
        if depth > DEPTH_MAX {
            let problem = format!("conditions stand in each other more than {DEPTH_MAX} deep");
            return Err(mistake(self.text, at, problem));
        }
        let mut branches = Vec::new();
        let mut condition = self.expression(words, at)?;
        loop {
            let (nodes, end) = self.nodes(depth)?;
            branches.push((condition, nodes));
            let end = end.ok_or_else(|| mistake(self.text, at, "the if has no end"))?;
            match (end.word, end.rest) {
                ("end", []) => return Ok(Node::If { branches, otherwise: Vec::new() }),
                ("else", []) => {
                    let (otherwise, end) = self.nodes(depth)?;
                    return match end {
                        Some(End { word: "end", rest: [], .. }) => Ok(Node::If { branches, otherwise }),
                        Some(end) => Err(mistake(self.text, end.at, "after else comes end")),
                        None => Err(mistake(self.text, at, "the if has no end")),
                    };
                }
                ("else", [Word { kind: Kind::Name(name), at }, rest @ ..]) if name == "if" => {
                    condition = self.expression(rest, *at)?;
                }
                (word, [first, ..]) => {
                    return Err(mistake(self.text, first.at, format!("nothing follows {word} here")));
                }
                (word, []) => return Err(mistake(self.text, end.at, format!("{word} is not expected here"))),
            }
        }
    }

    /// A whole row of words as one expression.
    fn expression(&self, words: &[Word], at: usize) -> Result<Expression, Mistake> {
        let mut reader = Reader { text: self.text, words, place: 0, end: at };
        let expression = reader.pipeline(0)?;
        match reader.words.get(reader.place) {
            None => Ok(expression),
            Some(word) => Err(mistake(self.text, word.at, "the parenthesis closes nothing")),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    words: &'a [Word],
    place: usize,
    /// Where something is missed if there are no more words.
    end: usize,
}

impl Reader<'_> {
    /// Commands with pipes between them: each gets the result of the one before as its last argument.
    fn pipeline(&mut self, depth: usize) -> Result<Expression, Mistake> {
        let mut result = self.command(None, depth)?;
        while let Some(Word { kind: Kind::Pipe, .. }) = self.words.get(self.place) {
            self.place += 1;
            result = self.command(Some(result), depth)?;
        }
        Ok(result)
    }

    fn command(&mut self, piped: Option<Expression>, depth: usize) -> Result<Expression, Mistake> {
        let Some(word) = self.words.get(self.place) else {
            return Err(mistake(self.text, self.end, "a value is missing"));
        };
        if let Kind::Name(name) = &word.kind
            && let Some((name, function, least, most)) = FUNCTIONS.iter().find(|(known, ..)| known == name)
        {
            self.place += 1;
            let mut arguments = self.operands(depth)?;
            arguments.extend(piped);
            if !(*least..=*most).contains(&arguments.len()) {
                let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
                let problem = format!("{name} takes {wanted} values, not {}", arguments.len());
                return Err(mistake(self.text, word.at, problem));
            }
            return Ok(Expression::Call(*function, arguments));
        }
        let mut operands = self.operands(depth)?;
        match (operands.len(), piped) {
            (1, None) => Ok(operands.remove(0)),
            (0, _) => Err(mistake(self.text, word.at, "a value is missing")),
            (_, Some(_)) => Err(mistake(self.text, word.at, "a pipe leads to a function")),
            (_, None) => Err(mistake(self.text, word.at, "only a function is followed by values")),
        }
    }

    /// Values side by side, up to a pipe, a closing parenthesis or the end.
    fn operands(&mut self, depth: usize) -> Result<Vec<Expression>, Mistake> {
        let mut operands = Vec::new();
        while let Some(word) = self.words.get(self.place) {
            let operand = match &word.kind {
                Kind::Pipe | Kind::Close => break,
                Kind::Open => {
                    if depth >= DEPTH_MAX {
                        let problem = format!("parentheses stand in each other more than {DEPTH_MAX} deep");
                        return Err(mistake(self.text, word.at, problem));
                    }
                    self.place += 1;
                    let inner = self.pipeline(depth + 1)?;
                    match self.words.get(self.place) {
                        Some(Word { kind: Kind::Close, .. }) => inner,
                        _ => return Err(mistake(self.text, word.at, "the parenthesis is not closed")),
                    }
                }
                Kind::Text(text) => Expression::Text(text.clone()),
                Kind::Number(number) => Expression::Number(*number),
                Kind::Field(name) => self.variable(name, word.at)?,
                Kind::Name(name) => self.constant(name, word.at)?,
            };
            operands.push(operand);
            self.place += 1;
        }
        Ok(operands)
    }

    fn variable(&self, name: &str, at: usize) -> Result<Expression, Mistake> {
        match VARIABLES.iter().find(|(known, _)| *known == name) {
            Some((_, variable)) => Ok(Expression::Variable(*variable)),
            None => {
                let known: Vec<&str> = VARIABLES.iter().map(|(known, _)| *known).collect();
                let problem = format!("there is no variable .{name}; there are .{}", known.join(", ."));
                Err(mistake(self.text, at, problem))
            }
        }
    }

    fn constant(&self, name: &str, at: usize) -> Result<Expression, Mistake> {
        match name {
            "true" => Ok(Expression::Flag(true)),
            "false" => Ok(Expression::Flag(false)),
            "nil" => Ok(Expression::Nothing),
            _ if FUNCTIONS.iter().any(|(known, ..)| *known == name) => {
                let problem = format!("put {name} and its values in parentheses");
                Err(mistake(self.text, at, problem))
            }
            _ => {
                let known: Vec<&str> =
                    FUNCTIONS.iter().map(|(known, _, _, _): &(&str, Function, _, _)| *known).collect();
                let problem = format!("there is no function {name}; there are {}", known.join(", "));
                Err(mistake(self.text, at, problem))
            }
        }
    }
}
