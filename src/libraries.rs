//! Shared libraries that the CUDA build needs, where the loader finds them, and how to install missing ones.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde::Serialize;

/// Libraries that the program needs when linked by `scripts/build-cuda.sh`, for CUDA 13.
pub const CUDA: [&str; 5] =
    ["libcuda.so.1", "libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcurand.so.10"];

/// The library that comes with the driver; the others are also available as wheels.
const OF_DRIVER: &str = "libcuda.so.1";

/// Folders that the loader searches last.
const USUAL: [&str; 4] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// A shared library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Library {
    /// Name of a CUDA library.
    pub name: String,
    /// Path it is or would be loaded from; null if not found.
    pub path: Option<PathBuf>,
}

/// Starts a program that is linked to CUDA: the loader is told of the libraries that [`IN_WHEELS`] finds.
#[cfg(not(feature = "cuda"))]
pub fn start(program: &Path) -> Command {
    let mut command = Command::new(program);
    // A folder with a colon in its name cannot be told.
    if let Some(folders) =
        IN_WHEELS.clone().and_then(|folder| env::join_paths([folder].into_iter().chain(named())).ok())
    {
        command.env("LD_LIBRARY_PATH", folders);
    }
    command
}

/// Folders of `LD_LIBRARY_PATH`.
fn named() -> impl Iterator<Item = PathBuf> {
    let named = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    env::split_paths(&named).filter(|folder| folder.is_absolute()).collect::<Vec<_>>().into_iter()
}

/// CUDA libraries that a program links to, resolved by the glibc loader without starting the program (like `ldd`);
/// empty for other loaders.
#[cfg(not(feature = "cuda"))]
pub fn of_program(program: &Path) -> Vec<Library> {
    let traced = start(program).env("LD_TRACE_LOADED_OBJECTS", "1").stdin(Stdio::null()).output();
    traced.map(|output| resolved(&String::from_utf8_lossy(&output.stdout))).unwrap_or_default()
}

/// Parses lines such as `libcuda.so.1 => not found` or `libcuda.so.1 => /usr/lib/libcuda.so.1 (0x00007f)`.
#[cfg(any(test, not(feature = "cuda")))]
fn resolved(lines: &str) -> Vec<Library> {
    let line = |line: &str| {
        let (name, place) = line.trim().split_once(" => ")?;
        let place = place.split(" (0x").next().unwrap_or(place).trim();
        let path = (place != "not found").then(|| PathBuf::from(place));
        is_of_cuda(name).then(|| Library { name: name.to_string(), path })
    };
    sorted(lines.lines().filter_map(line).collect())
}

fn is_of_cuda(name: &str) -> bool {
    name.starts_with("libcu") && !name.starts_with("libcurl")
}

/// The driver's library first, the others by name.
fn sorted(mut libraries: Vec<Library>) -> Vec<Library> {
    libraries.sort_by(|a, b| (a.name != OF_DRIVER, &a.name).cmp(&(b.name != OF_DRIVER, &b.name)));
    libraries.dedup_by(|a, b| a.name == b.name);
    libraries
}

/// The libraries of [`CUDA`], searched for like the loader of a program that was started from here: wheels,
/// `LD_LIBRARY_PATH`, its cache, the usual folders.
pub fn searched() -> Vec<Library> {
    let folders: Vec<PathBuf> = IN_WHEELS.clone().into_iter().chain(named()).collect();
    let cached = ["ldconfig", "/sbin/ldconfig"].into_iter().find_map(|program| answer(program, &["-p"]));
    let cached = cached.unwrap_or_default();
    let of = |name: &str| {
        let within = |folder: &Path| Some(folder.join(name)).filter(|path| path.is_file());
        let first = folders.iter().find_map(|folder| within(folder));
        first.or_else(|| in_cache(&cached, name)).or_else(|| USUAL.iter().find_map(|folder| within(Path::new(folder))))
    };
    sorted(CUDA.iter().map(|name| Library { name: name.to_string(), path: of(name) }).collect())
}

