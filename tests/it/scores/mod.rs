//! From answers to numbers: how replies are read, scored, compared and probed, and the statistics of it.

mod answers_of_sets;
mod budgets;
mod compare;
mod comparison_statistics;
mod constructed;
mod coverage;
mod elsewhere;
mod linked;
mod none_of_these;
mod perspective;
mod planted;
mod probe;
mod probe_statistics;
mod recounted;
mod reminders;
mod replies;
mod reply_length;
mod score;
mod statistics;
mod swaps;
mod unseen;
mod variance;
