//! Expressions: typed, over the columns of a scan, one array at a time. A column that comes as
//! codes is computed once for each different value. Names and the choice of types are settled before.

mod allowance;
mod bits;
mod codes;
mod input;
mod picked;
mod searches;
mod values;
mod written;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use tidegauge_lang::tree::{BinaryOperator, Type};

pub use allowance::{Allowance, At, Loan, Room};
pub use codes::Codes;
pub use input::{Input, Rows};
pub use picked::Picked;
pub use values::Values;

use crate::error::{Result, invalid};
use crate::search::Search;

/// An expression whose type is known.
#[derive(Clone, Debug)]
pub struct Typed {
    pub kind: Type,
    pub node: Arc<Node>,
    /// How many parts it is computed of, each as often as it is computed.
    pub weight: usize,
}

pub enum Node {
    /// A column of the scan, by its place among the scan's inputs.
    Input(usize),
    /// One value for all rows, as an array of one.
    Literal(ArrayRef),
    Call {
        name: &'static str,
        run: Kernel,
        arguments: Vec<Typed>,
        /// Whether rows with the same arguments may have different values, so that each is computed for itself.
        is_per_row: bool,
        /// What it asks of the text that is its first argument, where templates can answer it.
        search: Option<Arc<Search>>,
    },
    And(Vec<Typed>),
    Or(Vec<Typed>),
    /// What several others are parts of: computed once for the rows at hand.
    Shared(Typed),
}

/// How many parts an expression may be computed of, each as often as it is computed.
const WEIGHT_MAX: usize = 200_000;

/// What a call whose values differ from row to row weighs.
const PER_ROW_WEIGHT: usize = 5_000;

