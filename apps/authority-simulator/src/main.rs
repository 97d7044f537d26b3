//! The program `racun-authority-simulator`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use racun_authority_simulator::{Options, Simulator};

const USAGE: &str = "\
usage: racun-authority-simulator [OPTION VALUE]...
  --listen-furs ADDRESS  where FURS listens     (127.0.0.1:9002)
  --listen-fina ADDRESS  where CIS listens      (127.0.0.1:8449)
  --listen-at ADDRESS    where AT listens       (127.0.0.1:8722)
  --control ADDRESS      where it is commanded  (127.0.0.1:9100)
  --ca-out FILE          writes what clients have to trust
  --trust FILE           trusts these issuers of taxpayers' certificates too; may be repeated
  --delay MILLISECONDS   holds each answer back
Port 0 stands for any free one.";

/// What the command line says.
struct Arguments {
    options: Options,
    ca_out: Option<PathBuf>,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let local = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let mut options = Options {
            furs: local(9002),
            fina: local(8449),
            at: local(8722),
            control: local(9100),
            ..Options::default()
        };
        let mut ca_out = None;
        while let Some(option) = words.next() {
            let value = words.next().ok_or_else(|| format!("{option} needs a value"))?;
            let address = || value.parse().map_err(|_| format!("{value} is no address"));
            match &*option {
                "--listen-furs" => options.furs = address()?,
                "--listen-fina" => options.fina = address()?,
                "--listen-at" => options.at = address()?,
                "--control" => options.control = address()?,
                "--ca-out" => ca_out = Some(PathBuf::from(value)),
                "--trust" => {
                    let pem = std::fs::read_to_string(&value);
                    options.trust_pem.push_str(&pem.map_err(|error| format!("{value}: {error}"))?);
                    options.trust_pem.push('\n');
                }
                "--delay" => {
                    let ms = value.parse().map_err(|_| format!("{value} is no number"))?;
                    options.delay = Duration::from_millis(ms);
                }
                _ => return Err(format!("there is no option {option}")),
            }
        }
        Ok(Self { options, ca_out })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let running = Simulator::start(&arguments.options)?;
    if let Some(file) = &arguments.ca_out {
        std::fs::write(file, &running.ca_pem)?;
    }
    println!("furs    {}", running.furs_url);
    println!("fina    {}", running.fina_url);
    println!("at      {}", running.at_url);
    println!("control {}", running.control_url);
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminated.recv() => {}
    }
    Ok(())
}
