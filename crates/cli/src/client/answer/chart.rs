//! A table with times as lines of blocks: one line for each group, the greatest first, above an axis with times.

use std::collections::{BTreeSet, HashMap};

use anyhow::bail;
use tidegauge_model::Timestamp;

use super::Table;
use super::table::{Screen, clean, cut, width_of};
use super::value::Value;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Groups that are drawn; the others are counted.
const GROUPS_MAX: usize = 12;
const LABEL_MAX: usize = 30;
/// Where there is no terminal.
const WIDTH_ELSEWHERE: usize = 100;
const CELLS_MIN: usize = 10;

/// What is drawn of one group.
struct Line {
    label: String,
    /// By time in nanoseconds.
    points: Vec<(i64, f64)>,
    sum: f64,
}

pub fn draw(table: &Table, screen: Screen) -> anyhow::Result<String> {
    let Some(columns) = Columns::of(table) else {
        bail!(
            "there are no numbers over time to draw; group by time, as in `summarize count() by bin_auto(_time)`"
        );
    };
    let mut lines = columns.lines(table);
    let times = || lines.iter().flat_map(|line| line.points.iter().map(|(time, _)| *time));
    let (Some(start), Some(end)) = (times().min(), times().max()) else {
        return Ok("there is nothing to draw: the answer has no rows\n".to_owned());
    };
    let count = lines.len();
    lines.sort_by(|one, other| other.sum.total_cmp(&one.sum).then_with(|| one.label.cmp(&other.label)));
    lines.truncate(GROUPS_MAX);
    let greatest =
        lines.iter().flat_map(|line| line.points.iter().map(|(_, value)| *value)).fold(0.0, f64::max);
    let value_width = lines.iter().map(|line| number(peak(line)).len()).max().unwrap_or(0);
    let width = screen.width.unwrap_or(WIDTH_ELSEWHERE);
    let label_max = width.saturating_sub(value_width + 4 + CELLS_MIN).clamp(1, LABEL_MAX);
    let label_width = lines.iter().map(|line| width_of(&line.label)).max().unwrap_or(0).min(label_max);
    let room = width.saturating_sub(label_width + value_width + 4).max(CELLS_MIN);
    let cells = room.min(buckets(&lines));
    let mut out = String::new();
    for line in &lines {
        let label = cut(&line.label, label_width);
        let padding = " ".repeat(label_width - width_of(&label));
        let drawn = blocks(line, start, end, cells, greatest);
        out.push_str(&format!("{label}{padding}  {drawn}  {:>value_width$}\n", number(peak(line))));
    }
    out.push_str(&axis(label_width + 2, cells, (start, end), width));
    if count > lines.len() {
        out.push_str(&format!("{} more groups are not drawn\n", count - lines.len()));
    }
    if !columns.others.is_empty() {
        let names: Vec<String> =
            columns.others.iter().map(|column| clean(&table.fields[*column].name)).collect();
        out.push_str(&format!("not drawn: {}\n", names.join(", ")));
    }
    Ok(out)
}

/// How many buckets reach from the first time to the last, by the least distance of two times.
fn buckets(lines: &[Line]) -> usize {
    let times: BTreeSet<i64> =
        lines.iter().flat_map(|line| line.points.iter().map(|(time, _)| *time)).collect();
    let steps = times.iter().zip(times.iter().skip(1)).map(|(one, next)| next.abs_diff(*one));
    match (times.first(), times.last(), steps.min()) {
        (Some(first), Some(last), Some(step)) => {
            usize::try_from(last.abs_diff(*first) / step).unwrap_or(usize::MAX).saturating_add(1)
        }
        _ => 1,
    }
}

/// Which columns hold the time, the number and the group.
struct Columns {
    time: usize,
    value: usize,
    groups: Vec<usize>,
    /// Other numbers, which are not drawn.
    others: Vec<usize>,
}

