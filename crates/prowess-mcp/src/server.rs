use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use prowess::{ErrorKind, Library, json};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::watch::Sender;

use crate::changes::{News, Subscriptions};
use crate::options::Options;
use crate::page::{after, only_page, page};
use crate::session::Session;
use crate::shelf::{Shelf, Snapshot, lock};
use crate::{prompts, resources, tools, unread, watch};

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
    subscriptions: Arc<Mutex<Subscriptions>>,
    /// Whether the client is told of changes.
    is_told: Arc<AtomicBool>,
    /// What clients are about to listen to.
    accepted: Arc<Mutex<Vec<News>>>,
    /// Whoever works for this connection ends when it is dropped.
    alive: Arc<Sender<()>>,
}

impl Server {
    /// A server of a library. The same roots are searched again, with the same options, before each answer but those that
    /// are a later page of a listing.
    #[must_use]
    pub fn new(library: Library, options: Options) -> Self {
        Self::over(Arc::new(Shelf::new(library, options)))
    }

    /// Watches the disk from now on, so that clients hear of changes before they ask. Without it, or where the system
    /// does not let it, they hear of changed skills with their next answer, and of changed files not at all. What is
    /// served does not depend on it.
    pub fn watch(&self) {
        watch::start(&self.shelf);
    }

    /// The same server for another connection: it shares the library, and has a session of its own.
    #[must_use]
    pub fn connection(&self) -> Self {
        Self::over(self.shelf.clone())
    }

    fn over(shelf: Arc<Shelf>) -> Self {
        Self {
            shelf,
            session: Arc::default(),
            subscriptions: Arc::default(),
            is_told: Arc::default(),
            accepted: Arc::default(),
            alive: Arc::default(),
        }
    }

    /// The skills that the Skills extension can't express, by their ids, and why: it has stricter rules for names.
    #[must_use]
    pub fn left_out(&self) -> Vec<(String, String)> {
        self.shelf.last().left_out().to_vec()
    }

    pub(crate) fn shelf(&self) -> &Arc<Shelf> {
        &self.shelf
    }

    /// Answers from what is on the disk now, where blocking does no harm.
    async fn answer<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Snapshot) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        self.answer_from(Shelf::fresh, answer).await
    }

    /// The same, for an answer that the session remembers, or that goes by what it remembers. Only one such is made at a
    /// time.
    async fn answer_in_session<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Snapshot, &mut Session) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let session = self.session.clone();
        self.answer(move |snapshot| answer(snapshot, &mut lock(&session))).await
    }

    /// Answers with a page of a listing. What was read for the first one does for the next ones as well.
    async fn answer_page<T: Send + 'static>(
        &self,
        request: Option<PaginatedRequestParams>,
        answer: impl FnOnce(&Snapshot, Option<PaginatedRequestParams>) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let is_first = request.as_ref().is_none_or(|request| request.cursor.is_none());
        let read = move |shelf: &Shelf| if is_first { shelf.fresh() } else { shelf.recent(Instant::now()) };
        self.answer_from(read, |snapshot| answer(snapshot, request)).await
    }

    async fn answer_from<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Shelf) -> Arc<Snapshot> + Send + 'static,
        answer: impl FnOnce(&Snapshot) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let shelf = self.shelf.clone();
        let answered = tokio::task::spawn_blocking(move || answer(&read(&shelf)));
        answered.await.unwrap_or_else(|error| {
            Err(ErrorData::internal_error(format!("the answer could not be made: {error}"), None))
        })
    }

    /// Tells a client of every change, for as long as it is there.
    fn tell_changes(&self, client: Peer<RoleServer>) {
        let lists = SubscriptionFilter::builder().tools_list_changed().prompts_list_changed();
        let lists = lists.resources_list_changed().build();
        let mut news = News::new(self.shelf.clone(), lists, self.subscriptions.clone());
        let mut alive = self.alive.subscribe();
        tokio::spawn(async move {
            loop {
                let news = tokio::select! {
                    _ = alive.changed() => return,
                    news = news.next() => news,
                };
                for notification in news {
                    if client.send_notification(notification).await.is_err() {
                        return;
                    }
                }
            }
        });
    }
}

/// Works on this thread, which may block. Where there are other threads, they go on with what waits.
fn aside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
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
            .enable_resources_subscribe()
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
        result.instructions = self.answer(|snapshot| Ok(snapshot.instructions())).await?;
        Ok(result)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        result.instructions = self.answer(|snapshot| Ok(snapshot.instructions())).await?;
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // A client may say so more than once.
        if !self.is_told.swap(true, Ordering::Relaxed) {
            self.tell_changes(context.peer);
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.supported_by(&self.get_info().capabilities);
        let (snapshot, mut subscriptions) = (self.shelf.last(), Subscriptions::default());
        accepted.resource_subscriptions = accepted.resource_subscriptions.and_then(|mut uris| {
            aside(|| uris.retain(|uri| subscriptions.add(&snapshot, uri).is_ok()));
            (!uris.is_empty()).then_some(uris)
        });
        // The client is told that it is heard before `listen` is called; what happens in between is news, too.
        let news = News::new(self.shelf.clone(), accepted.clone(), Arc::new(Mutex::new(subscriptions)));
        lock(&self.accepted).push(news);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = lock(&self.accepted).extract_if(.., |news| news.lists() == context.accepted()).next();
        let Some(mut news) = accepted else { return Ok(()) };
        loop {
            let news = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.shelf.closed() => return Ok(()),
                news = news.next() => news,
            };
            for notification in news {
                // It fails only when its client has gone, and then the next turn ends this.
                let _ = context.sink().send(notification).await;
            }
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subscriptions = self.subscriptions.clone();
        self.answer(move |snapshot| lock(&subscriptions).add(snapshot, &request.uri)).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        aside(|| lock(&self.subscriptions).remove(&request.uri));
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        self.answer(|snapshot| snapshot.tools().map(ListToolsResult::with_all_items)).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let placement = context.id.to_string();
        self.answer_in_session(move |snapshot, session| {
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
        self.answer_page(request, |snapshot, request| {
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
        self.answer_in_session(move |snapshot, session| {
            prompts::find(snapshot, session, &request.name, request.arguments, &placement)
        })
        .await
        .map(GetPromptResponse::from)
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.answer_page(request, |snapshot, request| resources::list_skills(snapshot, after(request)?)).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.answer(move |snapshot| resources::find_skill(snapshot, &request.uri)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.answer_page(request, |snapshot, request| {
            let (resources, next) = page(resources::list(snapshot), request, |resource| &resource.uri)?;
            let mut result = ListResourcesResult::with_all_items(resources);
            result.next_cursor = next;
            Ok(result)
        })
        .await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.answer(move |snapshot| resources::read(snapshot, &request.uri))
            .await
            .map(ReadResourceResponse::from)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let paging = PaginatedRequestParams::default().with_cursor(request.cursor);
        self.answer_page(Some(paging), move |snapshot, paging| {
            let children = resources::read_directory(snapshot, &request.uri)?;
            let (children, next) = page(children, paging, |child| &child.uri)?;
            let mut result = ReadResourceDirectoryResult::with_all_items(children);
            result.next_cursor = next;
            Ok(result)
        })
        .await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unread::refusal(&request, context.protocol_version().as_ref()))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.answer(move |snapshot| {
            resources::complete(snapshot, &request.r#ref, &request.argument, request.context)
        })
        .await
    }
}
