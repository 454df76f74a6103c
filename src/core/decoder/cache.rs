//! The KV cache: keys and values of every token computed so far.

use super::rows::RowRanges;
use super::{cpu, portable};

/// Keys and values of all layers, one row per token, in the order in which passes stored them.
///
/// Row order carries no meaning: each pass says which rows form the path of each branch.
#[derive(Debug)]
pub struct KvCache {
    pub(super) layers: Layers,
    rows: usize,
    /// The stage of each row's sequence; empty if there is only one stage.
    pub(super) stages: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum Layers {
    Cpu(Vec<cpu::LayerCache>),
    Portable(Vec<portable::LayerCache>),
}

impl KvCache {
    pub(super) fn new(layers: Layers) -> KvCache {
        KvCache { layers, rows: 0, stages: Vec::new() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Reserves capacity for `rows` rows in total. A cache that grows beyond its capacity is copied, which temporarily
    /// takes up to twice its memory.
    pub fn reserve(&mut self, rows: usize) {
        match &mut self.layers {
            Layers::Cpu(layers) => layers.iter_mut().for_each(|layer| layer.reserve(rows)),
            Layers::Portable(layers) => layers.iter_mut().for_each(|layer| layer.reserve(rows)),
        }
    }

    /// Like [`KvCache::reserve`], but only in main memory, where unused capacity costs nothing: pages are allocated as
    /// they are filled.
    pub fn reserve_lazily(&mut self, rows: usize) {
        if let Layers::Cpu(_) = &self.layers {
            self.reserve(rows);
        }
    }

    /// Recounts the rows after a pass. All layers hold the same number unless the pass failed midway; the rows it
    /// stored are then dropped.
    pub(super) fn settle(&mut self) {
        let rows = match &self.layers {
            Layers::Cpu(layers) => layers.iter().map(cpu::LayerCache::rows).min(),
            Layers::Portable(layers) => layers.iter().map(portable::LayerCache::rows).min(),
        };
        self.truncate(rows.unwrap_or(0));
        self.rows = rows.unwrap_or(0);
    }

    /// Drops all rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        match &mut self.layers {
            Layers::Cpu(layers) => layers.iter_mut().for_each(|layer| layer.truncate(rows)),
            Layers::Portable(layers) => layers.iter_mut().for_each(|layer| layer.truncate(rows)),
        }
        self.rows = self.rows.min(rows);
        self.stages.truncate(rows);
    }

    /// Keeps these rows, in this order, and drops the rest; in place if they ascend. Panics if a row does not exist.
    pub fn keep(&mut self, rows: &RowRanges) {
        let outside = rows.iter().find(|range| range.end > self.rows);
        assert!(outside.is_none(), "rows {outside:?} of a cache of {} rows cannot be kept", self.rows);
        match &mut self.layers {
            Layers::Cpu(layers) => layers.iter_mut().for_each(|layer| layer.keep(rows)),
            Layers::Portable(layers) => layers.iter_mut().for_each(|layer| layer.keep(rows)),
        }
        self.rows = rows.len();
        self.stages = rows.rows().filter_map(|row| self.stages.get(row).copied()).collect();
    }
}
