//! Files that are written for people.

mod files;