/// Computes the values of all rows from those of the arguments.
pub type Kernel = Arc<dyn Fn(&[Values], At<'_>) -> Result<ArrayRef> + Send + Sync>;

impl Typed {
    pub fn input(kind: Type, place: usize) -> Self {
        Self { kind, node: Arc::new(Node::Input(place)), weight: 1 }
    }

    pub fn literal(kind: Type, value: ArrayRef) -> Self {
        Self { kind, node: Arc::new(Node::Literal(value)), weight: 1 }
    }

    /// A call, computed at once where all arguments are literals.
    pub fn call(name: &'static str, kind: Type, arguments: Vec<Self>, run: Kernel) -> Result<Self> {
        let literals: Option<Vec<Values>> =
            arguments.iter().map(|argument| argument.as_literal().cloned().map(Values::Scalar)).collect();
        if let Some(literals) = literals {
            return Ok(Self::literal(kind, run(&literals, At::ONE)?));
        }
        let weight = weight(&arguments);
        if weight > WEIGHT_MAX {
            let message = "this is computed of too many parts: compute some of them in a stage before";
            return Err(invalid(tidegauge_lang::Span::default(), message));
        }
        let node = Arc::new(Node::Call { name, run, arguments, is_per_row: false, search: None });
        Ok(Self { kind, node, weight })
    }

    /// A call whose values differ from row to row whatever the arguments are.
    pub fn call_per_row(name: &'static str, kind: Type, arguments: Vec<Self>, run: Kernel) -> Self {
        // As heavy as what is computed once and then kept: drawn again it would be another value.
        let weight = PER_ROW_WEIGHT;
        Self {
            kind,
            node: Arc::new(Node::Call { name, run, arguments, is_per_row: true, search: None }),
            weight,
        }
    }

    /// The same, with what it asks of the text that is its first argument.
    pub fn with_search(self, asked: Option<Search>) -> Self {
        let Node::Call { name, run, arguments, is_per_row, .. } = &*self.node else { return self };
        let (name, run, is_per_row) = (*name, Arc::clone(run), *is_per_row);
        let (arguments, search) = (arguments.clone(), asked.map(Arc::new));
        let node = Arc::new(Node::Call { name, run, arguments, is_per_row, search });
        Self { kind: self.kind, weight: self.weight, node }
    }

    /// The same, computed once for the rows at hand however many others use it.
    pub fn shared(self) -> Self {
        if self.as_literal().is_some() {
            return self;
        }
        Self { kind: self.kind, weight: self.weight, node: Arc::new(Node::Shared(self)) }
    }

    /// True where all are true. Without any, true.
    pub fn all(parts: Vec<Self>) -> Self {
        Self::joined(parts, Node::And)
    }

    /// True where one is true.
    pub fn any(parts: Vec<Self>) -> Self {
        Self::joined(parts, Node::Or)
    }

    fn joined(mut parts: Vec<Self>, join: fn(Vec<Self>) -> Node) -> Self {
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                parts.extend(last);
                let weight = weight(&parts);
                Self { kind: Type::Boolean, node: Arc::new(join(parts)), weight }
            }
        }
    }

    pub fn as_literal(&self) -> Option<&ArrayRef> {
        match &*self.node {
            Node::Literal(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_input(&self) -> Option<usize> {
        match &*self.node {
            Node::Input(place) => Some(*place),
            _ => None,
        }
    }

    /// Whether another expression is this very one, or reads the same column.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_same_input = self.as_input().is_some() && self.as_input() == other.as_input();
        self.kind == other.kind && (Arc::ptr_eq(&self.node, &other.node) || is_same_input)
    }

    /// The parts that must all be true, of a condition.
    pub fn conjuncts(&self) -> Vec<Self> {
        match &*self.node {
            Node::And(parts) => parts.iter().flat_map(Self::conjuncts).collect(),
            _ => vec![self.clone()],
        }
    }

    /// The parts of which one must be true, of a condition; one where it has none.
    pub fn disjuncts(&self) -> Vec<Self> {
        match &*self.node {
            Node::Or(parts) => parts.iter().flat_map(Self::disjuncts).collect(),
            _ => vec![self.clone()],
        }
    }

    /// The bound that a comparison with a time in the query sets, where what is compared is one of the wanted.
    pub fn bound(&self, is_wanted: impl Fn(&Self) -> bool) -> Option<(BinaryOperator, i64)> {
        use BinaryOperator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        let Node::Call { name, arguments, .. } = &*self.node else { return None };
        let [left, right] = arguments.as_slice() else { return None };
        let operator = match *name {
            "==" => Equal,
            "<" => Less,
            "<=" => LessOrEqual,
            ">" => Greater,
            ">=" => GreaterOrEqual,
            // A condition that is false where it is unknown says the same of what it is true for.
            _ => return None,
        };
        let time = |of: &Self| {
            let literal = of.as_literal().filter(|literal| literal.is_valid(0))?;
            literal.as_primitive_opt::<Int64Type>().map(|times| times.value(0))
        };
        if is_wanted(left) {
            return Some((operator, time(right)?));
        }
        let turned = match operator {
            Less => Greater,
            LessOrEqual => GreaterOrEqual,
            Greater => Less,
            GreaterOrEqual => LessOrEqual,
            other => other,
        };
        is_wanted(right).then(|| Some((turned, time(left)?))).flatten()
    }

    /// About what it costs for a row, to compare expressions by.
    pub fn cost(&self) -> usize {
        match &*self.node {
            Node::Input(_) => {
                if matches!(self.kind, Type::Boolean | Type::Integer | Type::Float | Type::Datetime) {
                    1
                } else {
                    4
                }
            }
            Node::Literal(_) => 0,
            Node::Call { name, arguments, .. } => {
                let own = match *name {
                    "matches regex" => 100,
                    "contains" | "has" | "hasprefix" | "hassuffix" | "member" => 40,
                    _ => 1,
                };
                own + arguments.iter().map(Self::cost).sum::<usize>()
            }
            Node::And(parts) | Node::Or(parts) => parts.iter().map(Self::cost).sum(),
            Node::Shared(of) => of.cost(),
        }
    }

    /// Which inputs it reads, ascending, each once.
    pub fn inputs(&self) -> Vec<usize> {
        Self::inputs_of([self])
    }

    /// Which inputs several of them read, ascending, each once.
    pub fn inputs_of<'a>(expressions: impl IntoIterator<Item = &'a Self>) -> Vec<usize> {
        let mut places = Vec::new();
        for expression in expressions {
            expression.visit_inputs(&mut |place| places.push(place));
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    fn visit_inputs(&self, visit: &mut dyn FnMut(usize)) {
        match &*self.node {
            Node::Input(place) => visit(*place),
            Node::Literal(_) => {}
            Node::Call { arguments: parts, .. } | Node::And(parts) | Node::Or(parts) => {
                parts.iter().for_each(|part| part.visit_inputs(visit));
            }
            Node::Shared(of) => of.visit_inputs(visit),
        }
    }

    /// Computes its values for these rows.
    pub fn evaluate(&self, rows: &Rows<'_>) -> Result<Values> {
        match &*self.node {
            Node::Input(place) => rows.values(*place),
            Node::Literal(value) => Ok(Values::Scalar(Arc::clone(value))),
            Node::Shared(of) => rows.shared(&self.node, || of.evaluate(rows)),
            _ => match self.single_coded(rows) {
                Some(place) => self.evaluate_by_code(rows, place),
                None => self.compute(rows),
            },
        }
    }

    /// The only input, where it comes as codes of clearly fewer values than rows.
    fn single_coded(&self, rows: &Rows<'_>) -> Option<usize> {
        if self.is_part() {
            return None;
        }
        let inputs = self.inputs();
        let [place] = inputs[..] else { return None };
        let distinct = rows.distinct(place).filter(|distinct| distinct * 2 < rows.count);
        distinct.filter(|_| !self.is_per_row()).map(|_| place)
    }

    /// Whether rows with the same inputs may have different values.
    pub fn is_per_row(&self) -> bool {
        match &*self.node {
            Node::Input(_) | Node::Literal(_) => false,
            Node::Call { is_per_row: true, .. } => true,
            Node::Call { arguments: parts, .. } | Node::And(parts) | Node::Or(parts) => {
                parts.iter().any(Self::is_per_row)
            }
            Node::Shared(of) => of.is_per_row(),
        }
    }

    /// Whether it only takes a part of what is shared, which costs nothing.
    fn is_part(&self) -> bool {
        let Node::Call { arguments, .. } = &*self.node else { return false };
        arguments.iter().any(|argument| matches!(&*argument.node, Node::Shared(_)))
    }

    fn evaluate_by_code(&self, rows: &Rows<'_>, place: usize) -> Result<Values> {
        let Some((of_codes, distinct)) = rows.by_code(place) else { return self.compute(rows) };
        let inputs = of_codes.as_inputs(place);
        let values = self.compute(&rows.of_values(&inputs, distinct))?;
        match values {
            Values::Scalar(value) => Ok(Values::Scalar(value)),
            Values::Array(array) => rows.spread(place, &array).map(Values::Array),
        }
    }

    fn compute(&self, rows: &Rows<'_>) -> Result<Values> {
        match &*self.node {
            Node::Input(place) => rows.values(*place),
            Node::Literal(value) => Ok(Values::Scalar(Arc::clone(value))),
            Node::Call { run, arguments, is_per_row, .. } => {
                let values = arguments
                    .iter()
                    .map(|argument| argument.evaluate(rows))
                    .collect::<Result<Vec<Values>>>()?;
                if !is_per_row && values.iter().all(|value| matches!(value, Values::Scalar(_))) {
                    return Ok(Values::Scalar(run(&values, At { rows: 1, ..rows.at() })?));
                }
                run(&values, rows.at()).map(Values::Array)
            }
            Node::And(parts) => joined(parts, rows, true),
            Node::Or(parts) => joined(parts, rows, false),
            Node::Shared(of) => rows.shared(&self.node, || of.evaluate(rows)),
        }
    }

    /// Which rows it is true for.
    pub fn is_true(&self, rows: &Rows<'_>) -> Result<BooleanBuffer> {
        let values = self.evaluate(rows)?;
        Ok(match &values {
            Values::Scalar(value) => {
                let is_true = value.is_valid(0) && value.as_boolean().value(0);
                if is_true {
                    BooleanBuffer::new_set(rows.count)
                } else {
                    BooleanBuffer::new_unset(rows.count)
                }
            }
            Values::Array(array) => true_bits(array.as_boolean()),
        })
    }
}

fn weight(parts: &[Typed]) -> usize {
    parts.iter().fold(1, |sum, part| sum.saturating_add(part.weight))
}

/// Which rows are true; null is not.
#[inline]
pub fn true_bits(array: &BooleanArray) -> BooleanBuffer {
    match array.nulls() {
        Some(nulls) => array.values() & nulls.inner(),
        None => array.values().clone(),
    }
}

/// `and` and `or` with three values: unknown stays unknown unless another part decides.
fn joined(parts: &[Typed], rows: &Rows<'_>, is_and: bool) -> Result<Values> {
    let mut so_far: Option<BooleanArray> = None;
    for part in parts {
        let values = part.evaluate(rows)?.into_array(rows.count)?;
        let array = values.as_boolean();
        let next = match so_far {
            None => array.clone(),
            Some(before) if is_and => arrow_arith::boolean::and_kleene(&before, array)?,
            Some(before) => arrow_arith::boolean::or_kleene(&before, array)?,
        };
        let is_decided = next.null_count() == 0
            && if is_and { next.true_count() == 0 } else { next.true_count() == next.len() };
        so_far = Some(next);
        if is_decided {
            break;
        }
    }
    let neutral = || BooleanArray::new(BooleanBuffer::new_set(rows.count), None);
    Ok(Values::Array(Arc::new(so_far.unwrap_or_else(neutral))))
}
