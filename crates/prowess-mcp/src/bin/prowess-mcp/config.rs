//! What a client's configuration needs, in the form that most clients share.

use std::env;
use std::ffi::OsStr;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, ValueHint};
use prowess::{Error, ErrorKind};
use prowess_args::{McpArgs, absolute};
use serde_json::{Value, json};

use crate::Cli;

/// The URL of a server over HTTP; else this program and its options, which hold in any directory.
pub(crate) fn render(args: &McpArgs, matches: &ArgMatches) -> Result<Value, Error> {
    let server = match args.http {
        Some(address) => json!({"type": "http", "url": url(address, &args.allow_host)?}),
        None => {
            let program = env::current_exe().map_err(|error| {
                Error::new(ErrorKind::Io, format!("can't tell where this program lies: {error}"))
            })?;
            json!({"command": text(program.as_os_str())?, "args": options(matches)?})
        }
    };
    Ok(json!({"mcpServers": {"prowess": server}}))
}

/// Where clients reach a server: at its address, if that is of this machine alone, or else by a name that it lets them use.
fn url(address: SocketAddr, hosts: &[String]) -> Result<String, Error> {
    let usage = |message| Err(Error::new(ErrorKind::Usage, message));
    if address.port() == 0 {
        return usage("a client's configuration needs a port other than 0");
    }
    if address.ip().is_loopback() {
        return Ok(crate::url(address));
    }
    let Some(host) = hosts.first() else {
        return usage("other machines need a name to reach this address by: give it with `--allow-host`");
    };
    let host = match host.parse::<IpAddr>() {
        Ok(ip) => SocketAddr::new(ip, address.port()).to_string(),
        Err(_) if host.contains(':') => host.clone(),
        Err(_) => format!("{host}:{}", address.port()),
    };
    Ok(format!("http://{host}/mcp"))
}

/// The options of this call, with absolute paths.
fn options(matches: &ArgMatches) -> Result<Vec<String>, Error> {
    let mut options = Vec::new();
    for option in Cli::command().get_arguments() {
        let id = option.get_id().as_str();
        let Some(name) = option.get_long().filter(|name| *name != "print-config") else { continue };
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if !option.get_action().takes_values() {
            options.push(format!("--{name}"));
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let value = match (option.get_value_hint(), text(value)?.split_once('=')) {
                (ValueHint::DirPath, _) => text(absolute(Path::new(value))?.as_os_str())?,
                (_, Some((scope, directory))) if name == "root" => {
                    format!("{scope}={}", text(absolute(Path::new(directory))?.as_os_str())?)
                }
                _ => text(value)?,
            };
            options.push(format!("--{name}={value}"));
        }
    }
    Ok(options)
}

fn text(value: &OsStr) -> Result<String, Error> {
    value.to_str().map(str::to_owned).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("`{}` is not UTF-8, which JSON needs", value.display()))
    })
}
