# The only door: what a developer and the CI run.

# Lists the recipes.
default:
    @just --list

# Serves on 127.0.0.1:8080 with data in racun-data.
run:
    cargo run --release

# Format and lints; a warning is an error.
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets -- -D warnings

# Every test, those on a real PostgreSQL included; as root on Linux on a network without other machines.
test:
    cargo test --workspace --no-run
    tests/fence cargo test --workspace

# The rules alone: no server, no database process, seconds.
test-domain:
    cargo test -p racun-kernel -p racun-store -p racun-access -p racun-catalog -p racun-documents -p racun-settlement -p racun-pos -p racun-fiscal -p racun-render -p racun-background -p racun-records -p racun-fiscalization -p racun-sales -p racun-lookups -p racun-orders -p racun-till -p racun-shop -p racun-delivery -p racun-application

# What needs PostgreSQL: a throw-away cluster, or RACUN_TEST_DATABASE_URL.
test-postgres:
    cargo test -p racun-test-postgres -p racun-store-postgres

# The measurements, with their ratios; of one part: `just bench-http pos`.
bench: && bench-http
    cargo bench -p racun-documents
    cargo bench -p racun-authorities
    cargo bench -p racun-typeset
    cargo bench -p racun-einvoicing

# What the server does over HTTP: start, read, issue, einvoicing, portugal, pay, pos, fiscal, webhooks, overhead, lists, stats, memory, neighbours, paper, exports, saft; all of it when none is named.
bench-http *parts:
    cargo bench -p racun-tests --bench http -- {{parts}}

# One good tenant beside all attacks at once, and a verdict: ten minutes for each store; `just drill 60 embedded`.
drill *words:
    cargo run --release -p racun-tests --example drill -- {{words}}

# Electronic invoices over the network through ten kills, lost answers and refusals: 200 on each store, each delivered once or failed with its reason; `just drill-network 17 embedded`.
drill-network *words:
    cargo run -p racun-tests --example submissions -- {{words}}

# Lints the description, and lets clients that generators write spend a day with a server: all, or those named; needs npm, Python and a JDK.
clients *names:
    tests/clients/run {{names}}

# Looks at the page behind a shared link in a headless Chromium, with axe and without scripts; needs npm and Chromium.
browser:
    tests/browser/run

# Advisories, licences, sources and who may use what, as the CI checks them; installs cargo-deny.
deny:
    .ci/deny

# The server's bill of materials (CycloneDX, JSON) in target/racun.cdx.json; installs cargo-cyclonedx.
sbom:
    .ci/sbom

# What the CI runs, and nothing else.
ci:
    .ci/run
