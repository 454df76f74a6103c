//! Shell quoting, so that printed commands can be pasted.

use std::borrow::Cow;
use std::path::Path;

/// Returns a word of a command, quoted if a POSIX shell would interpret it.
pub fn word(text: &str) -> String {
    // Typed words contain no zero bytes, the only thing that cannot be quoted.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text)).into_owned()
}

/// Returns a path as a word of a command.
pub fn path(path: &Path) -> String {
    let text = path.to_string_lossy();
    // It would otherwise be an option.
    word(&if text.starts_with('-') { format!("./{text}") } else { text.into_owned() })
}

/// Returns the running command for records: with `~` for the home folder, and without the part before the host of an
/// address, which may contain a password.
pub fn this_command() -> String {
    let home = dirs::home_dir().map(|home| home.to_string_lossy().into_owned());
    recorded(&typed(), home.as_deref())
}

/// Returns the running command as it can be pasted, with all its paths.
pub fn this_command_again() -> String {
    recorded(&typed(), None)
}

fn typed() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

fn recorded(words: &[String], home: Option<&str>) -> String {
    let shown = |text: &String| {
        let home = home.filter(|home| home.len() > 1).unwrap_or("\0");
        let text = text.replace(home, "~");
        let before_host = text.find("://").map(|at| at + 3).and_then(|start| {
            let end = text[start..].find('/').map_or(text.len(), |length| start + length);
            Some(start..start + text[start..end].rfind('@')?)
        });
        let Some(before_host) = before_host else { return word(&text) };
        word(&format!("{}***{}", &text[..before_host.start], &text[before_host.end..]))
    };
    let program = words.first().and_then(|path| Path::new(path).file_name()?.to_str()).unwrap_or("tomeval");
    [program.to_string()].into_iter().chain(words.iter().skip(1).map(shown)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_command_names_neither_home_nor_password() {
        let words =
            ["/home/ann/bin/tomeval", "run", "--data", "/home/ann/tom data", "-m", "openai:http://me:pw@h:1/v1#N"];
        let words = words.map(String::from);
        assert_eq!(
            recorded(&words, Some("/home/ann")),
            "tomeval run --data '~/tom data' -m 'openai:http://***@h:1/v1#N'"
        );
        assert_eq!(recorded(&words[..3], Some("/")), "tomeval run --data");
        assert_eq!(recorded(&["t".into(), "http://h/a@b".into()], None), "t http://h/a@b");
        assert_eq!(recorded(&[], None), "tomeval");
    }

    #[test]
    fn paths_are_read_by_a_shell_as_they_are() {
        for name in ["runs/a", "with blank", "it's", "$HOME", "a;b", "~x", "多 语", "-x", "*", "new\nline"] {
            let typed = path(Path::new(name));
            let read = shlex::split(&typed).unwrap();
            assert_eq!(read, [if name == "-x" { "./-x" } else { name }], "{typed}");
        }
        assert_eq!(path(Path::new("runs/a_b.c")), "runs/a_b.c");
    }
}
