//! Embeds the migrations again when one of them changes.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