/// Path of a library of this architecture in the output of `ldconfig -p`.
fn in_cache(cache: &str, name: &str) -> Option<PathBuf> {
    let of_this = |about: &str| !cfg!(target_arch = "x86_64") || about.contains("x86-64");
    cache.lines().find_map(|line| {
        let (library, place) = line.trim().split_once(" => ")?;
        let (found, about) = library.split_once(' ')?;
        (found == name && of_this(about)).then(|| PathBuf::from(place.trim()))
    })
}

/// CUDA libraries that this process has loaded, on Linux.
pub fn loaded() -> Vec<Library> {
    mapped(&std::fs::read_to_string("/proc/self/maps").unwrap_or_default())
}

fn mapped(maps: &str) -> Vec<Library> {
    let line = |line: &str| {
        let path = PathBuf::from(&line[line.find('/')?..]);
        let name = path.file_name()?.to_string_lossy().into_owned();
        (is_of_cuda(&name) && name.contains(".so")).then_some(Library { name, path: Some(path) })
    };
    sorted(maps.lines().filter_map(line).collect())
}

/// Folders of this program: as it was started, then with links resolved. Installers of Python packages may link a
/// program, its folder, or both.
pub fn own_folders() -> Vec<PathBuf> {
    let resolved = env::current_exe().and_then(|program| program.canonicalize()).ok();
    let started = env::args_os().next().map(PathBuf::from).and_then(|named| match named.components().count() {
        1 => {
            let folders = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&folders).map(|folder| folder.join(&named)).find(|program| program.is_file())
        }
        _ => Some(named),
    });
    // A program may be told any name.
    let started = started.filter(|program| program.canonicalize().ok() == resolved);
    let mut folders: Vec<PathBuf> = started
        .into_iter()
        .chain(resolved.clone())
        .filter_map(|program| Some(program.parent()?.to_path_buf()))
        .collect();
    folders.dedup();
    folders
}

/// Library folder of NVIDIA's wheels for CUDA 13, including PyTorch's: those of the Python environment that this program
/// is in, else of `python3`. Python is asked once.
static IN_WHEELS: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folders = own_folders();
    folders.iter().find_map(|folder| wheels_around(folder)).or_else(|| wheels_of(Path::new("python3")))
});

/// Wheels of the environment whose programs are in a folder: as its Python tells, else where installers put them.
fn wheels_around(programs: &Path) -> Option<PathBuf> {
    let python = programs.join("python3");
    let told = python.is_file().then(|| wheels_of(&python)).flatten();
    told.or_else(|| {
        let environment = programs.parent()?;
        let libraries = entries(environment, "lib");
        let versions = libraries.iter().flat_map(|folder| entries(folder, "python3."));
        let packages = versions.flat_map(|folder| ["site-packages", "dist-packages"].map(|name| folder.join(name)));
        // `pip install --target DIR` puts programs into DIR/bin.
        let mut packages = packages.chain([environment.to_path_buf()]);
        packages.find_map(|folder| libraries_of(&folder.join("nvidia/cu13")))
    })
}

/// Entries of a folder whose names begin so, by name.
fn entries(folder: &Path, begin: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(begin));
    let mut paths: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn wheels_of(python: &Path) -> Option<PathBuf> {
    // Not from the folder in which the command was given.
    let program =
        "import sys; sys.path[:] = filter(None, sys.path); import nvidia.cu13; print(list(nvidia.cu13.__path__)[0])";
    libraries_of(Path::new(answer(python, &["-c", program])?.trim()))
}

fn libraries_of(release: &Path) -> Option<PathBuf> {
    Some(release.join("lib")).filter(|folder| folder.is_dir())
}

