//! What was planned and done, for callers who ask.

use tidegauge_engine::{Answer, StepFigures};

use super::json::{write_key, write_list, write_member, write_text_member};

/// Writes the member `explain`, if the answer has an explanation.
pub(super) fn write_member_of(out: &mut Vec<u8>, answer: &Answer) {
    let Some(explanation) = &answer.explanation else { return };
    let figures = &answer.figures;
    write_key(out, "explain");
    out.push(b'{');
    write_text_member(out, "plan", &explanation.plan);
    write_key(out, "steps");
    write_list(out, &explanation.steps, write_step);
    write_key(out, "blocks");
    out.push(b'{');
    write_member(out, "examined", figures.blocks_examined);
    write_member(out, "skipped", figures.blocks_skipped);
    write_member(out, "cached", figures.blocks_cached);
    out.push(b'}');
    write_key(out, "skipped");
    write_list(out, &explanation.skipped, |out, (why, blocks)| {
        out.push(b'{');
        write_text_member(out, "why", why);
        write_member(out, "blocks", blocks);
        out.push(b'}');
    });
    write_member(out, "bytesRead", figures.bytes_read);
    write_member(out, "bytesTotal", figures.bytes_total);
    write_member(out, "memoryPeak", figures.memory_peak);
    out.push(b'}');
}

fn write_step(out: &mut Vec<u8>, step: &StepFigures) {
    out.push(b'{');
    write_text_member(out, "name", &step.name);
    write_member(out, "rows", step.rows);
    write_member(out, "elapsedMicros", step.elapsed.as_micros());
    out.push(b'}');
}