impl Columns {
    fn of(table: &Table) -> Option<Self> {
        let place = |name: &str| table.fields.iter().position(|field| field.name == name);
        let is_time = |column: &usize| table.fields[*column].kind == "datetime";
        let time = place("_time").filter(is_time).or_else(|| (0..table.fields.len()).find(is_time))?;
        let mut groups: Vec<usize> =
            table.groups.iter().flatten().filter_map(|group| place(&group.name)).collect();
        groups.retain(|column| *column != time);
        let is_value = |column: &usize| {
            let field = &table.fields[*column];
            *column != time && !groups.contains(column) && field.is_number()
        };
        let mut values = (0..table.fields.len()).filter(is_value);
        let value = values.next()?;
        let others = values.collect();
        if table.groups.as_ref().is_none_or(Vec::is_empty) {
            groups = (0..table.fields.len())
                .filter(|column| *column != time && !table.fields[*column].is_number())
                .collect();
        }
        Some(Self { time, value, groups, others })
    }

    fn lines(&self, table: &Table) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for row in 0..table.rows() {
            let time = table.value(self.time, row).as_text().and_then(|text| Timestamp::parse(text).ok());
            let (Some(time), Some(value)) = (time, table.value(self.value, row).as_f64()) else { continue };
            let label = self.label(table, row);
            let place = *places.entry(label.clone()).or_insert_with(|| {
                lines.push(Line { label, points: Vec::new(), sum: 0.0 });
                lines.len() - 1
            });
            lines[place].points.push((time.as_nanos(), value));
            lines[place].sum += value;
        }
        lines
    }

    fn label(&self, table: &Table, row: usize) -> String {
        if self.groups.is_empty() {
            return clean(&table.fields[self.value].name);
        }
        let shown = |column: &usize| match table.value(*column, row) {
            Value::Null => "null".to_owned(),
            value => clean(&value.to_text()),
        };
        self.groups.iter().map(shown).collect::<Vec<_>>().join(" ")
    }
}

fn peak(line: &Line) -> f64 {
    line.points.iter().map(|(_, value)| *value).fold(0.0, f64::max)
}

/// One block for each stretch of time: the greatest of what lies in it, a blank where nothing does.
fn blocks(line: &Line, start: i64, end: i64, cells: usize, greatest: f64) -> String {
    let mut peaks: Vec<Option<f64>> = vec![None; cells];
    // The first time is in the middle of the first block, and the last in that of the last.
    let range = (i128::from(end) - i128::from(start)).max(1);
    let last = cells as i128 - 1;
    for (time, value) in &line.points {
        let along = ((i128::from(*time) - i128::from(start)) * last * 2 + range) / (range * 2);
        if let Some(peak) = usize::try_from(along).ok().and_then(|cell| peaks.get_mut(cell)) {
            *peak = Some(peak.map_or(*value, |peak| peak.max(*value)));
        }
    }
    let block = |peak: &Option<f64>| {
        let Some(peak) = peak else { return ' ' };
        let share = if greatest > 0.0 { peak / greatest } else { 0.0 };
        let height = (0..7_u8).take_while(|step| share > f64::from(*step + 1) / 8.0).count();
        BLOCKS[height]
    };
    peaks.iter().map(block).collect()
}

/// The times below the blocks: the first at the left, the last at the right; further to the left where there is no room.
fn axis(indent: usize, cells: usize, (start, end): (i64, i64), width: usize) -> String {
    let has_dates = end.saturating_sub(start) >= 24 * 3_600 * 1_000_000_000;
    let text = |time: i64| Timestamp::from_nanos(time).to_string();
    let part = |time: i64, places: std::ops::Range<usize>| {
        let text = text(time);
        text.get(places).unwrap_or(&text).replace('T', " ")
    };
    let (first, last) = match has_dates {
        true => (part(start, 0..16), part(end, 0..16)),
        false => (part(start, 0..19), part(end, 11..19)),
    };
    let between = " ".repeat(cells.saturating_sub(first.len() + last.len()).max(1));
    let times = if start == end { first } else { format!("{first}{between}{last}") };
    let indent = " ".repeat(indent.min(width.saturating_sub(times.len())));
    format!("{indent}{}\n", cut(&times, width))
}

