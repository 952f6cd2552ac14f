//! As much Markdown as the rules need: links, the anchors of headings, and what is written as code. A link
//! inside code is an example and no link.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(crate) struct Markdown {
    pub(crate) links: Vec<Piece>,
    /// Lines of fenced blocks and code in running text.
    pub(crate) code: Vec<Piece>,
    pub(crate) anchors: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Markdown {
    pub(crate) fn parse(text: &str) -> Self {
        let mut markdown = Self::default();
        let mut slugs = BTreeMap::new();
        let mut fence: Option<&str> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            match fence {
                Some(mark) if closes_fence(line, mark) => fence = None,
                Some(_) => markdown.code.push(Piece { text: line.to_owned(), line: number }),
                None => match fence_mark(line) {
                    Some(mark) => fence = Some(mark),
                    None => markdown.read_line(line, number, &mut slugs),
                },
            }
        }
        markdown
    }

    fn read_line(&mut self, line: &str, number: usize, slugs: &mut BTreeMap<String, usize>) {
        if let Some(title) = heading(line) {
            let slug = slug(title);
            let seen = slugs.entry(slug.clone()).or_insert(0);
            self.anchors.insert(if *seen == 0 { slug } else { format!("{slug}-{seen}") });
            *seen += 1;
        }
        let (prose, code) = split_code(line);
        self.code.extend(code.into_iter().map(|text| Piece { text, line: number }));
        for attribute in ["id", "name"] {
            self.anchors.extend(html_values(&prose, attribute));
        }
        let mut targets = inline_targets(&prose);
        targets.extend(definition_target(&prose));
        targets.extend(html_values(&prose, "href"));
        targets.extend(html_values(&prose, "src"));
        self.links.extend(targets.into_iter().map(|text| Piece { text, line: number }));
    }
}

/// The run of backticks or tildes that opens a block of code.
fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|it| ['`', '~'].contains(it))?;
    let length = line.chars().take_while(|it| *it == first).count();
    let is_block = length >= 3 && !line[length..].contains('`');
    is_block.then(|| &line[..length])
}

fn closes_fence(line: &str, mark: &str) -> bool {
    line.trim().strip_prefix(mark).is_some_and(|rest| rest.chars().all(|it| mark.starts_with(it)))
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim())
}

/// The anchor that a heading gets: small letters, spaces as hyphens, no punctuation.
fn slug(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title;
    while let Some((before, target)) = rest.split_once("](") {
        text.push_str(before);
        rest = target.split_once(')').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let kept = text.chars().filter(|it| it.is_alphanumeric() || [' ', '-', '_'].contains(it));
    kept.flat_map(char::to_lowercase).map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// A line without its code, and the code. A run of backticks is closed by a run of the same length.
fn split_code(line: &str) -> (String, Vec<String>) {
    let mut prose = String::new();
    let mut code = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let length = rest[start..].chars().take_while(|it| *it == '`').count();
        let inside = &rest[start + length..];
        prose.push_str(&rest[..start]);
        rest = match closing_run(inside, length) {
            Some(end) => {
                code.push(inside[..end].trim().to_owned());
                &inside[end + length..]
            }
            None => inside,
        };
    }
    prose.push_str(rest);
    (prose, code)
}

fn closing_run(text: &str, length: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find('`') {
        let start = from + found;
        let run = text[start..].chars().take_while(|it| *it == '`').count();
        if run == length {
            return Some(start);
        }
        from = start + run;
    }
    None
}

/// The targets of `[text](target)` and `![text](target "title")`.
fn inline_targets(line: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for (start, _) in line.match_indices("](") {
        let rest = &line[start + 2..];
        let mut depth = 1;
        let end = rest.find(|it| {
            depth += match it {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        targets.extend(end.and_then(|end| clean_target(&rest[..end])));
    }
    targets
}

/// The target of `[label]: target`.
fn definition_target(line: &str) -> Option<String> {
    let (label, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    if label.contains(['[', ']']) || label.starts_with('^') {
        return None;
    }
    clean_target(target)
}

/// Without angle brackets and title.
fn clean_target(target: &str) -> Option<String> {
    let target = target.trim();
    let bare = match target.strip_prefix('<') {
        Some(bracketed) => bracketed.split('>').next(),
        None => target.split_whitespace().next(),
    };
    bare.filter(|it| !it.is_empty()).map(str::to_owned)
}

fn html_values(line: &str, attribute: &str) -> Vec<String> {
    let start = format!(" {attribute}=\"");
    let values = line.match_indices(&start).filter(|_| line.contains('<'));
    values.filter_map(|(at, _)| line[at + start.len()..].split('"').next().map(str::to_owned)).collect()
}

mod samples {
    use super::*;

    fn texts(pieces: &[Piece]) -> Vec<&str> {
        pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn every_form_of_link_is_found() {
        let text = "\
See [one](a.md), [two](<b c.md> \"title\") and ![three](d.png 'title').
[four](e_(f).md#g) [`five`](h.md)
[six]: i.md
[seven]: <j.md> \"title\"
<a href=\"k.md\"><img alt=\"x\" src=\"l.png\"></a>
[![badge](m.svg)](n.md)
";
        let markdown = Markdown::parse(text);
        let expected = [
            "a.md",
            "b c.md",
            "d.png",
            "e_(f).md#g",
            "h.md",
            "i.md",
            "j.md",
            "k.md",
            "l.png",
            "m.svg",
            "n.md",
        ];
        assert_eq!(texts(&markdown.links), expected);
        assert_eq!(markdown.links[3].line, 2);
    }

    #[test]
    fn code_holds_no_links_and_no_headings() {
        let text = "\
`[one](a.md)` and ``[two](b.md) ` [three](c.md)``
````sh
# not a heading
```
[four](d.md)
````
~~~
[five](e.md)
~~~
[six](f.md) [^1]
[^1]: a footnote
";
        let markdown = Markdown::parse(text);
        assert_eq!(texts(&markdown.links), ["f.md"]);
        assert!(markdown.anchors.is_empty());
        let code = [
            "[one](a.md)",
            "[two](b.md) ` [three](c.md)",
            "# not a heading",
            "```",
            "[four](d.md)",
            "[five](e.md)",
        ];
        assert_eq!(texts(&markdown.code), code);
    }

    #[test]
    fn headings_become_anchors() {
        let text = "\
# The `make run` way, at last!
## Same
### Same
#NoHeading
####### Seven
## See [the guide](guide.md) & more
## snake_case-and Ümlaut
<a id=\"by-hand\"></a>
";
        let anchors = Markdown::parse(text).anchors;
        let expected = [
            "by-hand",
            "same",
            "same-1",
            "see-the-guide--more",
            "snake_case-and-ümlaut",
            "the-make-run-way-at-last",
        ];
        assert_eq!(anchors.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }
}
