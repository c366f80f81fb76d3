//! The program: everything is in the library.

fn main() -> std::process::ExitCode {
    reaper_batch::cli::main()
}
