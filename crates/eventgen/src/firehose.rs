//! The firehose of a social network: commits with the record that somebody has made, changed or deleted, and now and
//! then news of an account. Objects lie in objects, ids are long and most are met once, posts are in several languages,
//! and most fields are in a part of the events only. Every event is drawn from the seed and its own number alone.

pub mod ids;
pub mod languages;
pub mod relay;

use tidegauge_model::Timestamp;

use super::draws::{Draws, Skew, mix_two, person};
use super::lines::Lines;
use super::pace::Pace;
use super::text;
use languages::Posts;

/// Collections and how many of a thousand commits are in them.
const COLLECTIONS: &[(&str, Record, u64)] = &[
    ("social.feed.like", Record::Subject, 470),
    ("social.graph.follow", Record::Target, 215),
    ("social.feed.post", Record::Post, 130),
    ("social.feed.repost", Record::Subject, 95),
    ("social.graph.block", Record::Target, 26),
    ("social.actor.profile", Record::Profile, 20),
    ("social.graph.listitem", Record::Target, 16),
    ("social.feed.threadgate", Record::Other, 8),
    ("social.feed.postgate", Record::Other, 5),
    ("social.graph.list", Record::Other, 4),
    ("social.graph.starterpack", Record::Other, 2),
    ("chat.actor.declaration", Record::Other, 2),
    ("social.feed.generator", Record::Other, 2),
    ("blog.entry.page", Record::Other, 2),
    ("music.track.play", Record::Other, 1),
    ("games.chess.move", Record::Other, 1),
    ("events.meeting.answer", Record::Other, 1),
];

/// What is in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    Post,
    /// A post that somebody has liked or repeated.
    Subject,
    /// An account that somebody follows or blocks.
    Target,
    Profile,
    Other,
}

/// Of a thousand events, those that tell of an account, and with them those that tell of its name.
const ACCOUNTS: u64 = 7;
const NEWS: u64 = 17;
/// Of a thousand commits, those that delete, and with them those that change.
const DELETES: u64 = 60;
const CHANGES: u64 = 72;
/// The same of profiles, which are mostly changed because everybody has one.
const PROFILE_CHANGES: u64 = 800;
/// Of a thousand posts: answers, those with something attached, those that tell their language, and those with tags.
const REPLIES: u64 = 400;
const EMBEDS: u64 = 300;
const LANGS: u64 = 600;
const TAGS: u64 = 50;

/// Posts that others speak of are up to so many microseconds older than the first event.
const WEEK: u64 = 7 * 86_400 * 1_000_000;
/// An author has so many of them.
const POSTS_OF_AUTHOR: u64 = 12;

const STATUSES: &[&str] = &["deactivated", "takendown", "suspended", "deleted"];

/// A stream of events.
#[derive(Debug)]
pub struct Firehose {
    seed: u64,
    pace: Pace,
    posts: Posts,
    by_collection: Skew,
}

impl Lines for Firehose {
    fn write_line(&self, number: u64, out: &mut Vec<u8>) {
        let draws = &mut Draws::of(self.seed, number);
        let time = self.pace.time(number, draws);
        let author = person(draws);
        out.extend_from_slice(br#"{"_time":""#);
        text::time(out, time);
        text::quote(out);
        text::key(out, "did");
        quoted_account(out, author);
        text::key(out, "time_us");
        text::number(out, micros(time));
        text::key(out, "kind");
        match draws.below(1_000) {
            ..ACCOUNTS => write_account(out, author, number, time, draws),
            ACCOUNTS..NEWS => write_identity(out, author, number, time),
            _ => self.write_commit(out, author, time, draws),
        }
        relay::write(out, number, draws);
        out.extend_from_slice(b"}\n");
    }
}

impl Firehose {
    pub fn new(seed: u64, pace: Pace) -> Self {
        let weights: Vec<u64> = COLLECTIONS.iter().map(|(_, _, weight)| *weight).collect();
        Self { seed, pace, posts: Posts::in_all_languages(), by_collection: Skew::by_weights(&weights) }
    }

    fn write_commit(&self, out: &mut Vec<u8>, author: u64, time: Timestamp, draws: &mut Draws) {
        let (collection, record, _) = COLLECTIONS[self.by_collection.draw(draws)];
        let operation = match draws.below(1_000) {
            ..DELETES => "delete",
            DELETES..CHANGES => "update",
            CHANGES..PROFILE_CHANGES if record == Record::Profile => "update",
            _ => "create",
        };
        text::quoted(out, "commit");
        object(out, "commit");
        text::key(out, "rev");
        text::quote(out);
        ids::record(out, time.as_micros(), draws.bits());
        text::quote(out);
        word(out, "operation", operation);
        word(out, "collection", collection);
        text::key(out, "rkey");
        text::quote(out);
        // Written a little before it came along; what is deleted is older.
        let lag = 1_000 * draws.around(if operation == "delete" { 90_000_000 } else { 350 }, 30_000);
        let made = time.as_micros().saturating_sub(lag as i64);
        ids::record(out, made, draws.bits());
        text::quote(out);
        if operation != "delete" {
            object(out, "record");
            self.write_record(out, record, author, draws);
            text::key(out, "createdAt");
            quoted_milliseconds(out, made);
            out.push(b'}');
            text::key(out, "cid");
            quoted_content(out, draws.bits());
        }
        out.push(b'}');
    }

