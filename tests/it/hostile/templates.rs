//! Chat templates are programs of strangers: whatever they do ends soon, takes little memory, and names its file.

use std::time::Instant;

use tomeval::Message;
use tomeval::internal::resident_bytes;
use tomeval::internal::{SpecialTokens, TemplateError, TemplateOrigin};
use tomeval::{ChatTemplate, RenderSettings};

fn template(source: &str) -> ChatTemplate {
    ChatTemplate::new(source, TemplateOrigin::JinjaFile, SpecialTokens::default()).expect("test templates are valid")
}

/// Programs that would take all memory, all time or all of the stack.
const HOSTILE: [&str; 45] = [
    "{{ 'x' * 1000000000 }}",
    "{{ 'x' * 100000 * 1000 }}",
    "{% set n = 100000000 %}{{ 'x' * n }}",
    "{% set n = 99999999 %}{% for i in range(90) %}{% set x = 'x' * n %}{{ x|length }}{% endfor %}",
    "{{ ['x' * 100000000, 'x' * 100000000, 'x' * 100000000] }}",
    "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x|length }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% endfor %}",
    "{% set ns = namespace(x={}) %}{% for i in range(100000) %}{% set ns.x = {'a': ns.x} %}{% endfor %}{{ ns.x|tojson }}",
    "{% set ns = namespace(x=none) %}{% for i in range(100000) %}{% set ns.x = dict(a=ns.x) %}{% endfor %}",
    "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
    "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns == ns }}",
    "{% set ns = namespace() %}{% set y = {'a': ns} %}{% set ns.x = y %}{{ y|tojson }}",
    "{% for i in range(10**9) %}x{% endfor %}",
    "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "{% for i in range(100000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx     xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}",
    "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
    "{% macro f(n) %}{{ f(n + 1) }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
    "{% macro f(n) %}{% if n < 40 %}{{ f(n + 1) }}{{ f(n + 1) }}{% endif %}x{% endmacro %}{{ f(0) }}",
    "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% block a %}{{ self.a() }}{% endblock %}",
    "{{ range(100000)|join(messages[1].content * 90000) }}",
    "{{ (messages[1].content * 90000).join(range(100000)) }}",
    "{{ (messages[1].content * 90000)|join('xxxxxxxxxxxxxxxxxxxx' * 1000) }}",
    "{{ ('\n' * 900000)|indent(100000) }}",
    "{{ ('\n' * 900000)|indent(width=100000) }}",
    "{{ (messages[1].content * 90000)|replace('H', 'y' * 90000) }}",
    "{{ (messages[1].content * 90000).replace('H', 'y' * 90000) }}",
    "{{ '%1000000000d'|format(1) }}",
    "{{ '{:1000000000}'.format(1) }}",
    "{{ ('{0}' * 10000).format(messages[1].content * 90000) }}",
    "{{ [1]|batch(1000000000, 'x') }}",
    "{{ [1]|slice(1000000000, 'x') }}",
    "{{ [1] * 1000000000 == [1] * 1000000000 }}",
    "{{ 2 in [1] * 1000000000 }}",
    "{% set n = 1000000000 %}{{ ([1] * n)|length }}",
    "{{ [2 ** 26 * 'x', 2 ** 26 * 'x', 2 ** 26 * 'x', 2 ** 26 * 'x', 2 ** 26 * 'x', 2 ** 26 * 'x'] }}",
    "{{ messages|tojson(indent=1000000000) }}",
    "{{ 'abc'.count('') }}",
    "{{ range(90000)|map('string')|select('in', 'x' * 900000)|list }}",
    "{{ range(90000)|map('string')|sum }}",
    "{% set x = 'x' * 999999 %}{% for i in range(90000) %}{% if x[::-1] == 'y' %}{% endif %}{% endfor %}",
    "{% set x = 'x' * 999999 %}{% for i in range(90000) %}{% if 'xxxy' in x %}{% endif %}{% endfor %}",
];

#[test]
fn hostile_programs_end_soon_and_small() {
    let messages = [Message::system("Be brief."), Message::user("Hi")];
    for source in HOSTILE {
        let began = Instant::now();
        let before = resident_bytes();
        let made = ChatTemplate::new(source, TemplateOrigin::TokenizerConfig, SpecialTokens::default());
        let rendered = made.and_then(|template| {
            let first = template.render(&messages, &RenderSettings::for_generation());
            let after_first = began.elapsed();
            let second = template.render(&messages, &RenderSettings::for_generation());
            assert!(second.is_ok() == first.is_ok() && began.elapsed() < after_first * 3, "{source}");
            first
        });
        let error = rendered.map(|text| text.len()).expect_err(source).to_string();
        assert!(error.starts_with("chat template (tokenizer_config.json): "), "{source}: {error}");
        assert!(began.elapsed().as_secs() < 15, "{source}: {:?}", began.elapsed());
        let grown = resident_bytes().unwrap_or(0).saturating_sub(before.unwrap_or(0));
        assert!(grown < 1 << 30, "{source}: {grown} bytes");
    }
}

#[test]
fn lists_of_lists_are_not_computed_anew_at_each_use() {
    for (source, expected) in [
        (
            "{% set ns = namespace(x=range(3)) %}{% for i in range(9999) %}{% set ns.x = ns.x[0:] %}{% endfor %}{{ ns.x }}",
            "[0, 1, 2]",
        ),
        (
            "{% set ns = namespace(x=[1, 2]) %}{% for i in range(9999) %}{% set ns.x = ns.x|reverse %}{% endfor %}{{ ns.x }}",
            "[2, 1]",
        ),
    ] {
        assert_eq!(template(source).render(&[], &RenderSettings::default()).as_deref(), Ok(expected));
    }
}

#[test]
fn programs_that_nest_too_deep_are_refused_before_they_are_compiled() {
    for source in [
        format!("{{{{ {}1 }}}}", "1+".repeat(100_000)),
        format!("{{{{ x{} }}}}", "|list".repeat(40_000)),
        format!("{{{{ {}1{} }}}}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{{{{ {}1 }}}}", "not ".repeat(50_000)),
        "{% if a %}".repeat(20_000),
        format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(18_000)),
        format!("{{{{ {} }}}}", "[".repeat(100_000)),
        "{{ a }}".repeat(100_000),
    ] {
        let made = ChatTemplate::new(source.as_str(), TemplateOrigin::JinjaFile, SpecialTokens::default());
        assert!(matches!(made, Err(TemplateError::Broken { .. })), "{}", &source[..40]);
    }
}

