//! Function words by language: left out of keywords unless `--function-words` keeps them, counted by `--deletion-match
//! function-words`.
//!
//! English, French, German and Russian use NLTK's list (crate `stop-words`) plus our additions. Chinese, Arabic, Hindi,
//! Bangla and Japanese use only the short lists here: NLTK has none for Hindi and Japanese, and its other lists and
//! those of Stopwords ISO contain nouns and verbs that matter in stories about minds (知道 `know`, 觉得 `feel`, رأى
//! `saw`, घर `house`). Other languages have none: what NLTK's lists hold of negation is not known here.
//!
//! Words of negation, time and cause, and those for "only", tell what a story says and are no function words here.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::language::Language;

/// Whether the word with this folded form is a function word of the language: articles, pronouns, prepositions,
/// conjunctions, auxiliaries, less those of negation, time and cause. Always false for a language without a list.
pub fn is_stop_word(key: &str, language: Language) -> bool {
    Language::ALL.iter().position(|&known| known == language).is_some_and(|index| LISTS[index].contains(key))
}

/// Whether the language has a list of function words.
pub fn has_function_words(language: Language) -> bool {
    !list(language).is_empty()
}

static LISTS: LazyLock<Vec<HashSet<&'static str>>> =
    LazyLock::new(|| Language::ALL.iter().map(|&one| whole(one)).collect());

/// NLTK's list and ours combined, less the words that tell.
fn whole(language: Language) -> HashSet<&'static str> {
    let theirs = published(language).unwrap_or(&[]);
    let counts = |word: &&str| {
        // Pieces of English contractions, some of which are words or names (`won`, `don`).
        let before_not = || theirs.iter().any(|longer| longer.strip_suffix("'t") == Some(*word));
        let piece = language == Language::En && (PIECES.contains(word) || before_not());
        // Keys never end in a possessive, so such entries cannot match.
        !piece && !word.ends_with("'s") && !OF_MINDS.contains(word)
    };
    let words = list(language).split_whitespace().chain(theirs.iter().copied().filter(counts));
    let told: HashSet<&str> = telling(language).split_whitespace().collect();
    let tells = |word: &str| told.contains(word) || (language == Language::En && word.ends_with("n't"));
    words.filter(|word| !tells(word)).collect()
}

/// Pieces of contractions in NLTK's English list, besides those before `'t`.
const PIECES: [&str; 11] = ["ain", "d", "ll", "m", "ma", "o", "re", "s", "t", "ve", "y"];

/// Verbs of wanting, which the German list counts as auxiliaries.
const OF_MINDS: [&str; 3] = ["will", "wollen", "wollte"];

/// NLTK's list for a language, if it is a list of function words.
fn published(language: Language) -> Option<&'static [&'static str]> {
    match language {
        Language::Zh | Language::Ar | Language::Bn | Language::Hi | Language::Ja => None,
        _ => stop_words::lookup(language.code()),
    }
}

/// Words of negation, of time, of cause, and for "only" that the lists hold; English `n't` besides.
fn telling(language: Language) -> &'static str {
    match language {
        Language::Other(_) => "",
        Language::En => {
            "no nor not cannot after again before during now once then until when while yet because so just only"
        }
        Language::Zh => "不 没 没有 后 前 时 还 又 再 已 已经 正在 然后 于是 因为 所以 为什么 只 才",
        Language::Ar => "لا لم لن غير ثم بعد قبل عند حتى عندما متى لأن لماذا فقط",
        Language::Fr => "ne n n' ni pas plus quand alors puis car donc pourquoi",
        Language::Hi => "नहीं न ही जब तब कब बाद पहले तक क्यों क्योंकि",
        Language::Bn => "না নেই নয় কখন যখন তখন পরে আগে তাই কেন শুধু",
        Language::Ru => {
            "не ни нет никогда когда уже ещё еще после перед потом теперь тогда опять иногда всегда потому только"
        }
        Language::De => {
            "nicht kein keine keinen keinem keiner keines nichts noch schon dann wann wenn als vor nach bis während nun
             jetzt weil denn damit warum nur"
        }
        Language::Ja => "ない なかっ ません いつ ため ので また",
    }
}

