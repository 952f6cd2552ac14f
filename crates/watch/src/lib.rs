//! Watching: from the answer of a query to what is told, and when it is asked again. Everything here is pure; running
//! queries, storing states and sending messages is left to others.
