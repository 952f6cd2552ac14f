//! One query from its tree to its answer: settle what it is made of, run, and tell what it took.

use std::sync::Arc;

use hashbrown::HashSet;
use tidegauge_bind::{Scope, Surroundings};
use tidegauge_exec::{Lookup, Message};
use tidegauge_lang::tree::Query;
use tokio::time::Instant;

use crate::answer::{Answer, Figures};
use crate::context::QueryContext;
use crate::error::{Error, Result};
use crate::explain::explained;
use crate::pipeline;

/// Answers the question of a query.
pub(crate) async fn answer(mut context: QueryContext) -> Result<Answer> {
    let seconds = context.question.options.time_max.as_secs();
    let question = Arc::clone(&context.question);
    let work = async {
        let mut query = question.query.clone();
        let around = surroundings(&context, &mut query)?;
        context.fill_tables(&mut query, &around).await?;
        let relation = context.relation(&query, &around).await?;
        Ok::<_, Error>((relation, around))
    };
    // The timeout looks at the work before it looks at the clock.
    if Instant::now() >= context.deadline() {
        return Err(Error::Time { seconds });
    }
    let relation = tokio::time::timeout_at(context.deadline(), work).await;
    let (relation, around) = relation.map_err(|_| Error::Time { seconds })??;
    let mut answer = context.finish(relation).await?;
    if around.lookup.is_lacking() {
        context.tell(Message::NoPlaces);
    }
    around.notices.take().into_iter().for_each(|message| context.tell(message));
    let ended = Instant::now();
    let figures = context.figures(&answer.figures);
    answer.figures = Figures { elapsed: ended - context.began, ..figures };
    answer.messages = std::mem::take(&mut context.work().messages);
    if context.question.options.is_explained {
        let work = context.work();
        answer.explanation = Some(explained(&context.question.query, &work, &answer));
    }
    context.is_answered = true;
    Ok(answer)
}

/// What all expressions can use: the moment, values with names, and the length of buckets.
fn surroundings(context: &QueryContext, query: &mut Query) -> Result<Surroundings> {
    let options = &context.question.options;
    let mut named = HashSet::new();
    pipeline::add_names(query, &mut named);
    let mut around = Surroundings {
        now: options.now,
        named: Arc::new(named),
        lookup: Lookup::new(options.places.clone()),
        is_strict: context.question.is_strict,
        ..Surroundings::default()
    };
    for (name, expr) in &context.question.constants {
        // A name may be defined anew, by what it was before.
        let value = Scope::without_dataset(around.clone()).bind(expr)?;
        Arc::make_mut(&mut around.constants).insert(name.clone(), value);
    }
    around.auto_step = pipeline::auto_step(query, &context.question, &around);
    Ok(around)
}
