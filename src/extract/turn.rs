//! Replies that retract what they have just said: `B. Wait, no.`

use super::statement::Statement;
use super::words::Cues;

/// Words that reopen what was said.
const RECONSIDERS: [&str; 46] = [
    "wait",
    "hold on",
    "等等",
    "等一下",
    "不对",
    "attendez",
    "attends",
    "moment",
    "стоп",
    "подожди",
    "待って",
    "انتظر",
    "रुक",
    "দাঁড়",
    "warte",
    "halt",
    "on second thought",
    "espera",
    "un momento",
    "um momento",
    "aspetta",
    "잠깐",
    "잠시만",
    "다시 보니",
    "bir dakika",
    "bekle",
    "khoan",
    "chờ",
    "đợi",
    "いや",
    "অপেক্ষা",
    "لحظة",
    "scratch that",
    "i take that back",
    "我错了",
    "更正",
    "je me trompe",
    "ah non",
    "anzi",
    "訂正",
    "すみません",
    "失礼",
    "아, 다시",
    "제가 틀렸",
    "yok,",
    "düzelt",
];

/// Position at which a reply retracts a statement that it has just made: `Wait`.
pub(super) fn reconsidered(cues: &Cues, text: &str, statement: &Statement) -> Option<usize> {
    let after = &text[statement.range.end..];
    let turn = cues.anywhere.turn.find(after)?;
    let bare = |mark: char| !mark.is_alphanumeric();
    let word: String =
        after[turn.start()..].trim_start_matches(bare).chars().take(24).collect::<String>().to_lowercase();
    let close = after[..turn.start()].chars().all(bare);
    (close && RECONSIDERS.iter().any(|known| word.starts_with(known))).then_some(statement.range.end + turn.start())
}

/// Whether a retraction only says that the earlier statement is wrong.
pub(super) fn withdrawn(cues: &Cues, turn: &str) -> bool {
    let rest: String = turn.chars().take(80).collect();
    cues.anywhere.wrong.is_match(&rest) || rest.len() >= turn.len()
}
