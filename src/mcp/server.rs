//! Tools and resources on the wire; the work is in `session`.

use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, JsonObject, ListResourcesResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ErrorData, Json, ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;

use super::params;
use super::results::{Answer, Checked, Done, JobDone, Mastered, Mixed, Opened, Rendered, Styles};
use super::schema::{input, output, parse};
use super::session::{Outcome, Progress, Session};
use super::transport::Stdio;
use crate::diag::suggest;
use crate::job::Vocabulary;
use crate::runner::{Control, RunOptions};

pub(super) const PROJECT_URI: &str = "reaper-batch://project";
pub(super) const TRACKS_URI: &str = "reaper-batch://tracks";
pub(super) const REPORT_URI: &str = "reaper-batch://report";

/// How the server works.
#[derive(Clone)]
pub struct ServeOptions {
    /// Engine, threads and worker settings; the output folder comes with each call.
    pub run: RunOptions,
    pub control: Control,
    /// Names that job files may use.
    pub vocabulary: fn() -> Vocabulary,
}

/// Serves the protocol on stdin and stdout until the client closes stdin.
/// Calls under way are answered first.
///
/// # Errors
///
/// The runtime cannot be made, or the transport fails.
pub fn serve(options: ServeOptions) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let server = Server::new(options);
    let session = Arc::clone(&server.session);
    runtime.block_on(async {
        match server.serve(Stdio::new()).await {
            Ok(running) => {
                running.waiting().await?;
            }
            // The client left without a word: nothing was asked, nothing failed.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => return Err(error.into()),
        }
        anyhow::Ok(())
    })?;
    session.blocking_lock().close();
    Ok(())
}

struct Server {
    /// Calls take turns, in the order in which they came.
    session: Arc<Mutex<Session>>,
    router: ToolRouter<Self>,
    control: Control,
}

type Context = RequestContext<RoleServer>;

#[tool_router]
impl Server {
    fn new(options: ServeOptions) -> Self {
        let control = options.control.clone();
        Self {
            session: Arc::new(Mutex::new(Session::new(options))),
            router: Self::tool_router(),
            control,
        }
    }

