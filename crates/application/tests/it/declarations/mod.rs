//! Declarations and their version change together.

mod listing;

use racun_application::DATA_VERSION;

const COMMITTED: &str = include_str!("declarations.txt");

#[test]
fn the_version_of_the_data_rises_with_the_declarations() {
    let now = listing::listing();
    let is_same = now == COMMITTED;
    assert!(
        is_same,
        "the declarations are not those of declarations.txt. If version {DATA_VERSION} was \
         released, raise `racun_application::DATA_VERSION` and write a migration; then\n\
         cargo run -p racun-application --example declarations \
         > crates/application/tests/it/declarations/declarations.txt"
    );
}
