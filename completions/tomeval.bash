_tomeval() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="tomeval"
                ;;
            tomeval,annotate)
                cmd="tomeval__subcmd__annotate"
                ;;
            tomeval,attend)
                cmd="tomeval__subcmd__attend"
                ;;
            tomeval,bench)
                cmd="tomeval__subcmd__bench"
                ;;
            tomeval,bundle)
                cmd="tomeval__subcmd__bundle"
                ;;
            tomeval,compare)
                cmd="tomeval__subcmd__compare"
                ;;
            tomeval,completions)
                cmd="tomeval__subcmd__completions"
                ;;
            tomeval,data)
                cmd="tomeval__subcmd__data"
                ;;
            tomeval,doctor)
                cmd="tomeval__subcmd__doctor"
                ;;
            tomeval,extract)
                cmd="tomeval__subcmd__extract"
                ;;
            tomeval,help)
                cmd="tomeval__subcmd__help"
                ;;
            tomeval,logprob)
                cmd="tomeval__subcmd__logprob"
                ;;
            tomeval,make)
                cmd="tomeval__subcmd__make"
                ;;
            tomeval,merge)
                cmd="tomeval__subcmd__merge"
                ;;
            tomeval,models)
                cmd="tomeval__subcmd__models"
                ;;
            tomeval,plan)
                cmd="tomeval__subcmd__plan"
                ;;
            tomeval,presets)
                cmd="tomeval__subcmd__presets"
                ;;
            tomeval,probe)
                cmd="tomeval__subcmd__probe"
                ;;
            tomeval,prompts)
                cmd="tomeval__subcmd__prompts"
                ;;
            tomeval,report)
                cmd="tomeval__subcmd__report"
                ;;
            tomeval,run)
                cmd="tomeval__subcmd__run"
                ;;
            tomeval,score)
                cmd="tomeval__subcmd__score"
                ;;
            tomeval,selftest)
                cmd="tomeval__subcmd__selftest"
                ;;
            tomeval,study)
                cmd="tomeval__subcmd__study"
                ;;
            tomeval__subcmd__annotate,answer)
                cmd="tomeval__subcmd__annotate__subcmd__answer"
                ;;
            tomeval__subcmd__annotate,help)
                cmd="tomeval__subcmd__annotate__subcmd__help"
                ;;
            tomeval__subcmd__annotate,judge)
                cmd="tomeval__subcmd__annotate__subcmd__judge"
                ;;
            tomeval__subcmd__annotate,mark)
                cmd="tomeval__subcmd__annotate__subcmd__mark"
                ;;
            tomeval__subcmd__annotate,read)
                cmd="tomeval__subcmd__annotate__subcmd__read"
                ;;
            tomeval__subcmd__annotate,schemes)
                cmd="tomeval__subcmd__annotate__subcmd__schemes"
                ;;
            tomeval__subcmd__annotate__subcmd__help,answer)
                cmd="tomeval__subcmd__annotate__subcmd__help__subcmd__answer"
                ;;
            tomeval__subcmd__annotate__subcmd__help,help)
                cmd="tomeval__subcmd__annotate__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__annotate__subcmd__help,judge)
                cmd="tomeval__subcmd__annotate__subcmd__help__subcmd__judge"
                ;;
            tomeval__subcmd__annotate__subcmd__help,mark)
                cmd="tomeval__subcmd__annotate__subcmd__help__subcmd__mark"
                ;;
            tomeval__subcmd__annotate__subcmd__help,read)
                cmd="tomeval__subcmd__annotate__subcmd__help__subcmd__read"
                ;;
            tomeval__subcmd__annotate__subcmd__help,schemes)
                cmd="tomeval__subcmd__annotate__subcmd__help__subcmd__schemes"
                ;;
            tomeval__subcmd__bench,compare)
                cmd="tomeval__subcmd__bench__subcmd__compare"
                ;;
            tomeval__subcmd__bench,drift)
                cmd="tomeval__subcmd__bench__subcmd__drift"
                ;;
            tomeval__subcmd__bench,help)
                cmd="tomeval__subcmd__bench__subcmd__help"
                ;;
            tomeval__subcmd__bench__subcmd__help,compare)
                cmd="tomeval__subcmd__bench__subcmd__help__subcmd__compare"
                ;;
            tomeval__subcmd__bench__subcmd__help,drift)
                cmd="tomeval__subcmd__bench__subcmd__help__subcmd__drift"
                ;;
            tomeval__subcmd__bench__subcmd__help,help)
                cmd="tomeval__subcmd__bench__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__data,audit)
                cmd="tomeval__subcmd__data__subcmd__audit"
                ;;
            tomeval__subcmd__data,check)
                cmd="tomeval__subcmd__data__subcmd__check"
                ;;
            tomeval__subcmd__data,help)
                cmd="tomeval__subcmd__data__subcmd__help"
                ;;
            tomeval__subcmd__data,items)
                cmd="tomeval__subcmd__data__subcmd__items"
                ;;
            tomeval__subcmd__data,list)
                cmd="tomeval__subcmd__data__subcmd__list"
                ;;
            tomeval__subcmd__data,stats)
                cmd="tomeval__subcmd__data__subcmd__stats"
                ;;
            tomeval__subcmd__data,twins)
                cmd="tomeval__subcmd__data__subcmd__twins"
                ;;
            tomeval__subcmd__data__subcmd__help,audit)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__audit"
                ;;
            tomeval__subcmd__data__subcmd__help,check)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__check"
                ;;
            tomeval__subcmd__data__subcmd__help,help)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__data__subcmd__help,items)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__items"
                ;;
            tomeval__subcmd__data__subcmd__help,list)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__list"
                ;;
            tomeval__subcmd__data__subcmd__help,stats)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__stats"
                ;;
            tomeval__subcmd__data__subcmd__help,twins)
                cmd="tomeval__subcmd__data__subcmd__help__subcmd__twins"
                ;;
            tomeval__subcmd__help,annotate)
                cmd="tomeval__subcmd__help__subcmd__annotate"
                ;;
            tomeval__subcmd__help,attend)
                cmd="tomeval__subcmd__help__subcmd__attend"
                ;;
            tomeval__subcmd__help,bench)
                cmd="tomeval__subcmd__help__subcmd__bench"
                ;;
            tomeval__subcmd__help,bundle)
                cmd="tomeval__subcmd__help__subcmd__bundle"
                ;;
            tomeval__subcmd__help,compare)
                cmd="tomeval__subcmd__help__subcmd__compare"
                ;;
            tomeval__subcmd__help,completions)
                cmd="tomeval__subcmd__help__subcmd__completions"
                ;;
            tomeval__subcmd__help,data)
                cmd="tomeval__subcmd__help__subcmd__data"
                ;;
            tomeval__subcmd__help,doctor)
                cmd="tomeval__subcmd__help__subcmd__doctor"
                ;;
            tomeval__subcmd__help,extract)
                cmd="tomeval__subcmd__help__subcmd__extract"
                ;;
            tomeval__subcmd__help,help)
                cmd="tomeval__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__help,logprob)
                cmd="tomeval__subcmd__help__subcmd__logprob"
                ;;
            tomeval__subcmd__help,make)
                cmd="tomeval__subcmd__help__subcmd__make"
                ;;
            tomeval__subcmd__help,merge)
                cmd="tomeval__subcmd__help__subcmd__merge"
                ;;
            tomeval__subcmd__help,models)
                cmd="tomeval__subcmd__help__subcmd__models"
                ;;
            tomeval__subcmd__help,plan)
                cmd="tomeval__subcmd__help__subcmd__plan"
                ;;
            tomeval__subcmd__help,presets)
                cmd="tomeval__subcmd__help__subcmd__presets"
                ;;
            tomeval__subcmd__help,probe)
                cmd="tomeval__subcmd__help__subcmd__probe"
                ;;
            tomeval__subcmd__help,prompts)
                cmd="tomeval__subcmd__help__subcmd__prompts"
                ;;
            tomeval__subcmd__help,report)
                cmd="tomeval__subcmd__help__subcmd__report"
                ;;
            tomeval__subcmd__help,run)
                cmd="tomeval__subcmd__help__subcmd__run"
                ;;
            tomeval__subcmd__help,score)
                cmd="tomeval__subcmd__help__subcmd__score"
                ;;
            tomeval__subcmd__help,selftest)
                cmd="tomeval__subcmd__help__subcmd__selftest"
                ;;
            tomeval__subcmd__help,study)
                cmd="tomeval__subcmd__help__subcmd__study"
                ;;
            tomeval__subcmd__help__subcmd__annotate,answer)
                cmd="tomeval__subcmd__help__subcmd__annotate__subcmd__answer"
                ;;
            tomeval__subcmd__help__subcmd__annotate,judge)
                cmd="tomeval__subcmd__help__subcmd__annotate__subcmd__judge"
                ;;
            tomeval__subcmd__help__subcmd__annotate,mark)
                cmd="tomeval__subcmd__help__subcmd__annotate__subcmd__mark"
                ;;
            tomeval__subcmd__help__subcmd__annotate,read)
                cmd="tomeval__subcmd__help__subcmd__annotate__subcmd__read"
                ;;
            tomeval__subcmd__help__subcmd__annotate,schemes)
                cmd="tomeval__subcmd__help__subcmd__annotate__subcmd__schemes"
                ;;
            tomeval__subcmd__help__subcmd__bench,compare)
                cmd="tomeval__subcmd__help__subcmd__bench__subcmd__compare"
                ;;
            tomeval__subcmd__help__subcmd__bench,drift)
                cmd="tomeval__subcmd__help__subcmd__bench__subcmd__drift"
                ;;
            tomeval__subcmd__help__subcmd__data,audit)
                cmd="tomeval__subcmd__help__subcmd__data__subcmd__audit"
                ;;
            tomeval__subcmd__help__subcmd__data,check)
                cmd="tomeval__subcmd__help__subcmd__data__subcmd__check"
                ;;
            tomeval__subcmd__help__subcmd__data,items)
                cmd="tomeval__subcmd__help__subcmd__data__subcmd__items"
                ;;
            tomeval__subcmd__help__subcmd__data,list)
                cmd="tomeval__subcmd__help__subcmd__data__subcmd__list"
                ;;
            tomeval__subcmd__help__subcmd__data,stats)
                cmd="tomeval__subcmd__help__subcmd__data__subcmd__stats"
                ;;
            tomeval__subcmd__help__subcmd__data,twins)
                cmd="tomeval__subcmd__help__subcmd__data__subcmd__twins"
                ;;
            tomeval__subcmd__help__subcmd__make,adapt)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__adapt"
                ;;
            tomeval__subcmd__help__subcmd__make,check)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__check"
                ;;
            tomeval__subcmd__help__subcmd__make,contexts)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__contexts"
                ;;
            tomeval__subcmd__help__subcmd__make,correct)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__correct"
                ;;
            tomeval__subcmd__help__subcmd__make,hi-tom)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__hi__subcmd__tom"
                ;;
            tomeval__subcmd__help__subcmd__make,sketches)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__sketches"
                ;;
            tomeval__subcmd__help__subcmd__make,split)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__split"
                ;;
            tomeval__subcmd__help__subcmd__make,subsample)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__subsample"
                ;;
            tomeval__subcmd__help__subcmd__make,tomi)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__tomi"
                ;;
            tomeval__subcmd__help__subcmd__make,tomvalley)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__tomvalley"
                ;;
            tomeval__subcmd__help__subcmd__make,translate)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__translate"
                ;;
            tomeval__subcmd__help__subcmd__make,twins)
                cmd="tomeval__subcmd__help__subcmd__make__subcmd__twins"
                ;;
            tomeval__subcmd__help__subcmd__models,inspect)
                cmd="tomeval__subcmd__help__subcmd__models__subcmd__inspect"
                ;;
            tomeval__subcmd__help__subcmd__models,list)
                cmd="tomeval__subcmd__help__subcmd__models__subcmd__list"
                ;;
            tomeval__subcmd__help__subcmd__models,pull)
                cmd="tomeval__subcmd__help__subcmd__models__subcmd__pull"
                ;;
            tomeval__subcmd__help__subcmd__models,show)
                cmd="tomeval__subcmd__help__subcmd__models__subcmd__show"
                ;;
            tomeval__subcmd__help__subcmd__probe,beliefs)
                cmd="tomeval__subcmd__help__subcmd__probe__subcmd__beliefs"
                ;;
            tomeval__subcmd__help__subcmd__probe,min-k)
                cmd="tomeval__subcmd__help__subcmd__probe__subcmd__min__subcmd__k"
                ;;
            tomeval__subcmd__help__subcmd__probe,orders)
                cmd="tomeval__subcmd__help__subcmd__probe__subcmd__orders"
                ;;
            tomeval__subcmd__help__subcmd__probe,recall)
                cmd="tomeval__subcmd__help__subcmd__probe__subcmd__recall"
                ;;
            tomeval__subcmd__help__subcmd__prompts,export)
                cmd="tomeval__subcmd__help__subcmd__prompts__subcmd__export"
                ;;
            tomeval__subcmd__help__subcmd__prompts,list)
                cmd="tomeval__subcmd__help__subcmd__prompts__subcmd__list"
                ;;
            tomeval__subcmd__help__subcmd__prompts,show)
                cmd="tomeval__subcmd__help__subcmd__prompts__subcmd__show"
                ;;
            tomeval__subcmd__help__subcmd__prompts,write)
                cmd="tomeval__subcmd__help__subcmd__prompts__subcmd__write"
                ;;
            tomeval__subcmd__help__subcmd__study,init)
                cmd="tomeval__subcmd__help__subcmd__study__subcmd__init"
                ;;
            tomeval__subcmd__make,adapt)
                cmd="tomeval__subcmd__make__subcmd__adapt"
                ;;
            tomeval__subcmd__make,check)
                cmd="tomeval__subcmd__make__subcmd__check"
                ;;
            tomeval__subcmd__make,contexts)
                cmd="tomeval__subcmd__make__subcmd__contexts"
                ;;
            tomeval__subcmd__make,correct)
                cmd="tomeval__subcmd__make__subcmd__correct"
                ;;
            tomeval__subcmd__make,help)
                cmd="tomeval__subcmd__make__subcmd__help"
                ;;
            tomeval__subcmd__make,hi-tom)
                cmd="tomeval__subcmd__make__subcmd__hi__subcmd__tom"
                ;;
            tomeval__subcmd__make,sketches)
                cmd="tomeval__subcmd__make__subcmd__sketches"
                ;;
            tomeval__subcmd__make,split)
                cmd="tomeval__subcmd__make__subcmd__split"
                ;;
            tomeval__subcmd__make,subsample)
                cmd="tomeval__subcmd__make__subcmd__subsample"
                ;;
            tomeval__subcmd__make,tomi)
                cmd="tomeval__subcmd__make__subcmd__tomi"
                ;;
            tomeval__subcmd__make,tomvalley)
                cmd="tomeval__subcmd__make__subcmd__tomvalley"
                ;;
            tomeval__subcmd__make,translate)
                cmd="tomeval__subcmd__make__subcmd__translate"
                ;;
            tomeval__subcmd__make,twins)
                cmd="tomeval__subcmd__make__subcmd__twins"
                ;;
            tomeval__subcmd__make__subcmd__help,adapt)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__adapt"
                ;;
            tomeval__subcmd__make__subcmd__help,check)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__check"
                ;;
            tomeval__subcmd__make__subcmd__help,contexts)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__contexts"
                ;;
            tomeval__subcmd__make__subcmd__help,correct)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__correct"
                ;;
            tomeval__subcmd__make__subcmd__help,help)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__make__subcmd__help,hi-tom)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__hi__subcmd__tom"
                ;;
            tomeval__subcmd__make__subcmd__help,sketches)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__sketches"
                ;;
            tomeval__subcmd__make__subcmd__help,split)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__split"
                ;;
            tomeval__subcmd__make__subcmd__help,subsample)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__subsample"
                ;;
            tomeval__subcmd__make__subcmd__help,tomi)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__tomi"
                ;;
            tomeval__subcmd__make__subcmd__help,tomvalley)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__tomvalley"
                ;;
            tomeval__subcmd__make__subcmd__help,translate)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__translate"
                ;;
            tomeval__subcmd__make__subcmd__help,twins)
                cmd="tomeval__subcmd__make__subcmd__help__subcmd__twins"
                ;;
            tomeval__subcmd__models,help)
                cmd="tomeval__subcmd__models__subcmd__help"
                ;;
            tomeval__subcmd__models,inspect)
                cmd="tomeval__subcmd__models__subcmd__inspect"
                ;;
            tomeval__subcmd__models,list)
                cmd="tomeval__subcmd__models__subcmd__list"
                ;;
            tomeval__subcmd__models,pull)
                cmd="tomeval__subcmd__models__subcmd__pull"
                ;;
            tomeval__subcmd__models,show)
                cmd="tomeval__subcmd__models__subcmd__show"
                ;;
            tomeval__subcmd__models__subcmd__help,help)
                cmd="tomeval__subcmd__models__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__models__subcmd__help,inspect)
                cmd="tomeval__subcmd__models__subcmd__help__subcmd__inspect"
                ;;
            tomeval__subcmd__models__subcmd__help,list)
                cmd="tomeval__subcmd__models__subcmd__help__subcmd__list"
                ;;
            tomeval__subcmd__models__subcmd__help,pull)
                cmd="tomeval__subcmd__models__subcmd__help__subcmd__pull"
                ;;
            tomeval__subcmd__models__subcmd__help,show)
                cmd="tomeval__subcmd__models__subcmd__help__subcmd__show"
                ;;
            tomeval__subcmd__probe,beliefs)
                cmd="tomeval__subcmd__probe__subcmd__beliefs"
                ;;
            tomeval__subcmd__probe,help)
                cmd="tomeval__subcmd__probe__subcmd__help"
                ;;
            tomeval__subcmd__probe,min-k)
                cmd="tomeval__subcmd__probe__subcmd__min__subcmd__k"
                ;;
            tomeval__subcmd__probe,orders)
                cmd="tomeval__subcmd__probe__subcmd__orders"
                ;;
            tomeval__subcmd__probe,recall)
                cmd="tomeval__subcmd__probe__subcmd__recall"
                ;;
            tomeval__subcmd__probe__subcmd__help,beliefs)
                cmd="tomeval__subcmd__probe__subcmd__help__subcmd__beliefs"
                ;;
            tomeval__subcmd__probe__subcmd__help,help)
                cmd="tomeval__subcmd__probe__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__probe__subcmd__help,min-k)
                cmd="tomeval__subcmd__probe__subcmd__help__subcmd__min__subcmd__k"
                ;;
            tomeval__subcmd__probe__subcmd__help,orders)
                cmd="tomeval__subcmd__probe__subcmd__help__subcmd__orders"
                ;;
            tomeval__subcmd__probe__subcmd__help,recall)
                cmd="tomeval__subcmd__probe__subcmd__help__subcmd__recall"
                ;;
            tomeval__subcmd__prompts,export)
                cmd="tomeval__subcmd__prompts__subcmd__export"
                ;;
            tomeval__subcmd__prompts,help)
                cmd="tomeval__subcmd__prompts__subcmd__help"
                ;;
            tomeval__subcmd__prompts,list)
                cmd="tomeval__subcmd__prompts__subcmd__list"
                ;;
            tomeval__subcmd__prompts,show)
                cmd="tomeval__subcmd__prompts__subcmd__show"
                ;;
            tomeval__subcmd__prompts,write)
                cmd="tomeval__subcmd__prompts__subcmd__write"
                ;;
            tomeval__subcmd__prompts__subcmd__help,export)
                cmd="tomeval__subcmd__prompts__subcmd__help__subcmd__export"
                ;;
            tomeval__subcmd__prompts__subcmd__help,help)
                cmd="tomeval__subcmd__prompts__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__prompts__subcmd__help,list)
                cmd="tomeval__subcmd__prompts__subcmd__help__subcmd__list"
                ;;
            tomeval__subcmd__prompts__subcmd__help,show)
                cmd="tomeval__subcmd__prompts__subcmd__help__subcmd__show"
                ;;
            tomeval__subcmd__prompts__subcmd__help,write)
                cmd="tomeval__subcmd__prompts__subcmd__help__subcmd__write"
                ;;
            tomeval__subcmd__study,help)
                cmd="tomeval__subcmd__study__subcmd__help"
                ;;
            tomeval__subcmd__study,init)
                cmd="tomeval__subcmd__study__subcmd__init"
                ;;
            tomeval__subcmd__study__subcmd__help,help)
                cmd="tomeval__subcmd__study__subcmd__help__subcmd__help"
                ;;
            tomeval__subcmd__study__subcmd__help,init)
                cmd="tomeval__subcmd__study__subcmd__help__subcmd__init"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        tomeval)
            opts="-q -v -h -V --progress --quiet --verbose --help --version run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate)
            opts="-q -v -h --progress --quiet --verbose --help answer mark judge read schemes help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__answer)
            opts="-b -l -o -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --run --people --code --per-item --whole-stories --blind --interface --introduction --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --people)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --code)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --per-item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --interface)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --introduction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help)
            opts="answer mark judge read schemes help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help__subcmd__answer)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help__subcmd__judge)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help__subcmd__mark)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help__subcmd__read)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__help__subcmd__schemes)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__judge)
            opts="-b -l -o -q -v -h --scheme --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --run --recited --made --beside --adjudicate --people --code --per-item --whole-stories --blind --interface --introduction --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --scheme)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --recited)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --made)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --beside)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --adjudicate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --people)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --code)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --per-item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --interface)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --introduction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__mark)
            opts="-b -l -o -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --run --people --code --per-item --whole-stories --blind --interface --introduction --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --people)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --code)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --per-item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --interface)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --introduction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__read)
            opts="-q -v -h --scheme --keywords --figures --theme --width --title --html --page --code --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --scheme)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keywords)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --figures)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --theme)
                    COMPREPLY=($(compgen -W "light dark" -- "${cur}"))
                    return 0
                    ;;
                --width)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --html)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --page)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --code)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__annotate__subcmd__schemes)
            opts="-q -v -h --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__attend)
            opts="-m -b -l -o -q -v -h --model --adapter --offline --device --dtype --quantize --experts --threads --memory --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --item --where --run --wrong --written --prompts --style --instructions --orders --template-var --chat-template --measure --queries --layers --heads --scope --merge --apart --function-words --keep-sink --top --human --contrast --deletion-draws --deletion-items --deletion-match --knock-out --random-heads --roles --witness --head-maps --contributions --sensitivity --lens --group --strata --html --latex --csv --roles-csv --witness-csv --heads-csv --tensors --states --json --color --svg --png --pdf --figure --panels --width --title --out --single-file --shard --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --instructions)
                    COMPREPLY=($(compgen -W "item en" -- "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --measure)
                    COMPREPLY=($(compgen -W "attention value rollout occlusion" -- "${cur}"))
                    return 0
                    ;;
                --queries)
                    COMPREPLY=($(compgen -W "answer options all" -- "${cur}"))
                    return 0
                    ;;
                --layers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --heads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scope)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --merge)
                    COMPREPLY=($(compgen -W "sum mean" -- "${cur}"))
                    return 0
                    ;;
                --top)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --human)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --contrast)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --deletion-draws)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --deletion-items)
                    COMPREPLY=($(compgen -W "all" -- "${cur}"))
                    return 0
                    ;;
                --deletion-match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --knock-out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --random-heads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --head-maps)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --strata)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --html)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --latex)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --csv)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --roles-csv)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --witness-csv)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --heads-csv)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tensors)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --states)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --svg)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --png)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pdf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --figure)
                    COMPREPLY=($(compgen -W "prompt person witness" -- "${cur}"))
                    return 0
                    ;;
                --panels)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --width)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --single-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -W "auto" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench)
            opts="-m -q -v -h --prompt --generate --batch --repeat --no-score --shape --random --seed --check --trie --profile --out --format --json --model --adapter --offline --device --dtype --quantize --experts --threads --memory --progress --quiet --verbose --help compare drift help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --prompt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --generate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --batch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --repeat)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shape)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --trie)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench__subcmd__compare)
            opts="-q -v -h --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench__subcmd__drift)
            opts="-m -q -v -h --questions --format --json --model --adapter --offline --device --dtype --quantize --experts --threads --memory --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --questions)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench__subcmd__help)
            opts="compare drift help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench__subcmd__help__subcmd__compare)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench__subcmd__help__subcmd__drift)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bench__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__bundle)
            opts="-o -q -v -h --out --no-texts --data --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__compare)
            opts="-q -v -h --data --between --cells --common --margin --by --flips --published --against --normalisation --tie --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --between)
                    COMPREPLY=($(compgen -W "language variant style condition" -- "${cur}"))
                    return 0
                    ;;
                --margin)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flips)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --published)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --against)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --normalisation)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tie)
                    COMPREPLY=($(compgen -W "probability first" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__completions)
            opts="-q -v -h --man --progress --quiet --verbose --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --man)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data)
            opts="-q -v -h --progress --quiet --verbose --help list check stats items twins audit help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__audit)
            opts="-b -q -v -h --benchmark --data --claims --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --claims)
                    COMPREPLY=($(compgen -W "published common-knowledge" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__check)
            opts="-b -l -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help)
            opts="list check stats items twins audit help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__audit)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__items)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__stats)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__help__subcmd__twins)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__items)
            opts="-b -l -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --where --item --limit --limit-stories --seed --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__list)
            opts="-q -v -h --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__stats)
            opts="-b -l -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --by --tokenizer --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__data__subcmd__twins)
            opts="-b -l -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --where --item --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__doctor)
            opts="-q -v -h --gemm --device --data --json --server --reference --offline --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reference)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__extract)
            opts="-i -o -q -v -h --input --output --rules --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rules)
                    COMPREPLY=($(compgen -W "ours released" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help)
            opts="run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__annotate)
            opts="answer mark judge read schemes"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__annotate__subcmd__answer)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__annotate__subcmd__judge)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__annotate__subcmd__mark)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__annotate__subcmd__read)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__annotate__subcmd__schemes)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__attend)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__bench)
            opts="compare drift"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__bench__subcmd__compare)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__bench__subcmd__drift)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__bundle)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__compare)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data)
            opts="list check stats items twins audit"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data__subcmd__audit)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data__subcmd__items)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data__subcmd__stats)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__data__subcmd__twins)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__doctor)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__extract)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__logprob)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make)
            opts="hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__adapt)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__contexts)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__correct)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__hi__subcmd__tom)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__sketches)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__split)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__subsample)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__tomi)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__tomvalley)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__translate)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__make__subcmd__twins)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__merge)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__models)
            opts="list show pull inspect"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__models__subcmd__inspect)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__models__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__models__subcmd__pull)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__models__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__plan)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__presets)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__probe)
            opts="orders min-k recall beliefs"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__probe__subcmd__beliefs)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__probe__subcmd__min__subcmd__k)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__probe__subcmd__orders)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__probe__subcmd__recall)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__prompts)
            opts="list show export write"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__prompts__subcmd__export)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__prompts__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__prompts__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__prompts__subcmd__write)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__report)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__run)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__score)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__selftest)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__study)
            opts="init"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__help__subcmd__study__subcmd__init)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__logprob)
            opts="-m -i -o -q -v -h --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --input --output --date --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --date)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make)
            opts="-q -v -h --progress --quiet --verbose --help hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__adapt)
            opts="-b -l -o -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --culture --assistant --adapter --entities --prompts --wording --answers --out --max-new-tokens --temperature --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --culture)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --assistant)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --entities)
                    COMPREPLY=($(compgen -W "own" -- "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wording)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__check)
            opts="-b -l -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --from --to --back --present-tense --all --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --back)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__contexts)
            opts="-l -o -q -v -h --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --writer --judge --prompts --style --seed --out --max-new-tokens --temperature --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --writer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --judge)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__correct)
            opts="-o -q -v -h --set --prefer --terms --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --set)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prefer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --terms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help)
            opts="hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__adapt)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__contexts)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__correct)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__hi__subcmd__tom)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__sketches)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__split)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__subsample)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__tomi)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__tomvalley)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__translate)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__help__subcmd__twins)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__hi__subcmd__tom)
            opts="-q -v -h --chapters --agents --orders --deception --stories --seed --answers --language --claims --prompting --format --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --chapters)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --agents)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --deception)
                    COMPREPLY=($(compgen -W "with without both" -- "${cur}"))
                    return 0
                    ;;
                --stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --claims)
                    COMPREPLY=($(compgen -W "published common-knowledge" -- "${cur}"))
                    return 0
                    ;;
                --prompting)
                    COMPREPLY=($(compgen -W "vp cotp both" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "json text" -- "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__sketches)
            opts="-o -q -v -h --contexts --scenarios --pools --places --writer --prompts --style --seed --out --max-new-tokens --temperature --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --contexts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scenarios)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pools)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --places)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --writer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__split)
            opts="-b -l -o -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --where --item --test --seed --prompts --style --orders --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --test)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__subsample)
            opts="-b -l -m -o -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --where --item --quotas --embeddings --model --adapter --offline --device --dtype --quantize --experts --threads --memory --settings --seed --out --figures --theme --width --title --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --quotas)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --embeddings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --figures)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --theme)
                    COMPREPLY=($(compgen -W "light dark" -- "${cur}"))
                    return 0
                    ;;
                --width)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__tomi)
            opts="-q -v -h --stories --seed --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__tomvalley)
            opts="-q -v -h --sketch --seed --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --sketch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__translate)
            opts="-b -l -o -q -v -h --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --to --translator --second-translator --reviewer --refiner --back-translator --no-review --prompts --wording --terms --against --out --max-new-tokens --temperature --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --translator)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --second-translator)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reviewer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --refiner)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --back-translator)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wording)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --terms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --against)
                    COMPREPLY=($(compgen -W "released" -- "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__make__subcmd__twins)
            opts="-q -v -h --of --stories --seed --language --out --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --of)
                    COMPREPLY=($(compgen -W "hi-tom tomi contents" -- "${cur}"))
                    return 0
                    ;;
                --stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__merge)
            opts="-o -q -v -h --out --allow-mixed --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models)
            opts="-q -v -h --progress --quiet --verbose --help list show pull inspect help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__help)
            opts="list show pull inspect help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__help__subcmd__inspect)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__help__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__help__subcmd__pull)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__help__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__inspect)
            opts="-q -v -h --adapter --offline --json --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --template-var --chat-template --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --adapter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__list)
            opts="-q -v -h --paper --family --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --paper)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --family)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__pull)
            opts="-q -v -h --offline --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__models__subcmd__show)
            opts="-q -v -h --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__plan)
            opts="-m -b -l -q -v -h --preset --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --prompts --system --style --instructions --paraphrase --condition --scoring --options --after-reasoning --orders --anchored-options --no-pmi --template-var --chat-template --shots --shots-from --shots-as --swap --remind --from --reminders --samples --max-new-tokens --sampling --temperature --top-p --top-k --min-p --repetition-penalty --stop --thinking --questions-per-prompt --extract --replies-at-once --pass-tokens --batch-tokens --no-sharing --audit --calibrate --trie --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --preset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --system)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --instructions)
                    COMPREPLY=($(compgen -W "item en both" -- "${cur}"))
                    return 0
                    ;;
                --paraphrase)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --condition)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scoring)
                    COMPREPLY=($(compgen -W "letter text hybrid generate" -- "${cur}"))
                    return 0
                    ;;
                --options)
                    COMPREPLY=($(compgen -W "before after never" -- "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --anchored-options)
                    COMPREPLY=($(compgen -W "keep shuffle" -- "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --shots)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shots-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shots-as)
                    COMPREPLY=($(compgen -W "turns inline" -- "${cur}"))
                    return 0
                    ;;
                --swap)
                    COMPREPLY=($(compgen -W "race surname gender" -- "${cur}"))
                    return 0
                    ;;
                --remind)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reminders)
                    COMPREPLY=($(compgen -W "own other unrelated" -- "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top-p)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top-k)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --min-p)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --repetition-penalty)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stop)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thinking)
                    COMPREPLY=($(compgen -W "on off" -- "${cur}"))
                    return 0
                    ;;
                --questions-per-prompt)
                    COMPREPLY=($(compgen -W "all" -- "${cur}"))
                    return 0
                    ;;
                --extract)
                    COMPREPLY=($(compgen -W "ours released" -- "${cur}"))
                    return 0
                    ;;
                --replies-at-once)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --batch-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --audit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --trie)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__presets)
            opts="-q -v -h --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe)
            opts="-q -v -h --progress --quiet --verbose --help orders min-k recall beliefs help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__beliefs)
            opts="-m -b -l -q -v -h --stories --states --figures --theme --width --title --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --out --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --states)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --figures)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --theme)
                    COMPREPLY=($(compgen -W "light dark" -- "${cur}"))
                    return 0
                    ;;
                --width)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__help)
            opts="orders min-k recall beliefs help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__help__subcmd__beliefs)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__help__subcmd__min__subcmd__k)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__help__subcmd__orders)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__help__subcmd__recall)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__min__subcmd__k)
            opts="-k -m -b -l -q -v -h --percent --draws --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --out --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --percent)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -k)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --draws)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__orders)
            opts="-m -b -l -q -v -h --orders --draws --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --out --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --draws)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__probe__subcmd__recall)
            opts="-m -b -l -q -v -h --protocol --prompts --trials --temperature --rouge-l --run --template-var --chat-template --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --out --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --protocol)
                    COMPREPLY=($(compgen -W "example completion classic" -- "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --trials)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rouge-l)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts)
            opts="-q -v -h --progress --quiet --verbose --help list show export write help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__export)
            opts="-q -v -h --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__help)
            opts="list show export write help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__help__subcmd__export)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__help__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__help__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__help__subcmd__write)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__list)
            opts="-b -q -v -h --benchmark --prompts --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__show)
            opts="-b -l -m -q -v -h --benchmark --item --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --prompts --style --instructions --scoring --condition --orders --seed --model --template-var --chat-template --offline --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --instructions)
                    COMPREPLY=($(compgen -W "item en" -- "${cur}"))
                    return 0
                    ;;
                --scoring)
                    COMPREPLY=($(compgen -W "letter text hybrid generate" -- "${cur}"))
                    return 0
                    ;;
                --condition)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__prompts__subcmd__write)
            opts="-b -m -l -q -v -h --benchmark --out --format --model --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --prompts --style --instructions --condition --orders --max-new-tokens --temperature --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "openai-batch jsonl" -- "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --instructions)
                    COMPREPLY=($(compgen -W "item en both" -- "${cur}"))
                    return 0
                    ;;
                --condition)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__report)
            opts="-l -q -v -h --data --normalisation --tie --by --allow-changed-data --extract --judged --format --json --table --published --only-values --wide --language --margin --output --no-texts --figures --theme --width --title --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --normalisation)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tie)
                    COMPREPLY=($(compgen -W "probability first" -- "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --extract)
                    COMPREPLY=($(compgen -W "ours released" -- "${cur}"))
                    return 0
                    ;;
                --judged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex items html parquet every-eval-ever" -- "${cur}"))
                    return 0
                    ;;
                --table)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --published)
                    COMPREPLY=($(compgen -W "none best all" -- "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --margin)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --figures)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --theme)
                    COMPREPLY=($(compgen -W "light dark" -- "${cur}"))
                    return 0
                    ;;
                --width)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__run)
            opts="-m -b -l -o -q -v -h --preset --model --adapter --offline --device --dtype --quantize --experts --threads --memory --api-key-env --api-key-file --concurrency --tokenizer --scores-from --top-logprobs --retries --retry-wait --request-timeout --wait --strict-server --benchmark --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --limit --limit-stories --seed --where --item --prompts --system --style --instructions --paraphrase --condition --scoring --options --after-reasoning --orders --anchored-options --no-pmi --template-var --chat-template --shots --shots-from --shots-as --swap --remind --from --reminders --samples --max-new-tokens --sampling --temperature --top-p --top-k --min-p --repetition-penalty --stop --thinking --questions-per-prompt --extract --replies-at-once --pass-tokens --batch-tokens --no-sharing --audit --name --out --shard --allow-mixed --workers --worker --in-study --verify-batching --normalisation --tie --by --allow-changed-data --tables --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --preset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --model)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -W "llama-2-7b-chat llama-2-13b-chat llama-3-8b-instruct llama-3.1-8b-instruct llama-3.1-70b-instruct llama-3.2-1b-instruct llama-3.2-3b-instruct llama-3.3-70b-instruct mistral-7b-instruct-v0.2 mistral-7b-instruct-v0.3 mixtral-8x7b-instruct-v0.1 mixtral-8x22b-instruct-v0.1 qwen2-7b-instruct qwen2-72b-instruct qwen2.5-0.5b-instruct qwen2.5-1.5b-instruct qwen2.5-3b-instruct qwen2.5-7b-instruct qwen2.5-14b-instruct qwen2.5-32b-instruct qwen2.5-72b-instruct qwen3-0.6b qwen3-1.7b qwen3-4b qwen3-8b qwen3-14b qwen3-32b qwen3-30b-a3b qwen3-235b-a22b smollm2-135m-instruct smollm2-135m-instruct-bf16 smollm2-360m-instruct smollm2-1.7b-instruct smollm3-3b chatglm3-6b glm-4-9b-chat glm-4-9b-0414 qwen-14b-chat baichuan2-13b-chat deepseek-v2-lite-chat deepseek-v3 deepseek-r1 r1-distill-qwen-7b r1-distill-qwen-14b r1-distill-qwen-32b r1-distill-llama-8b r1-distill-llama-70b guanaco-65b gemma-2-2b-it gemma-2-9b-it gemma-2-27b-it gemma-3-270m-it gemma-3-1b-it gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it phi-3-mini-4k-instruct phi-4-mini-instruct internlm3-8b-instruct olmo-2-7b-instruct olmo-2-13b-instruct granite-3.3-2b-instruct granite-3.3-8b-instruct" -- "${cur}"))
                    return 0
                    ;;
                --adapter)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dtype)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --quantize)
                    COMPREPLY=($(compgen -W "f32 f16 bf16 quantized q8_0 q4_0 q4_k" -- "${cur}"))
                    return 0
                    ;;
                --experts)
                    COMPREPLY=($(compgen -W "loaded mapped" -- "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --api-key-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --concurrency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tokenizer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scores-from)
                    COMPREPLY=($(compgen -W "auto prompt trie named top" -- "${cur}"))
                    return 0
                    ;;
                --top-logprobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retries)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --retry-wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --request-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --item)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prompts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --system)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "vanilla cot cot-answer-first perspective simtom-perspective simtom foresee foresee-reflect open-answer options-after options-never" -- "${cur}"))
                    return 0
                    ;;
                --instructions)
                    COMPREPLY=($(compgen -W "item en both" -- "${cur}"))
                    return 0
                    ;;
                --paraphrase)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --condition)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scoring)
                    COMPREPLY=($(compgen -W "letter text hybrid generate" -- "${cur}"))
                    return 0
                    ;;
                --options)
                    COMPREPLY=($(compgen -W "before after never" -- "${cur}"))
                    return 0
                    ;;
                --orders)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --anchored-options)
                    COMPREPLY=($(compgen -W "keep shuffle" -- "${cur}"))
                    return 0
                    ;;
                --template-var)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --chat-template)
                    COMPREPLY=($(compgen -W "none" -- "${cur}"))
                    return 0
                    ;;
                --shots)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shots-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shots-as)
                    COMPREPLY=($(compgen -W "turns inline" -- "${cur}"))
                    return 0
                    ;;
                --swap)
                    COMPREPLY=($(compgen -W "race surname gender" -- "${cur}"))
                    return 0
                    ;;
                --remind)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reminders)
                    COMPREPLY=($(compgen -W "own other unrelated" -- "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-new-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sampling)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --temperature)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top-p)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --top-k)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --min-p)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --repetition-penalty)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stop)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thinking)
                    COMPREPLY=($(compgen -W "on off" -- "${cur}"))
                    return 0
                    ;;
                --questions-per-prompt)
                    COMPREPLY=($(compgen -W "all" -- "${cur}"))
                    return 0
                    ;;
                --extract)
                    COMPREPLY=($(compgen -W "ours released" -- "${cur}"))
                    return 0
                    ;;
                --replies-at-once)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --batch-tokens)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --audit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -W "auto" -- "${cur}"))
                    return 0
                    ;;
                --workers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --worker)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --verify-batching)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --normalisation)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tie)
                    COMPREPLY=($(compgen -W "probability first" -- "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex items html" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__score)
            opts="-b -l -q -v -h --benchmark --answers --map --filter --data --language --labels --choose --column --text --facet --answers-are --gold-base --delimiter --no-header --card --extract --tie --name --separate --by --allow-changed-data --limit --limit-stories --seed --format --json --table --published --only-values --wide --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --benchmark)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -W "demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom" -- "${cur}"))
                    return 0
                    ;;
                --answers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --map)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -W "en zh ar fr hi bn ru de ja" -- "${cur}"))
                    return 0
                    ;;
                --labels)
                    COMPREPLY=($(compgen -W "published repaired" -- "${cur}"))
                    return 0
                    ;;
                --choose)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --column)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --text)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facet)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --answers-are)
                    COMPREPLY=($(compgen -W "single labels slots" -- "${cur}"))
                    return 0
                    ;;
                --gold-base)
                    COMPREPLY=($(compgen -W "0 1" -- "${cur}"))
                    return 0
                    ;;
                --delimiter)
                    COMPREPLY=($(compgen -W "comma semicolon tab pipe" -- "${cur}"))
                    return 0
                    ;;
                --card)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --extract)
                    COMPREPLY=($(compgen -W "ours released" -- "${cur}"))
                    return 0
                    ;;
                --tie)
                    COMPREPLY=($(compgen -W "probability first" -- "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-stories)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex items html" -- "${cur}"))
                    return 0
                    ;;
                --table)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --published)
                    COMPREPLY=($(compgen -W "none best all" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__selftest)
            opts="-q -v -h --device --fixtures --format --json --progress --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --device)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fixtures)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__study)
            opts="-o -q -v -h --out --only --shard --plan --format --json --progress --quiet --verbose --help init help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -W "auto" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "terminal markdown csv json latex" -- "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__study__subcmd__help)
            opts="init help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__study__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__study__subcmd__help__subcmd__init)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        tomeval__subcmd__study__subcmd__init)
            opts="-o -q -v -h --out --progress --quiet --verbose --help demo tombench hi-tom multi-tom tomi xtomi fantom xfantom negotiationtom xnegotiationtom tomvalley bigtom ullman kosinski dodell-feder opentom tomato persuasivetom tactfultom adv-csfb percept-tomi emobench simpletom custom"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "auto lines json none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _tomeval -o nosort -o bashdefault -o default tomeval
else
    complete -F _tomeval -o bashdefault -o default tomeval
fi
