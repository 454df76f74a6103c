//! Intermediate results of a pass, collected on request: attention rows, the residual stream as it is and as the head
//! would read it (the lens), contributions of parts, chosen experts.

use std::time::Duration;

use candle_core::Tensor;

use super::DecoderError;
use super::capture::{CapturedAttention, OngoingCapture};
use super::layers::Model;
use super::ops::{AttentionInput, Ops};
use super::pass::{Layout, Pass};
use super::stream::StreamParts;

/// The result of a pass.
#[derive(Debug)]
pub struct PassOutput {
    /// Hidden states after the final norm, `(rows, hidden)` in f32, in the order of [`Pass::rows`].
    pub hidden: Tensor,
    /// If [`Pass::lens`] is set: the residual stream of the rows as the head would read it, `(rows, hidden)` in f32,
    /// after the embedding and after each layer; the last one is `hidden`.
    pub lens: Vec<Tensor>,
    /// If [`Pass::states`] is set: the residual stream of the rows, `(rows, hidden)` row by row, after the embedding and
    /// after each layer, before the final norm.
    pub states: Vec<Vec<f32>>,
    /// The requested attention rows.
    pub attention: Option<CapturedAttention>,
    /// Contributions of the model's parts to the residual stream of each row, if [`Pass::parts`] is set.
    pub parts: Vec<StreamParts>,
    /// If [`Pass::experts`] is set: the experts of each row in every layer, ascending; empty in layers with one dense
    /// network.
    #[doc(hidden)]
    pub experts: Vec<Vec<Vec<usize>>>,
    /// Time spent on attention, over all layers. On devices that compute asynchronously, the time to submit the work.
    pub attending: Duration,
}

/// Collects the readings of a pass. The forward pass reports its intermediate results; those not requested are ignored.
pub(super) struct Readings<'a, O: Ops> {
    model: &'a Model<O>,
    pass: &'a Pass,
    layout: &'a Layout,
    /// Positions of the requested rows in the reported streams: in the whole pass, or, after the last attention, in the
    /// remaining rows.
    places: Vec<usize>,
    captured: Option<OngoingCapture>,
    lens: Vec<Tensor>,
    states: Vec<Vec<f32>>,
    parts: Vec<StreamParts>,
    experts: Vec<Vec<Vec<usize>>>,
    /// The requested rows before a layer's network, if parts are requested.
    before: Option<O::Rows>,
}

impl<'a, O: Ops> Readings<'a, O> {
    /// Checks the request against the model and the pass.
    pub fn begin(model: &'a Model<O>, pass: &'a Pass, layout: &'a Layout) -> Result<Self, DecoderError> {
        if pass.parts {
            model.check_parts()?;
        }
        let captured = pass.capture.as_ref();
        let captured = captured
            .map(|capture| OngoingCapture::begin(capture, model.spec.layers, model.spec.heads, &layout.positions))
            .transpose()?;
        let (lens, states, parts, experts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let places = pass.rows.clone();
        Ok(Readings { model, pass, layout, places, captured, lens, states, parts, experts, before: None })
    }

    /// Receives the embedding.
    pub fn embedded(&mut self, x: &O::Rows) -> Result<(), DecoderError> {
        if self.pass.parts {
            self.parts = self.model.begin_parts(&self.model.ops.select(x, &self.places)?)?;
        }
        if self.pass.experts {
            self.experts = vec![vec![Vec::new(); self.pass.rows.len()]; self.model.spec.layers];
        }
        self.keep(x)?;
        self.look(x)
    }

    /// Receives the inputs of a layer's attention.
    pub fn attended(
        &mut self,
        number: usize,
        input: &AttentionInput<'_, O::Rows, O::LayerCache>,
    ) -> Result<(), DecoderError> {
        let Some(captured) = &mut self.captured else { return Ok(()) };
        let output = captured.value_norms.then_some(&self.model.layers[number].output);
        let queries = captured.queries(number, self.layout, self.model.spec.attention[number].window);
        if queries.is_empty() { Ok(()) } else { self.model.ops.capture(queries, input, output) }
    }

    /// Notes that only the requested rows remain.
    pub fn narrowed(&mut self) {
        self.places = (0..self.pass.rows.len()).collect();
    }

    /// Receives the stream after attention; `mixed` holds the heads' outputs.
    pub fn mixed(&mut self, number: usize, x: &O::Rows, mixed: &O::Rows, silent: bool) -> Result<(), DecoderError> {
        let (ops, layer) = (&self.model.ops, &self.model.layers[number]);
        if self.pass.parts {
            self.model.add_heads(&mut self.parts, &ops.select(mixed, &self.places)?, layer, silent)?;
            self.before = Some(ops.select(x, &self.places)?);
        }
        if self.pass.experts {
            let rows = if number + 1 == self.model.spec.layers { self.places.len() } else { self.pass.tokens.len() };
            let of_rows = layer.feed_forward.choices(ops, x, rows)?;
            self.experts[number] = self.places.iter().map(|&row| of_rows[row].clone()).collect();
        }
        Ok(())
    }

    /// Receives the stream after a layer.
    pub fn layer_done(&mut self, number: usize, x: &O::Rows) -> Result<(), DecoderError> {
        if let Some(before) = self.before.take() {
            self.model.add_network(&mut self.parts, &before, &self.model.ops.select(x, &self.places)?)?;
        }
        self.keep(x)?;
        // For the last layer, `output` adds the final hidden states.
        if number + 1 < self.model.spec.layers { self.look(x) } else { Ok(()) }
    }

    /// The pass output, given the final hidden states.
    pub fn output(mut self, hidden: Tensor) -> PassOutput {
        if self.pass.lens {
            self.lens.push(hidden.clone());
        }
        let Readings { captured, lens, states, parts, experts, .. } = self;
        let attention = captured.map(|captured| captured.answer);
        PassOutput { hidden, attention, lens, states, parts, experts, attending: Default::default() }
    }

    /// The requested rows as they are.
    fn keep(&mut self, x: &O::Rows) -> Result<(), DecoderError> {
        if self.pass.states {
            self.states.push(self.model.ops.values(&self.model.ops.select(x, &self.places)?)?);
        }
        Ok(())
    }

    /// The requested rows as the head would read them.
    fn look(&mut self, x: &O::Rows) -> Result<(), DecoderError> {
        if self.pass.lens {
            self.lens.push(self.model.read(&self.model.ops.select(x, &self.places)?)?);
        }
        Ok(())
    }
}
