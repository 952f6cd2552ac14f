//! The client: signs in (`oauth`, `bearer`), asks queries (`ask`, `answer`), reads and changes things (`resources`), and
//! sends files of events to a server. A thread reads the files and cuts them into parts (`input`, `live`, `borders`,
//! `split`, `buffers`), and as many parts as there are connections are under way at once (`run`, `send`). Nothing is parsed on
//! the way: what an event means is for the server to say.

pub mod address;
pub mod answer;
pub mod ask;
pub mod bearer;
pub mod borders;
pub mod buffers;
pub mod csv;
mod exchange;
pub mod input;
pub mod json;
pub mod live;
pub mod messages;
pub mod oauth;
pub mod organisation;
pub mod part;
pub mod progress;
mod refusal;
pub mod resources;
pub mod run;
pub mod send;
pub mod split;
pub mod target;

#[cfg(test)]
mod tests;