    /// Opens a REAPER project, audio stems or an empty project as a working
    /// copy in a folder. Closes the project that was open.
    #[tool(input_schema = input::<params::OpenProject>(), output_schema = output::<Opened>())]
    async fn open_project(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Opened>> {
        self.work(
            arguments,
            context,
            move |session, args: params::OpenProject, progress| session.open(args, progress),
        )
        .await
    }

    /// Tracks, effects, sends, markers, regions and tempo of the open project.
    #[tool(input_schema = input::<params::LookAround>(), output_schema = output::<Answer>(), annotations(read_only_hint = true))]
    async fn look_around(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Answer>> {
        self.work(
            arguments,
            context,
            move |session, _: params::LookAround, _| session.look(),
        )
        .await
    }

    /// Names tracks, sets faders, pans, mutes, solos, colours and folders;
    /// makes tracks that are missing.
    #[tool(input_schema = input::<params::ConfigureTracks>(), output_schema = output::<Answer>())]
    async fn configure_tracks(
        &self,
        arguments: JsonObject,
        context: Context,
    ) -> Outcome<Json<Answer>> {
        self.work(
            arguments,
            context,
            move |session, args: params::ConfigureTracks, _| session.configure_tracks(&args),
        )
        .await
    }

    /// Turns a score into tracks with instruments and MIDI notes, in a project
    /// that was opened empty. Called again, it replaces what it wrote.
    #[tool(input_schema = input::<params::Compose>(), output_schema = output::<Done>())]
    async fn compose(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Done>> {
        self.work(
            arguments,
            context,
            move |session, args: params::Compose, progress| session.compose(&args, progress),
        )
        .await
    }

    /// Measures all tracks and mixes them in a style: faders, pans, EQ,
    /// compression, reverb buses, side-chains. Can be repeated.
    #[tool(input_schema = input::<params::Mix>(), output_schema = output::<Mixed>(), annotations(idempotent_hint = true))]
    async fn mix(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Mixed>> {
        self.work(
            arguments,
            context,
            move |session, args: params::Mix, progress| session.mix(&args, progress),
        )
        .await
    }

    /// Builds the master chain and sets its drive by rendering and measuring
    /// until the loudness target and the true-peak ceiling are met.
    #[tool(input_schema = input::<params::Master>(), output_schema = output::<Mastered>(), annotations(idempotent_hint = true))]
    async fn master(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Mastered>> {
        self.work(
            arguments,
            context,
            move |session, args: params::Master, progress| session.master(&args, progress),
        )
        .await
    }

    /// Renders the mix into the project's folder, measures the file on disk
    /// and judges it.
    #[tool(input_schema = input::<params::Render>(), output_schema = output::<Rendered>())]
    async fn render(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Rendered>> {
        self.work(
            arguments,
            context,
            move |session, args: params::Render, progress| session.render(&args, progress),
        )
        .await
    }

    /// Measures any audio file (loudness, true peak, defects) and judges it
    /// against a delivery spec or a style.
    #[tool(input_schema = input::<params::CheckFile>(), output_schema = output::<Checked>(), annotations(read_only_hint = true))]
    async fn check_file(&self, arguments: JsonObject) -> Outcome<Json<Checked>> {
        let args = parse(arguments)?;
        let work = tokio::task::spawn_blocking(move || Session::check_file(&args));
        work.await.map_err(crashed)?.map(Json)
    }

    /// Runs a job file: mixes, masters, renders and checks all its projects,
    /// and writes the reports.
    #[tool(input_schema = input::<params::RunJob>(), output_schema = output::<JobDone>())]
    async fn run_job(&self, arguments: JsonObject, context: Context) -> Outcome<Json<JobDone>> {
        self.work(
            arguments,
            context,
            move |session, args: params::RunJob, progress| session.run_job(&args, progress),
        )
        .await
    }

    /// Takes back the last steps in the open project. One call of another
    /// tool can be many steps.
    #[tool(input_schema = input::<params::Undo>(), output_schema = output::<Answer>())]
    async fn undo(&self, arguments: JsonObject, context: Context) -> Outcome<Json<Answer>> {
        self.work(arguments, context, move |session, args: params::Undo, _| {
            session.undo(&args)
        })
        .await
    }

    /// Names of all styles, or the targets and roles of one.
    #[tool(input_schema = input::<params::ListStyles>(), output_schema = output::<Styles>(), annotations(read_only_hint = true))]
    async fn list_styles(&self, arguments: JsonObject) -> Outcome<Json<Styles>> {
        Session::styles(&parse(arguments)?).map(Json)
    }

    /// Does blocking work on the session when its turn has come, while progress
    /// goes to the client. A cancelled request ends the work at its next
    /// opportunity, or never begins it.
    async fn work<P, T, F>(
        &self,
        arguments: JsonObject,
        context: Context,
        work: F,
    ) -> Outcome<Json<T>>
    where
        P: DeserializeOwned + Send + 'static,
        T: serde::Serialize + JsonSchema + Send + 'static,
        F: FnOnce(&mut Session, P, Progress) -> Outcome<T> + Send + 'static,
    {
        let args = parse(arguments)?;
        let mut session = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err("cancelled before it began".to_owned()),
            session = Arc::clone(&self.session).lock_owned() => session,
        };
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<(f64, String)>();
        let progress: Progress = Box::new(move |fraction, detail| {
            // Nobody listens any more once the call has been answered.
            let _ = sender.send((fraction, detail.to_owned()));
        });
        let mut task = tokio::task::spawn_blocking(move || {
            let result = work(&mut session, args, progress);
            (session, result)
        });
        let mut stages = Stages::default();
        let mut cancelled = false;
        let joined = loop {
            tokio::select! {
                joined = &mut task => break joined,
                () = context.ct.cancelled(), if !cancelled => {
                    cancelled = true;
                    self.control.cancel();
                }
                Some((fraction, detail)) = receiver.recv() => {
                    if let Some(token) = context.meta.get_progress_token()
                        && let Some((progress, total)) = stages.rise(fraction)
                    {
                        let mut note = ProgressNotificationParam::new(token, progress);
                        note.total = Some(total);
                        note.message = Some(detail);
                        if let Err(error) = context.peer.notify_progress(note).await {
                            tracing::debug!(%error, "cannot report progress");
                        }
                    }
                }
            }
        };
        if cancelled {
            self.control.reset();
        }
        // The session is free for the next call only from here on, so that no
        // call is cancelled in the place of another.
        let (session, result) = joined.map_err(crashed)?;
        drop(session);
        result.map(Json)
    }
}

/// Progress of a call must rise, by the protocol, but the fraction of its work
/// begins anew with every render. Each new beginning adds one to the total.
#[derive(Default)]
struct Stages {
    done: f64,
    fraction: Option<f64>,
}

impl Stages {
    /// Progress and total, if there is progress to tell.
    fn rise(&mut self, fraction: f64) -> Option<(f64, f64)> {
        let fraction = fraction.clamp(0.0, 1.0);
        match self.fraction {
            Some(last) if fraction == last => return None,
            Some(last) if fraction < last => self.done += 1.0,
            _ => {}
        }
        self.fraction = Some(fraction);
        Some((self.done + fraction, self.done + 1.0))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.router.get(&request.name).is_none() {
            let tools = self.router.list_all();
            let near = suggest(&request.name, tools.iter().map(|tool| &*tool.name));
            let hint = near.map_or_else(
                || "`tools/list` names all".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`; {hint}", request.name),
                None,
            ));
        }
        let call = ToolCallContext::new(self, request, context);
        self.router.call(call).await
    }

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(
                env!("CARGO_PKG_NAME"),
                env!("CARGO_PKG_VERSION"),
            ))
            .with_instructions(
                "Open a project with open_project, then mix, master and render it; every render \
                 is measured on disk and judged. Sources are never written to.",
            )
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = [
            (
                PROJECT_URI,
                "project",
                "The open project: name, tempo, length, counts",
            ),
            (TRACKS_URI, "tracks", "All tracks of the open project"),
            (
                REPORT_URI,
                "report",
                "Report of the last job, or of the open project",
            ),
        ]
        .map(|(uri, name, description)| {
            let mut resource = Resource::new(uri, name);
            resource.description = Some(description.to_owned());
            resource.mime_type = Some("application/json".to_owned());
            resource
        });
        Ok(ListResourcesResult::with_all_items(resources.to_vec()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let mut session = Arc::clone(&self.session).lock_owned().await;
        let uri = request.uri.clone();
        let content = tokio::task::spawn_blocking(move || session.resource(&uri))
            .await
            .map_err(|error| ErrorData::internal_error(crashed(error), None))?;
        match content {
            None => Err(ErrorData::resource_not_found(
                format!("there is no resource `{}`", request.uri),
                None,
            )),
            Some(Err(reason)) => Err(ErrorData::resource_not_found(reason, None)),
            Some(Ok(value)) => {
                let contents = ResourceContents::text(value.to_string(), request.uri)
                    .with_mime_type("application/json");
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
        }
    }
}

fn crashed(error: tokio::task::JoinError) -> String {
    format!("this is a bug of reaper-batch, please report it: {error}")
}

/// All tools, as a client sees them.
#[cfg(test)]
pub(super) fn tool_list() -> Vec<rmcp::model::Tool> {
    Server::tool_router().list_all()
}
