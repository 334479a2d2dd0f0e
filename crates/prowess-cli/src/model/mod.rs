//! Models: which one is meant, its key and its address. The only module that reads the environment for them.

pub(crate) mod args;
pub(crate) mod eval;
mod interrupt;
pub(crate) mod run;
pub(crate) mod select;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::time::Duration;

use prowess::text::visible;
use prowess_select::model::{Delta, Turn};
use prowess_select::provider::{Api, Key, Provider, ProviderOptions, SERVICES, Service};
use prowess_select::{ByModel, Choice, Error, Method, Model, Request, Selector};
use serde_json::{Map, Value, json};

use self::args::ModelArgs;
use self::interrupt::Interrupt;
use crate::failure::Failure;
use crate::output::Output;

/// A model that the command line names.
pub(crate) struct Opened {
    pub(crate) provider: Provider,
    /// As the user wrote it.
    pub(crate) label: String,
}

/// Whether anything is to be sent: what is only shown needs no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Send,
    Show,
}

impl Purpose {
    fn unless(is_only_shown: bool) -> Self {
        if is_only_shown { Self::Show } else { Self::Send }
    }
}

pub(crate) fn open(args: &ModelArgs, purpose: Purpose) -> Result<Opened, Failure> {
    let (service, name) = meant(args)?;
    let variable =
        service.and_then(|service| environment(format!("{}_BASE_URL", service.name.to_uppercase())));
    let is_elsewhere = args.endpoint.is_some() || variable.is_some();
    let endpoint = args.endpoint.clone().or(variable);
    let endpoint =
        endpoint.unwrap_or_else(|| service.map_or(String::new(), |service| service.endpoint.to_owned()));
    let key = key(args, service)?;
    let needed = service.map_or(&[] as &[&str], |service| service.key_variables);
    if purpose == Purpose::Send && key.is_none() && !is_elsewhere && !needed.is_empty() {
        let service = service.map_or("", |service| service.name);
        return Err(Failure::usage(format!("there is no key for `{service}`; set {}", needed.join(" or "))));
    }
    let options = ProviderOptions::new()
        .key(key)
        .timeout(Duration::from_secs(args.timeout))
        .max_output(args.max_output)
        .temperature(args.temperature)
        .proxy(proxy(&endpoint));
    let api = service.map_or(Api::OpenAi, |service| service.api);
    let label = args.model.clone().unwrap_or_else(|| endpoint.clone());
    Ok(Opened { provider: Provider::new(api, endpoint, name, options)?, label })
}

/// The service and the name that `--model` means.
fn meant(args: &ModelArgs) -> Result<(Option<&'static Service>, &str), Failure> {
    let known = || SERVICES.iter().map(|service| service.name).collect::<Vec<_>>().join(", ");
    let Some(model) = &args.model else {
        if args.endpoint.is_some() {
            // Servers of one model take any name.
            return Ok((None, "default"));
        }
        return Err(Failure::usage(format!(
            "no model is named; say `--model PROVIDER/NAME` ({}), or `--endpoint URL`",
            known()
        )));
    };
    let named = model.split_once('/').and_then(|(service, name)| Some((Service::find(service)?, name)));
    match named {
        Some((service, name)) => Ok((Some(service), name)),
        None if args.endpoint.is_some() => Ok((None, model)),
        None => Err(Failure::usage(format!(
            "`{model}` names no provider; say `PROVIDER/NAME` with one of {}, or `--endpoint URL`",
            known()
        ))),
    }
}

/// An address of the user's own gets no key that was made for another.
fn key(args: &ModelArgs, service: Option<&Service>) -> Result<Option<Key>, Failure> {
    if let Some(variable) = &args.key_env {
        let key = environment(variable).as_deref().and_then(Key::new);
        return match key {
            Some(key) => Ok(Some(key)),
            None => {
                Err(Failure::usage(format!("the environment variable `{variable}` holds no key; set it")))
            }
        };
    }
    if args.endpoint.is_some() {
        return Ok(None);
    }
    let variables = service.map_or(&[] as &[&str], |service| service.key_variables);
    Ok(variables.iter().find_map(|variable| Key::new(&environment(variable)?)))
}

fn environment(variable: impl AsRef<OsStr>) -> Option<String> {
    std::env::var(variable).ok().filter(|value| !value.is_empty())
}

/// The proxy that the environment names for an address; none for this machine itself.
fn proxy(endpoint: &str) -> Option<String> {
    let host = endpoint.split("://").nth(1)?.split(['/', '@']).next()?;
    let host = if host.starts_with('[') {
        host.split(']').next()?.trim_start_matches('[')
    } else {
        host.split(':').next()?
    };
    if host == "localhost" || host == "::1" || host.starts_with("127.") {
        return None;
    }
    let either = |name: &str| environment(name).or_else(|| environment(name.to_lowercase()));
    let excepted = either("NO_PROXY").unwrap_or_default();
    let is_excepted = |entry: &str| {
        let entry = entry.trim().trim_start_matches('.');
        entry == "*" || (!entry.is_empty() && (host == entry || host.ends_with(&format!(".{entry}"))))
    };
    if excepted.split(',').any(is_excepted) {
        return None;
    }
    let scheme = if endpoint.starts_with("https") { "HTTPS_PROXY" } else { "HTTP_PROXY" };
    either(scheme).or_else(|| either("ALL_PROXY"))
}

/// Prints a request as it would be sent, the key apart.
pub(crate) fn show_request(provider: &Provider, turn: &Turn, output: &mut Output) -> Result<(), Failure> {
    let request = provider.request(turn);
    if output.is_json() {
        let headers: Map<String, Value> =
            request.headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
        let body: Value = serde_json::from_str(&request.body).unwrap_or(Value::Null);
        return Ok(
            output.json(&json!({"method": "POST", "url": request.url, "headers": headers, "body": body}))?
        );
    }
    let mut head = format!("POST {}\n", request.url);
    for (name, value) in &request.headers {
        head.push_str(&format!("{name}: {value}\n"));
    }
    Ok(output.exact(format!("{head}\n{}\n", request.body).as_bytes())?)
}

/// A model that chooses, named as the user wrote it.
pub(crate) struct Chooser {
    opened: Opened,
    method: Method,
    interrupt: Interrupt,
}

impl Chooser {
    pub(crate) fn open(args: &ModelArgs) -> Result<Self, Failure> {
        Ok(Self { opened: open(args, Purpose::Send)?, method: Method::Auto, interrupt: Interrupt::listen() })
    }
}

impl Selector for Chooser {
    fn name(&self) -> &str {
        &self.opened.label
    }

    fn is_judgement(&self) -> bool {
        true
    }

    fn select(&self, request: &Request) -> Result<Choice, Error> {
        let model: &dyn Model = &self.opened.provider;
        let choose = ByModel::new(model, self.method);
        Ok(choose.choose(request, &mut |_| self.interrupt.flow())?.0)
    }
}

/// What is said of a wait.
fn retry_note(delta: Delta<'_>) -> Option<String> {
    let Delta::Retry { attempt, wait_ms, reason } = delta else {
        return None;
    };
    let seconds = wait_ms as f64 / 1000.0;
    Some(format!("attempt {attempt} failed ({}); again in {seconds} s", visible(reason)))
}

/// Hears of waits only.
fn hear(delta: Delta<'_>, interrupt: &Interrupt, output: &mut Output) -> ControlFlow<()> {
    if let Some(note) = retry_note(delta) {
        output.note(&note);
    }
    interrupt.flow()
}
