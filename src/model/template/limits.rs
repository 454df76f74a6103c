//! Limits on rendering a template: steps, time, bytes, depth.
//!
//! Each limit is far above the needs of a chat of the same length, so that only programs made to exhaust the machine
//! (or broken ones) reach one.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use minijinja::value::{Object, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters};

use crate::chat::Message;

/// Filter that measures a new value.
pub(super) const CHECK: &str = "!check";
/// Filter that measures a value before it is assigned to an object.
pub(super) const HOLD: &str = "!hold";
/// The name under which programs carry their budget; templates cannot spell it.
pub(super) const BUDGET: &str = "!budget";

/// Maximum steps of the program.
pub(super) const STEPS: u64 = 1_000_000;
/// Depth of nested calls and loops.
pub(super) const RECURSION: usize = 200;
/// Maximum time, for steps that are slow.
const LONGEST: Duration = Duration::from_secs(5);
/// Bytes of one value: a constant, and a factor on the bytes of the chat.
const LARGEST: (usize, usize) = (4 << 20, 8);
/// Bytes of all values created, in the same form: some templates copy the text so far at each turn.
const ALL: (usize, usize) = (512 << 20, 256);
/// Bytes written, to the prompt or to an intermediate text, in the same form.
const WRITTEN: (usize, usize) = (16 << 20, 16);
/// Depth of nested lists.
const DEEPEST: usize = 64;
/// Bytes of a list or table entry besides its content.
const ENTRY: usize = 64;
/// Maximum digits of a width in a format.
const WIDTH_DIGITS: usize = 3;

/// Remaining resources of a rendering.
#[derive(Debug)]
pub(super) struct Budget {
    left: Mutex<usize>,
    writable: Mutex<usize>,
    largest: usize,
    began: Instant,
}

impl Object for Budget {}

/// A limit was reached. Kept apart from template errors, since every further chat would take as long to fail.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Exceeded(pub String);

/// The size of a value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub bytes: usize,
    pub entries: usize,
    pub depth: usize,
}

impl Budget {
    pub(super) fn for_chat(messages: &[Message]) -> Self {
        let chat: usize = messages.iter().map(|message| message.content.len()).sum();
        let of = |(base, times): (usize, usize)| base.saturating_add(times.saturating_mul(chat));
        let (left, writable) = (Mutex::new(of(ALL)), Mutex::new(of(WRITTEN)));
        Budget { left, writable, largest: of(LARGEST), began: Instant::now() }
    }

    fn spend(&self, bytes: usize) -> Result<(), Error> {
        if self.began.elapsed() > LONGEST {
            return Err(exceeded(format!("takes longer than {} seconds", LONGEST.as_secs())));
        }
        take(&self.left, bytes)
    }

    /// Count a value of this size before it is created.
    fn make(&self, bytes: usize) -> Result<(), Error> {
        if bytes > self.largest {
            return Err(exceeded(format!("makes a value of more than {} bytes", self.largest)));
        }
        self.spend(bytes)
    }

    fn measure(&self, value: &Value) -> Result<Size, Error> {
        let mut size = Size::default();
        self.add(value, 0, false, &mut size)?;
        Ok(size)
    }