fn answer(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// How to install missing libraries, one sentence each; empty if all are present.
pub fn how_to_get(libraries: &[Library]) -> Vec<String> {
    let missing: Vec<&Library> = libraries.iter().filter(|library| library.path.is_none()).collect();
    let (of_driver, of_toolkit): (Vec<&Library>, Vec<&Library>) =
        missing.into_iter().partition(|library| library.name == OF_DRIVER);
    let mut sentences = Vec::new();
    if !of_driver.is_empty() {
        sentences.push(format!(
            "{OF_DRIVER} comes with NVIDIA's driver (release 580 or newer for CUDA 13), which the administrator installs; no \
             wheel contains it, and containers need GPU access (docker run --gpus all)"
        ));
    }
    if of_toolkit.is_empty() {
        return sentences;
    }
    let names = of_toolkit.iter().map(|library| library.name.as_str()).collect::<Vec<_>>().join(", ");
    sentences.push(format!(
        "{names}: pip install 'nvidia-cuda-runtime==13.*' 'nvidia-cublas==13.*' 'nvidia-curand==10.4.*' into the Python \
         environment of tomeval or of python3, where they are then found; PyTorch for CUDA 13 has them too"
    ));
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(name: &str, path: Option<&str>) -> Library {
        Library { name: name.to_string(), path: path.map(PathBuf::from) }
    }

    #[test]
    fn what_the_loader_prints_is_read() {
        let printed = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibcudart.so.13 => /opt/a b/libcudart.so.13 (0x00007f12)\n\
                       \tlibcuda.so.1 => not found\n\tlibcurl.so.4 => /lib/libcurl.so.4 (0x0000)\n\
                       \tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n";
        let expected = [library("libcuda.so.1", None), library("libcudart.so.13", Some("/opt/a b/libcudart.so.13"))];
        assert_eq!(resolved(printed), expected);
        assert!(resolved("hello").is_empty());
    }

    #[test]
    fn the_loaders_cache_is_read_by_architecture() {
        let cache = "2 libs found in cache `/etc/ld.so.cache'\n\tlibcuda.so.1 (libc6) => /lib32/libcuda.so.1\n\
                     \tlibcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1\n";
        if cfg!(target_arch = "x86_64") {
            assert_eq!(in_cache(cache, "libcuda.so.1"), Some(PathBuf::from("/lib/x86_64-linux-gnu/libcuda.so.1")));
        }
        assert_eq!(in_cache(cache, "libcuda.so"), None);
    }

    #[test]
    fn what_a_process_has_loaded_is_named_once() {
        let maps = "7f00-7f01 r--p 0 00:00 1   /w/nvidia/cu13/lib/libcublas.so.13\n\
                    7f01-7f02 r-xp 0 00:00 1   /w/nvidia/cu13/lib/libcublas.so.13\n7f02-7f03 rw-p 0 00:00 0 [heap]\n\
                    7f04-7f05 r-xp 0 00:00 1   /usr/lib/libc.so.6\n";
        assert_eq!(mapped(maps), [library("libcublas.so.13", Some("/w/nvidia/cu13/lib/libcublas.so.13"))]);
    }

    #[test]
    fn the_driver_and_the_rest_are_got_in_different_ways() {
        let all =
            [library("libcuda.so.1", None), library("libcurand.so.10", None), library("libcublas.so.13", Some("/x"))];
        let rendered = how_to_get(&all);
        assert_eq!(rendered.len(), 2);
        assert!(
            rendered[0].contains("driver") && rendered[1].starts_with("libcurand.so.10: pip install"),
            "{rendered:?}"
        );
        assert!(how_to_get(&all[2..]).is_empty());
    }

    #[test]
    fn wheels_are_found_where_installers_put_them() {
        let found = |packages: &str| {
            let environment = tempfile::tempdir().unwrap();
            let environment = environment.path().join("an environment");
            let libraries = environment.join(packages).join("nvidia/cu13/lib");
            std::fs::create_dir_all(&libraries).unwrap();
            std::fs::create_dir_all(environment.join("bin")).unwrap();
            wheels_around(&environment.join("bin")) == Some(libraries)
        };
        let places =
            ["lib/python3.11/site-packages", "lib64/python3.9/site-packages", "lib/python3.13/dist-packages", ""];
        assert_eq!(places.map(found), [true; 4]);
        assert!(!found("lib/python3.11/site-packages/torch"));
    }

    #[test]
    fn every_library_is_searched_for_and_the_driver_comes_first() {
        let found = searched();
        assert_eq!(found.len(), CUDA.len());
        assert_eq!(found[0].name, OF_DRIVER);
    }
}
