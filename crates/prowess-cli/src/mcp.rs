//! `mcp`: the server is an executable of its own, so that nobody builds it who does not want it. It is started by its
//! name, with the arguments as they are.

use std::env;
use std::io;
use std::process::{Command, ExitCode};

use crate::failure::Failure;

const SERVER: &str = "prowess-mcp";

/// Starts the server that lies beside this executable, else the one on the search path.
pub(crate) fn start() -> Result<ExitCode, Failure> {
    let beside =
        env::current_exe().map(|this| this.with_file_name(format!("{SERVER}{}", env::consts::EXE_SUFFIX)));
    let program = beside.ok().filter(|path| path.is_file()).unwrap_or_else(|| SERVER.into());
    let mut server = Command::new(&program);
    server.args(env::args_os().skip(1));
    run(server).map_err(|error| {
        Failure::io(match error.kind() {
            io::ErrorKind::NotFound => format!(
                "there is no `{SERVER}`, neither beside this program nor on the search path; \
                 `cargo install --path crates/{SERVER}` installs it"
            ),
            _ => format!("can't start `{}`: {error}", program.display()),
        })
    })
}

/// Becomes the server: what a client sends this process, signals too, reaches it.
#[cfg(unix)]
fn run(mut server: Command) -> io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(&mut server))
}

#[cfg(not(unix))]
fn run(mut server: Command) -> io::Result<ExitCode> {
    let code = server.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