    /// Add a value to `size`. The walk ends at the limit, since lists can be longer than anything in memory.
    fn add(&self, value: &Value, depth: usize, held: bool, size: &mut Size) -> Result<(), Error> {
        if depth > DEEPEST {
            return Err(exceeded(format!("makes lists more than {DEEPEST} deep")));
        }
        size.depth = size.depth.max(depth);
        match value.kind() {
            ValueKind::String => size.bytes += value.as_str().map_or(0, str::len),
            ValueKind::Bytes => size.bytes += value.as_bytes().map_or(0, <[u8]>::len),
            ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
                let Some(object) = value.as_object() else { return Ok(()) };
                if held && object.type_name().ends_with("::Namespace") {
                    let problem = "a namespace cannot be kept in another one";
                    return Err(Error::new(ErrorKind::InvalidOperation, problem));
                }
                if value.kind() == ValueKind::Map {
                    for (key, value) in object.try_iter_pairs().into_iter().flatten() {
                        self.add(&key, depth + 1, held, size)?;
                        self.add(&value, depth + 1, held, size)?;
                        self.entry(size)?;
                    }
                } else {
                    for value in object.try_iter().into_iter().flatten() {
                        self.add(&value, depth + 1, held, size)?;
                        self.entry(size)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn entry(&self, size: &mut Size) -> Result<(), Error> {
        size.bytes += ENTRY;
        size.entries += 1;
        match size.bytes > self.largest {
            true => Err(exceeded(format!("makes a value of more than {} bytes", self.largest))),
            false => Ok(()),
        }
    }
}

fn take(left: &Mutex<usize>, bytes: usize) -> Result<(), Error> {
    let mut left = left.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *left = left.checked_sub(bytes).ok_or_else(|| exceeded("makes too much text".to_string()))?;
    Ok(())
}

fn exceeded(problem: String) -> Error {
    let problem = format!("the template {problem}");
    Error::new(ErrorKind::InvalidOperation, problem.clone()).with_source(Exceeded(problem))
}

/// Use the budget of the rendering in `state`.
fn with_budget<T>(state: &State, action: impl FnOnce(&Budget) -> Result<T, Error>) -> Result<T, Error> {
    let budget = state.lookup(BUDGET);
    match budget.as_ref().and_then(|budget| budget.downcast_object_ref::<Budget>()) {
        Some(budget) => action(budget),
        None => Err(Error::new(ErrorKind::InvalidOperation, "the render budget is missing")),
    }
}

/// Count a value that is written.
pub(super) fn written(state: &State, value: &Value) -> Result<(), Error> {
    with_budget(state, |budget| {
        let bytes = budget.measure(value)?.bytes;
        take(&budget.writable, bytes)?;
        budget.make(bytes)
    })
}

/// Count the JSON of a value, with `around` extra bytes for each entry and `indent` for each level.
pub(super) fn as_json(state: &State, value: &Value, around: usize, indent: usize) -> Result<(), Error> {
    with_budget(state, |budget| {
        let size = budget.measure(value)?;
        let entry = around.saturating_add(indent.saturating_mul(size.depth + 1));
        budget.make(size.bytes.saturating_mul(2).saturating_add((size.entries + 2).saturating_mul(entry)))
    })
}

/// Count a text of this many bytes before it is created.
pub(super) fn text(state: &State, bytes: usize) -> Result<(), Error> {
    with_budget(state, |budget| budget.make(bytes))
}

fn check(state: &State, value: &Value) -> Result<Value, Error> {
    with_budget(state, |budget| budget.make(budget.measure(value)?.bytes))?;
    // A lazy value would be measured once but computed at each use.
    match value.kind() {
        ValueKind::Iterable => Ok(value.try_iter()?.collect::<Vec<Value>>().into()),
        _ => Ok(value.clone()),
    }
}

fn hold(state: &State, value: &Value) -> Result<Value, Error> {
    with_budget(state, |budget| budget.add(value, 0, true, &mut Size::default()))?;
    Ok(value.clone())
}

/// Filters whose output is larger than their input, or that are slow: their product is counted in advance.
const COSTLY: [(&str, &str); 12] = [
    ("batch", "!batch"),
    ("format", "!format"),
    ("indent", "!indent"),
    ("join", "!join"),
    ("map", "!map"),
    ("reject", "!reject"),
    ("rejectattr", "!rejectattr"),
    ("replace", "!replace"),
    ("select", "!select"),
    ("selectattr", "!selectattr"),
    ("slice", "!slice"),
    ("sum", "!sum"),
];

/// Set all limits of an environment.
pub(super) fn install(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(STEPS));
    environment.set_recursion_limit(RECURSION);
    // It prints everything, and Jinja does not have it.
    environment.remove_global("debug");
    environment.add_filter(CHECK, check);
    environment.add_filter(HOLD, hold);
    environment.add_filter("!batch", filters::batch);
    environment.add_filter("!format", filters::format);
    environment.add_filter("!indent", filters::indent);
    environment.add_filter("!join", filters::join);
    environment.add_filter("!map", filters::map);
    environment.add_filter("!reject", filters::reject);
    environment.add_filter("!rejectattr", filters::rejectattr);
    environment.add_filter("!replace", filters::replace);
    environment.add_filter("!select", filters::select);
    environment.add_filter("!selectattr", filters::selectattr);
    environment.add_filter("!slice", filters::slice);
    environment.add_filter("!sum", filters::sum);
    for (name, original) in COSTLY {
        environment.add_filter(name, move |state: &State, arguments: Rest<Value>| {
            afford(state, name, &arguments)?;
            state.apply_filter(original, &arguments)
        });
    }
    environment.set_unknown_method_callback(|state, value, method, arguments| {
        match method {
            "join" => afford(state, "join", &[arguments, std::slice::from_ref(value)].concat())?,
            "replace" | "format" => afford(state, method, &[std::slice::from_ref(value), arguments].concat())?,
            "count" | "split" if arguments.first().and_then(Value::as_str) == Some("") => {
                return Err(Error::new(ErrorKind::InvalidOperation, format!("{method}: the text to find is empty")));
            }
            _ => {}
        }
        minijinja_contrib::pycompat::unknown_method_callback(state, value, method, arguments)
    });
}

/// Count a filter's output in advance, from its arguments.
fn afford(state: &State, filter: &str, arguments: &[Value]) -> Result<(), Error> {
    let invalid = |problem: &str| Error::new(ErrorKind::InvalidOperation, format!("{filter}: {problem}"));
    let Some((value, rest)) = arguments.split_first() else { return Ok(()) };
    with_budget(state, |budget| {
        let size = budget.measure(value)?;
        let mut others = Size::default();
        rest.iter().try_for_each(|argument| budget.add(argument, 0, false, &mut others))?;
        let product = |one: usize, other: usize| size.bytes.saturating_add(one.saturating_mul(other));
        match filter {
            "join" => {
                // A text is joined letter by letter.
                let parts = if value.as_str().is_some() { size.bytes } else { size.entries };
                budget.make(product(parts, others.bytes))
            }
            "replace" => {
                let found = rest.first().and_then(Value::as_str).map_or(1, |from| from.len().max(1));
                budget.make(product(size.bytes / found + 1, others.bytes))
            }
            "indent" => {
                let lines = value.as_str().map_or(1, |text| text.matches('\n').count() + 1);
                let width = rest.iter().filter_map(Value::as_usize).max().unwrap_or(4);
                let named = rest.last().and_then(|last| last.get_attr("width").ok()).and_then(|width| width.as_usize());
                budget.make(product(lines, width.max(named.unwrap_or(0)).max(others.bytes)))
            }
            "format" => {
                let format = value.as_str().unwrap_or_default();
                let mut numbers = format.split(|letter: char| !letter.is_ascii_digit());
                if format.contains('*') || numbers.any(|number| number.len() > WIDTH_DIGITS) {
                    return Err(invalid("widths of more than three digits, or of another value, are not supported"));
                }
                budget.make(product(format.len() / 2 + 1, others.bytes.saturating_add(1000)))
            }
            "batch" | "slice" => {
                let count = rest.first().and_then(Value::as_usize).unwrap_or(0);
                budget.make(product(count, ENTRY + others.bytes))
            }
            "sum" => match value.try_iter()?.all(|one| matches!(one.kind(), ValueKind::Number | ValueKind::Bool)) {
                true => Ok(()),
                false if rest.is_empty() => Err(invalid("only numbers can be added")),
                false => budget.make(product(size.entries, size.bytes)),
            },
            // The others process each entry.
            _ => budget.spend(product(size.entries, others.bytes)),
        }
    })
}
