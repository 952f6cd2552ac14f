//! The command line. Here are the commands on this machine, one file each: `serve`, `doctor`, and `org`, `token`, `oauth`
//! and `user`, which work on the catalogue directly, with the rights of whoever can read the data folder: the operator.
//! Those that are clients like any other are in `tidegauge_cli`.

pub mod address;
pub mod doctor;
pub mod oauth;
pub mod operator;
pub mod org;
pub mod serve;
pub mod token;
pub mod user;

use clap::{Parser, Subcommand};
use tidegauge_cli::commands::{bench, dataset, ingest, login, logout, monitor, notifier, query, whoami};

/// Behind all other flags of a command, before those for help.
const LAST: usize = 998;

/// Stores events and answers queries over them.
#[derive(Debug, Parser)]
#[command(name = "tidegauge", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Say all that is known of an error.
    #[arg(long = "verbose", global = true, display_order = LAST)]
    pub is_verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the service.
    Serve(serve::ServeArguments),
    /// Send files of events to a server.
    Ingest(ingest::IngestArguments),
    /// Ask a server a query and show the answer.
    Query(query::QueryArguments),
    /// List, make, trim and delete datasets, and see their fields.
    #[command(subcommand)]
    Dataset(dataset::DatasetCommand),
    /// List, make, mute and delete monitors.
    #[command(subcommand)]
    Monitor(monitor::MonitorCommand),
    /// List and try notifiers, and see what became of their messages.
    #[command(subcommand)]
    Notifier(notifier::NotifierCommand),
    /// Sign in at a server, so that other commands need no token.
    Login(login::LoginArguments),
    /// End the sign-in at a server.
    Logout(logout::LogoutArguments),
    /// Say whose token is used at a server.
    Whoami(whoami::WhoamiArguments),
    /// Look at disk, clock, catalogue and segments, and say what is wrong.
    Doctor(doctor::DoctorArguments),
    /// Show organisations, set their limits and their payment status.
    #[command(subcommand)]
    Org(org::OrgCommand),
    /// List, make and delete tokens.
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Rotate the keys of the embedded authorisation server.
    #[command(subcommand)]
    Oauth(oauth::OauthCommand),
    /// List users, and let them in by one-time links.
    #[command(subcommand)]
    User(user::UserCommand),
    /// Make events for measurements, and ask about them.
    #[command(subcommand)]
    Bench(bench::BenchCommand),
}

/// Runs the command that was asked for.
pub async fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::Serve(arguments) => Box::pin(serve::run(arguments)).await,
        Command::Ingest(arguments) => ingest::run(arguments).await,
        Command::Query(arguments) => query::run(arguments).await,
        Command::Dataset(command) => dataset::run(command).await,
        Command::Monitor(command) => monitor::run(command).await,
        Command::Notifier(command) => notifier::run(command).await,
        Command::Login(arguments) => login::run(arguments).await,
        Command::Logout(arguments) => logout::run(arguments).await,
        Command::Whoami(arguments) => whoami::run(arguments).await,
        Command::Doctor(arguments) => doctor::run(arguments).await,
        Command::Org(command) => org::run(command).await,
        Command::Token(command) => token::run(command).await,
        Command::Oauth(command) => oauth::run(command).await,
        Command::User(command) => user::run(command).await,
        Command::Bench(command) => bench::run(command).await,
    }
}
