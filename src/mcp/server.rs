//! Tools and resources on the wire; the work is in `session`.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    Implementation, ListResourcesResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, Json, ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use schemars::JsonSchema;

use super::params;
use super::results::{Answer, Checked, Done, JobDone, Mastered, Mixed, Opened, Rendered, Styles};
use super::session::{Outcome, Progress, Session};
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
        let running = server.serve(rmcp::transport::stdio()).await?;
        running.waiting().await?;
        anyhow::Ok(())
    })?;
    lock(&session).close();
    Ok(())
}

#[derive(Clone)]
struct Server {
    session: Arc<Mutex<Session>>,
    control: Control,
}

type Context = RequestContext<RoleServer>;

#[tool_router]
impl Server {
    fn new(options: ServeOptions) -> Self {
        let control = options.control.clone();
        Self {
            session: Arc::new(Mutex::new(Session::new(options))),
            control,
        }
    }

    /// Opens a REAPER project, a set of audio stems or an empty project, as a
    /// working copy in a folder. Closes the project that was open.
    #[tool]
    async fn open_project(
        &self,
        Parameters(args): Parameters<params::OpenProject>,
        context: Context,
    ) -> Outcome<Json<Opened>> {
        self.work(context, move |session, progress| {
            session.open(args, progress)
        })
        .await
    }

    /// Tracks, effects, sends, markers, regions and tempo of the open project.
    #[tool(annotations(read_only_hint = true))]
    async fn look_around(&self, context: Context) -> Outcome<Json<Answer>> {
        self.work(context, |session, _| session.look()).await
    }

    /// Names tracks, sets faders, pans, mutes, solos, colours and folders;
    /// makes tracks that are missing.
    #[tool]
    async fn configure_tracks(
        &self,
        Parameters(args): Parameters<params::ConfigureTracks>,
        context: Context,
    ) -> Outcome<Json<Answer>> {
        self.work(context, move |session, _| session.configure_tracks(&args))
            .await
    }

    /// Turns a score into tracks with instruments and MIDI notes.
    #[tool]
    async fn compose(
        &self,
        Parameters(args): Parameters<params::Compose>,
        context: Context,
    ) -> Outcome<Json<Done>> {
        self.work(context, move |session, progress| {
            session.compose(&args, progress)
        })
        .await
    }

    /// Measures all tracks and mixes them in a style: faders, pans, EQ,
    /// compression, reverb buses, side-chains. Can be repeated.
    #[tool(annotations(idempotent_hint = true))]
    async fn mix(
        &self,
        Parameters(args): Parameters<params::Mix>,
        context: Context,
    ) -> Outcome<Json<Mixed>> {
        self.work(context, move |session, progress| {
            session.mix(&args, progress)
        })
        .await
    }

    /// Builds the master chain and sets its drive by rendering and measuring
    /// until the loudness target and the true-peak ceiling are met.
    #[tool(annotations(idempotent_hint = true))]
    async fn master(
        &self,
        Parameters(args): Parameters<params::Master>,
        context: Context,
    ) -> Outcome<Json<Mastered>> {
        self.work(context, move |session, progress| {
            session.master(&args, progress)
        })
        .await
    }

    /// Renders the mix into the project's folder, measures the file on disk
    /// and judges it.
    #[tool]
    async fn render(
        &self,
        Parameters(args): Parameters<params::Render>,
        context: Context,
    ) -> Outcome<Json<Rendered>> {
        self.work(context, move |session, progress| {
            session.render(&args, progress)
        })
        .await
    }

    /// Measures any audio file (loudness, true peak, defects) and judges it
    /// against a delivery spec or a style.
    #[tool(annotations(read_only_hint = true))]
    async fn check_file(
        &self,
        Parameters(args): Parameters<params::CheckFile>,
    ) -> Outcome<Json<Checked>> {
        let work = tokio::task::spawn_blocking(move || Session::check_file(&args));
        work.await.map_err(crashed)?.map(Json)
    }

    /// Runs a job file: mixes, masters, renders and checks all its projects,
    /// and writes the reports.
    #[tool]
    async fn run_job(
        &self,
        Parameters(args): Parameters<params::RunJob>,
        context: Context,
    ) -> Outcome<Json<JobDone>> {
        self.work(context, move |session, progress| {
            session.run_job(&args, progress)
        })
        .await
    }

    /// Takes back the last steps in the open project.
    #[tool]
    async fn undo(
        &self,
        Parameters(args): Parameters<params::Undo>,
        context: Context,
    ) -> Outcome<Json<Answer>> {
        self.work(context, move |session, _| session.undo(&args))
            .await
    }

    /// Names of all styles, or the targets and roles of one.
    #[tool(annotations(read_only_hint = true))]
    async fn list_styles(
        &self,
        Parameters(args): Parameters<params::ListStyles>,
    ) -> Outcome<Json<Styles>> {
        Session::styles(&args).map(Json)
    }

    /// Does blocking work on the session while progress goes to the client.
    /// A cancelled request ends the work at its next opportunity.
    async fn work<T, F>(&self, context: Context, work: F) -> Outcome<Json<T>>
    where
        T: serde::Serialize + JsonSchema + Send + 'static,
        F: FnOnce(&mut Session, Progress) -> Outcome<T> + Send + 'static,
    {
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<(f64, String)>();
        let progress: Progress = Box::new(move |fraction, detail| {
            // Nobody listens any more once the call has been answered.
            let _ = sender.send((fraction, detail.to_owned()));
        });
        let session = Arc::clone(&self.session);
        let mut task = tokio::task::spawn_blocking(move || {
            let mut session = lock(&session);
            work(&mut session, progress)
        });
        let token = context.meta.get_progress_token();
        let mut shown = -1.0;
        let result = loop {
            tokio::select! {
                result = &mut task => break result,
                () = context.ct.cancelled(), if !self.control.is_cancelled() => self.control.cancel(),
                Some((fraction, detail)) = receiver.recv() => {
                    // Progress must grow, by the protocol.
                    if let Some(token) = &token && fraction > shown {
                        shown = fraction;
                        let mut note = ProgressNotificationParam::new(token.clone(), fraction);
                        note.total = Some(1.0);
                        note.message = Some(detail);
                        if let Err(error) = context.peer.notify_progress(note).await {
                            tracing::debug!(%error, "cannot report progress");
                        }
                    }
                }
            }
        };
        if context.ct.is_cancelled() {
            self.control.reset();
        }
        result.map_err(crashed)?.map(Json)
    }
}

#[tool_handler]
impl ServerHandler for Server {
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
        let session = Arc::clone(&self.session);
        let uri = request.uri.clone();
        let content = tokio::task::spawn_blocking(move || lock(&session).resource(&uri))
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

/// A session whose holder panicked is still usable: its parts are replaced whole.
fn lock(session: &Mutex<Session>) -> std::sync::MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

fn crashed(error: tokio::task::JoinError) -> String {
    format!("this is a bug of reaper-batch, please report it: {error}")
}

/// All tools, as a client sees them.
#[cfg(test)]
pub(super) fn tool_list() -> Vec<rmcp::model::Tool> {
    Server::tool_router().list_all()
}
