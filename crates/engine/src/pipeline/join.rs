//! `join` and `lookup`: rows of two tables whose keys are equal. The right table is read and kept by its keys; the left
//! one goes along it, in its order where it has one, and is never in memory as a whole. Of both only those fields are
//! read that later stages name. How rows find their partners is left to `partners`.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::Schema;
use datafusion_physical_plan::ExecutionPlan;
use hashbrown::HashSet;
use tidegauge_bind::Surroundings;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{convert, logic};
use tidegauge_exec::words::type_names;
use tidegauge_lang::Span;
use tidegauge_lang::tree::{ExprKind, Join, JoinKind, JoinPair, Lookup, LookupKind, Stage, Type};

use super::needed::Needed;
use super::relation::{About, Columns, Relation, column_field, free_name};
use super::rows::one_partition;
use crate::context::QueryContext;
use crate::error::invalid_with;
use crate::leaf::Leaf;
use crate::partners::{Given, Pairing, Partners};
use crate::{Error, Result};

/// How two tables are joined.
struct Joining<'a> {
    on: &'a [JoinPair],
    kind: JoinKind,
    /// Fields of the right table that are not part of the result.
    dropped: Vec<String>,
    /// What later stages read; none is everything.
    needed: Option<Needed>,
}

/// One table of a join: what is given of it, and a plan of that with the keys behind it.
struct Side {
    fields: Vec<(String, Value)>,
    plan: Arc<dyn ExecutionPlan>,
    keys: Range<usize>,
}

/// Fields of a side, each with its name in the result.
type Names = Vec<(String, String)>;

impl QueryContext {
    pub(super) async fn join(
        &self,
        left: Relation,
        join: &Join,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<Relation> {
        let right = self.relation(&join.right, around).await?;
        let (on, kind, needed) = (join.on.as_slice(), join.kind, Needed::of(after));
        self.joined(left, right, Joining { on, kind, dropped: Vec::new(), needed }, around).await
    }

    pub(super) async fn lookup(
        &self,
        left: Relation,
        lookup: &Lookup,
        after: &[Stage],
        around: &Surroundings,
    ) -> Result<Relation> {
        let right = self.relation(&lookup.table, around).await?;
        let kind = match lookup.kind {
            LookupKind::LeftOuter => JoinKind::LeftOuter,
            LookupKind::Inner => JoinKind::Inner,
        };
        let keys = lookup.on.iter().filter_map(|pair| match &pair.right.kind {
            ExprKind::Field(name) => Some(name.clone()),
            _ => None,
        });
        let (on, dropped, needed) = (lookup.on.as_slice(), keys.collect(), Needed::of(after));
        self.joined(left, right, Joining { on, kind, dropped, needed }, around).await
    }

    async fn joined(
        &self,
        left: Relation,
        right: Relation,
        joining: Joining<'_>,
        around: &Surroundings,
    ) -> Result<Relation> {
        // The left rows keep their order.
        let left = if left.pending.order.is_some() { self.settled(left).await? } else { left };
        let (mut left, mut right) = (self.unlimited(left).await?, self.unlimited(right).await?);
        let keys = joining.keys(&mut left, &mut right)?;
        let (left_names, right_names) = joining.names(&left, &right);
        let about = about(&left, &right);
        let hidden = left.scope.hidden();
        let left_side = self.side(&mut left, &left_names, keys.0, &joining.needed, &hidden).await?;
        let right_side = self.side(&mut right, &right_names, keys.1, &joining.needed, &[]).await?;
        let table = self.collected(right_side.plan).await?;
        if u32::try_from(table.num_rows()).is_err() {
            return Err(Error::Memory { limit: 0 });
        }
        let mut given = GivenFields::default();
        let pairing = Pairing {
            kind: joining.kind,
            left_keys: left_side.keys,
            right_keys: right_side.keys,
            left: given.add(left_side.fields),
            right: given.add(right_side.fields),
        };
        let partners = Partners::new(table, pairing)?;
        self.hold(partners.bytes())?;
        // Who is met by nobody is known when all rows have looked.
        let plan = if partners.waits_for_all() { one_partition(left_side.plan) } else { left_side.plan };
        let plan = Leaf::of_partners(plan, Arc::new(partners), Arc::new(Schema::new(given.schema)));
        let mut joined = Relation::of_plan(Arc::new(plan), given.fields, around, about);
        joined.scope.hide(hidden.iter().map(|(name, _)| name));
        Ok(joined)
    }

    /// The plan of a side. Names that nothing reads stay known, and stand for nothing.
    async fn side(
        &self,
        relation: &mut Relation,
        names: &[(String, String)],
        keys: Vec<Typed>,
        needed: &Option<Needed>,
        beside: &[(String, Value)],
    ) -> Result<Side> {
        let mut fields = Vec::with_capacity(names.len() + beside.len() + keys.len());
        for (name, given) in names {
            let is_needed = needed.as_ref().is_none_or(|needed| needed.has(given));
            let value = if is_needed { relation.scope.field(name, Span::default())? } else { Value::NULL };
            fields.push((given.clone(), value));
        }
        fields.extend(beside.iter().cloned());
        let (shown, key_count) = (fields.len(), keys.len());
        fields.extend(keys.into_iter().map(|key| (String::new(), Value::from(key))));
        let columns = Columns::of(&fields);
        let width = columns.exprs.len();
        let plan = self.plan(relation, columns.exprs, columns.schema).await?;
        self.note(&relation.scope);
        let mut fields = columns.fields;
        fields.truncate(shown);
        Ok(Side { fields, plan, keys: width - key_count..width })
    }
}

impl Joining<'_> {
    /// The keys of both sides, each pair in one type.
    fn keys(&self, left: &mut Relation, right: &mut Relation) -> Result<(Vec<Typed>, Vec<Typed>)> {
        let mut keys: (Vec<Typed>, Vec<Typed>) = Default::default();
        for pair in self.on {
            let (l, r) = (left.scope.bind(&pair.left)?, right.scope.bind(&pair.right)?);
            let (l, r) = key_pair(&l, &r, pair)?;
            keys.0.push(l);
            keys.1.push(r);
        }
        Ok(keys)
    }

