//! Prints the declarations of all tables: `crates/application/tests/it/declarations.txt`.

#![expect(clippy::print_stdout, reason = "it is what this program is for")]

#[path = "../tests/it/declarations/listing.rs"]
mod listing;

fn main() {
    print!("{}", listing::listing());
}
