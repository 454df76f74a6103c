//! Student's t distribution.

/// P(T > t) for `freedom` degrees of freedom, from the incomplete beta function (Abramowitz and Stegun, 26.7.1).
pub(super) fn upper_tail(t: f64, freedom: f64) -> f64 {
    let both = incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    if t >= 0.0 { both / 2.0 } else { 1.0 - both / 2.0 }
}

/// The t exceeded with probability `tail`, between 0 and 0.5 exclusive.
pub(super) fn exceeded_by(tail: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while upper_tail(high, freedom) > tail {
        low = high;
        high *= 2.0;
    }
    // Bisection ends when there is no number between the bounds.
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return high;
        }
        if upper_tail(middle, freedom) > tail { low = middle } else { high = middle }
    }
}

/// The regularised incomplete beta function I_x(a, b).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return f64::from(x >= 1.0);
    }
    // The continued fraction converges fast below the mean; above it, the other tail is computed.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta_below(1.0 - x, b, a);
    }
    incomplete_beta_below(x, a, b)
}

/// By the continued fraction 26.5.8 of Abramowitz and Stegun, evaluated with Lentz' method.
fn incomplete_beta_below(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const TERMS: u32 = 10_000;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let ln_front = a * x.ln() + b * (-x).ln_1p() + libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let mut above = 1.0;
    let mut below = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = below;
    for term in 1..TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for coefficient in [even, odd] {
            below = 1.0 / away_from_zero(1.0 + coefficient * below);
            above = away_from_zero(1.0 + coefficient / above);
            step = above * below;
            fraction *= step;
        }
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    ln_front.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-10, "{found}, expected {expected}");
    }

    #[test]
    fn tails_and_quantiles_are_those_of_tables() {
        // One degree of freedom is Cauchy's distribution, two have a closed form.
        close(upper_tail(1.0, 1.0), 0.25);
        close(upper_tail(2.0, 2.0), 0.5 - 1.0 / 6f64.sqrt());
        close(upper_tail(-2.0, 2.0), 0.5 + 1.0 / 6f64.sqrt());
        close(exceeded_by(0.025, 1.0), 12.706_204_736_174_7);
        // From scipy; with so many degrees of freedom, nearly normal.
        close(exceeded_by(0.025, 78_099.0), 1.959_994_360_183_412_9);
    }

    #[test]
    fn a_quantile_has_its_tail() {
        for freedom in [1.0, 3.0, 40.0, 1099.0] {
            for tail in [0.4, 0.2, 0.025, 1e-6] {
                close(upper_tail(exceeded_by(tail, freedom), freedom), tail);
            }
        }
    }
}
