//! Greedy token choice on the host; `portable/head.rs` finds the same token on a device.

/// The largest logit and its token, the lowest id on ties; `None` if any logit is NaN or the largest is not finite.
pub fn argmax(logits: &[f32]) -> Option<(u32, f32)> {
    const LANES: usize = 16;
    let (chunks, rest) = logits.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let mut numbers = [true; LANES];
    for chunk in chunks {
        for ((lane, number), logit) in lanes.iter_mut().zip(&mut numbers).zip(chunk) {
            *lane = if *logit > *lane { *logit } else { *lane };
            *number &= !logit.is_nan();
        }
    }
    let largest = lanes.into_iter().chain(rest.iter().copied()).fold(f32::NEG_INFINITY, f32::max);
    let numbers = numbers.into_iter().all(|number| number) && !rest.iter().any(|logit| logit.is_nan());
    let token = logits.iter().position(|&logit| logit == largest)?;
    (numbers && largest.is_finite()).then_some((token as u32, largest))
}
