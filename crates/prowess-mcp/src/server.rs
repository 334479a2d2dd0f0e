use std::sync::{Arc, Mutex, PoisonError};

use prowess::{ErrorKind, Library, json};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::watch::Sender;

use crate::options::Options;
use crate::page::{after, page};
use crate::session::Session;
use crate::shelf::{Shelf, Snapshot};
use crate::{prompts, resources, tools, watch};

/// An MCP server over a library, for one connection. Its transports are [`serve_stdio`](crate::serve_stdio) and its
/// like; it is also a handler of the SDK's, for a transport of one's own.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{Library, LoadOptions, Roots, source::Memory};
/// use prowess_mcp::{Options, Server};
///
/// let memory = Memory::new().with("/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\n");
/// let roots = Roots::new().with("user", "/skills")?;
/// let library = Library::load(&roots, &LoadOptions::new().source(Arc::new(memory)));
/// let server = Server::new(library, Options::new());
/// let another_connection = server.connection();
/// # Ok::<(), prowess::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    shelf: Arc<Shelf>,
    session: Arc<Mutex<Session>>,
    /// Whoever works for this connection ends when it is dropped.
    alive: Arc<Sender<()>>,
}

impl Server {
    /// A server of a library. The same roots are searched again, with the same options, before each answer.
    #[must_use]
    pub fn new(library: Library, options: Options) -> Self {
        Self { shelf: Arc::new(Shelf::new(library, options)), session: Arc::default(), alive: Arc::default() }
    }

    /// Watches the disk from now on, so that clients hear of changes before they ask. Without it, or where the system
    /// does not let it, they hear of them with their next answer.
    pub fn watch(&self) {
        watch::start(&self.shelf);
    }

    /// The same server for another connection: it shares the library, and has a session of its own.
    #[must_use]
    pub fn connection(&self) -> Self {
        Self { shelf: self.shelf.clone(), session: Arc::default(), alive: Arc::default() }
    }

    /// The skills that the Skills extension can't express, by their ids, and why: it has stricter rules for names.
    #[must_use]
    pub fn left_out(&self) -> Vec<(String, String)> {
        self.shelf.last().left_out().to_vec()
    }

    /// Lets subscriptions come to their end.
    #[cfg(feature = "http")]
    pub(crate) fn close_subscriptions(&self) {
        self.shelf.close();
    }

    /// Answers from what is on the disk now, where blocking does no harm.
    async fn answer<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Snapshot, &mut Session) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (shelf, session) = (self.shelf.clone(), self.session.clone());
        let answered = tokio::task::spawn_blocking(move || {
            let snapshot = shelf.fresh();
            let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
            answer(&snapshot, &mut session)
        });
        answered.await.unwrap_or_else(|error| {
            Err(ErrorData::internal_error(format!("the answer could not be made: {error}"), None))
        })
    }

    /// Tells a client of every change, for as long as it is there.
    fn tell_changes(&self, client: Peer<RoleServer>) {
        let (mut changes, mut alive) = (self.shelf.changes(), self.alive.subscribe());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = alive.changed() => return,
                    changed = changes.changed() => if changed.is_err() { return },
                }
                let told = async {
                    client.notify_tool_list_changed().await?;
                    client.notify_prompt_list_changed().await?;
                    client.notify_resource_list_changed().await
                };
                if told.await.is_err() {
                    return;
                }
            }
        });
    }
}

/// What the core refused, in the protocol's terms: what was asked for is wrong, or it could not be had.
pub(crate) fn refused(error: &prowess::Error) -> ErrorData {
    let data = Some(json::error(error)["error"].take());
    match error.kind() {
        ErrorKind::Io => ErrorData::internal_error(error.to_string(), data),
        _ => ErrorData::invalid_params(error.to_string(), data),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_completions()
            .enable_skills_with_directory_read()
            .build();
        let me = Implementation::new("prowess", env!("CARGO_PKG_VERSION")).with_title("Prowess");
        ServerConfig::new(capabilities).with_server_info(me)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = self.answer(|snapshot, _| Ok(snapshot.instructions())).await?;
        Ok(result)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        result.instructions = self.answer(|snapshot, _| Ok(snapshot.instructions())).await?;
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.tell_changes(context.peer);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.shelf.changes();
        let (accepted, sink) = (context.accepted().clone(), context.sink().clone());
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.shelf.closed() => return Ok(()),
                changed = changes.changed() => if changed.is_err() { return Ok(()) },
            }
            // A sink refuses only when its client has gone, and then the next turn ends this.
            if accepted.tools_list_changed == Some(true) {
                let _ = sink.notify_tool_list_changed().await;
            }
            if accepted.prompts_list_changed == Some(true) {
                let _ = sink.notify_prompt_list_changed().await;
            }
            if accepted.resources_list_changed == Some(true) {
                let _ = sink.notify_resource_list_changed().await;
            }
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.answer(|snapshot, _| Ok(ListToolsResult::with_all_items(snapshot.tools().to_vec()))).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let placement = context.id.to_string();
        self.answer(move |snapshot, session| {
            let arguments = request.arguments.unwrap_or_default();
            tools::call(snapshot, session, &request.name, arguments, &placement)
        })
        .await
        .map(CallToolResponse::from)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.answer(|snapshot, _| {
            let prompts = prompts::list(&snapshot.library);
            let (prompts, next) = page(prompts, request, |prompt| &prompt.name)?;
            let mut result = ListPromptsResult::with_all_items(prompts);
            result.next_cursor = next;
            Ok(result)
        })
        .await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let placement = context.id.to_string();
        self.answer(move |snapshot, session| {
            prompts::find(&snapshot.library, session, &request.name, request.arguments, &placement)
        })
        .await
        .map(GetPromptResponse::from)
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.answer(|snapshot, _| resources::list_skills(snapshot, after(request)?)).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.answer(move |snapshot, _| resources::find_skill(snapshot, &request.uri)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.answer(|snapshot, _| {
            let (resources, next) = page(resources::list(snapshot), request, |resource| &resource.uri)?;
            let mut result = ListResourcesResult::with_all_items(resources);
            result.next_cursor = next;
            Ok(result)
        })
        .await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.answer(move |snapshot, _| resources::read(snapshot, &request.uri))
            .await
            .map(ReadResourceResponse::from)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.answer(move |snapshot, _| {
            let children = resources::read_directory(snapshot, &request.uri)?;
            let paging = PaginatedRequestParams::default().with_cursor(request.cursor);
            let (children, next) = page(children, Some(paging), |child| &child.uri)?;
            let mut result = ReadResourceDirectoryResult::with_all_items(children);
            result.next_cursor = next;
            Ok(result)
        })
        .await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.answer(move |snapshot, _| {
            resources::complete(snapshot, &request.r#ref, &request.argument, request.context)
        })
        .await
    }
}
