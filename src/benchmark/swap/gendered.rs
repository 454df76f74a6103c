//! Words by which genders are exchanged.

use std::sync::LazyLock;

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().collect()
}

/// Words joined by `=`.
fn pairs(text: &'static str) -> Vec<(&'static str, &'static str)> {
    text.split_whitespace().filter_map(|pair| pair.split_once('=')).collect()
}

/// Words with one counterpart, in both directions.
pub(super) static PAIRS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    pairs(
        "he=she himself=herself man=woman men=women male=female boy=girl boys=girls gentleman=lady gentlemen=ladies \
     mother=father mothers=fathers mom=dad moms=dads mommy=daddy wife=husband wives=husbands sister=brother \
     sisters=brothers daughter=son daughters=sons aunt=uncle aunts=uncles niece=nephew nieces=nephews \
     grandmother=grandfather grandma=grandpa granddaughter=grandson stepmother=stepfather girlfriend=boyfriend \
     fiancée=fiancé widow=widower waitress=waiter businesswoman=businessman saleswoman=salesman \
     policewoman=policeman chairwoman=chairman",
    )
});

/// Gendered words without a sure counterpart.
pub(super) static UNPAIRED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "guy dude bro sis lad lass pal mum mama papa king queen bride groom pregnant pregnancy prenatal birth birthing maternity \
     paternity maternal paternal motherhood fatherhood brotherhood sisterhood manhood womanhood feminine masculine feminist beard \
     fireman spokesman spokeswoman actress mankind manpower housewife sir madam ma'am ma’am",
    )
});

/// Titles before a name.
pub(super) static TITLES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| pairs("Mr=Ms Mister=Ms Ms=Mr Mrs=Mr Miss=Mr Sir=Lady Lady=Sir"));

/// Words after `her` that cannot follow `his`: it is an object.
pub(super) static AFTER_OBJECT: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "to for of in on at by with from into onto about as and or but nor so because since although though while when \
     whenever where wherever if unless until before after during through throughout toward towards without within \
     despite than that this these those the a an some any what how why who whom which whether up down out off over \
     away back along around aside again instead too also once now then later soon today tomorrow yesterday lately \
     anymore anyway not is was has had will would can could should might may must are were he she it they we i you \
     him them us me enough alone regarding concerning amid amidst against between behind beside via upon like even \
     both everything something anything nothing feel become believe realize reconsider intend be get know go come \
     understand consider decide evaluate explore improve prioritize think see translates manifests prompts \
     motivates makes compels pushes encourages inspires deepens grows becomes remains brings his hers her per \
     rather forward together want going seeking given",
    )
});

/// Words that may be the end of the phrase with `her` as its object, or the beginning of one that it determines.
pub(super) static OPEN_ENDED: LazyLock<Vec<&str>> =
    LazyLock::new(|| words("better further well more most later hard much first next daily"));

/// Those of them that stand before nouns alone where more follows.
pub(super) static ORDINAL: LazyLock<Vec<&str>> = LazyLock::new(|| words("first next daily"));

/// Verbs that look like nouns.
pub(super) static LIKE_NOUNS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "leads causes influences shapes fuels results triggers increases drives guides changes shifts boosts turns \
     needs wants hopes feels lead drive make",
    )
});

/// Verbs after which `her` may be the subject of what follows.
pub(super) static CAUSATIVE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "make makes making made help helps helping helped let lets letting see sees seeing saw watch watches watching \
     watched hear hears hearing heard overhear overhears overhearing overheard notice notices noticing noticed \
     observe observes observing observed catch catches catching caught have has having had keep keeps keeping kept \
     find finds finding found leave leaves leaving left get gets getting got render renders assist assists \
     assisting",
    )
});

/// Verbs that may have two objects.
pub(super) static DITRANSITIVE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "give gives giving gave offer offers offering offered tell tells telling told ask asks asking asked show shows \
     showing showed teach teaches teaching taught send sends sending sent bring brings bringing brought buy buys \
     bought grant grants wish wishes cost costs lend owe owes promise promises earn earns save saves provide cause \
     assign assigns call calls",
    )
});

/// States of mind, in which somebody is made or kept.
pub(super) static STATES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "afraid angry annoyed anxious appreciative apprehensive ashamed awake aware calm cautious comfortable committed \
     concerned confident conflicted confused content curious defensive delighted determined disappointed distant \
     doubtful eager embarrassed empathetic engaged enthusiastic excited focused frustrated glad grateful guilty \
     happy hesitant hopeful informed insecure interested intrigued involved irritated jealous joyful motivated \
     nervous open optimistic overwhelmed pleased proud ready receptive regretful relaxed relieved reluctant \
     reserved resentful responsible sad safe satisfied shy skeptical stressed supportive surprised suspicious \
     sympathetic thankful uncertain uncomfortable uneasy unhappy upset vulnerable wary worried",
    )
});

/// Nouns and adjectives that stand after `his` even behind verbs as these.
pub(super) static POSSESSED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "own job decision decisions intentions intention point ideas idea career concerns actions approach advice \
     opinion opinions permission thoughts feelings emotions fears explanation explanations behavior honesty \
     suggestions company position house apartment office workplace boss friends family colleagues efforts workload \
     belief beliefs",
    )
});

/// Nouns after `causes her`: `causes his worry` says the same as `causes him worry`.
pub(super) static CAUSED: LazyLock<Vec<&str>> = LazyLock::new(|| words("cause causes caused causing"));

/// Words that end in -ing and may be nouns.
pub(super) static NOUNS_IN_ING: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "being blessing building clothing drawing feeling hearing housing meeting nursing painting reasoning sibling \
     standing suffering teaching thing thinking training understanding wedding writing",
    )
});

/// What somebody is brought or given.
pub(super) static GIVEN: LazyLock<Vec<&str>> =
    LazyLock::new(|| words("comfort confidence contentment gratitude hope joy peace relief"));

/// Words that end in -ly and describe nouns.
pub(super) static ADJECTIVES_IN_LY: LazyLock<Vec<&str>> =
    LazyLock::new(|| words("family friendly early only lovely likely daily weekly monthly elderly orderly reply"));

/// Words before `man` where it is not an exclamation.
pub(super) static DETERMINERS: LazyLock<Vec<&str>> =
    LazyLock::new(|| words("a the this that another young old older elderly good every which family his her"));
