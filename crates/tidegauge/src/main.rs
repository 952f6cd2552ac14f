//! The `tidegauge` binary: sets up what belongs to the process and runs the command that was asked for.

use std::process::ExitCode;

use clap::Parser;
use tidegauge::commands::{Arguments, run};
use tidegauge_cli::commands::{failure, output};
use tidegauge_heap::Counting;

// Event data is many small short-lived allocations on several threads, which the C library's allocator handles
// slowly and with much fragmentation. It is counted so that queries are held to what they take.
#[global_allocator]
static ALLOCATOR: Counting<mimalloc::MiMalloc> = Counting(mimalloc::MiMalloc);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // More than one cryptography provider can be linked in, so the choice is made here and not by chance. Nothing was
    // installed before it.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let is_verbose = arguments.is_verbose;
    // Large, and awaited once.
    match Box::pin(run(arguments)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::note(&failure::text(&error, is_verbose));
            failure::code(&error)
        }
    }
}