    /// The names of the fields of each side that are given, with those that they have in the result. A name that is
    /// taken gets a number.
    fn names(&self, left: &Relation, right: &Relation) -> (Names, Names) {
        let mut taken: HashSet<String> = HashSet::new();
        let mut renamed = |name: String| {
            let given = free_name(&name, |wanted| taken.contains(wanted));
            taken.insert(given.clone());
            (name, given)
        };
        let (is_left, is_right) = match self.kind {
            JoinKind::LeftAnti | JoinKind::LeftSemi => (true, false),
            JoinKind::RightAnti | JoinKind::RightSemi => (false, true),
            _ => (true, true),
        };
        let lefts = left.scope.names().into_iter().filter(|_| is_left).map(&mut renamed).collect();
        let rights = right.scope.names().into_iter().filter(|name| is_right && !self.dropped.contains(name));
        (lefts, rights.map(renamed).collect())
    }
}

/// What is told of a joined table.
fn about(left: &Relation, right: &Relation) -> About {
    let mut sources = left.about.sources.clone();
    for source in &right.about.sources {
        if !sources.contains(source) {
            sources.push(source.clone());
        }
    }
    About { sources, range: left.about.range.or(right.about.range), ..About::default() }
}

/// The columns of the result so far.
#[derive(Default)]
struct GivenFields {
    schema: Vec<arrow_schema::Field>,
    fields: Vec<(String, Value)>,
}

impl GivenFields {
    /// Adds the fields of a side.
    fn add(&mut self, fields: Vec<(String, Value)>) -> Vec<Given> {
        let mut given = Vec::new();
        for (name, value) in fields {
            let is_text = value.types() == [Type::String];
            let mut variants = Vec::with_capacity(value.variants.len());
            for variant in value.variants {
                let Some(place) = variant.as_input() else { continue };
                given.push(Given { place, is_text });
                variants.push(Typed::input(variant.kind, self.schema.len()));
                self.schema.push(column_field(self.schema.len(), variant.kind));
            }
            self.fields.push((name, Value { variants }));
        }
        given
    }
}

/// Two keys in one type.
fn key_pair(left: &Value, right: &Value, pair: &JoinPair) -> Result<(Typed, Typed)> {
    let null = || logic::null(Type::String);
    let has_long = left.may_have_long_integers() || right.may_have_long_integers();
    let key = |value: &Value| if has_long { value.json_key_beside(true) } else { value.key() };
    let (Some(l), Some(r)) = (key(left)?, key(right)?) else { return Ok((null(), null())) };
    if l.kind == r.kind {
        return Ok((l, r));
    }
    let is_number = |kind: Type| matches!(kind, Type::Integer | Type::Float);
    if is_number(l.kind) && is_number(r.kind) {
        // Not as floats, for which neighbours of large integers are equal.
        return Ok((convert::rank(l)?, convert::rank(r)?));
    }
    let is_open = |kind: Type| kind == Type::Dynamic;
    if is_open(l.kind) || is_open(r.kind) {
        return Ok((convert::to_json(l)?, convert::to_json(r)?));
    }
    let message = format!("the keys have different types: {} and {}", type_names(left), type_names(right));
    let hint = "convert one of them in an `extend` before this, as with `tostring(…)`";
    Err(invalid_with(pair.right.span, message, hint))
}
