//! The program `racun-identity-simulator`.

use std::net::SocketAddr;
use std::process::ExitCode;

use racun_identity_simulator::{Options, Simulator};

const USAGE: &str = "\
usage: racun-identity-simulator [--listen ADDRESS]
Where it listens is 127.0.0.1:9300 otherwise; port 0 stands for any free one. Its client is racun,
with the secret sandbox. PUT /control/fault \"expired\" plans what goes wrong with the next token.";

fn address() -> Result<SocketAddr, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let text = match words.as_slice() {
        [] => "127.0.0.1:9300",
        [option, value] if option == "--listen" => value,
        _ => return Err("there is one option, --listen".to_owned()),
    };
    let address: SocketAddr = text.parse().map_err(|_| format!("{text} is no address"))?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err("everybody may sign in as anybody, so it listens on loopback".to_owned()),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let listen = match address() {
        Ok(listen) => listen,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(listen).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(listen: SocketAddr) -> Result<(), Box<dyn std::error::Error>> {
    let running = Simulator::start(&Options { listen, ..Options::default() })?;
    println!("{}", running.url);
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminated.recv() => {}
    }
    Ok(())
}
