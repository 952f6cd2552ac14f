//! The store through its public face, on a real folder and a real catalogue.

mod house;
mod life;
