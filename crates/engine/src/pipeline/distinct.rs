//! `distinct` and `count`, which are groups: by all values without an aggregate, and one group with its count.

use tidegauge_lang::Span;
use tidegauge_lang::tree::{
    AggregateCall, AggregateFunction, Expr, ExprKind, Named, NamedAggregate, Summarize,
};

use super::segment::{About, Segment};
use crate::Result;
use crate::bind::Surroundings;
use crate::run::Run;

impl Run {
    /// Different combinations of values; of all fields where none are named.
    pub(super) async fn distinct(
        &self,
        segment: Segment,
        fields: &[Named],
        around: &Surroundings,
    ) -> Result<Segment> {
        let keys = match fields {
            [] => {
                let field = |name: String| Named {
                    expr: Expr::new(ExprKind::Field(name.clone()), Span::default()),
                    name,
                };
                segment.scope.names().into_iter().map(field).collect()
            }
            fields => fields.to_vec(),
        };
        let summarize = Summarize { aggregates: Vec::new(), keys, bucket: None };
        let (mut distinct, _) = self.summarize(segment, &summarize, &[], around).await?;
        plain(&mut distinct);
        Ok(distinct)
    }

    /// How many rows there are.
    pub(super) async fn count(&self, segment: Segment, around: &Surroundings) -> Result<Segment> {
        let call = AggregateCall { function: AggregateFunction::Count, of: None, span: Span::default() };
        let aggregates = vec![NamedAggregate { name: "Count".to_owned(), call }];
        let summarize = Summarize { aggregates, keys: Vec::new(), bucket: None };
        let (counted, _) = self.summarize(segment, &summarize, &[], around).await?;
        Ok(counted)
    }
}

/// Rows like any others, not groups.
fn plain(segment: &mut Segment) {
    segment.touch();
    let About { sources, range, .. } = std::mem::take(&mut segment.about);
    segment.about = About { sources, range, ..About::default() };
}
