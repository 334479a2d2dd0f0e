//! Sending a request, again if need be, and reading the answer while it arrives.

use std::io::{self, BufRead, BufReader, ErrorKind as IoErrorKind, Read};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body, Proxy};

use super::answer::Answer;
use super::{Api, Provider, ProviderOptions, anthropic, gemini, openai, sse, status};
use crate::by_model::start;
use crate::error::{Error, ErrorKind};
use crate::model::{Delta, OnDelta, Reply, Turn};

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest wait that an endpoint may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often a wait looks whether it is still wanted.
const BLINK: Duration = Duration::from_millis(50);
/// How much of an error's body is read.
const MAX_ERROR: u64 = 64 * 1024;

pub(super) fn agent(options: &ProviderOptions) -> Result<Agent, Error> {
    let wrong = |_| {
        Error::new(ErrorKind::Usage, "the proxy's address is none").with_help("write it as http://HOST:PORT")
    };
    let proxy = options.proxy.as_deref().map(Proxy::new).transpose().map_err(wrong)?;
    let config = Agent::config_builder()
        .http_status_as_error(false)
        // A key goes to nobody else.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy)
        .user_agent(concat!("prowess/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(options.timeout))
        .timeout_per_read(Some(options.timeout));
    Ok(config.build().new_agent())
}

pub(super) fn reply(provider: &Provider, turn: &Turn, on: OnDelta<'_>) -> Result<Reply, Error> {
    let body = provider.body(turn);
    let options = &provider.options;
    let mut attempt = 1;
    loop {
        let failed = match send(provider, &body) {
            Ok(response) if response.status().is_success() => return read(provider, turn, response, on),
            Ok(response) => Failed::of_response(response, turn, options),
            Err(error) => Failed::of_transport(&error, provider),
        };
        let pause = failed.asked.unwrap_or(options.pause * 2_u32.saturating_pow(attempt - 1));
        if !failed.is_transient || attempt >= options.attempts || pause > LONGEST_PAUSE {
            return Err(failed.error);
        }
        wait(attempt, pause, failed.error.message(), on)?;
        attempt += 1;
    }
}

fn send(provider: &Provider, body: &str) -> Result<Response<Body>, ureq::Error> {
    let key = provider.options.key.as_ref();
    let headers = provider.headers(key.map(super::Key::secret));
    let request = provider.agent.post(provider.url());
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
    request.send(body)
}

/// An attempt that brought no answer.
struct Failed {
    error: Error,
    is_transient: bool,
    /// How long the endpoint asks to wait.
    asked: Option<Duration>,
}

impl Failed {
    fn of_response(mut response: Response<Body>, turn: &Turn, options: &ProviderOptions) -> Self {
        let code = response.status().as_u16();
        let asked = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let mut body = Vec::new();
        // As much of it as comes is enough to say why.
        let _ = response.body_mut().as_reader().take(MAX_ERROR).read_to_end(&mut body);
        let error = status::error(code, &String::from_utf8_lossy(&body), turn, options.key.is_some());
        let is_transient = status::is_transient(code) && error.kind() != ErrorKind::TooLong;
        Self { error, is_transient, asked: asked.map(Duration::from_secs) }
    }

    fn of_transport(error: &ureq::Error, provider: &Provider) -> Self {
        let place = &provider.endpoint;
        let (what, is_transient) = match error {
            ureq::Error::Timeout(ureq::Timeout::Connect) => ("can't be reached in time".to_owned(), false),
            ureq::Error::Timeout(_) => {
                let seconds = provider.options.timeout.as_secs_f64();
                (format!("did not answer within {seconds} s"), false)
            }
            ureq::Error::Io(error) => {
                let is_dropped = matches!(
                    error.kind(),
                    IoErrorKind::ConnectionReset
                        | IoErrorKind::ConnectionAborted
                        | IoErrorKind::UnexpectedEof
                        | IoErrorKind::BrokenPipe
                );
                let what =
                    if is_dropped { "closed the connection without an answer" } else { "can't be reached" };
                (format!("{what}: {error}"), is_dropped)
            }
            error => (format!("can't be reached: {error}"), false),
        };
        let error = Error::new(ErrorKind::Network, format!("the endpoint `{place}` {what}"))
            .with_help("check that it runs, and its address");
        Self { error, is_transient, asked: None }
    }
}

fn wait(attempt: u32, pause: Duration, reason: &str, on: OnDelta<'_>) -> Result<(), Error> {
    let wait_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
    let mut flow = on(Delta::Retry { attempt, wait_ms, reason });
    let mut left = pause;
    while flow.is_continue() && !left.is_zero() {
        thread::sleep(left.min(BLINK));
        left = left.saturating_sub(BLINK);
        flow = on(Delta::Tick);
    }
    if flow.is_break() { Err(Error::cancelled()) } else { Ok(()) }
}

fn read(provider: &Provider, turn: &Turn, response: Response<Body>, on: OnDelta<'_>) -> Result<Reply, Error> {
    let kind = response.headers().get("content-type").and_then(|value| value.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let limit = provider.options.max_reply;
    let mut reader = BufReader::new(response.into_body().into_reader().take(limit));
    let mut answer = Answer::default();
    let outcome = if is_stream {
        read_events(provider.api, &mut reader, &mut answer, on)
    } else {
        read_whole(provider.api, &mut reader, &mut answer, on)
    };
    // What the limit cut may look like anything; the limit is why.
    if reader.get_ref().limit() == 0 && !answer.is_complete {
        return Err(Error::model(format!("the answer is larger than the limit of {limit} bytes")));
    }
    outcome?;
    if !answer.is_complete {
        return Err(broken("the connection ended before the answer did"));
    }
    let reply = answer.finish();
    Ok(match provider.api {
        Api::Anthropic => anthropic::finish(turn, reply),
        _ => reply,
    })
}

fn read_events(
    api: Api,
    reader: &mut impl BufRead,
    answer: &mut Answer,
    on: OnDelta<'_>,
) -> Result<(), Error> {
    while let Some(data) = sse::next(reader).map_err(|error| broken_by(&error))? {
        if data == "[DONE]" {
            answer.is_complete = true;
            return Ok(());
        }
        match serde_json::from_str(&data) {
            Ok(event) => take(api, answer, &event, &data, &mut *on)?,
            Err(error) if error.is_eof() => return Err(broken("the connection ended before the answer did")),
            Err(_) => {
                return Err(Error::model(format!("the answer is malformed: `{}`", start(&data))));
            }
        }
        if on(Delta::Tick).is_break() {
            return Err(Error::cancelled());
        }
    }
    Ok(())
}

fn read_whole(
    api: Api,
    reader: &mut impl BufRead,
    answer: &mut Answer,
    on: OnDelta<'_>,
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| broken_by(&error))?;
    let text = String::from_utf8_lossy(&bytes);
    let json: Value = serde_json::from_str(&text).map_err(|_| {
        Error::model(format!("the answer is malformed: `{}`", start(&text)))
            .with_help("check the endpoint's address")
    })?;
    take(api, answer, &json, &text, on)?;
    if answer.is_complete {
        return Ok(());
    }
    Err(Error::model(format!("the answer is none: `{}`", start(&text)))
        .with_help("check the endpoint's address"))
}

fn take(api: Api, answer: &mut Answer, event: &Value, text: &str, on: OnDelta<'_>) -> Result<(), Error> {
    if event.get("error").is_some_and(|error| !error.is_null()) {
        return Err(Error::model(format!("the endpoint failed: {}", status::message(text))));
    }
    match api {
        Api::Anthropic => anthropic::take(answer, event, on),
        Api::OpenAi => openai::take(answer, event, on),
        Api::Gemini => gemini::take(answer, event, on),
    }
}

fn broken(why: &str) -> Error {
    Error::new(ErrorKind::Network, format!("the answer broke off: {why}"))
}

fn broken_by(error: &io::Error) -> Error {
    broken(&error.to_string())
}
