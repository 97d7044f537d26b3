//! Documents on paper: the model, its renderings and payment codes.

mod codes;
mod looks;
mod model;
mod renderings;
mod sample;
mod tables;
