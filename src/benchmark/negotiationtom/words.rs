//! The words of NegotiationToM in XToM's five languages: questions and options as we show them, and the spellings of
//! labels that a file may use.

use crate::language::Language;

/// Number of priorities' options: not given, water, food, firewood.
const ITEM_COUNT: usize = 4;

/// Number of intention labels.
const INTENTION_COUNT: usize = 9;

/// Spellings of each priority option, in canonical order; the first is NegotiationToM's own.
pub(super) const ITEMS: [&[&str]; ITEM_COUNT] = [
    &[
        "Not Given",
        "未提供",
        "未给出",
        "未提及",
        "未说明",
        "未知",
        "Nicht angegeben",
        "Nicht gegeben",
        "Nicht genannt",
        "Pas donné",
        "Non donné",
        "Non précisé",
        "Non spécifié",
        "Non indiqué",
        "未提示",
        "未指定",
        "指定なし",
        "記載なし",
    ],
    &["Water", "水", "Wasser", "Eau", "L'eau"],
    &["Food", "食物", "食品", "Essen", "Nahrung", "Lebensmittel", "Nourriture", "食べ物", "食料", "食糧"],
    &["Firewood", "柴火", "木柴", "柴", "火柴", "Brennholz", "Feuerholz", "Bois de chauffage", "Bois", "薪"],
];

/// Spellings of each intention label, in canonical order; the first is NegotiationToM's own.
pub(super) const INTENTIONS: [&[&str]; INTENTION_COUNT] = [
    &["Build-Rapport", "建立融洽关系", "建立关系", "Beziehung aufbauen", "Établir des relations", "信頼関係を築く"],
    &[
        "Show-Empathy",
        "表达同情",
        "表现同理心",
        "表达同理心",
        "Empathie zeigen",
        "Faire preuve d'empathie",
        "共感を示す",
    ],
    &["Promote-Coordination", "促进协调", "Koordination fördern", "Promouvoir la coordination", "協調を促進する"],
    &["Callout-Fairness", "呼吁公平", "Fairness einfordern", "Revendiquer l'équité", "公平性を求める"],
    &[
        "Undermine-Requirements",
        "破坏要求",
        "削弱要求",
        "Anforderungen untergraben",
        "Saper les exigences",
        "要件を損なう",
    ],
    &["Discover-Preference", "发现偏好", "Präferenz herausfinden", "Découvrir la préférence", "好みを見つける"],
    &["Describe-Need", "描述需求", "Bedarf beschreiben", "Décrire le besoin", "需要を説明する"],
    &["No-Need", "没有需求", "无需求", "Kein Bedarf", "Aucun besoin", "要求なし"],
    &["No-Intention", "没有意图", "无意图", "Keine Absicht", "Aucune intention", "意図なし"],
];

/// The number of the label with this spelling, ignoring case, blanks, hyphens and kinds of apostrophe.
pub(super) fn find(given: &str, spellings: &[&[&str]]) -> Option<usize> {
    let given = plain(given);
    spellings.iter().position(|spellings| spellings.iter().any(|spelling| plain(spelling) == given))
}

fn plain(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '‐' | '‑' | '_' | '\'' | '’' | '.'));
    kept.flat_map(char::to_lowercase).collect()
}

