//! The program `racun-card-simulator`.

use std::net::SocketAddr;
use std::process::ExitCode;

use racun_card_simulator::{Options, Simulator};

const USAGE: &str = "\
usage: racun-card-simulator [--listen ADDRESS] [--webhook-url URL] [--webhook-secret SECRET]
Where it listens is 127.0.0.1:9400 otherwise; port 0 stands for any free one. Any secret key is
taken. Webhooks go to URL, an address of this machine, signed by SECRET (whsec_sandbox otherwise).
GET /control/ledger shows payments and events; POST /control/replay/evt_… posts one again; PUT
/control/fault {\"fault\":\"lose_answer\",\"when\":{\"operation\":\"payment\",\"every\":3}}
plans what goes wrong, and DELETE forgets it.";

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    options.listen.set_port(9400);
    let mut words = std::env::args().skip(1);
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option} has no value"))?;
        match option.as_str() {
            "--listen" => options.listen = address(&value)?,
            "--webhook-url" => options.webhook_url = Some(value),
            "--webhook-secret" => options.webhook_secret = value,
            _ => return Err(format!("there is no option {option}")),
        }
    }
    Ok(options)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("{text} is no address"))
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let running = Simulator::start(options)?;
    println!("{}", running.url);
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminated.recv() => {}
    }
    Ok(())
}
