# For scripts that want a server: `start_server` builds the debug binary, where `RACUN_BINARY` names none, starts it with
# data of its own on a free port of this machine, and sets `address`. It ends with the script.

# Expects `root`, the repository.
start_server() {
    local racun=${RACUN_BINARY:-}
    if [ -z "$racun" ]; then
        (cd "$root" && cargo build --quiet --bin racun)
        racun=${CARGO_TARGET_DIR:-$root/target}/debug/racun
    fi
    data=$(mktemp -d)
    (
        cd "$data"
        # Nothing of our environment is a setting of the server, which stops at one that it does not know.
        exec env -i PATH="$PATH" TMPDIR="${TMPDIR:-/tmp}" RACUN__SERVER__LISTEN=127.0.0.1:0 \
            RACUN__OUTBOUND__LOOPBACK_ONLY=true RACUN__RATE_LIMITS__ENABLED=false RACUN__LOG__FORMAT=text \
            "$racun" >log 2>&1
    ) &
    server=$!
    trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; rm -rf "$data"' EXIT
    address=
    for _ in $(seq 200); do
        address=$(grep -o 'listens on http://[0-9.:]*' "$data/log" | grep -o 'http.*' | head -n 1 || true)
        [ -n "$address" ] && break
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    [ -n "$address" ] || { cat "$data/log"; echo "the server did not start"; exit 1; }
}
