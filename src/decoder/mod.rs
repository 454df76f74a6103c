//! The decoder: one readable skeleton for all model families, their differences as data.
