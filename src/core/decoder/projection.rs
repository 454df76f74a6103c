//! Projection of the residual stream to queries, keys and values.

use super::DecoderError;
use super::latent::Latent;
use super::ops::{Columns, Heads, Ops};

/// The products that produce queries, keys and values.
pub enum Projection<O: Ops> {
    /// D to Q + K + K in one product.
    Direct(O::Linear),
    /// Through latents.
    Latent(Box<LatentProjection<O>>),
}

/// The products of latent attention. r: rank of keys and values, t: rotated columns of a head, s: unrotated columns, v:
/// value columns, H: heads.
pub struct LatentProjection<O: Ops> {
    pub latent: Latent,
    pub query: QueryProjection<O>,
    /// D to r + t: the latent, then the rotated part of all keys.
    pub down: O::Linear,
    /// Over r.
    pub norm: O::Norm,
    /// r to H (s + v): for each head, keys then values.
    pub up: O::Linear,
}

/// Projection of the residual stream to queries of latent attention: for each head, s columns then t.
pub enum QueryProjection<O: Ops> {
    /// D to H (s + t).
    Direct(O::Linear),
    /// Through a latent of width q.
    Latent {
        /// D to q.
        down: O::Linear,
        /// Over q.
        norm: O::Norm,
        /// q to H (s + t).
        up: O::Linear,
    },
}

impl<O: Ops> Projection<O> {
    /// Queries, keys and values `(T, Q + K + K)` of the rows after a norm.
    pub fn of(&self, ops: &O, x: &O::Rows, norm: Option<&O::Norm>, heads: &Heads) -> Result<O::Rows, DecoderError> {
        match self {
            Projection::Direct(linear) => ops.product(x, norm, linear),
            Projection::Latent(latent) => latent.of(ops, x, norm, heads),
        }
    }

    /// All products.
    pub fn products(&self) -> Vec<&O::Linear> {
        match self {
            Projection::Direct(linear) => vec![linear],
            Projection::Latent(latent) => {
                let query = match &latent.query {
                    QueryProjection::Direct(linear) => vec![linear],
                    QueryProjection::Latent { down, up, .. } => vec![down, up],
                };
                query.into_iter().chain([&latent.down, &latent.up]).collect()
            }
        }
    }
}

impl<O: Ops> LatentProjection<O> {
    fn of(&self, ops: &O, x: &O::Rows, norm: Option<&O::Norm>, heads: &Heads) -> Result<O::Rows, DecoderError> {
        let Latent { rank, rotated, still, value, .. } = self.latent;
        let queries = match &self.query {
            QueryProjection::Direct(linear) => ops.product(x, norm, linear)?,
            QueryProjection::Latent { down, norm: of_latent, up } => {
                ops.product(&ops.product(x, norm, down)?, Some(of_latent), up)?
            }
        }; // (T, H (s + t))
        let down = ops.product(x, norm, &self.down)?; // (T, r + t)
        let latent = ops.columns(&[&down], &[Columns::Of(0, 0..rank)])?; // (T, r)
        let up = ops.product(&latent, Some(&self.norm), &self.up)?; // (T, H (s + v))

        // In attention, rotated columns come first in each head.
        let keys = rotated + still;
        let padding = |width: usize| Columns::Zeros(heads.head_dim - width);
        let queries_of = (0..heads.heads).flat_map(|head| {
            let at = head * keys;
            [Columns::Of(0, at + still..at + keys), Columns::Of(0, at..at + still), padding(keys)]
        });
        let keys_of = (0..heads.heads).flat_map(|head| {
            let at = head * (still + value);
            [Columns::Of(1, rank..rank + rotated), Columns::Of(2, at..at + still), padding(keys)]
        });
        let values_of = (0..heads.heads).flat_map(|head| {
            let at = head * (still + value) + still;
            [Columns::Of(2, at..at + value), padding(value)]
        });
        let columns: Vec<Columns> = queries_of.chain(keys_of).chain(values_of).collect();
        ops.columns(&[&queries, &down, &up], &columns)
    }
}
