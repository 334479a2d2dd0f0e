//! The conformance cases, as far as they can be asked over MCP: what the server says is what the library says.

#[path = "../../prowess/tests/conformance/library.rs"]
mod library;

use std::cmp::Reverse;
use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use prowess::catalog::Style;
use prowess::skill::Skill;
use prowess::source::Disk;
use prowess::tools::{ACTIVATE_SKILL, READ_SKILL_RESOURCE, Shape, definitions};
use prowess::{Catalog, CatalogOptions, Ledger, Library, Origin, json};
use prowess_mcp::{CatalogPlace, Options, Server};
use prowess_testkit::conformance::{Face, Place, Question, check};
use rmcp::ServiceExt;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use self::library::{LibraryFace, origin};

struct Mcp {
    place: Place,
    /// As the case began: the server has to see by itself what changes.
    library: Library,
}

/// What was compared, what the server says, and what the library says.
type Compared = (&'static str, Json, Json);

impl Face for Mcp {
    fn answer(&mut self, question: &Question<'_>) -> Result<Option<Json>, String> {
        let mut face = LibraryFace::new(&self.place, Arc::new(Disk));
        let Some(answer) = face.answer(question)? else { return Ok(None) };
        let budget = question.number("budget").and_then(|budget| usize::try_from(budget).ok());
        let budget = budget.unwrap_or(usize::MAX);
        let options = Options::new().budget(budget).catalog(CatalogPlace::Instructions);
        let client = Client { server: Server::new(self.library.clone(), options) };
        let compared = match question.ask() {
            "list" => list(&client, &face.library),
            "catalog" => catalog(&client, question, &answer),
            "tools" => tools(&client, &face.library),
            "activate" => activate(&client, question, &answer),
            "resource" => resource(&client, question, &face.library, &answer),
            "call" => call(&client, question, &answer),
            "why" => {
                let name = question.text("name").unwrap_or_default();
                let options = CatalogOptions::new().style(Style::Tool).budget(budget);
                let catalog = Catalog::build(&face.library, &options);
                let why = face.library.why_for(&name, Some(&catalog), Origin::Model);
                vec![("why_skill", client.told("why_skill", json!({"name": name})), json::explanation(&why))]
            }
            _ => Vec::new(),
        };
        if compared.is_empty() {
            return Ok(None);
        }
        match compared.into_iter().find(|(_, said, expected)| said != expected) {
            Some((what, said, expected)) => Err(format!("{what} says {said}, the library {expected}")),
            None => Ok(Some(answer)),
        }
    }
}

fn list(client: &Client, library: &Library) -> Vec<Compared> {
    let listed = library.listed();
    let offered =
        listed.map(|skill| json!({"name": library.call_name(skill), "description": skill.description()}));
    let mut said = Vec::new();
    while let Some(page) = client.told("list_skills", json!({"offset": said.len()}))["skills"].as_array() {
        if page.is_empty() {
            break;
        }
        said.extend_from_slice(page);
    }
    let mut findings = client.told("why_skill", json!({}));
    let left_out = findings["left_out_of_skills_list"].take();
    let is_left_out = |id: &str| left_out.as_array().is_some_and(|all| all.iter().any(|one| one["id"] == id));
    let expressed = library.listed().filter(|skill| !is_left_out(skill.id()));
    let expressed: Vec<Json> = expressed.map(|skill| frontmatter(skill)).collect();
    let entries = client.pages("skills/list", "skills");
    let entries = entries.into_iter().map(|mut entry| entry["frontmatter"].take()).collect();
    let mut found = library.diagnostics_for(Origin::Model);
    found.sort_by_key(|found| Reverse(found.severity));
    vec![
        ("list_skills", said.into(), offered.collect()),
        ("skills/list", sorted(entries), sorted(expressed)),
        ("why_skill", findings["diagnostics"].take(), found.iter().map(json::diagnostic).collect()),
    ]
}

/// The frontmatter of an entry: as it is, but name and description are text whatever YAML takes them for.
fn frontmatter(skill: &Skill) -> Json {
    let mut frontmatter = json::frontmatter(skill.frontmatter());
    for (key, text) in [("name", skill.name()), ("description", skill.description())] {
        if !frontmatter[key].is_string() {
            frontmatter[key] = text.into();
        }
    }
    frontmatter
}

/// The same in one order, whatever that of the keys is.
fn sorted(mut skills: Vec<Json>) -> Json {
    skills.sort_by_key(|skill| format!("{} {}", skill["name"], skill["description"]));
    skills.into()
}

/// The catalog stands in the instructions, in one style and form.
fn catalog(client: &Client, question: &Question<'_>, answer: &Json) -> Vec<Compared> {
    let is_xml = question.text("format").is_none_or(|format| format == "xml");
    if question.text("style").as_deref() != Some("tool") || !is_xml || !question.texts("pin").is_empty() {
        return Vec::new();
    }
    let said = client.ask("server/discover", json!({}))["result"]["instructions"].take();
    vec![("server/discover", said.as_str().unwrap_or_default().into(), answer["text"].clone())]
}

/// The tools that the library defines; the server has two more.
fn tools(client: &Client, library: &Library) -> Vec<Compared> {
    let mut said = client.pages("tools/list", "tools");
    said.retain(|tool| tool["name"] != "list_skills" && tool["name"] != "why_skill");
    vec![("tools/list", said.into(), definitions(library, Shape::Mcp).into())]
}

/// A model calls a tool; the user takes a prompt.
fn activate(client: &Client, question: &Question<'_>, answer: &Json) -> Vec<Compared> {
    let name = question.text("name").unwrap_or_default();
    if origin(question) == Origin::Model {
        let said = client.ask("tools/call", json!({"name": ACTIVATE_SKILL, "arguments": {"name": name}}));
        let said = called(&said);
        // Of a refusal the library's answer has no text here.
        let (said, answer) = match answer.get("error") {
            Some(error) => (said["error"].clone(), error.clone()),
            None => (said, delivered(answer)),
        };
        return vec![("activate_skill", said, answer)];
    }
    let arguments = json!({"arguments": question.text("arguments").unwrap_or_default()});
    let said = client.ask("prompts/get", json!({"name": name, "arguments": arguments}));
    let text = &said["result"]["messages"][0]["content"]["text"];
    let said = json!({"text": text, "error": said["error"]["data"]});
    vec![("prompts/get", said, json!({"text": answer["text"], "error": answer["error"]}))]
}

/// What an activation gives a client, out of a result.
fn called(answer: &Json) -> Json {
    let result = &answer["result"];
    let (text, about) = (&result["content"][0]["text"], &result["_meta"]);
    json!({"text": text, "metadata": about["prowess/skill"], "error": about["prowess/error"]})
}

/// The same, out of the library's answer.
fn delivered(answer: &Json) -> Json {
    json!({"text": answer["text"], "metadata": answer["metadata"], "error": answer["error"]})
}

/// A model reads a part by a tool; a host reads a whole file by its URI.
fn resource(client: &Client, question: &Question<'_>, library: &Library, answer: &Json) -> Vec<Compared> {
    let name = question.text("name").unwrap_or_default();
    let keys = ["name", "path", "offset", "length"];
    let given = keys.into_iter().filter_map(|key| Some((key.to_owned(), question.argument(key)?.clone())));
    let arguments: Json = given.collect();
    let said = client.ask("tools/call", json!({"name": READ_SKILL_RESOURCE, "arguments": arguments}));
    let said = &said["result"]["content"][0]["text"];
    let request = library.request(READ_SKILL_RESOURCE, &arguments).expect("a tool of the library's");
    let expected = request.deliver(&mut Ledger::new(), "here").into_text();
    let mut compared = vec![("read_skill_resource", said.clone(), expected.into())];
    // An error has neither.
    let is_whole = answer["length"] == answer["size"];
    if is_whole && library.listed().any(|skill| library.call_name(skill) == name) {
        let path = answer["path"].as_str().map(str::to_owned).or(question.text("path")).unwrap_or_default();
        let encode = |name: &str| utf8_percent_encode(name, NON_ALPHANUMERIC).to_string();
        let encoded: Vec<String> = [name.as_str()].into_iter().chain(path.split('/')).map(encode).collect();
        let said = client.ask("resources/read", json!({"uri": format!("skill://{}", encoded.join("/"))}));
        let text = &said["result"]["contents"][0]["text"];
        compared.push(("resources/read", text.clone(), answer["text"].clone()));
    }
    compared
}

fn call(client: &Client, question: &Question<'_>, answer: &Json) -> Vec<Compared> {
    let Some(arguments) = question.argument("arguments").filter(|arguments| arguments.is_object()) else {
        // MCP has no other arguments.
        return Vec::new();
    };
    let said = client.ask("tools/call", json!({"name": question.text("tool"), "arguments": arguments}));
    if answer["status"] == "not-ours" {
        return vec![("tools/call", said["error"]["code"].clone(), json!(-32602))];
    }
    vec![("tools/call", called(&said), delivered(answer))]
}

/// A client of the newest revision, for which each request stands alone.
struct Client {
    server: Server,
}

impl Client {
    /// The JSON in the text that a tool gives.
    fn told(&self, tool: &str, arguments: Json) -> Json {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str().expect("a tool gives a text");
        serde_json::from_str(text).expect("a text that is JSON")
    }

    /// All pages of a list.
    fn pages(&self, method: &str, key: &str) -> Vec<Json> {
        let (mut items, mut params) = (Vec::new(), json!({}));
        loop {
            let mut result = self.ask(method, params.clone())["result"].take();
            items.extend(result[key].as_array().expect("a list").iter().cloned());
            match result["nextCursor"].take() {
                Json::Null => return items,
                cursor => params["cursor"] = cursor,
            }
        }
    }

    fn ask(&self, method: &str, mut params: Json) -> Json {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string() + "\n";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let _serving = tokio::spawn(self.server.connection().serve(theirs));
            let (from_server, mut to_server) = tokio::io::split(ours);
            to_server.write_all(request.as_bytes()).await.expect("the server reads");
            let mut lines = BufReader::new(from_server).lines();
            let line = lines.next_line().await.expect("the server writes UTF-8").expect("the server answers");
            serde_json::from_str(&line).expect("the server writes JSON")
        })
    }
}

#[test]
fn the_server_conforms() {
    check(|place| {
        let library = LibraryFace::new(place, Arc::new(Disk)).library;
        Mcp { place: place.clone(), library }
    });
}
