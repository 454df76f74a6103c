//! The words of generated stories. The lists of the two languages are parallel, word by word, so that the same draws
//! tell the same story in both.

/// Word lists of one language.
#[derive(Debug)]
pub struct Lexicon {
    pub rooms: &'static [&'static str],
    /// Objects that are hidden and looked for.
    pub objects: &'static [&'static str],
    pub containers: &'static [&'static str],
    /// Names of agents. The Chinese names are counterparts of the English ones, not translations.
    pub agents: &'static [&'static str],
    /// Animals, for distractors.
    pub animals: &'static [&'static str],
    /// Belongings, for distractors.
    pub belongings: &'static [&'static str],
}

impl Lexicon {
    /// English: single words, joined by underscores where two are needed.
    #[rustfmt::skip]
    pub const ENGLISH: Lexicon = Lexicon {
        rooms: &[
            "library", "greenhouse", "bakery", "gallery", "conservatory", "loft", "studio", "stable", "chapel", "vault",
            "canteen", "lobby", "veranda", "barn", "cloakroom", "boathouse", "music_room", "classroom", "laboratory",
            "theatre", "courtyard", "storeroom", "ballroom", "nursery", "workroom", "gym", "terrace", "sickroom",
            "tower", "mill",
        ],
        objects: &[
            "fig", "mango", "walnut", "radish", "pumpkin", "apricot", "coconut", "ginger", "leek", "papaya", "quince",
            "almond", "chestnut", "date", "celery", "garlic", "kiwi", "raspberry", "beetroot", "artichoke", "compass",
            "lantern", "marble", "whistle", "puzzle", "kite", "teapot", "candle", "trumpet", "flute", "coin", "stamp",
            "ribbon", "hammer", "thimble", "magnet", "telescope",
        ],
        containers: &[
            "white_barrel", "white_bowl", "white_cabinet", "white_hamper", "white_jug", "white_locker", "white_pouch",
            "white_sack", "white_toolbox", "white_trunk", "white_tin", "white_vase", "white_satchel", "black_barrel",
            "black_bowl", "black_cabinet", "black_hamper", "black_jug", "black_locker", "black_pouch", "black_sack",
            "black_toolbox", "black_trunk", "black_tin", "black_vase", "black_satchel", "yellow_barrel", "yellow_bowl",
            "yellow_cabinet", "yellow_hamper", "yellow_jug", "yellow_locker", "yellow_pouch", "yellow_sack",
            "yellow_toolbox", "yellow_trunk", "yellow_tin", "yellow_vase", "yellow_satchel",
        ],
        agents: &[
            "Anton", "Bianca", "Cyrus", "Delia", "Edgar", "Fatima", "Gustav", "Helena", "Igor", "Jasmin", "Karim",
            "Leonie", "Marek", "Nadia", "Oskar", "Paula", "Quentin", "Rosa", "Stefan", "Tamara", "Umberto", "Vera",
            "Walter", "Xenia", "Yusuf", "Zelda", "Boris", "Clara", "Dario", "Elif", "Felix", "Greta", "Hugo", "Ines",
            "Jonas", "Kira", "Ludwig", "Mira", "Nils", "Olga",
        ],
        animals: &["fox", "pigeon", "lizard", "squirrel", "heron", "rabbit", "beetle", "duck"],
        belongings: &["scarf", "glove", "notebook", "key", "wallet", "bracelet", "pencil", "ticket"],
    };

    /// Simplified Chinese.
    #[rustfmt::skip]
    pub const CHINESE: Lexicon = Lexicon {
        rooms: &[
            "图书室", "温室", "面包房", "画廊", "花房", "阁楼", "画室", "马厩", "礼拜堂", "金库", "食堂", "大堂", "凉廊", "谷仓",
            "衣帽间", "船屋", "音乐室", "教室", "实验室", "剧场", "庭院", "储藏室", "舞厅", "育儿室", "工作间", "健身房", "露台",
            "病房", "塔楼", "磨坊",
        ],
        objects: &[
            "无花果", "芒果", "核桃", "小萝卜", "南瓜", "杏子", "椰子", "生姜", "韭葱", "木瓜", "榅桲", "杏仁", "栗子", "椰枣",
            "芹菜", "大蒜", "猕猴桃", "树莓", "甜菜根", "洋蓟", "指南针", "灯笼", "弹珠", "哨子", "拼图", "风筝", "茶壶", "蜡烛",
            "小号", "长笛", "硬币", "邮票", "丝带", "锤子", "顶针", "磁铁", "望远镜",
        ],
        containers: &[
            "白色木桶", "白色大碗", "白色柜子", "白色篮筐", "白色水壶", "白色储物柜", "白色小袋", "白色麻袋", "白色工具箱",
            "白色大箱", "白色铁罐", "白色花瓶", "白色挎包", "黑色木桶", "黑色大碗", "黑色柜子", "黑色篮筐", "黑色水壶",
            "黑色储物柜", "黑色小袋", "黑色麻袋", "黑色工具箱", "黑色大箱", "黑色铁罐", "黑色花瓶", "黑色挎包", "黄色木桶",
            "黄色大碗", "黄色柜子", "黄色篮筐", "黄色水壶", "黄色储物柜", "黄色小袋", "黄色麻袋", "黄色工具箱", "黄色大箱",
            "黄色铁罐", "黄色花瓶", "黄色挎包",
        ],
        agents: &[
            "安宁", "白露", "常青", "邓岚", "范舟", "高洁", "顾远", "韩梅", "何涛", "江雯", "康明", "兰英", "马骏", "倪虹", "欧宁",
            "潘婷", "齐峰", "任静", "石磊", "唐琳", "万芳", "魏华", "吴刚", "夏兰", "徐亮", "杨帆", "张悦", "赵敏", "郑浩", "周洁",
            "陈诚", "程芳", "丁旺", "冯媛", "郭强", "胡杰", "蒋凯", "孔瑶", "李响", "刘莹",
        ],
        animals: &["狐狸", "鸽子", "蜥蜴", "松鼠", "苍鹭", "兔子", "甲虫", "鸭子"],
        belongings: &["围巾", "手套", "笔记本", "钥匙", "钱包", "手链", "铅笔", "车票"],
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    type List = fn(&Lexicon) -> &'static [&'static str];

    /// Each list with its name and minimum size.
    const LISTS: [(&str, List, usize); 6] = [
        ("rooms", |lexicon| lexicon.rooms, 30),
        ("objects", |lexicon| lexicon.objects, 37),
        ("containers", |lexicon| lexicon.containers, 39),
        ("agents", |lexicon| lexicon.agents, 40),
        ("animals", |lexicon| lexicon.animals, 1),
        ("belongings", |lexicon| lexicon.belongings, 1),
    ];

    /// The sizes of Table 1 of He et al. 2023.
    #[test]
    fn lists_are_parallel_and_at_least_of_the_published_sizes() {
        for (name, list, least) in LISTS {
            let sizes = [&Lexicon::ENGLISH, &Lexicon::CHINESE].map(|lexicon| list(lexicon).len());
            assert_eq!(sizes[0], sizes[1], "{name}");
            assert!(sizes[0] >= least, "{name}: {}", sizes[0]);
        }
    }

    #[test]
    fn no_word_of_a_language_stands_twice() {
        for lexicon in [&Lexicon::ENGLISH, &Lexicon::CHINESE] {
            let words: Vec<&str> = LISTS.iter().flat_map(|(_, list, _)| list(lexicon).iter().copied()).collect();
            let distinct: BTreeSet<&str> = words.iter().copied().collect();
            assert_eq!(distinct.len(), words.len());
        }
    }
}
