//! Commands as they are typed in a shell, so that what is printed can be pasted.

use std::borrow::Cow;
use std::path::Path;

/// A word of a command, quoted where a POSIX shell would read it as anything else.
pub fn word(text: &str) -> String {
    // Nothing that is typed holds a zero byte, which alone cannot be quoted.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text)).into_owned()
}

/// A path as a word of a command.
pub fn path(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Else it would be an option.
    word(&if text.starts_with('-') { format!("./{text}") } else { text.into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

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