fn list(language: Language) -> &'static str {
    match language {
        Language::Other(_) => "",
        Language::En => {
            "a about after again all also am an and any are aren't as at be because been before being but by can
             can't cannot could couldn't did didn't do does doesn't doing don't down each for from had hadn't has hasn't
             have haven't having he her here hers herself him himself his how i if in into is isn't it its itself just
             let me more most my myself no nor not now of off on once only or other our out over own same she should
             so some such than that the their them themselves then there these they this those through to too under
             until up us very was wasn't we were weren't what when where which while who whom whose why will with won't
             would wouldn't yet you your yourself"
        }
        Language::Zh => {
            "的 了 着 过 和 与 及 或 而 但 但是 在 是 有 也 都 就 还 又 再 很 被 把 给 对 对于 从 向 到 于 以 以及 为
             因为 所以 如果 那么 这 那 这个 那个 这些 那些 这样 那样 他 她 它 他们 她们 它们 我 我们 你 你们 自己 之 其 地
             得 不 没 没有 会 能 要 上 下 里 中 后 前 时 一 一个 个 什么 怎么 为什么 谁 哪 哪里 吗 呢 吧 啊 让 使
             并 并且 只 才 却 则 已 已经 正在 然后 于是"
        }
        Language::Ar => {
            "في من إلى على عن مع هذا هذه ذلك تلك هو هي هم هن أنا أنت نحن التي الذي الذين ما ماذا من أن إن كان كانت
             يكون لا لم لن قد ثم أو و ف ب ل ك بعد قبل عند حتى كل بعض غير بين هناك هنا كما لكن بل إذا عندما حيث لأن فقط
             أيضا أيضًا له لها لهم به بها فيه فيها منه منها عليه عليها إليه إليها كيف أين متى لماذا"
        }
        Language::Fr => {
            "le la les l l' un une des de du d d' et ou où mais donc or ni car que qu qu' qui quoi dont ce c c' cet cette
             ces il elle ils elles on je j j' tu nous vous me m m' te t t' se s s' lui leur leurs son sa ses mon ma mes
             ton ta tes notre votre nos vos à au aux en dans sur sous par pour avec sans chez vers entre est sont était
             étaient être été a ont avait avaient avoir ne n n' pas plus très si y aussi alors puis comme quand comment
             pourquoi tout tous toute toutes même"
        }
        Language::Hi => {
            "का की के को में से पर ने और या तो ही भी है हैं था थी थे हो होता होती होते हुआ हुई हुए कर करके करता करती करते
             किया गया गई गए यह वह ये वे इस उस इन उन इसे उसे इसके उसके उसकी उसका अपना अपनी अपने मैं हम तुम आप एक जो जब
             तब कि क्या क्यों कैसे कहाँ कौन कब नहीं न लेकिन मगर क्योंकि अगर के लिए साथ बाद पहले तक रहा रही रहे"
        }
        Language::Bn => {
            "এই ওই সেই এ ও সে তা তার তাঁর তাকে তারা তাদের আমি আমার আমরা তুমি তোমার আপনি আপনার কি কী কেন কখন কোথায় কে
             এবং আর বা কিন্তু যে যা যখন তখন যদি তবে তাই না নেই নয় হয় হল হলো ছিল ছিলেন আছে করে করেন করেছে করতে জন্য থেকে
             সঙ্গে সাথে পরে আগে মধ্যে উপর একটি একটা এক সব খুব শুধু হয়ে দিয়ে নিয়ে"
        }
        Language::Ru => {
            "и а но или да не ни в во на с со к ко у о об от до из за по под над при для без через между про я ты он она
             оно мы вы они его её ее их ему ей им них нему ней ним меня мне тебя тебе нас нам вас вам себя себе свой своя
             своё свои свою своего своей мой моя твой наш ваш этот эта это эти тот та то те что чтобы как так где когда
             кто который которая которое которые потому если же ли бы был была было были быть есть уже ещё еще только
             очень там тут здесь все всё весь вся"
        }
        Language::De => {
            "der die das den dem des ein eine einen einem einer eines und oder aber denn doch sondern dass daß weil wenn
             als ob wie wo wer was wen wem wessen warum wann ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm
             ihnen sich mein meine dein deine sein seine seinen seinem seiner ihre ihren ihrem ihrer unser euer dieser
             diese dieses diesen diesem jener jene in im an am auf aus bei beim mit nach von vom zu zum zur für durch
             gegen ohne um über unter vor hinter zwischen ist sind war waren bin bist hat haben hatte hatten wird werden
             wurde wurden kann können nicht kein keine keinen auch nur noch schon sehr so dann da dort hier"
        }
        Language::Ja => {
            "の に は を が と で も や へ から まで より など か ね よ な だ です ます た て し い する した して される
             いる いた いて ある あった なる なっ れ られ せ させ ない なかっ こと もの これ それ あれ この その あの ここ そこ
             彼 彼女 彼ら 私 あなた 何 誰 どこ いつ なぜ そして しかし また ので のに ため よう さん ました ません"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::keywords::key;
    use super::*;

    #[test]
    fn function_words_stop_and_content_words_do_not() {
        let cases = [
            (Language::En, "The", "basket"),
            (Language::Zh, "的", "篮子"),
            (Language::Ar, "في", "الكتاب"),
            (Language::Fr, "dans", "boîte"),
            (Language::Hi, "में", "किताब"),
            (Language::Bn, "এবং", "বাক্স"),
            (Language::Ru, "Он", "коробка"),
            (Language::De, "Der", "Kiste"),
            (Language::Ja, "は", "箱"),
        ];
        for (language, function, content) in cases {
            assert!(is_stop_word(&key(function), language), "{function}");
            assert!(!is_stop_word(&key(content), language), "{content}");
        }
        assert!(!is_stop_word("der", Language::En), "lists do not mix");
    }

    #[test]
    fn entries_are_written_as_keys() {
        for language in Language::ALL {
            for word in whole(language).iter().filter(|word| !word.ends_with('\'')) {
                assert_eq!(key(word), *word, "{language}");
            }
        }
    }

    #[test]
    fn words_of_minds_are_no_function_words() {
        let words = [
            (Language::En, "knows think thought sees saw want wants said believes won don t"),
            (Language::Zh, "知道 觉得 认为 相信 看见 想 说 高兴"),
            (Language::De, "weiß denkt sieht will wollte sagte glaubt"),
            (Language::Fr, "sait pense voit veut dit croit"),
            (Language::Ru, "знает думает видит хочет сказал"),
            (Language::Ar, "رأى علم وجد"),
            (Language::Hi, "घर कहा"),
        ];
        for (language, words) in words {
            for word in words.split_whitespace() {
                assert!(!is_stop_word(word, language), "{word}");
            }
        }
    }

    #[test]
    fn negation_time_and_cause_are_no_function_words() {
        let words = [
            (Language::En, "no not didn't won't before after while because only"),
            (Language::Zh, "不 没有 之前 已经 因为 只"),
            (Language::Ar, "لم بعد لأن فقط"),
            (Language::Fr, "ne pas quand car"),
            (Language::Hi, "नहीं बाद क्योंकि ही"),
            (Language::Bn, "না পরে তাই শুধু"),
            (Language::Ru, "не после потому только"),
            (Language::De, "nicht kein vor weil nur"),
            (Language::Ja, "ない いつ ので"),
        ];
        for (language, words) in words {
            for word in words.split_whitespace() {
                assert!(!is_stop_word(word, language), "{word}");
            }
        }
    }

    #[test]
    fn words_that_tell_stand_in_a_list() {
        for language in Language::ALL {
            let theirs = published(language).unwrap_or(&[]);
            let known: HashSet<&str> = list(language).split_whitespace().chain(theirs.iter().copied()).collect();
            let needless: Vec<&str> =
                telling(language).split_whitespace().filter(|word| !known.contains(word)).collect();
            assert!(needless.is_empty(), "{language}: {needless:?} need no exception");
        }
    }

    #[test]
    fn other_languages_have_no_list() {
        assert!(!has_function_words("es".parse().unwrap()) && !is_stop_word("los", "es".parse().unwrap()));
        assert!(Language::ALL.into_iter().all(has_function_words));
    }
}