/// A number with few digits.
fn number(value: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
    for (size, letter) in STEPS {
        if value.abs() >= size {
            let unit = if letter == "k" { 1e3 } else { size };
            return format!("{:.1}{letter}", value / unit);
        }
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn groups_are_drawn_over_time() {
        let time = |minute: u32| format!("2026-06-01T12:0{minute}:00Z");
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "_time", "type": "datetime"}, {"name": "host", "type": "string"}, {"name": "count_", "type": "integer"}],
            "groups": [{"name": "_time"}, {"name": "host"}],
            "columns": [
                [time(0), time(1), time(2), time(3), time(0), time(3)],
                ["a", "a", "a", "a", "bb", null],
                [10, 40, 80, 20, 5, 1],
            ],
        }))
        .unwrap();
        let drawn = draw(&table, Screen { width: Some(40), ..Screen::default() }).unwrap();
        let expected = "\
a     ▁▄█▂  80
bb    ▁      5
null     ▁   1
      2026-06-01 12:00:00 12:03:00
";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn times_without_rows_take_room_and_peaks_stay_whole() {
        let drawn = |minutes: &[u32], counts: &[u32], width: usize| {
            let times: Vec<String> =
                minutes.iter().map(|minute| format!("2026-06-01T09:{minute:02}:00Z")).collect();
            let table: Table = serde_json::from_value(json!({
                "fields": [{"name": "_time", "type": "datetime"}, {"name": "n", "type": "integer"}, {"name": "m", "type": "integer"}],
                "groups": [{"name": "_time"}],
                "columns": [times, counts, counts],
            }))
            .unwrap();
            draw(&table, Screen { width: Some(width), ..Screen::default() }).unwrap()
        };
        let blank = " ".repeat(48);
        let all = drawn(&[0, 1, 50], &[5, 1, 1], 80);
        assert_eq!(all.lines().next(), Some(format!("n  █▂{blank}▂  5").as_str()));
        assert_eq!(
            drawn(&[0, 1, 50], &[1, 5, 1], 80).lines().next(),
            Some(format!("n  ▂█{blank}▂  5").as_str())
        );
        // Ten blocks for fifty minutes.
        assert_eq!(drawn(&[0, 1, 50], &[1, 5, 1], 16).lines().next(), Some("n  █        ▂  5"));
        assert!(all.ends_with("not drawn: m\n"), "{all}");
    }

    #[test]
    fn a_long_name_gives_way_on_a_narrow_screen() {
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "_time", "type": "datetime"}, {"name": "host", "type": "string"}, {"name": "n", "type": "integer"}],
            "groups": [{"name": "_time"}, {"name": "host"}],
            "columns": [["2026-06-01T12:00:00Z", "2026-06-01T12:01:00Z"], ["a-name-of-32-letters-and-no-more!", "b"], [8, 4]],
        }))
        .unwrap();
        let drawn = |width: usize| draw(&table, Screen { width: Some(width), ..Screen::default() }).unwrap();
        let expected = "\
a-name-of-32-l…  █   8
b                 ▄  4
  2026-06-01 12:00:00 12:01:00
";
        assert_eq!(drawn(30), expected);
        for width in 16..80 {
            let text = drawn(width);
            assert!(text.lines().all(|line| width_of(line) <= width), "{width}: {text}");
        }
    }

    #[test]
    fn what_has_no_times_is_refused() {
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "host", "type": "string"}, {"name": "n", "type": "integer"}], "columns": [["a"], [1]],
        }))
        .unwrap();
        assert!(draw(&table, Screen::default()).unwrap_err().to_string().contains("bin_auto"));
    }

    #[test]
    fn numbers_have_few_digits() {
        for (value, expected) in
            [(0.0, "0"), (1.5, "1.5"), (9_999.0, "9999"), (12_345.0, "12.3k"), (2.5e6, "2.5M")]
        {
            assert_eq!(number(value), expected);
        }
    }
}
