//! Prints what a migration has to make for the declared tables named on the command line:
//! `cargo run -p racun-tests --example ddl -- payments expenses`.

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for table in racun_application::tables() {
        if names.iter().any(|name| name == table.name) {
            println!("{}", racun_store_postgres::create_table_sql(table));
        }
    }
}
