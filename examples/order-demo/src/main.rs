//! Orders of two tenants in the browser: an HTTP API with logins, scopes and JSON filters, and its page.
//!
//! ```text
//! cargo run -p order-demo
//! cargo run -p order-demo -- --database postgres://me:secret@localhost/shop --scale 5 --port 8000
//! ```
//!
//! `domain` says what the tables are, `auth` who calls, and `orders` has the endpoints with the service behind them.

mod app;
mod args;
mod auth;
mod body;
mod domain;
mod entities;
mod log;
mod openapi;
mod orders;
mod page;
mod seed;
#[cfg(test)]
mod tests;
mod users;

use std::error::Error;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use isogloss_web::Server;
use tokio::net::TcpListener;

use crate::app::App;
use crate::args::{Args, Command};

/// A bad command line, as is the custom.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let result = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Run(args)) => run(args),
        Ok(Command::Help) => io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into),
        Err(error) => {
            eprintln!("error: {error}\ntry `order-demo --help`");
            return ExitCode::from(USAGE);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(args: Args) -> Result<(), Box<dyn Error>> {
    tracing::subscriber::set_global_default(log::Log)?;
    let temporary = args.database.is_none().then(args::temporary);
    let url = match (&args.database, &temporary) {
        (Some(url), _) => url.clone(),
        (None, Some(file)) => file.display().to_string(),
        (None, None) => ":memory:".to_owned(),
    };
    let app = App::open(&args::place(&url, args.replica.clone())).await?;
    let served = serve(&app, &args).await;
    app.context.close();
    if let Some(file) = temporary {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", file.display()));
        }
    }
    served
}

async fn serve(app: &App, args: &Args) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
    let made = seed::seed(&app.context, seed::ORDERS * args.scale).await?;
    tell(&mut io::stdout(), listener.local_addr()?, made)?;
    Server::new().serve(listener, app.router(auth::Limit::default())?, ended()).await;
    Ok(())
}

/// Where the page is, and who may log in.
fn tell(out: &mut dyn Write, address: SocketAddr, made: usize) -> io::Result<()> {
    match made {
        0 => writeln!(out, "the database is as it was")?,
        made => writeln!(out, "made {made} orders")?,
    }
    writeln!(out, "http://{address}/\n\n{:<10}{:<17}{:<14}tenant", "user", "role", "department")?;
    for login in &seed::LOGINS {
        let (name, role) = (login.user_name, login.role.name());
        writeln!(out, "{name:<10}{role:<17}{:<14}{}", login.department, login.tenant)?;
    }
    let password = seed::PASSWORD;
    writeln!(out, "\nThe password of all is `{password}`. Ctrl-C ends it.\n\nWithout a browser:")?;
    let body = format!(r#"{{"userName":"ada","password":"{password}"}}"#);
    writeln!(out, "curl http://{address}/api/login --json '{body}'")?;
    writeln!(out, "curl http://{address}/api/orders/7 -H 'Authorization: Bearer TOKEN'")
}

/// Until somebody wants it to end.
async fn ended() {
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! { () = interrupt => {}, () = terminated => {} }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
