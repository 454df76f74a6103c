//! A template as a checked program: compiled within limits, with guards after every step that creates a value.
//!
//! The template language can copy, repeat and nest values in single steps, so that a limit on steps alone bounds
//! neither memory nor depth. Its operators cannot be replaced, but its bytecode can be extended: after each instruction
//! that may create a large value, a call of [`super::limits::CHECK`] measures and counts the value.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::machinery::{CodeGenerator, Instruction, Instructions, Token, WhitespaceConfig, parse, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use super::limits::{CHECK, HOLD};
use crate::catch_panic::contained;

/// Maximum bytes of a template; known ones have up to 30 thousand.
const LONGEST: usize = 256 << 10;
/// Maximum number of tags; known templates have some hundred. They nest, and compiling recurses with them.
const MOST_TAGS: usize = 4000;
/// Maximum words and signs in one tag, for the same reason.
const MOST_IN_TAG: usize = 2000;
/// Maximum bytes and entries to which the texts and lists of a tag may be multiplied during compilation.
const MOST_CONSTANT: f64 = 1e6;
/// Stack for compiling at these limits; the system commits only what is used.
const STACK: usize = 64 << 20;
/// Local number of a filter that is looked up by name each time.
const UNCACHED: u8 = u8::MAX;

/// A compiled template.
pub(super) struct Program {
    pub instructions: Instructions<'static>,
    pub blocks: BTreeMap<&'static str, Instructions<'static>>,
    /// The external names that it reads.
    pub reads: BTreeSet<String>,
}

impl Program {
    /// Compile a template; `file` is named in its errors.
    pub(super) fn compile(file: &str, source: &str) -> Result<Program, String> {
        if source.len() > LONGEST {
            return Err(format!("it has {} bytes; the limit is {LONGEST}", source.len()));
        }
        // The bytecode borrows from the source. A process reads a handful of templates and keeps them until it ends.
        let source: &'static str = Box::leak(source.into());
        let file: &'static str = Box::leak(file.into());
        let compile = move || contained(|| compile(file, source)).unwrap_or_else(Err);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(compile);
        let thread = thread.map_err(|error| format!("no thread to compile it: {error}"))?;
        thread.join().unwrap_or_else(|_| Err("it cannot be compiled".to_string()))
    }
}

fn compile(file: &'static str, source: &'static str) -> Result<Program, String> {
    let spaces = WhitespaceConfig { lstrip_blocks: true, trim_blocks: true, ..WhitespaceConfig::default() };
    check_size(source, spaces)?;
    let tree = parse(source, file, SyntaxConfig, spaces).map_err(|error| error.to_string())?;
    let mut generator = CodeGenerator::new(file, source);
    generator.compile_stmt(&tree);
    let (instructions, blocks) = generator.finish();
    let blocks = blocks.iter().map(|(name, block)| Ok((*name, guarded(block)?)));
    let environment = Environment::empty();
    let template = environment.template_from_named_str(file, source).map_err(|error| error.to_string())?;
    Ok(Program {
        instructions: guarded(&instructions)?,
        blocks: blocks.collect::<Result<_, String>>()?,
        reads: template.undeclared_variables(false).into_iter().collect(),
    })
}

/// Refuse a template that would compile slowly or deeply. Constants are computed during compilation: a text or list
/// times a number is one of them, and so is its comparison with another.
fn check_size(source: &str, spaces: WhitespaceConfig) -> Result<(), String> {
    let (mut tags, mut tokens, mut tag) = (0, 0, Constants::default());
    for token in tokenize(source, false, SyntaxConfig, spaces) {
        let (token, span) = token.map_err(|error| error.to_string())?;
        tokens += 1;
        match &token {
            Token::VariableStart | Token::BlockStart => {
                tags += 1;
                (tokens, tag) = (0, Constants::default());
            }
            Token::Str(text) => tag.text += text.len(),
            Token::String(text) => tag.text += text.len(),
            Token::BracketOpen => tag.lists = true,
            Token::Int(number) => tag.product += (*number as f64 + 1.0).ln(),
            Token::Int128(number) => tag.product += (**number as f64 + 1.0).ln(),
            Token::Float(number) => tag.product += (number.abs() + 1.0).ln(),
            Token::Mul => tag.multiplies = true,
            Token::Pow => tag.raises = true,
            _ => {}
        }
        if tag.may_be_large(tokens) {
            return Err(format!("line {}: a repeated text or list is too large", span.start_line));
        }
        if tags > MOST_TAGS {
            return Err(format!("it has more than {MOST_TAGS} tags"));
        }
        if tokens > MOST_IN_TAG {
            return Err(format!("line {}: a tag has more than {MOST_IN_TAG} words and signs", span.start_line));
        }
    }
    Ok(())
}

