//! Benchmarks as data: their files, cards and counts, stories that are made, and questions of the user's own.

mod canary;
mod card_rows;
mod cards;
mod command;
mod demo_inventory;
mod hi_tom_beliefs;
mod hi_tom_data;
mod hi_tom_tables;
mod inventories;
mod make_hi_tom;
mod make_split;
mod make_subsample;
mod make_tomi;
mod own_data;
mod own_shapes;
mod percept_tomi;
mod tomvalley;
mod unread_rows;
mod xtom;
