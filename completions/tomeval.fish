# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_tomeval_global_optspecs
    string join \n progress= q/quiet v/verbose h/help V/version
end

function __fish_tomeval_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_tomeval_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_tomeval_using_subcommand
    set -l cmd (__fish_tomeval_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c tomeval -n "__fish_tomeval_needs_command" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_needs_command" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_needs_command" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_needs_command" -s V -l version -d 'Print version'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "run" -d 'Evaluate a model on benchmarks and print the tables'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "study" -d 'Run models x tasks from a file, and rank the models'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "plan" -d 'Show what a run would need: items, tokens, memory, time'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "report" -d 'Print the tables of finished runs again'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "compare" -d 'Compare runs on the same items: differences, intervals, tests'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "score" -d 'Compute the metrics of answers produced elsewhere'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "extract" -d 'Read the answers stated in written replies'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "attend" -d 'Show what a model attends to'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "annotate" -d 'Make pages on which people answer, mark or judge, and read their exports'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "probe" -d 'Look for signs that a model was trained on a benchmark, and for beliefs in its residual stream'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "bench" -d 'Measure the throughput of a model on this machine'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "make" -d 'Generate stories and questions'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "data" -d 'List, check and show benchmark data'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "presets" -d 'List the presets of `--preset`, or print one as a file'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "prompts" -d 'List prompt styles, show the prompt of an item, export the built-in packs'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "models" -d 'List, fetch and inspect models'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "logprob" -d 'Score continuations of prompts from a JSON lines file by log-likelihood'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "doctor" -d 'Show what this machine and build can do'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "selftest" -d 'Compare tiny models with results of transformers, on any device'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "merge" -d 'Join the shards of one run'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "bundle" -d 'Pack runs into one file, with or without texts'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "completions" -d 'Print a shell completion script for commands and arguments, or write manual pages'
complete -c tomeval -n "__fish_tomeval_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l preset -d 'Ask what a study file\'s tasks ask and print the tables they name: `paper` for the main tables of the papers (`tomeval presets`), or a file; --benchmark picks tasks, other arguments replace the file\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l prompts -d 'Folder with prompt packs [default: the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l system -d 'Text in front of every prompt\'s system turn, or a file with it; it is the system turn where a style has none' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l style -d 'Prompt style of the pack, or several separated by commas' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l instructions -d 'Instructions in the item\'s language (item), in English (en), or each item both ways (both); answers under English instructions are reported as the condition english-instructions, if a benchmark has other languages' -r -f -a "item\t''
en\t''
both\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l paraphrase -d 'Ask each item in N wordings of the instruction: the pack\'s own and N - 1 others, which change nothing in the item\'s text; the style vanilla with one right option, in English and Chinese. N times the cost; with --prompts, the wordings of those packs. `--table variance` says what a point of difference is worth' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l condition -d 'Leave out context (no-profile, no-background, no-dialogue), or put "none of these" in the place of the right option (drop-gold) or of a wrong one (drop-distractor). In tracked stories (Hi-ToM, ToMi), leave out what those asked about do not perceive (seen-only), name its containers in its place (mention-kept), leave out other lines (others-left-out) or let them see all (true-belief). May be repeated; `plain` also asks the items as they are' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l scoring -d 'Scoring method: letter, text or hybrid (options shown, texts scored); generate has the model write its answer. Several, separated by commas, run one after the other, each with every style' -r -f -a "letter\t''
text\t''
hybrid\t''
generate\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l options -d 'When options are shown: before the model\'s reasoning (with the question), after it (the model answers freely and matches its reply to them), or never (their texts are scored after that reply). Several, separated by commas, run one after the other; questions that need their options are left out of after and never' -r -f -a "before\t''
after\t''
never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l orders -d 'Option orders: identity, random:K, cyclic, balanced:K or all' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l anchored-options -d 'Options that refer to others or to none ("all of the above", "both A and B", "cannot be determined"): keep their slots, with letters rewritten to those shown, or shuffle as all others [default: as the card says, which is to shuffle]' -r -f -a "keep\t''
shuffle\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l shots -d 'Show K other items with their right answers before each question: drawn by the seed from other stories of the benchmark, of the same language, kind of answer, task and dimension; the same for all such questions of a story' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l shots-from -d 'Draw examples from a file of your own questions instead; its texts `reasoning` are shown if the style reasons' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l shots-as -d 'Show examples as chat turns (turns) or within the turn of the question (inline) [default: turns]' -r -f -a "turns\t''
inline\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l swap -d 'Ask each item again with other persons: the race that profiles state (race), surnames of another group (surname) or the other gender (gender), each in ToMValley\'s contexts, or the names of a file (names=FILE) in any benchmark; and up to five times with other names of the same group. Several, separated by commas' -r -f -a "race\t''
surname\t''
gender\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l remind -d 'Ask the items on the second side of this link of the benchmark\'s card, plainly and reminded of answers to the question of the first side, which the run of --from has. The table `links` of a report names links, as does the error for an unknown one' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l from -d 'Run whose answers are used with --remind; of a folder of runs, the one in the same style and scoring' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l reminders -d 'Whose answers: that given to the linked question (own), another option of it (other), that given to a linked question of an unrelated story (unrelated) [default: all]' -r -f -a "own\t''
other\t''
unrelated\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l samples -d 'Replies to each item in each order; all of them vote [default: 1]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l max-new-tokens -d 'Maximum tokens of a reply, including thoughts [default: the limit of the style]. Several numbers (64,128,512): replies are written once, within the largest, and read cut to each of them' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l sampling -d 'Sample as in the benchmark\'s paper: `paper` for its settings of models named like this one, `paper:NAME` for those of another group' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l temperature -d 'Sampling temperature; 0 always takes the most likely token [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l top-p -d 'Sample from the most likely tokens with this total probability [default: 1]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l top-k -d 'Sample from this many of the most likely tokens [default: all]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l min-p -d 'Sample from tokens at least this likely, relative to the most likely token [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l repetition-penalty -d 'Divide logits of earlier tokens by this [default: 1]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l stop -d 'End a reply before this text; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l thinking -d 'Let the model think before it replies: on, off, or the maximum number of tokens [default: off]. Several numbers (0,128,512): thoughts are written once, within the largest, and cut to each of them; answers follow each cut' -r -f -a "on\t''
off\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l questions-per-prompt -d 'Put up to N questions about the same context into one prompt, or all of them; the reply answers each by its number [default: one]' -r -f -a "all\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l extract -d 'Rules for reading replies: this program\'s (ours) or those of the released ToMBench scripts (released) [default: ours]' -r -f -a "ours\t''
released\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l replies-at-once -d 'Maximum replies generated in parallel [default: 64]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l pass-tokens -d 'Maximum tokens in one pass [default: 512, on GPUs 4096, or what the budget allows]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l batch-tokens -d 'Tokens after which a batch, recorded whole or redone after a stop, ends at the next story [default: 2048, on GPUs 16384]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l audit -d 'Ask N of the run\'s trials again after it, drawn by seed and item, with a cold and a warm cache, alone and loaded, and say how far its numbers move; 0 for none [default: 64, or all if fewer, of a server on this machine or its network (a loopback, private or link-local address, a name ending in .local or without a dot); of others none]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l name -d 'Name of the run in tables and figures [default: its model, and beside other runs the settings that distinguish it]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s o -l out -d 'Folder for records and results; continues an unfinished run there. Several styles, scorings or adapters get one subfolder each [default: --name, or a name made of the arguments, below runs/]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l shard -d 'Do only part I of N (from 1); `auto` takes the part from the variables of Slurm arrays and tasks or Kubernetes indexed jobs. Join the folders with `tomeval merge`' -r -f -a "auto\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l workers -d 'Split the work over N processes, assigned to the devices of --device in turn, and join it at the end; needs --out or --name' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l worker -d 'Identity of this worker process' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l verify-batching -d 'Score N trials a second time, prompt by prompt, and print the differences' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l normalisation -d 'Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l tie -d 'Tie rule for votes over orders: the higher mean probability and then a random draw, or the answer seen first as in ToMBench\'s scripts' -r -f -a "probability\t''
first\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l by -d 'Add a table of accuracy by a facet, for instance task, or by several as order,task; may be repeated. `tomeval data check` lists the facets' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l format -d 'Format of the report; items is one JSON line per item (docs/formats.md), html one page (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''
items\t''
html\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l after-reasoning -d 'If the style reasons first, score answers after the model\'s written reasoning'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l no-pmi -d 'Do not score option texts after a neutral context; the `pmi` normalisation is then absent'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l no-sharing -d 'Forward every prompt from its first token, one per pass, for comparison'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l allow-mixed -d 'Continue a run begun with settings that change numbers by more than rounding: another model, arithmetic, kind of device or way of multiplying quantised weights (`tomeval doctor` shows it). The manifest records this'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l in-study -d 'Set where the run is part of a study, which reports at its end: each way of asking then has its folder in --out'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l allow-changed-data -d 'Accept files whose rows differ from the counts of the benchmark\'s card: the report still says so, but the exit code is not 1 because of it'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l tables -d 'Print all tables at the end, as `tomeval report` does, instead of a summary'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -s o -l out -d 'Folder of the study; unfinished runs there are continued [default: the name of the file without its ending]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -l only -d 'Only combinations with this model or task, as model=NAME; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -l shard -d 'Do only part I of N (from 1) of every run; join the folders with `tomeval merge`' -r -f -a "auto\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -l plan -d 'Show what each run would take, without loading any weights'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -a "init" -d 'Write a commented file as a starting point'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and not __fish_seen_subcommand_from init help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from init" -s o -l out -d 'File to write' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from init" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from help" -f -a "init" -d 'Write a commented file as a starting point'
complete -c tomeval -n "__fish_tomeval_using_subcommand study; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l preset -d 'Ask what a study file\'s tasks ask and print the tables they name: `paper` for the main tables of the papers (`tomeval presets`), or a file; --benchmark picks tasks, other arguments replace the file\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l prompts -d 'Folder with prompt packs [default: the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l system -d 'Text in front of every prompt\'s system turn, or a file with it; it is the system turn where a style has none' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l style -d 'Prompt style of the pack, or several separated by commas' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l instructions -d 'Instructions in the item\'s language (item), in English (en), or each item both ways (both); answers under English instructions are reported as the condition english-instructions, if a benchmark has other languages' -r -f -a "item\t''
en\t''
both\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l paraphrase -d 'Ask each item in N wordings of the instruction: the pack\'s own and N - 1 others, which change nothing in the item\'s text; the style vanilla with one right option, in English and Chinese. N times the cost; with --prompts, the wordings of those packs. `--table variance` says what a point of difference is worth' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l condition -d 'Leave out context (no-profile, no-background, no-dialogue), or put "none of these" in the place of the right option (drop-gold) or of a wrong one (drop-distractor). In tracked stories (Hi-ToM, ToMi), leave out what those asked about do not perceive (seen-only), name its containers in its place (mention-kept), leave out other lines (others-left-out) or let them see all (true-belief). May be repeated; `plain` also asks the items as they are' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l scoring -d 'Scoring method: letter, text or hybrid (options shown, texts scored); generate has the model write its answer. Several, separated by commas, run one after the other, each with every style' -r -f -a "letter\t''
text\t''
hybrid\t''
generate\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l options -d 'When options are shown: before the model\'s reasoning (with the question), after it (the model answers freely and matches its reply to them), or never (their texts are scored after that reply). Several, separated by commas, run one after the other; questions that need their options are left out of after and never' -r -f -a "before\t''
after\t''
never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l orders -d 'Option orders: identity, random:K, cyclic, balanced:K or all' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l anchored-options -d 'Options that refer to others or to none ("all of the above", "both A and B", "cannot be determined"): keep their slots, with letters rewritten to those shown, or shuffle as all others [default: as the card says, which is to shuffle]' -r -f -a "keep\t''
shuffle\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l shots -d 'Show K other items with their right answers before each question: drawn by the seed from other stories of the benchmark, of the same language, kind of answer, task and dimension; the same for all such questions of a story' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l shots-from -d 'Draw examples from a file of your own questions instead; its texts `reasoning` are shown if the style reasons' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l shots-as -d 'Show examples as chat turns (turns) or within the turn of the question (inline) [default: turns]' -r -f -a "turns\t''
inline\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l swap -d 'Ask each item again with other persons: the race that profiles state (race), surnames of another group (surname) or the other gender (gender), each in ToMValley\'s contexts, or the names of a file (names=FILE) in any benchmark; and up to five times with other names of the same group. Several, separated by commas' -r -f -a "race\t''
surname\t''
gender\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l remind -d 'Ask the items on the second side of this link of the benchmark\'s card, plainly and reminded of answers to the question of the first side, which the run of --from has. The table `links` of a report names links, as does the error for an unknown one' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l from -d 'Run whose answers are used with --remind; of a folder of runs, the one in the same style and scoring' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l reminders -d 'Whose answers: that given to the linked question (own), another option of it (other), that given to a linked question of an unrelated story (unrelated) [default: all]' -r -f -a "own\t''
other\t''
unrelated\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l samples -d 'Replies to each item in each order; all of them vote [default: 1]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l max-new-tokens -d 'Maximum tokens of a reply, including thoughts [default: the limit of the style]. Several numbers (64,128,512): replies are written once, within the largest, and read cut to each of them' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l sampling -d 'Sample as in the benchmark\'s paper: `paper` for its settings of models named like this one, `paper:NAME` for those of another group' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l temperature -d 'Sampling temperature; 0 always takes the most likely token [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l top-p -d 'Sample from the most likely tokens with this total probability [default: 1]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l top-k -d 'Sample from this many of the most likely tokens [default: all]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l min-p -d 'Sample from tokens at least this likely, relative to the most likely token [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l repetition-penalty -d 'Divide logits of earlier tokens by this [default: 1]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l stop -d 'End a reply before this text; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l thinking -d 'Let the model think before it replies: on, off, or the maximum number of tokens [default: off]. Several numbers (0,128,512): thoughts are written once, within the largest, and cut to each of them; answers follow each cut' -r -f -a "on\t''
off\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l questions-per-prompt -d 'Put up to N questions about the same context into one prompt, or all of them; the reply answers each by its number [default: one]' -r -f -a "all\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l extract -d 'Rules for reading replies: this program\'s (ours) or those of the released ToMBench scripts (released) [default: ours]' -r -f -a "ours\t''
released\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l replies-at-once -d 'Maximum replies generated in parallel [default: 64]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l pass-tokens -d 'Maximum tokens in one pass [default: 512, on GPUs 4096, or what the budget allows]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l batch-tokens -d 'Tokens after which a batch, recorded whole or redone after a stop, ends at the next story [default: 2048, on GPUs 16384]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l audit -d 'Ask N of the run\'s trials again after it, drawn by seed and item, with a cold and a warm cache, alone and loaded, and say how far its numbers move; 0 for none [default: 64, or all if fewer, of a server on this machine or its network (a loopback, private or link-local address, a name ending in .local or without a dot); of others none]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l trie -d 'Also write the lengths and shared prefixes of the prompts, for `tomeval bench --shape CARD --trie FILE` on machines without the model or the data' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l after-reasoning -d 'If the style reasons first, score answers after the model\'s written reasoning'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l no-pmi -d 'Do not score option texts after a neutral context; the `pmi` normalisation is then absent'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l no-sharing -d 'Forward every prompt from its first token, one per pass, for comparison'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l calibrate -d 'Measure this model on this machine for some seconds, to predict the time; saved for later plans, like the results of `tomeval bench`'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand plan" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l data -d 'Data for runs of older versions, whose folders lack their items. Without it, such a run on files is reported from its `results.json` [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l normalisation -d 'Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l tie -d 'Tie rule for votes over orders: the higher mean probability and then a random draw, or the answer seen first as in ToMBench\'s scripts' -r -f -a "probability\t''
first\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l by -d 'Add a table of accuracy by a facet, for instance task, or by several as order,task; may be repeated. `tomeval data check` lists the facets' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l extract -d 'Read written replies again by these rules, and print what changes: this program\'s own, or those of the released ToMBench scripts [default: as read when written]' -r -f -a "ours\t''
released\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l judged -d 'Exports of `tomeval annotate judge --scheme xtom-irrelevant` for these runs: the replies unrelated to the question (XToM, Figure 20); may be given several times' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l format -d 'Format of the report; items is one JSON line per item (docs/formats.md), html one page, parquet one row per trial and per item, every-eval-ever an exchange format (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''
items\t''
html\t''
parquet\t''
every-eval-ever\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l table -d 'Tables to show, by the names listed at the end of the report; all for everything [default: the main ones]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l published -d 'Rows of the papers\' models: none, the best on average, or all' -r -f -a "none\t''
best\t''
all\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -s l -l language -d 'Only results in these languages; for terminal, markdown and latex' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l margin -d 'In the table `swaps`, differences below this many percentage points count as none [default: 3]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l output -d 'Write the report to this file [default: stdout]; items of a large run go into a folder beside it, named after the file without its extension. Other formats write their files into a folder of this name' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l figures -d 'Also write all figures to this folder, each as SVG, PNG and PDF, with its caption for LaTeX (NAME.caption.tex)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l theme -d 'Colours of the figures' -r -f -a "light\t''
dark\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l width -d 'Width of the figures in print; their text has 7 to 9 points at it. Of a paper in two columns: 77mm for one, 160mm for both [default: 160mm]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l allow-changed-data -d 'Accept files whose rows differ from the counts of the benchmark\'s card: the report still says so, but the exit code is not 1 because of it'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l only-values -d 'Tables of values alone, as papers print them; chance stands below them once'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l wide -d 'Tables at full width, not cut to the terminal (to 100 columns without one)'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l no-texts -d 'Leave out all texts of benchmarks and models: stories, questions, options, prompts and replies'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -l title -d 'Draw title and remarks in the figures; without it, they are in a caption file beside each, a LaTeX figure to copy or \\input'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l data -d 'Data of runs of older versions, whose folders do not hold their items [default: the folder that the variable TOMEVAL_DATA names]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l between -d 'Compare the languages, variants, styles or conditions within each model instead of the runs' -r -f -a "language\t''
variant\t''
style\t''
condition\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l margin -d 'Differences of accuracies below this many percentage points count as none' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l by -d 'Rows for this facet instead of those of the benchmark\'s tables, or for several as order,task; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l flips -d 'Number of items to list that only one side answers correctly, largest difference in probability first' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l published -d 'Test the published rows of a benchmark\'s tables instead, between languages or what --between names' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l against -d 'With --published or --cells: the value that all others are compared with [default: en between languages, else the first]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l normalisation -d 'Normalisation of log-likelihoods: sum, token, byte or pmi [default: sum for letters, token for texts]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l tie -d 'Tie rule for votes over orders: the higher mean probability and then a draw, or the answer seen first as in ToMBench\'s scripts' -r -f -a "probability\t''
first\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l cells -d 'Test the differences of --between over the cells of all models together: each task (column of the benchmark\'s main table) of each model, or each value of --by'
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l common -d 'Compare only what all sides were asked alike, and list the rest'
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -s b -l benchmark -d 'Benchmark by name; `tomeval data list` shows all' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l answers -d 'Answers: JSON lines with `id` (or `question` and `options`) and `choice` or `answer` (a zero-based option number, or the letter of the slot shown; a list for label sets and slots, or null), or instead `text`, `reply`, `response`, `output`, `completion` or `generation` (a reply to be read; with `labels` and `cut` where needed), or under a story\'s id `answers` (question ids with letters); and optionally `order`, `logprobs`, `style`, `condition`, `rater`. Several lines of one item are combined by vote, except those of different raters; an item without a line that `tomeval run` with the same limit and seed would ask counts as unanswered, unless raters answered or no line is in its language. Also accepts batch output of the OpenAI protocol, samples of lm-evaluation-harness (`--log_samples`), logs of inspect_ai (`.eval` or JSON), exports of `tomeval annotate answer`. May be repeated. - for stdin' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l map -d 'Map written by `tomeval prompts write`: finds answers by its `custom_id`, with their orders and styles' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l filter -d 'Filter to use, in samples of lm-evaluation-harness that have several' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l extract -d 'Rules for reading replies: this program\'s own, or those of the released ToMBench scripts' -r -f -a "ours\t''
released\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l tie -d 'Tie rule for votes: the higher mean probability and then a random draw, or the answer seen first' -r -f -a "probability\t''
first\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l name -d 'Name of these answers in the tables [default: the name of the answer file]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l by -d 'Add a table of accuracy by a facet, for instance task, or by several as order,task; may be repeated. `tomeval data check` lists the facets' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l format -d 'Format of the report; items is one JSON line per item (docs/formats.md), html one page (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''
items\t''
html\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l table -d 'Tables to show, by the names listed at the end of the report; all for everything [default: the main ones]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l published -d 'Rows of the papers\' models: none, the best on average, or all' -r -f -a "none\t''
best\t''
all\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l separate -d 'Each answer file is a model of its own, named like the file; tables show them side by side, with their means'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l allow-changed-data -d 'Accept files whose rows differ from the counts of the benchmark\'s card: the report still says so, but the exit code is not 1 because of it'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l only-values -d 'Tables of values alone, as papers print them; chance stands below them once'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -l wide -d 'Tables at full width, not cut to the terminal (to 100 columns without one)'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand score" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -s i -l input -d 'JSON lines with `id`, `language`, `kind` (single, labels or slots), `labels`, `options` (texts as shown), `text` (or `reply`, `response`, `output`, `completion`, `generation`), and optionally `count` (answers wanted, for slots) and `cut` (true if the length limit ended the reply); - for stdin' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -s o -l output -d 'Write the readings here, one JSON line per row: `id`, `outcome`, `slots` (displayed, from 0), `rule`, `start` and `end` (bytes of `text`); - for stdout [default: stdout]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -l rules -d 'Reading rules: this program\'s own, or those of the released ToMBench scripts with their fallback to A' -r -f -a "ours\t''
released\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -l json -d 'Print the summary as JSON on stdout; the readings then need --output FILE'
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand extract" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l item -d 'Item by id; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l where -d 'Items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l run -d 'Items of a finished run, in an order it showed, read by its own model; arithmetic, prompts and style default to those of the run' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l prompts -d 'Folder with prompt packs [default: those of the run, else the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l style -d 'Prompt style of the pack [default: that of the run, else vanilla]' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l instructions -d 'Instructions in the item\'s language, or in English [default: as in the run, else item]' -r -f -a "item\t''
en\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l orders -d 'Option orders: the first one drawn is shown, and with `--contrast orders` the first two' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l measure -d 'What to measure: attention probabilities as in the paper, value-weighted norms, rollout (attention followed down to the input), or occlusion (drop in the chosen option\'s log-likelihood without each word)' -r -f -a "attention\t''
value\t''
rollout\t''
occlusion\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l queries -d 'Positions whose attention is captured; `options` adds each option\'s last token, and `all` lets the page show what any word of the prompt looks at, not only those of question and options' -r -f -a "answer\t'The position that predicts the answer'
options\t'The last token of each option'
all\t'On a page of one file, every word of the prompt by a click; else words of question and options, on pages of few prompts'"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l layers -d 'Layers averaged: all, last:N or A-B, counted from 0. The paper averages 20 without saying which' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l heads -d 'Heads averaged: all, A-B or a list, counted from 0' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l scope -d 'Where keywords come from: story, story+question, options or all' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l merge -d 'Combine the weights of a word\'s tokens by sum or mean' -r -f -a "sum\t''
mean\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l top -d 'Number of keywords' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l human -d 'Keywords marked by people: an export of a `tomeval annotate mark` page, or a JSON file; may be repeated. The demo inventory has its own' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l contrast -d 'Compare options (right minus wrong), orders, model=NAME, or without=TEXT (without=N: the N-th sentence)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l deletion-draws -d 'Maximum random draws per test of the deletion check; 0 skips it. A test ends early once ten random sets reach the tested value' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l deletion-items -d 'Questions of each benchmark on which the deletion check is made, drawn as --limit draws, or all; the others have attention alone' -r -f -a "all\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l deletion-match -d 'Properties of the tested words, besides number, that random words match: tokens, place, function-words, or none' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l knock-out -d 'Switch off heads=LAYER.HEAD,... or the attention of layers=LAYERS (counted from 0) and measure how the choice changes, or the strongest K heads over all prompts against random ones: strongest:K, strongest:K=QUANTITY (as for --head-maps) or strongest:K=QUANTITY@GROUPS by the difference between verdict, belief or values of a facet; may be repeated, each ablation runs separately' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l random-heads -d 'Number of random head sets to switch off for comparison with the strongest' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l head-maps -d 'Compare heads between two groups (wrong and right, false and true belief, values of --group): mean and difference of scope, contribution, a role, or one role minus another (as original-actual); separate several by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l group -d 'Facet whose values are compared over all prompts, in addition to right and wrong' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l strata -d 'Facets of your own questions within whose values groups are compared, besides language and number of options [default: those of --card]. Published benchmarks take theirs from their cards' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l html -d 'One self-contained page with all results [default with --run: attention.html in its folder]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l latex -d 'Keywords as LaTeX tables' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l csv -d 'Keywords as CSV' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l roles-csv -d 'Attention on roles as CSV, one line per prompt and role' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l witness-csv -d 'Attention to unseen sentences over all prompts as CSV, one line per group and comparison' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l heads-csv -d 'Head maps of groups as CSV, one line per map and head' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l tensors -d 'Captured rows of every layer and head, unrounded, as safetensors' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l states -d 'Residual stream of the answer position after the embedding and each layer, before the final norm, as a file of numpy (FILE.npy), one row per prompt; FILE.json names the rows' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l color -d 'Colours on the terminal: auto, always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l svg -d 'Figure as SVG, one per prompt, with its caption for LaTeX beside it (FILE with the ending .caption.tex)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l png -d 'The same figure as PNG, drawn with this machine\'s fonts' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l pdf -d 'The same figure as PDF, with this machine\'s fonts embedded' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l figure -d 'Kind of figure: prompt (all results of one prompt), person (a person\'s words beside the model\'s, as ToMBench\'s Figure 5), or witness (the strip of --witness)' -r -f -a "prompt\t'All results of one prompt'
person\t'A person\'s words beside the model\'s'
witness\t'The story sentence by sentence, with who perceives it'"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l panels -d 'Panels of `--figure person`, in this order: person (one per reader), model, keywords, options, map' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l width -d 'Width of the figures in print; their text has 7 to 9 points at it. Of a paper in two columns: 77mm for one, 160mm for both [default: 160mm]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s o -l out -d 'Save the analysis in this folder, item by item, with tables and a page of all items at the end; continues an unfinished analysis. Recommended for hundreds of items' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l single-file -d 'Write one self-contained page (--html) of chosen items (--item) of the finished analysis in this folder, without reading the model again' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l shard -d 'Do only part I of N (from 1); `auto` takes the part from the variables of Slurm arrays and tasks or Kubernetes indexed jobs. Join the folders with `tomeval merge`' -r -f -a "auto\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l wrong -d 'Only items that the run answered wrongly, in an order that led to a wrong answer'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l written -d 'For runs with written answers: also analyse the position that writes the answer letter in the reply, after the original prompt and reply, beside the letter scored right after the prompt'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l apart -d 'Rank each occurrence of a word separately instead of adding them up'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l function-words -d 'Keep function words among the keywords; words of negation, time and cause and those for "only" always stay. Figures of --figure person keep every word'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l keep-sink -d 'Keep the first token\'s weight; shares are then relative to the whole row'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l roles -d 'Attention on roles: believed, actual and original location, distractors, the agents asked about, others, the object; also compares twins. Uses the structure of Hi-ToM and ToMi, elsewhere the `roles` of the keyword file'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l witness -d 'The story sentence by sentence: who perceives it, where the object is, where each mind takes it to be, and attention per word; for Hi-ToM and ToMi, whose stories are tracked. Also compares unseen sentences with chance and with the same story where the belief is true, which is read as a second prompt'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l contributions -d 'Direct contribution of each head to the right label\'s logit minus that of the most likely wrong label'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l sensitivity -d 'Sensitivity of the keywords to layers, measure, and the orders of --orders'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l lens -d 'Read the answer position at every layer (logit lens)'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l json -d 'The whole analysis as one JSON document on stdout'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -l title -d 'Draw title and remarks in the figures; without it, they are in a caption file beside each, a LaTeX figure to copy or \\input'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand attend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -f -a "answer" -d 'Make a page on which people answer the items; `tomeval score` reads its exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -f -a "mark" -d 'Make a page on which people mark the words that decide the answer; `tomeval attend --human` reads its exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -f -a "judge" -d 'Make a page on which people judge answers of runs, questions, stories or translations by a scheme'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -f -a "read" -d 'Read exports of pages: progress, agreement, tables and figures of judgements, units left to adjudicate'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -f -a "schemes" -d 'List the built-in judgement schemes, or print the file of one'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and not __fish_seen_subcommand_from answer mark judge read schemes help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l run -d 'Use the items of this run' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l people -d 'Number of people, named p1, p2 and so on' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l code -d 'Code of a person instead of p1, p2 and so on; once per person. Do not use names' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l per-item -d 'Number of people who see each item [default: all; where `answer` has versions of a question, such as languages, each person gets one of them]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l interface -d 'Initial language of the page\'s interface [default: that of the items, else English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l introduction -d 'TOML file with the texts shown first (title, text) and last (end), each a text or texts by language' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -s o -l out -d 'Write the page to this file' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l whole-stories -d 'Deal whole stories: the same people get all questions of a story, one after the other'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -l blind -d 'Leave the right answers out of the page\'s source'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from answer" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l run -d 'Use the items of this run' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l people -d 'Number of people, named p1, p2 and so on' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l code -d 'Code of a person instead of p1, p2 and so on; once per person. Do not use names' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l per-item -d 'Number of people who see each item [default: all; where `answer` has versions of a question, such as languages, each person gets one of them]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l interface -d 'Initial language of the page\'s interface [default: that of the items, else English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l introduction -d 'TOML file with the texts shown first (title, text) and last (end), each a text or texts by language' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -s o -l out -d 'Write the page to this file' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l whole-stories -d 'Deal whole stories: the same people get all questions of a story, one after the other'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -l blind -d 'Leave the right answers out of the page\'s source'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from mark" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l scheme -d 'A built-in scheme (`tomeval annotate schemes` lists them), or a TOML file of your own' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l run -d 'Run whose answers or items are judged; may be given several times for runs on the same items' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l recited -d 'File that `tomeval probe recall --out` wrote: its replies are judged, beside the released texts; may be given several times' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l made -d 'Translations that `tomeval make translate` wrote (its made.jsonl): each is shown beside its source and its translation back, and can be corrected; `tomeval make correct` reads the corrections' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l beside -d 'Language of the originals shown beside translations' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l adjudicate -d 'Only units on which these exports disagree, shown with each judgement' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l people -d 'Number of people, named p1, p2 and so on' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l code -d 'Code of a person instead of p1, p2 and so on; once per person. Do not use names' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l per-item -d 'Number of people who see each item [default: all; where `answer` has versions of a question, such as languages, each person gets one of them]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l interface -d 'Initial language of the page\'s interface [default: that of the items, else English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l introduction -d 'TOML file with the texts shown first (title, text) and last (end), each a text or texts by language' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -s o -l out -d 'Write the page to this file' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l whole-stories -d 'Deal whole stories: the same people get all questions of a story, one after the other'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -l blind -d 'Leave the right answers out of the page\'s source'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from judge" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l scheme -d 'Judgement scheme, if it is a file of your own' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l keywords -d 'Write the keywords of marks to this file, for `tomeval attend --human`' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l figures -d 'Also write all figures to this folder, each as SVG, PNG and PDF, with its caption for LaTeX (NAME.caption.tex)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l theme -d 'Colours of the figures' -r -f -a "light\t''
dark\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l width -d 'Width of the figures in print; their text has 7 to 9 points at it. Of a paper in two columns: 77mm for one, 160mm for both [default: 160mm]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l html -d 'Write a page with progress, agreement and, of judgements, the units in dispute side by side for an adjudicator, whose file is read with the others' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l page -d 'The page that people worked on, whose texts `--html` shows beside what they said' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l code -d 'Code of the adjudicator' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l title -d 'Draw title and remarks in the figures; without it, they are in a caption file beside each, a LaTeX figure to copy or \\input'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from read" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from schemes" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from schemes" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from schemes" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from schemes" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from help" -f -a "answer" -d 'Make a page on which people answer the items; `tomeval score` reads its exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from help" -f -a "mark" -d 'Make a page on which people mark the words that decide the answer; `tomeval attend --human` reads its exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from help" -f -a "judge" -d 'Make a page on which people judge answers of runs, questions, stories or translations by a scheme'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from help" -f -a "read" -d 'Read exports of pages: progress, agreement, tables and figures of judgements, units left to adjudicate'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from help" -f -a "schemes" -d 'List the built-in judgement schemes, or print the file of one'
complete -c tomeval -n "__fish_tomeval_using_subcommand annotate; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -f -a "orders" -d 'Test whether the released option order is more likely than other orders'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -f -a "min-k" -d 'Test whether released stories are more likely, token by token, than new ones of the same form (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -f -a "recall" -d 'Test whether the model can recite items, the second half of a story (XToM, appendix A.4), or classic tests (ToMBench, appendix A)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -f -a "beliefs" -d 'Test what can be decoded from the residual stream about who takes an object to be where (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and not __fish_seen_subcommand_from orders min-k recall beliefs help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l orders -d 'Orders to compare with each released order; all if there are no more (23 for four options)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l draws -d 'Permutations drawn for the joint test of all items, if there are too many to enumerate' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l out -d 'Also write the findings for each item, and the items left out, as JSON lines' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from orders" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s k -l percent -d 'Percentage of a text\'s tokens to count, least likely first' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l draws -d 'Permutations drawn for the test, if there are too many to enumerate' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l out -d 'Also write the findings for each item, and the items left out, as JSON lines' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from min-k" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l protocol -d 'Ask for an example of the dataset, for the second half of each story, or for an example of the Sally-Anne and of the Smarties test; may be repeated [default: example and completion]' -r -f -a "example\t''
completion\t''
classic\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l prompts -d 'File of prompts in place of the built-in ones (docs/probe.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l trials -d 'Number of requests for an example, also of a classic test, in each language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l temperature -d 'Sampling temperature; 0 always takes the most likely token' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l rouge-l -d 'Minimum ROUGE-L of a match' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l run -d 'Minimum share of the released words in one run for a match' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l out -d 'Also write the findings for each item, and the items left out, as JSON lines' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from recall" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l stories -d 'Made stories to learn from, half of them with a true belief' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l states -d 'Residual stream of each statement\'s last token after the embedding and each layer, before the final norm, as a file of numpy (FILE.npy); FILE.json names the rows' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l figures -d 'Also write all figures to this folder, each as SVG, PNG and PDF, with its caption for LaTeX (NAME.caption.tex)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l theme -d 'Colours of the figures' -r -f -a "light\t''
dark\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l width -d 'Width of the figures in print; their text has 7 to 9 points at it. Of a paper in two columns: 77mm for one, 160mm for both [default: 160mm]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l out -d 'Also write the findings for each item, and the items left out, as JSON lines' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l title -d 'Draw title and remarks in the figures; without it, they are in a caption file beside each, a LaTeX figure to copy or \\input'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from beliefs" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from help" -f -a "orders" -d 'Test whether the released option order is more likely than other orders'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from help" -f -a "min-k" -d 'Test whether released stories are more likely, token by token, than new ones of the same form (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from help" -f -a "recall" -d 'Test whether the model can recite items, the second half of a story (XToM, appendix A.4), or classic tests (ToMBench, appendix A)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from help" -f -a "beliefs" -d 'Test what can be decoded from the residual stream about who takes an object to be where (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand probe; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l prompt -d 'Prompt lengths in tokens; skips those beyond the model\'s context [default: 128,512,2048, with --shape 8192 too]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l generate -d 'Tokens to generate per sequence; 0 skips decoding' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l batch -d 'Decoding batch sizes' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l repeat -d 'Timed repetitions, after one warm-up' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l shape -d 'Measure a model of this card\'s shape (`tomeval models list`) with random weights: needs no files and no tokenizer, and replaces the built-in questions by a synthetic trie' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l seed -d 'Seed of the random weights' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l trie -d 'Score a run\'s prompts, by their lengths and shared prefixes from `tomeval plan --trie FILE`, instead of the synthetic trie' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l out -d 'Also save the JSON document here, for `tomeval bench compare`' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l no-score -d 'Skip scoring the built-in questions or the synthetic trie'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l random -d 'Draw random weights'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l check -d 'First compare two layers of the shape with the CPU in f32; a difference is an error of the device'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l profile -d 'Run each case once more and show where its time goes, by operation, shapes and source line. On a CPU this measures the tensor operations used on GPUs instead of the program\'s own arithmetic'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -f -a "compare" -d 'Compare two measurements: ratios of medians, the second over the first'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -f -a "drift" -d 'Effect of --dtype quantized or --quantize on this model\'s answers: weights and 8-bit activations separately'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and not __fish_seen_subcommand_from compare drift help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from compare" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from compare" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from compare" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from compare" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from compare" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l questions -d 'Questions of the built-in English inventory, each in up to five orders [default: all]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from drift" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Compare two measurements: ratios of medians, the second over the first'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "drift" -d 'Effect of --dtype quantized or --quantize on this model\'s answers: weights and 8-bit activations separately'
complete -c tomeval -n "__fish_tomeval_using_subcommand bench; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "hi-tom" -d 'Generate Hi-ToM stories with a question of each order, answered by the belief tracker'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "split" -d 'Divide the stories of a benchmark into training data for adapters and test items, all versions of a story on one side'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "subsample" -d 'Draw whole stories of a benchmark by quotas, along their distances to a baseline, as Multi-ToM does'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "tomi" -d 'Generate ToMi stories in English with six questions each'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "tomvalley" -d 'Generate the questions of ToMValley\'s five types from a sketch of a changing mind: 71 for five scenarios'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "twins" -d 'Generate sets of stories that differ in one respect, in the manner of Hi-ToM or ToMi or of unexpected contents, answered by a tracker'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "translate" -d 'Translate items: a model translates, another reviews, a third refines, a fourth translates back; rules check the result'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "sketches" -d 'Draw places and profiles, and have a model write sketches of a changing mind for them, as ToMValley\'s steps 1 and 2'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "contexts" -d 'Write dialogues to sketches of ToMValley: new ones to released sketches, for a check of contamination, or those of `make sketches`'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "adapt" -d 'Adapt items to a culture within their language: each story once, then its questions; accepted by people\'s answers'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "correct" -d 'Carry out the corrections of people on a page of made texts'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "check" -d 'Check translations that are there already by the rules of `translate`'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and not __fish_seen_subcommand_from hi-tom split subsample tomi tomvalley twins translate sketches contexts adapt correct check help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l chapters -d 'Chapters of the stories: 1 to 7, or several numbers for one set each; the released ones have 1 to 3. A chapter is in a new room or returns to one' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l agents -d 'Agents of each story; the released ones have 5' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l orders -d 'The highest order of belief asked for, at most the number of agents; the released questions go to 4. Orders above 4 are in no table of the card: `--by order` shows them' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l deception -d 'Whether agents make claims, true or false, after some chapters' -r -f -a "with\t'Only stories with claims'
without\t'Only stories without claims'
both\t'One set of each'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l stories -d 'Stories for each number of chapters, with and without deception' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l seed -d 'Random seed; the same seed gives the same stories in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l answers -d 'Answers offered per question, 2 to 26' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l language -d 'Language of the stories: en or zh' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l claims -d 'Whose beliefs a claim changes: as in the published answers, or by common knowledge of who heard and accepted it' -r -f -a "published\t''
common-knowledge\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l prompting -d 'Prompting types of the paper to write rows for; their texts and answers are the same' -r -f -a "vp\t''
cotp\t''
both\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l format -d 'Output format: the released JSON, which `--benchmark hi-tom --data FILE` reads, or plain text' -r -f -a "json\t''
text\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l out -d 'Write to this file instead of standard output' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from hi-tom" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -s b -l benchmark -d 'Benchmark by name [default: the one named by --data]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l test -d 'Share of the stories for testing, between 0 and 1' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l seed -d 'Random seed; the same seed gives the same division' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l prompts -d 'Folder with prompt packs [default: the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l style -d 'Prompt style of the training data; run the test items with the same one' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l orders -d 'Option orders of the training data: identity, random:K, cyclic, balanced:K or all' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -s o -l out -d 'Folder for train_LANGUAGE.json and train_all.json with dataset_info.json, which LLaMA-Factory reads as `dataset_dir`, test.txt with the ids for `tomeval run --item @FILE`, and split.json, which tells how it was made' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from split" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s b -l benchmark -d 'Benchmark to draw from [default: the one named by --data]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l quotas -d 'Quotas of stories and questions: multi-tom (Table 3, along distances), xtom (300 stories at random), or a file (docs/sampling.md)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l embeddings -d 'Vectors of the stories: a .npy file (stories, dimensions) of f32 and, of the same name, a .json file with the stories of its rows; scripts/embed.py writes both' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l settings -d 'Exports of pages on which people labelled the settings of stories: lists those that the sample lacks' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l seed -d 'Random seed; the same seed gives the same sample' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s o -l out -d 'Folder for items.jsonl, which `--data` reads, and sample.json, which tells how it was drawn' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l figures -d 'Also write all figures to this folder, each as SVG, PNG and PDF, with its caption for LaTeX (NAME.caption.tex)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l theme -d 'Colours of the figures' -r -f -a "light\t''
dark\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l width -d 'Width of the figures in print; their text has 7 to 9 points at it. Of a paper in two columns: 77mm for one, 160mm for both [default: 160mm]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l title -d 'Draw title and remarks in the figures; without it, they are in a caption file beside each, a LaTeX figure to copy or \\input'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from subsample" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -l stories -d 'Number of stories, cycling through the three story types' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -l seed -d 'Random seed; the same seed gives the same stories' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -l out -d 'Write `fb_all_test.txt` and `fb_all_test.trace` into this folder, which `--benchmark tomi --data` reads' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomi" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -l sketch -d 'The sketch as JSON (format below), or a released `story.json`' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -l seed -d 'Random seed; the same seed gives the same questions' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -l out -d 'Write to this file instead of standard output. In a folder `trial<N>`, beside a `story.json` and named `question_new.json`, the questions can be run with `--benchmark tomvalley`' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from tomvalley" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -l of -d 'Kind of stories' -r -f -a "hi-tom\t''
tomi\t''
contents\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -l stories -d 'Number of stories; each has two sets of twins, of first and of second order' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -l seed -d 'Random seed; the same seed gives the same stories' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -l language -d 'Language of the stories: en, or of Hi-ToM\'s kind zh' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -l out -d 'Write `items.jsonl` and `card.toml` into this folder: `tomeval run --data DIR/items.jsonl --card DIR/card.toml`' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from twins" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l to -d 'Language to translate into' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l translator -d 'Model that translates: as --model of `tomeval run`, a local one or openai:URL#NAME' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l second-translator -d 'Second model that translates, on its own, as in XToM: people see both translations and choose [default: none]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l reviewer -d 'Model that reviews each translation: it says okay, or gives feedback [default: the translator]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l refiner -d 'Model that carries out feedback, once [default: the translator]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l back-translator -d 'Model that translates back, for a comparison with the source; should be another one than the translator [default: none]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l prompts -d 'Take the prompts from this file instead of the project\'s own' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l wording -d 'Which prompts of the file: own, multi-tom (as printed), multi-tom-released (its repository\'s, which forbid the cultural changes that the print asks for) or tombench (one call, no review)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l terms -d 'File of fixed translations, one `term = "translation"` a line (TOML): shown to the models and checked' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l against -d 'Compare with translations of the same items by chrF: a file of items, or `released` for the benchmark\'s own' -r -f -a "released\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -s o -l out -d 'Folder for replies, items and findings; continues there after a stop' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l max-new-tokens -d 'Maximum tokens of a reply' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l temperature -d 'Sampling temperature; 0 always takes the most likely token' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l no-review -d 'Ask nobody for a review'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from translate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l contexts -d 'Number of contexts' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l scenarios -d 'Scenarios of each context' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l pools -d 'Draw places and profiles from this file instead of the project\'s own pools (datasets/making/pools.toml)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l places -d 'Take the places of the released trials in this folder instead, as far as they name one' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l writer -d 'Model that writes relations and sketches: as --model of `tomeval run`, a local one or openai:URL#NAME' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l prompts -d 'Take the prompt of sketches from this file instead of the project\'s own' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l style -d 'Style of that file' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l seed -d 'Random seed of places, profiles, option orders and sampled replies' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -s o -l out -d 'Folder for replies, sketches and findings; continues there after a stop. `tomeval make contexts --data DIR` reads it' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l max-new-tokens -d 'Maximum tokens of a reply' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l temperature -d 'Sampling temperature; 0 always takes the most likely token' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from sketches" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l limit -d 'Maximum trials, the first of those chosen' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l writer -d 'Model that writes the dialogues: as --model of `tomeval run`, a local one or openai:URL#NAME' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l judge -d 'Model that says whether dialogues are coherent with their sketch; should be another one [default: nobody does]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l prompts -d 'Take the writer\'s prompt from this file instead of the project\'s own' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l style -d 'Style of that file' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l seed -d 'Random seed of sampled replies' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -s o -l out -d 'Folder for replies, contexts and findings; continues there after a stop. `--benchmark tomvalley --data DIR` reads it' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l max-new-tokens -d 'Maximum tokens of a reply' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l temperature -d 'Sampling temperature; 0 always takes the most likely token' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from contexts" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l culture -d 'The culture, as the prompts name it, for instance Bangladeshi' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l assistant -d 'Model that adapts each story once: as --model of `tomeval run`, a local one or openai:URL#NAME' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l adapter -d 'Model that adapts each question to the adapted story [default: the assistant]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l entities -d 'Names and things of the culture for the assistant to choose from: `own` for this project\'s tables, an addition to what papers do (datasets/making/entities.toml), or a file like it' -r -f -a "own\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l prompts -d 'Take the prompts from this file instead of the project\'s own' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l wording -d 'Which prompts of the file: own, or multi-tom-culture (Table 2: the story with its first question, then each other one)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l answers -d 'Answers of people to both versions (exports of `tomeval annotate answer`): a story is accepted where everybody answers both versions of each of its questions alike' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -s o -l out -d 'Folder for replies, items and findings; continues there after a stop' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l max-new-tokens -d 'Maximum tokens of a reply' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l temperature -d 'Sampling temperature; 0 always takes the most likely token' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from adapt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -l set -d 'Folder of the made set' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -l prefer -d 'Where people correct a text differently, take this person\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -l terms -d 'File of fixed translations that are checked again, as of `make translate` [default: those of the set\'s make.json]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -s o -l out -d 'Folder for the corrected set' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from correct" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -s b -l benchmark -d 'Benchmark by name; separate several by commas or repeat; `tomeval data list` shows all [default: the built-in demo inventory, and two new Hi-ToM stories]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l from -d 'Language of the source' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l to -d 'Language of the translations to check' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l back -d 'Back-translations of the same items into the language of the source, a file of items (as `make translate` writes them from the translations): options that changed places are found by them' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l present-tense -d 'Note stories in English that are told in the past, as ToMBench\'s translation asks for the present tense; no failure'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l all -d 'List every finding instead of one example a check'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -l json -d 'Print the findings as JSON lines: item, and the keys of a finding in made.jsonl'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "hi-tom" -d 'Generate Hi-ToM stories with a question of each order, answered by the belief tracker'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "split" -d 'Divide the stories of a benchmark into training data for adapters and test items, all versions of a story on one side'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "subsample" -d 'Draw whole stories of a benchmark by quotas, along their distances to a baseline, as Multi-ToM does'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "tomi" -d 'Generate ToMi stories in English with six questions each'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "tomvalley" -d 'Generate the questions of ToMValley\'s five types from a sketch of a changing mind: 71 for five scenarios'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "twins" -d 'Generate sets of stories that differ in one respect, in the manner of Hi-ToM or ToMi or of unexpected contents, answered by a tracker'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "translate" -d 'Translate items: a model translates, another reviews, a third refines, a fourth translates back; rules check the result'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "sketches" -d 'Draw places and profiles, and have a model write sketches of a changing mind for them, as ToMValley\'s steps 1 and 2'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "contexts" -d 'Write dialogues to sketches of ToMValley: new ones to released sketches, for a check of contamination, or those of `make sketches`'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "adapt" -d 'Adapt items to a culture within their language: each story once, then its questions; accepted by people\'s answers'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "correct" -d 'Carry out the corrections of people on a page of made texts'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check translations that are there already by the rules of `translate`'
complete -c tomeval -n "__fish_tomeval_using_subcommand make; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "list" -d 'List the known benchmarks, their languages and where to get them'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "check" -d 'Count items against the published numbers, and list anomalies, shortcuts and unreadable rows'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "stats" -d 'Count stories, questions, options and answers, with average lengths, beside the papers\' statistics'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "items" -d 'Print the items as JSON lines'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "twins" -d 'Show how the texts of twins differ from their original\'s, word by word'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "audit" -d 'Compare released answers with the rules of the stories (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and not __fish_seen_subcommand_from list check stats items twins audit help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from list" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document instead of a table'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -s b -l benchmark -d 'Benchmark by name; may be repeated [default: all with files present]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -l json -d 'Print one JSON document instead of text'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -s b -l benchmark -d 'Benchmark by name; may be repeated [default: all with files present]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l by -d 'Facet to group by, for instance task or dimension; two facets A,B cross-tabulate questions [default: the benchmark\'s stratum]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l tokenizer -d 'Also count tokens, by this tokenizer: a file, a folder that contains one, or a model by name' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -l json -d 'Print one JSON document instead of tables'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from stats" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -s b -l benchmark -d 'Benchmark by name; `tomeval data list` shows all [default: the one named by --data, else the demo]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -l json -d 'Accepted for uniformity: the output is always JSON lines'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from items" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -s b -l benchmark -d 'Benchmark by name; `tomeval data list` shows all [default: the one named by --data]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l where -d 'Only items with a facet, as FACET=VALUE, FACET=VALUE,VALUE or FACET!=VALUE; if repeated, all must hold (`tomeval data items` shows facets)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l item -d 'Only the item with this id, or those of a file with one id a line; may be given several times' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -l json -d 'Print one JSON document instead of text'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from twins" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -s b -l benchmark -d 'Benchmark to audit: hi-tom or tomi' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -l data -d 'The benchmark\'s folder, its parent folder, or a generated Hi-ToM file [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -l claims -d 'Whose beliefs a claim in a Hi-ToM story changes: as in the published answers, or by common knowledge of who heard and accepted it [default: published]' -r -f -a "published\t''
common-knowledge\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from audit" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the known benchmarks, their languages and where to get them'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "check" -d 'Count items against the published numbers, and list anomalies, shortcuts and unreadable rows'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "stats" -d 'Count stories, questions, options and answers, with average lengths, beside the papers\' statistics'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "items" -d 'Print the items as JSON lines'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "twins" -d 'Show how the texts of twins differ from their original\'s, word by word'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "audit" -d 'Compare released answers with the rules of the stories (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand data; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand presets" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand presets" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand presets" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand presets" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -f -a "list" -d 'List the prompt styles of benchmarks'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -f -a "show" -d 'Show an item as a model sees it'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -f -a "export" -d 'Write the built-in packs into a folder, to edit and pass as --prompts'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -f -a "write" -d 'Write prompts as requests for a batch service; `tomeval score --map` reads its results'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and not __fish_seen_subcommand_from list show export write help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -s b -l benchmark -d 'Benchmark by name; may be repeated [default: all; with --prompts those with packs in the folder]' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -l prompts -d 'Folder with prompt packs [default: the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document instead of a table'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -s b -l benchmark -d 'Benchmark by name; `tomeval data list` shows all' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l item -d 'Item by id; `tomeval data items` shows all' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l prompts -d 'Folder with prompt packs [default: the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l style -d 'Prompt style of the pack' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l instructions -d 'Instructions in the item\'s language, or in English' -r -f -a "item\t''
en\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l scoring -d 'Scoring method: letter, text or hybrid; generate asks for a written answer' -r -f -a "letter\t''
text\t''
hybrid\t''
generate\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l condition -d 'Condition, as of `tomeval run`: no-profile, no-background, no-dialogue, drop-gold, drop-distractor, seen-only, mention-kept, others-left-out or true-belief' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l orders -d 'Option orders, as in `run`; shows the first one drawn' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l seed -d 'Seed of the orders' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -s m -l model -d 'Show the text read by this model, and count its tokens: a folder, a .gguf file, a card\'s name or a hub id' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from export" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -s b -l benchmark -d 'Benchmark by name; `tomeval data list` shows all' -r -f -a "demo\t''
tombench\t''
hi-tom\t''
multi-tom\t''
tomi\t''
xtomi\t''
fantom\t''
xfantom\t''
negotiationtom\t''
xnegotiationtom\t''
tomvalley\t''
bigtom\t''
ullman\t''
kosinski\t''
dodell-feder\t''
opentom\t''
tomato\t''
persuasivetom\t''
tactfultom\t''
adv-csfb\t''
percept-tomi\t''
emobench\t''
simpletom\t''
custom\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l out -d 'Output folder, created if missing: requests.jsonl, and map.jsonl for `tomeval score --map`' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l format -d 'Request format: openai-batch (input of a batch of chat completions), or jsonl (`custom_id`, `messages`, `max_tokens`, `temperature`)' -r -f -a "openai-batch\t''
jsonl\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -s m -l model -d 'The service\'s name of the model; required by openai-batch' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l data -d 'The benchmark\'s folder or its parent folder; a run, whose folder or bundle contains its data; or a file of your own questions, - for stdin [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -s l -l language -d 'Language code; separate several by commas or repeat [default: all of a benchmark; `run`, `plan` and `attend` ask the demo in English]' -r -f -a "en\t''
zh\t''
ar\t''
fr\t''
hi\t''
bn\t''
ru\t''
de\t''
ja\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l labels -d 'Gold answers as published, or with the corrections of the benchmark\'s card' -r -f -a "published\t''
repaired\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l choose -d 'Benchmark-specific choice, for instance variant=cultural (multi-tom) or trials=all (tomvalley)' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l column -d 'Column with a part of a question, for instance answer=gold or option_a=choices.a; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l text -d 'Text for a part without a column, with {column} for a row\'s own text, for instance question="What does {name} think?"; may be repeated' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l facet -d 'Treat this column as a facet, whatever its name looks like; may be repeated. Columns that are neither part of a question nor like one are facets by default' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l answers-are -d 'Kind of answers: one option (single), a set of options (labels), or one option for each of several slots (slots) [default: labels for lists, else single]' -r -f -a "single\t''
labels\t''
slots\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l gold-base -d 'Number of the first option, if answers are numbers and the file is ambiguous' -r -f -a "0\t''
1\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l delimiter -d 'Field delimiter of a CSV file [default: the most frequent one in the first line]' -r -f -a "comma\t''
semicolon\t''
tab\t''
pipe\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l card -d 'Card with title, stratum and tables for the report, or with a section on the rows of a folder\'s files (docs/cards.md)' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l limit -d 'Maximum questions per benchmark, drawn evenly over its strata, the same in every language' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l limit-stories -d 'Maximum whole stories per benchmark' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l seed -d 'Seed of every draw: limits, option orders, resampling for intervals' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l prompts -d 'Folder with prompt packs [default: the built-in packs]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l style -d 'Prompt style of the pack, or several separated by commas' -r -f -a "vanilla\t''
cot\t''
cot-answer-first\t''
perspective\t''
simtom-perspective\t''
simtom\t''
foresee\t''
foresee-reflect\t''
open-answer\t''
options-after\t''
options-never\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l instructions -d 'Instructions in the item\'s language (item), in English (en), or each item both ways (both)' -r -f -a "item\t''
en\t''
both\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l condition -d 'Condition, as of `tomeval run`: no-profile, no-background, no-dialogue, drop-gold, drop-distractor, seen-only, mention-kept, others-left-out or true-belief' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l orders -d 'Option orders: identity, random:K, cyclic, balanced:K or all; an order drawn several times is sent once' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l max-new-tokens -d 'Maximum tokens of a reply [default: the limit of the style]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l temperature -d 'Temperature of the replies' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -l no-header -d 'The CSV file has no header: its columns are named 1, 2, 3'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from write" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the prompt styles of benchmarks'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show an item as a model sees it'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write the built-in packs into a folder, to edit and pass as --prompts'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from help" -f -a "write" -d 'Write prompts as requests for a batch service; `tomeval score --map` reads its results'
complete -c tomeval -n "__fish_tomeval_using_subcommand prompts; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -f -a "list" -d 'List models with a card: size, memory needs, whether they fit here, and which papers used them'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -f -a "show" -d 'Show a model\'s card: sizes, licence, memory, template, papers. Fetches nothing'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -f -a "pull" -d 'Fetch a model and print its path'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -f -a "inspect" -d 'Show the contents of a model\'s files: settings, tensors, tokenizer, template, memory, hashes; with --adapter its changes to them. Fetches them if needed; loads no weights'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and not __fish_seen_subcommand_from list show pull inspect help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -l paper -d 'Only models evaluated in this benchmark\'s paper: tombench, hi-tom, multi-tom, tomvalley or xtom' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -l family -d 'Only models of this family, for instance llama' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document with all card contents'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from show" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from pull" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from pull" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from pull" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from pull" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from pull" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l adapter -d 'Folder of a PEFT adapter; shows its changes to this model, and whether it can be merged' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from inspect" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "list" -d 'List models with a card: size, memory needs, whether they fit here, and which papers used them'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show a model\'s card: sizes, licence, memory, template, papers. Fetches nothing'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "pull" -d 'Fetch a model and print its path'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "inspect" -d 'Show the contents of a model\'s files: settings, tensors, tokenizer, template, memory, hashes; with --adapter its changes to them. Fetches them if needed; loads no weights'
complete -c tomeval -n "__fish_tomeval_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -s m -l model -d 'A folder, a .gguf file, a card\'s name or a hub id (organisation/name[@revision]); in `run`, `plan`, `logprob` and `probe` also openai:URL#NAME for a model on a server; `run` and `plan` take several, one --model each, and several servers of one model, openai:URL,URL#NAME [default: the demo model, smollm2-135m-instruct]' -r -f -a "llama-2-7b-chat\t''
llama-2-13b-chat\t''
llama-3-8b-instruct\t''
llama-3.1-8b-instruct\t''
llama-3.1-70b-instruct\t''
llama-3.2-1b-instruct\t''
llama-3.2-3b-instruct\t''
llama-3.3-70b-instruct\t''
mistral-7b-instruct-v0.2\t''
mistral-7b-instruct-v0.3\t''
mixtral-8x7b-instruct-v0.1\t''
mixtral-8x22b-instruct-v0.1\t''
qwen2-7b-instruct\t''
qwen2-72b-instruct\t''
qwen2.5-0.5b-instruct\t''
qwen2.5-1.5b-instruct\t''
qwen2.5-3b-instruct\t''
qwen2.5-7b-instruct\t''
qwen2.5-14b-instruct\t''
qwen2.5-32b-instruct\t''
qwen2.5-72b-instruct\t''
qwen3-0.6b\t''
qwen3-1.7b\t''
qwen3-4b\t''
qwen3-8b\t''
qwen3-14b\t''
qwen3-32b\t''
qwen3-30b-a3b\t''
qwen3-235b-a22b\t''
smollm2-135m-instruct\t''
smollm2-135m-instruct-bf16\t''
smollm2-360m-instruct\t''
smollm2-1.7b-instruct\t''
smollm3-3b\t''
chatglm3-6b\t''
glm-4-9b-chat\t''
glm-4-9b-0414\t''
qwen-14b-chat\t''
baichuan2-13b-chat\t''
deepseek-v2-lite-chat\t''
deepseek-v3\t''
deepseek-r1\t''
r1-distill-qwen-7b\t''
r1-distill-qwen-14b\t''
r1-distill-qwen-32b\t''
r1-distill-llama-8b\t''
r1-distill-llama-70b\t''
guanaco-65b\t''
gemma-2-2b-it\t''
gemma-2-9b-it\t''
gemma-2-27b-it\t''
gemma-3-270m-it\t''
gemma-3-1b-it\t''
gemma-3-4b-it\t''
gemma-3-12b-it\t''
gemma-3-27b-it\t''
phi-3-mini-4k-instruct\t''
phi-4-mini-instruct\t''
internlm3-8b-instruct\t''
olmo-2-7b-instruct\t''
olmo-2-13b-instruct\t''
granite-3.3-2b-instruct\t''
granite-3.3-8b-instruct\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l adapter -d 'Folder of a PEFT adapter for this model (adapter_config.json, adapter_model.safetensors), merged into its weights; prefix the languages it was trained in, as en=DIR or en+zh=DIR. `run` and `plan` take several, one --adapter each, and none for the model without one' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l device -d 'Device: cpu, cuda, cuda:N or metal; in `run` also several separated by commas or cuda:all, with one worker each [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l dtype -d 'Weight format: f32, f16, bf16, quantized (the blocks of a GGUF file), or q8_0, q4_0, q4_k, quantised when loaded; the CPU then also rounds activations to 8 bits, see --quantize [default: f32 on the CPU, bf16 elsewhere]' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l quantize -d 'Quantise weights when loaded: q8_0, q4_0 or q4_k; the same as --dtype. On the CPU activations are also rounded to 8 bits, which can change more answers than 8-bit weights do: `tomeval bench drift` measures both' -r -f -a "f32\t''
f16\t''
bf16\t''
quantized\t''
q8_0\t''
q4_0\t''
q4_k\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l experts -d 'Placement of a mixture\'s experts: loaded (in memory) or mapped (read from their files in every pass that needs them, with the same results; slow, for models larger than memory) [default: loaded]' -r -f -a "loaded\t''
mapped\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l threads -d 'CPU threads [default: physical cores]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l memory -d 'Memory for keys, values and activations, in bytes or with K, M or G after the number [default: 1G, on GPUs what the model\'s shape needs for passes of 4096 tokens]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -s i -l input -d 'JSON lines with `id`, `messages` or `prompt`, optional `answer_prefix`, and `continuations`; - for stdin' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -s o -l output -d 'Write the results here, one JSON line per row [default: stdout]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l date -d 'Date for chat templates with a clock, as YYYY-MM-DD [default: the template\'s own]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l offline -d 'Use only files on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand logprob" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l device -d 'Check this device in detail: libraries, compute capability, free memory, driver, and one product for each kind of weights against the CPU' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l data -d 'Folder with benchmark data [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l server -d 'Check a model on a server instead of this machine: what it is, whether it reads long prompts whole, and whether it repeats itself at 1, 8 and 32 prompts in flight' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l reference -d 'Compare the server\'s model with these weights, computed here, instead of asking whether it repeats itself: a folder, a .gguf file, a card\'s name or a hub id; exits with 2 if the server runs something else, and with 1 if that remains open' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l api-key-env -d 'Environment variable with the server\'s API key [default: TOMEVAL_API_KEY, if set]; of several servers one for all, or one each, separated by commas' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l api-key-file -d 'File with the API key' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l concurrency -d 'Trials in flight at a time, at each server [default: 8]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l tokenizer -d 'Model or folder with the tokenizer of the server\'s model: scored prompts are then rendered here with its template, and tokens are compared with the server\'s' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l scores-from -d 'Source of log-likelihoods: prompt (log-probabilities of the prompt), trie (tokens by id along the token trie of the options), named (tokens by id), top (the most likely first tokens), or the best that the server supports (auto): of prompt and trie the faster one, by three trials [default: auto]' -r -f -a "auto\t''
prompt\t''
trie\t''
named\t''
top\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l top-logprobs -d 'Number of most likely first tokens to request [default: the largest of 100, 20 and 5 that the server supports]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l retries -d 'Retry a request up to N times if the server is busy, silent or sends an invalid answer [default: 6]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l retry-wait -d 'Seconds before the first retry; doubled for each further one [default: 0.5]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l request-timeout -d 'Timeout of a whole answer in seconds [default: 600]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l wait -d 'Wait up to this long for a server that does not answer yet, as while it loads its model [default: 0]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l template-var -d 'Set a variable of the chat template; VALUE is JSON, else text; may be repeated [default: in `run`, `plan` and `attend` the template\'s thinking switch is off]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l chat-template -d 'Use another chat template: that of a file or of a model, or none for raw prompts [default: the model\'s own]' -r -f -a "none\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l gemm -d 'Measure the rate of f32 matrix products at the demo model\'s shapes and at one large shape'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l json -d 'Print one JSON document'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l offline -d 'Use only files and servers on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -l strict-server -d 'Stop if the server\'s version or fingerprint differs from that at the start of the run'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -l device -d 'Device: cpu, cuda, cuda:N or metal [default: the first GPU found, else cpu]' -r
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -l fixtures -d 'Folder with tiny models and reference results of transformers, laid out as tests/fixtures of the sources [default: built in]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -l format -d 'Format of the tables (docs/report.md)' -r -f -a "terminal\t''
markdown\t''
csv\t''
json\t''
latex\t''"
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -l json -d 'Short for --format json'
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand selftest" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand merge" -s o -l out -d 'Output folder; must not exist yet, or be empty' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand merge" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand merge" -l allow-mixed -d 'Join shards whose numbers differ by more than rounding: another model, arithmetic, kind of device or way of multiplying quantised weights (`tomeval doctor` shows it). The joined manifest records this'
complete -c tomeval -n "__fish_tomeval_using_subcommand merge" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand merge" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand merge" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -s o -l out -d 'Bundle to write, with a name ending in .zip. Every command that reads run folders also accepts it; `NAME.zip/RUN` is one run of several' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -l data -d 'Data of runs of older versions, whose folders do not contain their items; with --no-texts [default: the folder in the variable TOMEVAL_DATA]' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -l no-texts -d 'Leave out all texts of benchmarks and models: stories, questions, options, prompts and replies, with the pages and exports that contain them. All tables, comparisons and scores stay the same'
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand bundle" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand completions" -l man -d 'Write manual pages of all commands into a folder, instead of a script: `man DIR/tomeval-run.1` shows one' -r -F
complete -c tomeval -n "__fish_tomeval_using_subcommand completions" -l progress -d 'Progress on stderr: a bar on a terminal and a line per minute elsewhere; lines; JSON lines; or none (TOMEVAL_PROGRESS_SECONDS sets the interval of lines)' -r -f -a "auto\t'A bar on a terminal, lines elsewhere'
lines\t'Lines of text, one per minute'
json\t'JSON lines, at the same interval'
none\t'Nothing'"
complete -c tomeval -n "__fish_tomeval_using_subcommand completions" -s q -l quiet -d 'Print only results, warnings and errors'
complete -c tomeval -n "__fish_tomeval_using_subcommand completions" -s v -l verbose -d 'Print log messages, for instance about retried requests, on stderr (TOMEVAL_LOG sets a filter in the syntax of tracing\'s EnvFilter)'
complete -c tomeval -n "__fish_tomeval_using_subcommand completions" -s h -l help -d 'Print help'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "run" -d 'Evaluate a model on benchmarks and print the tables'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "study" -d 'Run models x tasks from a file, and rank the models'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "plan" -d 'Show what a run would need: items, tokens, memory, time'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "report" -d 'Print the tables of finished runs again'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "compare" -d 'Compare runs on the same items: differences, intervals, tests'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "score" -d 'Compute the metrics of answers produced elsewhere'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "extract" -d 'Read the answers stated in written replies'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "attend" -d 'Show what a model attends to'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "annotate" -d 'Make pages on which people answer, mark or judge, and read their exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "probe" -d 'Look for signs that a model was trained on a benchmark, and for beliefs in its residual stream'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "bench" -d 'Measure the throughput of a model on this machine'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "make" -d 'Generate stories and questions'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "data" -d 'List, check and show benchmark data'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "presets" -d 'List the presets of `--preset`, or print one as a file'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "prompts" -d 'List prompt styles, show the prompt of an item, export the built-in packs'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "models" -d 'List, fetch and inspect models'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "logprob" -d 'Score continuations of prompts from a JSON lines file by log-likelihood'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "doctor" -d 'Show what this machine and build can do'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "selftest" -d 'Compare tiny models with results of transformers, on any device'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "merge" -d 'Join the shards of one run'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "bundle" -d 'Pack runs into one file, with or without texts'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "completions" -d 'Print a shell completion script for commands and arguments, or write manual pages'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and not __fish_seen_subcommand_from run study plan report compare score extract attend annotate probe bench make data presets prompts models logprob doctor selftest merge bundle completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from study" -f -a "init" -d 'Write a commented file as a starting point'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from annotate" -f -a "answer" -d 'Make a page on which people answer the items; `tomeval score` reads its exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from annotate" -f -a "mark" -d 'Make a page on which people mark the words that decide the answer; `tomeval attend --human` reads its exports'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from annotate" -f -a "judge" -d 'Make a page on which people judge answers of runs, questions, stories or translations by a scheme'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from annotate" -f -a "read" -d 'Read exports of pages: progress, agreement, tables and figures of judgements, units left to adjudicate'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from annotate" -f -a "schemes" -d 'List the built-in judgement schemes, or print the file of one'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from probe" -f -a "orders" -d 'Test whether the released option order is more likely than other orders'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from probe" -f -a "min-k" -d 'Test whether released stories are more likely, token by token, than new ones of the same form (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from probe" -f -a "recall" -d 'Test whether the model can recite items, the second half of a story (XToM, appendix A.4), or classic tests (ToMBench, appendix A)'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from probe" -f -a "beliefs" -d 'Test what can be decoded from the residual stream about who takes an object to be where (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "compare" -d 'Compare two measurements: ratios of medians, the second over the first'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from bench" -f -a "drift" -d 'Effect of --dtype quantized or --quantize on this model\'s answers: weights and 8-bit activations separately'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "hi-tom" -d 'Generate Hi-ToM stories with a question of each order, answered by the belief tracker'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "split" -d 'Divide the stories of a benchmark into training data for adapters and test items, all versions of a story on one side'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "subsample" -d 'Draw whole stories of a benchmark by quotas, along their distances to a baseline, as Multi-ToM does'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "tomi" -d 'Generate ToMi stories in English with six questions each'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "tomvalley" -d 'Generate the questions of ToMValley\'s five types from a sketch of a changing mind: 71 for five scenarios'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "twins" -d 'Generate sets of stories that differ in one respect, in the manner of Hi-ToM or ToMi or of unexpected contents, answered by a tracker'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "translate" -d 'Translate items: a model translates, another reviews, a third refines, a fourth translates back; rules check the result'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "sketches" -d 'Draw places and profiles, and have a model write sketches of a changing mind for them, as ToMValley\'s steps 1 and 2'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "contexts" -d 'Write dialogues to sketches of ToMValley: new ones to released sketches, for a check of contamination, or those of `make sketches`'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "adapt" -d 'Adapt items to a culture within their language: each story once, then its questions; accepted by people\'s answers'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "correct" -d 'Carry out the corrections of people on a page of made texts'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from make" -f -a "check" -d 'Check translations that are there already by the rules of `translate`'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from data" -f -a "list" -d 'List the known benchmarks, their languages and where to get them'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from data" -f -a "check" -d 'Count items against the published numbers, and list anomalies, shortcuts and unreadable rows'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from data" -f -a "stats" -d 'Count stories, questions, options and answers, with average lengths, beside the papers\' statistics'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from data" -f -a "items" -d 'Print the items as JSON lines'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from data" -f -a "twins" -d 'Show how the texts of twins differ from their original\'s, word by word'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from data" -f -a "audit" -d 'Compare released answers with the rules of the stories (hi-tom, tomi)'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from prompts" -f -a "list" -d 'List the prompt styles of benchmarks'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from prompts" -f -a "show" -d 'Show an item as a model sees it'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from prompts" -f -a "export" -d 'Write the built-in packs into a folder, to edit and pass as --prompts'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from prompts" -f -a "write" -d 'Write prompts as requests for a batch service; `tomeval score --map` reads its results'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from models" -f -a "list" -d 'List models with a card: size, memory needs, whether they fit here, and which papers used them'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from models" -f -a "show" -d 'Show a model\'s card: sizes, licence, memory, template, papers. Fetches nothing'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from models" -f -a "pull" -d 'Fetch a model and print its path'
complete -c tomeval -n "__fish_tomeval_using_subcommand help; and __fish_seen_subcommand_from models" -f -a "inspect" -d 'Show the contents of a model\'s files: settings, tensors, tokenizer, template, memory, hashes; with --adapter its changes to them. Fetches them if needed; loads no weights'
