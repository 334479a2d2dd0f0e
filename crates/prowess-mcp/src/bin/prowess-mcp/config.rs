//! What a client's configuration needs, in the form that most clients share.

use std::env;
use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, ValueHint};
use prowess::{Error, ErrorKind};
use prowess_args::absolute;
use serde_json::{Value, json};

use crate::{Cli, url};

/// The URL of a server over HTTP; else this program and its options, which hold in any directory.
pub(crate) fn render(http: Option<SocketAddr>, matches: &ArgMatches) -> Result<Value, Error> {
    let server = match http {
        Some(address) if address.port() == 0 => {
            return Err(Error::new(ErrorKind::Usage, "a client's configuration needs a port other than 0"));
        }
        Some(address) => json!({"type": "http", "url": url(address)}),
        None => {
            let program = env::current_exe().map_err(|error| {
                Error::new(ErrorKind::Io, format!("can't tell where this program lies: {error}"))
            })?;
            json!({"command": text(program.as_os_str())?, "args": options(matches)?})
        }
    };
    Ok(json!({"mcpServers": {"prowess": server}}))
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
            options.extend([format!("--{name}"), value]);
        }
    }
    Ok(options)
}

fn text(value: &OsStr) -> Result<String, Error> {
    value.to_str().map(str::to_owned).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("`{}` is not UTF-8, which JSON needs", value.display()))
    })
}