/// Constants of a tag that could be multiplied.
#[derive(Default)]
struct Constants {
    /// Bytes of all texts.
    text: usize,
    lists: bool,
    /// Logarithm of the product of all numbers, each increased by one: an upper bound on their sums and products.
    product: f64,
    multiplies: bool,
    raises: bool,
}

impl Constants {
    fn may_be_large(&self, tokens: usize) -> bool {
        let bytes = self.text + if self.lists { tokens } else { 0 };
        let product = if self.raises { f64::INFINITY } else { self.product.exp() };
        self.multiplies && bytes > 0 && bytes as f64 * product > MOST_CONSTANT
    }
}

/// Guards to put before and after an instruction.
#[derive(Clone, Copy, Default)]
struct Guards {
    before: bool,
    after: bool,
}

/// The same program with guards.
fn guarded(old: &Instructions<'static>) -> Result<Instructions<'static>, String> {
    let all: Vec<&Instruction> = (0..old.len() as u32).filter_map(|at| old.get(at)).collect();
    let mut guards: Vec<Guards> = all.iter().map(|one| Guards { before: false, after: makes_value(one) }).collect();
    for (at, one) in all.iter().enumerate() {
        if matches!(one, Instruction::SetAttr(_)) {
            // value, then the object it is given to: `Lookup`, and a `GetAttr` for each dot in between.
            let object = (0..at).rev().find(|&at| !matches!(all[at], Instruction::GetAttr(_)));
            match object.filter(|&at| matches!(all[at], Instruction::Lookup(_))) {
                Some(object) => guards[object].before = true,
                None => return Err("unsupported assignment".to_string()),
            }
        }
    }
    let length = |at: usize| {
        let raw = matches!(all[at], Instruction::EmitRaw(_));
        1 + u32::from(raw) + u32::from(guards[at].before) + u32::from(guards[at].after)
    };
    let mut places = vec![0];
    for at in 0..all.len() {
        places.push(places[at] + length(at));
    }
    let place = |target: u32| places.get(target as usize).copied().unwrap_or(u32::MAX);
    let mut new = Instructions::new(old.name(), old.source());
    for (at, one) in all.iter().enumerate() {
        let mut add = |instruction| match (old.get_span(at as u32), old.get_line(at as u32)) {
            (Some(span), _) => new.add_with_span(instruction, span),
            (None, Some(line)) => new.add_with_line(instruction, line as u16),
            (None, None) => new.add(instruction),
        };
        if guards[at].before {
            add(Instruction::ApplyFilter(HOLD, Some(1), UNCACHED));
        }
        use Instruction::{
            BuildMacro, Emit, EmitRaw, Iterate, Jump, JumpIfFalse, JumpIfFalseOrPop, JumpIfTrueOrPop, LoadConst,
        };
        match *one {
            // Written through the formatter, which counts it.
            EmitRaw(text) => {
                add(LoadConst(Value::from(*text)));
                add(Emit)
            }
            Iterate(target) => add(Iterate(place(*target))),
            Jump(target) => add(Jump(place(*target))),
            JumpIfFalse(target) => add(JumpIfFalse(place(*target))),
            JumpIfFalseOrPop(target) => add(JumpIfFalseOrPop(place(*target))),
            JumpIfTrueOrPop(target) => add(JumpIfTrueOrPop(place(*target))),
            BuildMacro(name, target, flags) => add(BuildMacro(name, place(*target), *flags)),
            other => add(other.clone()),
        };
        if guards[at].after {
            add(Instruction::ApplyFilter(CHECK, Some(1), UNCACHED));
        }
    }
    Ok(new)
}

/// Whether an instruction leaves a possibly large value on the stack, or takes long to compute it.
fn makes_value(instruction: &Instruction) -> bool {
    use Instruction::{
        Add, ApplyFilter, BuildList, BuildMap, CallFunction, CallMethod, CallObject, CompareAndPreserve, EndCapture,
        Eq, Gt, Gte, In, Lt, Lte, Mul, Ne, PerformTest, Slice, StringConcat,
    };
    matches!(
        instruction,
        Add | ApplyFilter(..)
            | BuildMap(_)
            | CallFunction(..)
            | CallMethod(..)
            | CallObject(_)
            | CompareAndPreserve(_)
            | EndCapture
            | Eq
            | Gt
            | Gte
            | In
            | Lt
            | Lte
            | Mul
            | Ne
            | PerformTest(..)
            | Slice
            | StringConcat
    ) || matches!(instruction, BuildList(_))
}
