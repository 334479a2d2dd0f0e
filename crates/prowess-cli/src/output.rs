//! Stdout is data, stderr is talk. Text from files never reaches a terminal raw.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use prowess::diagnostic::{Diagnostic, Severity};
use prowess::text::visible;
use prowess_args::{Color, Global};

use crate::table::{self, Column};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Talk {
    Errors,
    Warnings,
    Everything,
}

/// Where a command prints to.
pub(crate) struct Output {
    stdout: BufWriter<anstream::Stdout>,
    json: bool,
    talk: Talk,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let color = match global.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        color.write_global();
        let talk = match (global.quiet, global.verbose) {
            (true, _) => Talk::Errors,
            (_, true) => Talk::Everything,
            _ => Talk::Warnings,
        };
        Self { stdout: BufWriter::new(anstream::stdout()), json: global.json, talk }
    }

    pub(crate) fn for_json() -> Self {
        Self { stdout: BufWriter::new(anstream::stdout()), json: true, talk: Talk::Errors }
    }

    /// Lets failures be told as JSON too.
    pub(crate) fn answer_in_json(&mut self) {
        self.json = true;
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether only errors are told.
    #[cfg(feature = "select")]
    pub(crate) fn is_quiet(&self) -> bool {
        self.talk == Talk::Errors
    }

    /// Prints lines that are ours: whatever comes from a file in them has gone through [`safe`].
    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.stdout, "{}", line.as_ref())
    }

    pub(crate) fn styled(&mut self, style: Style, line: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.stdout, "{style}{}{style:#}", line.as_ref())
    }

    /// Prints JSON. What a terminal would act on is escaped in it, which changes no value.
    pub(crate) fn json(&mut self, value: &serde_json::Value) -> io::Result<()> {
        self.stdout.flush()?;
        let mut text = escape_invisible(serde_json::to_string_pretty(value)?);
        text.push('\n');
        io::stdout().lock().write_all(text.as_bytes())
    }

    /// Prints text from files as it is into a pipe or a file; to a terminal its control characters go escaped.
    pub(crate) fn exact(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdout.flush()?;
        let mut raw = io::stdout().lock();
        if raw.is_terminal() {
            raw.write_all(visible(&String::from_utf8_lossy(bytes)).as_bytes())?;
        } else {
            raw.write_all(bytes)?;
        }
        raw.flush()
    }

    /// Prints a table without lines, no wider than the terminal.
    pub(crate) fn table(&mut self, head: &[(&str, Column)], rows: Vec<Vec<String>>) -> io::Result<()> {
        let lines = table::render(head, rows, self.width());
        for (index, line) in lines.iter().enumerate() {
            let style = if index == 0 { BOLD } else { Style::new() };
            self.styled(style, line)?;
        }
        Ok(())
    }

    /// How many cells a line of the terminal has; none if stdout is no terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0)).filter(|width| *width > 0)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }

    /// Tells the diagnostics that this run wants to hear of, on stderr.
    pub(crate) fn diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        let least = match self.talk {
            Talk::Errors => Severity::Error,
            Talk::Warnings => Severity::Warning,
            Talk::Everything => Severity::Info,
        };
        let told: Vec<String> =
            diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least).map(describe).collect();
        if !told.is_empty() {
            // A blank line between it and the data, for whoever sees both.
            talk(&format!("{}\n", told.join("\n")));
        }
    }

    /// Says something on stderr that is no data, unless told to be quiet.
    pub(crate) fn note(&mut self, text: &str) {
        if self.talk > Talk::Errors {
            talk(text);
        }
    }

    pub(crate) fn error(&mut self, message: &str) {
        // What has been written comes before the error, or nobody is there to read either.
        let _ = self.flush();
        talk(&format!("{RED}error{RED:#}: {}", safe(message)));
    }
}

/// A diagnostic in two lines: what and where, and what to do.
pub(crate) fn describe(diagnostic: &Diagnostic) -> String {
    let style = match diagnostic.severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Info => CYAN,
    };
    let text = safe(&diagnostic.to_string());
    let label = format!("{}[{}]", diagnostic.severity, diagnostic.code);
    let mut described = text.replacen(&label, &format!("{style}{label}{style:#}"), 1);
    if let Some(help) = &diagnostic.help {
        let help = visible(help).replace('\n', "\n        ");
        let _ = write!(described, "\n  {DIM}help{DIM:#}: {help}");
    }
    described
}

/// Escapes what JSON leaves as it is and a terminal acts on or does not show: DEL, C1 controls, bidi characters.
fn escape_invisible(json: String) -> String {
    if json.bytes().all(|byte| byte.is_ascii() && byte != 0x7f) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        let is_shown = c.is_ascii() && c != '\u{7f}' || visible(c.encode_utf8(&mut [0; 4])).starts_with(c);
        if is_shown {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    escaped
}

pub(crate) fn talk(text: &str) {
    // Nobody is left to be told that stderr has gone.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Text from a file on one line of a terminal.
pub(crate) fn safe(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', " ")
}
