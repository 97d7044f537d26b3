//! Prints `docs/errors.md`.

fn main() {
    print!("{}", racun_http_api::error::codes::markdown());
}