/// Questions and options of one language. Questions name `{agent}`, `{other}` and `{utterance}`.
pub(super) struct Words {
    /// Asks for an agent's own priorities.
    pub(super) desire: &'static str,
    /// Asks for the priorities that an agent ascribes to the other.
    pub(super) belief: &'static str,
    /// Asks for the intentions of a turn.
    pub(super) intention: &'static str,
    /// The options of a priority slot, in canonical order.
    pub(super) items: [&'static str; ITEM_COUNT],
    /// The intention labels, in canonical order.
    pub(super) intentions: [&'static str; INTENTION_COUNT],
}

impl Words {
    /// The words of a language; English for languages not in XToM.
    pub(super) fn from_language(language: Language) -> &'static Words {
        match language {
            Language::Zh => &CHINESE,
            Language::De => &GERMAN,
            Language::Fr => &FRENCH,
            Language::Ja => &JAPANESE,
            _ => &ENGLISH,
        }
    }
}

const ENGLISH: Words = Words {
    desire: "Judging by the dialogue so far, which items does {agent} want with high, medium and low priority?",
    belief: "Judging by the dialogue so far, which items does {agent} believe {other} wants with high, medium and low \
             priority?",
    intention: "Which intentions does {agent} express in the turn \"{utterance}\"?",
    items: ["Not given", "Water", "Food", "Firewood"],
    intentions: [
        "Build-Rapport",
        "Show-Empathy",
        "Promote-Coordination",
        "Callout-Fairness",
        "Undermine-Requirements",
        "Discover-Preference",
        "Describe-Need",
        "No-Need",
        "No-Intention",
    ],
};

const CHINESE: Words = Words {
    desire: "从目前的对话来看，{agent}高、中、低优先级想要的物品分别是什么？",
    belief: "从目前的对话来看，{agent}认为{other}高、中、低优先级想要的物品分别是什么？",
    intention: "{agent}在“{utterance}”这一轮发言中表达了哪些意图？",
    items: ["未说明", "水", "食物", "柴火"],
    intentions: [
        "拉近关系",
        "表示同理心",
        "促成协调",
        "诉诸公平",
        "贬低对方需求",
        "打听偏好",
        "说明需求",
        "表示不需要",
        "无意图",
    ],
};

const GERMAN: Words = Words {
    desire: "Welche Güter haben dem bisherigen Gespräch nach für {agent} hohe, mittlere und niedrige Priorität?",
    belief: "Welche Güter haben nach Meinung von {agent} für {other} hohe, mittlere und niedrige Priorität, dem \
             bisherigen Gespräch nach?",
    intention: "Welche Absichten äußert {agent} mit dem Satz „{utterance}“?",
    items: ["Nicht genannt", "Wasser", "Essen", "Brennholz"],
    intentions: [
        "Kontakt knüpfen",
        "Mitgefühl zeigen",
        "Abstimmung fördern",
        "Fairness anmahnen",
        "Bedarf des anderen abwerten",
        "Vorlieben erfragen",
        "Eigenen Bedarf schildern",
        "Bedarf verneinen",
        "Keine Absicht",
    ],
};

const FRENCH: Words = Words {
    desire: "D'après le dialogue jusqu'ici, quels biens ont pour {agent} une priorité haute, moyenne et basse ?",
    belief: "D'après le dialogue jusqu'ici, quels biens ont pour {other}, de l'avis de {agent}, une priorité haute, \
             moyenne et basse ?",
    intention: "Quelles sont les intentions de {agent} dans la réplique « {utterance} » ?",
    items: ["Non précisé", "Eau", "Nourriture", "Bois de chauffage"],
    intentions: [
        "Nouer le contact",
        "Montrer de l'empathie",
        "Favoriser l'entente",
        "Invoquer l'équité",
        "Minimiser le besoin de l'autre",
        "Sonder les préférences",
        "Exposer son besoin",
        "Signaler une absence de besoin",
        "Aucune intention",
    ],
};

const JAPANESE: Words = Words {
    desire: "ここまでの対話から見て、{agent}にとって優先度が高い品、中くらいの品、低い品はそれぞれ何ですか。",
    belief: "ここまでの対話から見て、{agent}は、{other}にとって優先度が高い品、中くらいの品、低い品をそれぞれ何だと考えていますか。",
    intention: "{agent}は「{utterance}」という発言でどのような意図を表していますか。",
    items: ["未提示", "水", "食べ物", "薪"],
    intentions: [
        "親しくなる",
        "共感する",
        "協調を促す",
        "公平さを訴える",
        "相手の要求を軽んじる",
        "好みを探る",
        "必要を説明する",
        "不要だと伝える",
        "意図なし",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_names_one_label() {
        for spellings in [&ITEMS[..], &INTENTIONS[..]] {
            for (label, all) in spellings.iter().enumerate() {
                for spelling in *all {
                    let holders =
                        spellings.iter().filter(|all| all.iter().any(|s| plain(s) == plain(spelling))).count();
                    assert_eq!((find(spelling, spellings), holders), (Some(label), 1), "{spelling}");
                }
            }
        }
    }

    #[test]
    fn spelling_differences_that_do_not_matter_are_ignored() {
        assert_eq!(find("describe need", &INTENTIONS), Some(6));
        assert_eq!(find("FAIRE PREUVE D’EMPATHIE", &INTENTIONS), Some(1));
        assert_eq!(find("Stone", &ITEMS), None);
    }

    #[test]
    fn questions_name_what_they_ask_about() {
        for language in Language::ALL {
            let words = Words::from_language(language);
            assert!(words.desire.contains("{agent}") && !words.desire.contains("{other}"));
            assert!(words.belief.contains("{agent}") && words.belief.contains("{other}"));
            assert!(words.intention.contains("{agent}") && words.intention.contains("{utterance}"));
        }
    }
}