    fn write_record(&self, out: &mut Vec<u8>, record: Record, author: u64, draws: &mut Draws) {
        match record {
            Record::Post => self.write_post(out, draws),
            Record::Subject => self.write_reference(out, "subject", draws),
            Record::Target => {
                text::key(out, "target");
                quoted_account(out, person(draws));
            }
            Record::Profile => {
                text::key(out, "displayName");
                text::quote(out);
                out.extend_from_slice(b"Member ");
                text::number(out, author);
                text::quote(out);
                if draws.in_thousand(LANGS) {
                    text::key(out, "description");
                    self.write_sentence(out, draws);
                }
            }
            Record::Other => {
                text::key(out, "name");
                self.write_sentence(out, draws);
                text::key(out, "version");
                text::number(out, 1 + draws.below(9));
            }
        }
    }

    fn write_post(&self, out: &mut Vec<u8>, draws: &mut Draws) {
        let language = self.posts.draw(draws);
        text::key(out, "text");
        text::quote(out);
        self.posts.write(out, language, draws);
        text::quote(out);
        if draws.in_thousand(LANGS) {
            text::key(out, "langs");
            out.push(b'[');
            text::quoted(out, Posts::code(language));
            if draws.in_thousand(50) {
                out.push(b',');
                text::quoted(out, Posts::code(self.posts.draw(draws)));
            }
            out.push(b']');
        }
        if draws.in_thousand(REPLIES) {
            object(out, "reply");
            self.write_reference(out, "root", draws);
            self.write_reference(out, "parent", draws);
            out.push(b'}');
        }
        if draws.in_thousand(EMBEDS) {
            self.write_embed(out, language, draws);
        }
        if draws.in_thousand(TAGS) {
            text::key(out, "tags");
            out.extend_from_slice(br#"["tag"#);
            text::number(out, draws.below(5_000));
            out.extend_from_slice(br#""]"#);
        }
    }

    /// Pictures with what they show, or a page elsewhere.
    fn write_embed(&self, out: &mut Vec<u8>, language: usize, draws: &mut Draws) {
        object(out, "embed");
        if draws.in_thousand(600) {
            word(out, "kind", "images");
            text::key(out, "images");
            out.push(b'[');
            for place in 0..=draws.below(3) {
                if place > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(br#"{"alt":""#);
                self.posts.write_words(out, language, draws.below(6), draws);
                out.extend_from_slice(br#"","size":"#);
                text::number(out, draws.around(240_000, 24_000));
                out.push(b'}');
            }
            out.push(b']');
        } else {
            word(out, "kind", "external");
            object(out, "external");
            text::key(out, "uri");
            out.extend_from_slice(br#""https://example.net/"#);
            text::hex::<12>(out, draws.bits());
            text::quote(out);
            text::key(out, "title");
            text::quote(out);
            self.posts.write_words(out, language, 3 + draws.below(5), draws);
            text::quote(out);
            out.push(b'}');
        }
        out.push(b'}');
    }

    /// Another post: some are spoken of by many, most by nobody else.
    fn write_reference(&self, out: &mut Vec<u8>, name: &str, draws: &mut Draws) {
        let author = person(draws);
        let post = mix_two(author, draws.below(POSTS_OF_AUTHOR));
        let made = self.pace.from.as_micros().saturating_sub((post % WEEK) as i64);
        object(out, name);
        text::key(out, "cid");
        quoted_content(out, post);
        text::key(out, "uri");
        out.extend_from_slice(br#""at://"#);
        ids::account(out, author);
        out.extend_from_slice(b"/social.feed.post/");
        ids::record(out, made, post);
        text::quote(out);
        out.push(b'}');
    }

    fn write_sentence(&self, out: &mut Vec<u8>, draws: &mut Draws) {
        let language = self.posts.draw(draws);
        text::quote(out);
        self.posts.write_words(out, language, 2 + draws.below(12), draws);
        text::quote(out);
    }
}

fn write_account(out: &mut Vec<u8>, author: u64, number: u64, time: Timestamp, draws: &mut Draws) {
    text::quoted(out, "account");
    object(out, "account");
    text::key(out, "active");
    let is_active = draws.in_thousand(700);
    let active: &[u8] = if is_active { b"true" } else { b"false" };
    out.extend_from_slice(active);
    write_news(out, author, number, time);
    if !is_active {
        word(out, "status", draws.pick::<&str>(STATUSES));
    }
    out.push(b'}');
}

fn write_identity(out: &mut Vec<u8>, author: u64, number: u64, time: Timestamp) {
    text::quoted(out, "identity");
    object(out, "identity");
    write_news(out, author, number, time);
    text::key(out, "handle");
    out.extend_from_slice(br#""member"#);
    text::number(out, author);
    out.extend_from_slice(br#".social.example""#);
    out.push(b'}');
}

/// What news of accounts and of names share.
fn write_news(out: &mut Vec<u8>, author: u64, number: u64, time: Timestamp) {
    text::key(out, "did");
    quoted_account(out, author);
    text::key(out, "seq");
    text::number(out, number);
    text::key(out, "time");
    quoted_milliseconds(out, time.as_micros());
}

fn object(out: &mut Vec<u8>, name: &str) {
    text::key(out, name);
    out.push(b'{');
}

fn word(out: &mut Vec<u8>, name: &str, value: &str) {
    text::key(out, name);
    text::quoted(out, value);
}

fn quoted_account(out: &mut Vec<u8>, person: u64) {
    text::quote(out);
    ids::account(out, person);
    text::quote(out);
}

fn quoted_content(out: &mut Vec<u8>, bits: u64) {
    text::quote(out);
    ids::content(out, bits);
    text::quote(out);
}

/// A time as clients write it, without its last three digits.
fn quoted_milliseconds(out: &mut Vec<u8>, micros: i64) {
    text::quote(out);
    text::time(out, Timestamp::from_micros(micros));
    out.truncate(out.len() - 4);
    out.extend_from_slice(br#"Z""#);
}

fn micros(time: Timestamp) -> u64 {
    time.as_micros().max(0) as u64
}

#[cfg(test)]
mod tests;
