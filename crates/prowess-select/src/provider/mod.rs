//! Models behind HTTP. Three forms of request and answer, one way of sending them.

mod answer;
mod anthropic;
mod gemini;
mod http;
mod key;
mod openai;
mod options;
mod sse;
mod status;

pub use self::key::Key;
pub use self::options::ProviderOptions;
use crate::error::{Error, ErrorKind};
use crate::model::{Model, OnDelta, Reply, Turn};

/// The form in which an endpoint is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// Messages of Anthropic.
    Anthropic,
    /// `generateContent` of Gemini.
    Gemini,
    /// Chat completions of OpenAI, which most other endpoints speak as well.
    OpenAi,
}

/// A place where models are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Service {
    /// The name in front of a model's: `openai` in `openai/gpt-5`.
    pub name: &'static str,
    /// How it is spoken to.
    pub api: Api,
    /// Where it is, unless it is said otherwise.
    pub endpoint: &'static str,
    /// Under which names its key is usually kept in the environment; none if it needs no key.
    pub key_variables: &'static [&'static str],
}

const fn service(
    name: &'static str,
    api: Api,
    endpoint: &'static str,
    key_variables: &'static [&'static str],
) -> Service {
    Service { name, api, endpoint, key_variables }
}

/// The services that are known by name.
pub const SERVICES: &[Service] = &[
    service("anthropic", Api::Anthropic, "https://api.anthropic.com", &["ANTHROPIC_API_KEY"]),
    service("openai", Api::OpenAi, "https://api.openai.com/v1", &["OPENAI_API_KEY"]),
    service(
        "gemini",
        Api::Gemini,
        "https://generativelanguage.googleapis.com",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    ),
    service("openrouter", Api::OpenAi, "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"]),
    service("mistral", Api::OpenAi, "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"]),
    service("groq", Api::OpenAi, "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    service("deepseek", Api::OpenAi, "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"]),
    service("ollama", Api::OpenAi, "http://127.0.0.1:11434/v1", &[]),
    service("llamacpp", Api::OpenAi, "http://127.0.0.1:8080/v1", &[]),
    service("lmstudio", Api::OpenAi, "http://127.0.0.1:1234/v1", &[]),
    service("vllm", Api::OpenAi, "http://127.0.0.1:8000/v1", &[]),
];

impl Service {
    /// Finds a service by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        SERVICES.iter().find(|service| service.name == name)
    }
}

/// A model at an endpoint.
///
/// ```
/// use prowess_select::model::Turn;
/// use prowess_select::provider::{Api, Provider, ProviderOptions};
///
/// let provider = Provider::new(Api::OpenAi, "http://127.0.0.1:8150/v1", "qwen", ProviderOptions::new())?;
/// let request = provider.request(&Turn::new("Be brief.").with_user("message-1", "Hello."));
/// assert_eq!(request.url, "http://127.0.0.1:8150/v1/chat/completions");
/// # Ok::<(), prowess_select::Error>(())
/// ```
#[derive(Debug)]
pub struct Provider {
    api: Api,
    endpoint: String,
    model: String,
    options: ProviderOptions,
    agent: ureq::Agent,
}

/// A request as it is sent, but for the key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRequest {
    /// Where it is posted to.
    pub url: String,
    /// The headers that matter, the key replaced by `[redacted]`.
    pub headers: Vec<(&'static str, String)>,
    /// The body, byte for byte.
    pub body: String,
}

impl Provider {
    /// A model of this name at an endpoint. Nothing is sent yet.
    ///
    /// # Errors
    /// The endpoint is no `http://` or `https://` address, the name is empty, or the proxy's address is none.
    pub fn new(
        api: Api,
        endpoint: impl Into<String>,
        model: impl Into<String>,
        options: ProviderOptions,
    ) -> Result<Self, Error> {
        let (endpoint, model) = (endpoint.into(), model.into());
        if !["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme)) {
            return Err(Error::new(ErrorKind::Usage, format!("the endpoint `{endpoint}` is no address"))
                .with_help("write it as http://HOST:PORT/v1"));
        }
        if model.is_empty() {
            return Err(Error::new(ErrorKind::Usage, "the model has no name"));
        }
        let agent = http::agent(&options)?;
        Ok(Self { api, endpoint: endpoint.trim_end_matches('/').to_owned(), model, options, agent })
    }

    /// The request that asks for this turn, exactly as it is sent, but for the key.
    #[must_use]
    pub fn request(&self, turn: &Turn) -> HttpRequest {
        let shown = self.options.key.as_ref().map(|_| "[redacted]");
        HttpRequest { url: self.url(), headers: self.headers(shown), body: self.body(turn) }
    }

    fn url(&self) -> String {
        let Self { endpoint, model, .. } = self;
        match self.api {
            // With and without the version, since both are found in settings.
            Api::Anthropic => format!("{}/v1/messages", endpoint.trim_end_matches("/v1")),
            Api::OpenAi => format!("{endpoint}/chat/completions"),
            Api::Gemini => {
                let base = endpoint.trim_end_matches("/v1beta");
                format!("{base}/v1beta/models/{model}:streamGenerateContent?alt=sse")
            }
        }
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers =
            vec![("content-type", "application/json".to_owned()), ("accept", "text/event-stream".to_owned())];
        if self.api == Api::Anthropic {
            headers.push(("anthropic-version", anthropic::VERSION.to_owned()));
        }
        if let Some(key) = key {
            headers.push(match self.api {
                Api::Anthropic => ("x-api-key", key.to_owned()),
                Api::OpenAi => ("authorization", format!("Bearer {key}")),
                Api::Gemini => ("x-goog-api-key", key.to_owned()),
            });
        }
        headers
    }

    fn body(&self, turn: &Turn) -> String {
        match self.api {
            Api::Anthropic => anthropic::body(turn, &self.model, &self.options),
            Api::OpenAi => {
                openai::body(turn, &self.model, &self.options, self.endpoint.contains("api.openai.com"))
            }
            Api::Gemini => gemini::body(turn, &self.options),
        }
        .to_string()
    }
}

impl Model for Provider {
    fn name(&self) -> &str {
        &self.model
    }

    fn reply(&self, turn: &Turn, on: OnDelta<'_>) -> Result<Reply, Error> {
        http::reply(self, turn, on).map_err(|error| self.options.without_key(error))
    }
}

#[cfg(test)]
mod tests;
