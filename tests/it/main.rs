//! The integration tests: one program, a module an area.

mod architecture;
mod attend;
mod bench_command;
mod cards;
mod constructed;
mod data_command;
mod decoder_files;
mod decoder_tries;
mod demo_inventory;
mod documented;
mod engine;
mod generate;
mod golden;
mod hi_tom_beliefs;
mod hi_tom_data;
mod hi_tom_tables;
#[cfg(feature = "hub")]
mod hub;
mod inventories;
mod long_work;
mod longrope;
mod make_hi_tom;
mod make_tomi;
mod model_settings;
mod models;
mod mutations;
mod own_data;
mod prompts;
mod prompts_command;
mod reports;
mod run_benchmarks;
mod run_command;
mod score;
mod statistics;
mod support;
mod thinking;
mod tokens;
mod tomvalley;
mod unread_rows;
#[cfg(unix)]
mod wheel;
mod xtom;