#[test]
fn honest_programs_stay_within_the_limits() {
    // Loops, macros, tables, concatenation and long texts, more than any known template has.
    let source = "{% macro show(tool, depth) %}{{ tool.name ~ ': ' ~ tool|tojson }}{% if depth < 20 %}{{ show(tool, depth + 1) }}        {% endif %}{% endmacro %}{% set ns = namespace(text='', tools=[]) %}{% for i in range(50) %}        {% set ns.tools = ns.tools + [{'name': 'f' ~ i, 'args': {'a': {'type': ['string', 'null']}}}] %}{% endfor %}        {% for tool in ns.tools %}{{ show(tool, 0) }}{% endfor %}{% for m in messages %}        {% set ns.text = ns.text + '<|' + m['role'] + '|>' + m['content'].strip() + '\n' %}{% endfor %}        {{ ns.text }}{{ '-' * 40 }}{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | join('\n') | length }}";
    let messages: Vec<Message> = (0..100).map(|_| Message::user("word ".repeat(2000))).collect();
    let text = template(source).render(&messages, &RenderSettings::for_generation()).expect("within the limits");
    assert!(text.len() > 100 * 9999, "{}", text.len());
    let whole = Message::user("x".repeat(8 << 20));
    let text =
        template("{% for m in messages %}<{{ m.content }}>{% endfor %}").render(&[whole], &RenderSettings::default());
    assert_eq!(text.map(|text| text.len()), Ok((8 << 20) + 2));
}

#[test]
fn errors_name_the_file_and_the_line() {
    let error = ChatTemplate::new("a\n{% if %}", TemplateOrigin::TokenizerConfig, SpecialTokens::default());
    let error = error.expect_err("no condition").to_string();
    assert!(error.contains("tokenizer_config.json") && error.contains(":2"), "{error}");
    let error = template("a\nb\n{{ messages.nothing() }}").render(&[], &RenderSettings::default());
    let error = error.expect_err("no such method").to_string();
    assert!(error.contains("chat_template.jinja:3"), "{error}");
}
