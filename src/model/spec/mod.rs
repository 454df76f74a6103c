//! From a configuration to the decoder's [`DecoderSpec`].

mod account;
mod check;
mod experts;
mod family;
mod gguf;
mod hub;
mod keys;
mod nested;
mod shaped;
mod vendor_config;

use crate::decoder::{DecoderSpec, Naming, Weights};

pub use account::UnreadTensor;
pub(super) use account::{Survey, account, survey};
pub(super) use gguf::{read as of_gguf, unread as unread_of_gguf};
pub use hub::read as read_config;
pub(super) use hub::unread as unread_of_config;
pub(super) use shaped::of_shape;

/// Whether models of a family, as named in configurations, are supported.
pub(super) fn is_built_in(family: &str) -> bool {
    nested::text_family(family).is_some() || family.parse::<family::Family>().is_ok()
}

/// The same settings with the tensor names of these files, where files of such a model differ.
pub(super) fn named_as_in(weights: &Weights, spec: DecoderSpec) -> DecoderSpec {
    nested::named_as_in(weights, spec)
}

/// Whether the settings are those of the text model in a multimodal model.
pub(super) fn is_part(spec: &DecoderSpec) -> bool {
    nested::is_part(spec)
}

/// The transformers names of the modules of this family's models.
pub(super) fn module_names(spec: &DecoderSpec) -> Naming {
    spec.family.parse().map_or(spec.naming, family::Family::naming)
}

/// The usual attention factor of LongRoPE, for files without one: `sqrt(1 + ln(stretch) / ln(original))` where the
/// context is `stretch` times the original one.
fn longrope_attention(stretch: f64, original: f64) -> f64 {
    if stretch <= 1.0 { 1.0 } else { (1.0 + stretch.ln() / original.ln()).sqrt() }
}
/// YaRN's magnitude of the rotated columns (arXiv:2309.00071, section 3.4), for a weight of the logarithm.
fn magnitude(factor: f64, weight: f64) -> f64 {
    if factor > 1.0 { 0.1 * weight * factor.ln() + 1.0 } else { 1.0 }
}
