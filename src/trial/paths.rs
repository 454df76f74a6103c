//! Paths in manifests, without the home folder: run folders are shared.

use std::path::{Path, PathBuf};

/// Replacement of the home folder.
const HOME: &str = "~";

/// Returns a full path in the form of manifests: relative below the working directory, with `~` below the home folder,
/// only the last name below another home folder, and unchanged elsewhere.
pub fn recorded_path(path: &Path) -> PathBuf {
    let working = std::env::current_dir().ok();
    recorded(path, working.as_deref(), std::env::home_dir().as_deref())
}

fn recorded(path: &Path, working: Option<&Path>, home: Option<&Path>) -> PathBuf {
    if let Some(rest) = working.and_then(|working| path.strip_prefix(working).ok()) {
        return if rest == Path::new("") { PathBuf::from(".") } else { rest.to_path_buf() };
    }
    if let Some(rest) = home.filter(|home| home.parent().is_some()).and_then(|home| path.strip_prefix(home).ok()) {
        return Path::new(HOME).join(rest);
    }
    let homes = ["/home", "/Users", "/root"];
    match homes.iter().any(|homes| path.starts_with(homes)) {
        true => path.file_name().map_or_else(PathBuf::new, PathBuf::from),
        false => path.to_path_buf(),
    }
}

/// Resolves a manifest's path on this machine.
pub fn resolved_path(recorded: &Path) -> PathBuf {
    match (recorded.strip_prefix(HOME), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => recorded.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_home_folder_is_recorded() {
        let check = |path: &str, expected: &str| {
            let found = recorded(Path::new(path), Some(Path::new("/home/ada/work")), Some(Path::new("/home/ada")));
            assert_eq!(found, Path::new(expected), "{path}");
        };
        check("/home/ada/work/models/tiny", "models/tiny");
        check("/home/ada/work", ".");
        check("/home/ada/models/tiny.gguf", "~/models/tiny.gguf");
        check("/home/ben/models/tiny", "tiny");
        check("/Users/ben/tiny", "tiny");
        check("/scratch/models/tiny", "/scratch/models/tiny");
        // A process whose home is the root folder has no home.
        assert_eq!(recorded(Path::new("/models/tiny"), None, Some(Path::new("/"))), Path::new("/models/tiny"));
    }

    #[test]
    fn a_recorded_path_leads_back() {
        assert_eq!(resolved_path(Path::new("models/tiny")), Path::new("models/tiny"));
        assert_eq!(resolved_path(Path::new("/models/tiny")), Path::new("/models/tiny"));
        let home = std::env::home_dir().unwrap();
        assert_eq!(resolved_path(Path::new("~/models/tiny")), home.join("models/tiny"));
    }
}
