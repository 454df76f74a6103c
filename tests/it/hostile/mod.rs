//! What is damaged, lies or wants too much: model files, run folders, templates, the Hub and package indexes.

#[cfg(all(target_os = "linux", feature = "server"))]
mod bounds;
#[cfg(feature = "hub")]
mod hub;
mod model_files;
mod run_folders;
mod templates;
mod texts;
#[cfg(unix)]
mod wheel;
