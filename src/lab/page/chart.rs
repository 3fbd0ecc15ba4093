//! Charts as SVG: curves over a linear or logarithmic axis.

use std::fmt::Write as _;

use maud::{Markup, html};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 256.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 452.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 230.0;

/// One curve: steps that rise by an equal share at each of its values.
pub struct Steps {
    /// The index of its colour.
    pub colour: usize,
    /// Where it rises, in any order.
    pub at: Vec<u64>,
    /// The number of rises to 100%.
    pub whole: usize,
}

/// The share that each curve reaches within an amount, on a logarithmic scale; `label` writes an amount.
pub fn shares(title: &str, curves: &[Steps], label: fn(u64) -> String) -> Markup {
    let reached = || curves.iter().flat_map(|curve| &curve.at).map(|&x| x.max(1));
    let first = reached().min().map_or(0, u64::ilog10);
    let last = reached().max().map_or(1, |x| x.ilog10() + 1).max(first + 1);
    let across =
        |x: u64| LEFT + (RIGHT - LEFT) * ((x.max(1) as f64).log10() - f64::from(first)) / f64::from(last - first);
    let up = |share: f64| BOTTOM - (BOTTOM - TOP) * share;
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
            text x=(LEFT) y="16" { (title) }
            @for quarter in 0..=4u32 {
                @let y = up(f64::from(quarter) / 4.0);
                path.grid d=(format!("M{LEFT} {y:.1}H{RIGHT}")) {}
                text x=(LEFT - 5.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (25 * quarter) "%" }
            }
            @for power in first..=last {
                @let amount = 10_u64.saturating_pow(power);
                @let x = format!("{:.1}", across(amount));
                path.grid d=(format!("M{x} {TOP}V{BOTTOM}")) {}
                text x=(x) y=(BOTTOM + 16.0) text-anchor="middle" { (label(amount)) }
            }
            @for curve in curves {
                path.curve style=(format!("stroke:{}", super::colour(curve.colour))) d=(path(curve, &across, &up)) {}
            }
        }
    }
}

fn path(curve: &Steps, across: &dyn Fn(u64) -> f64, up: &dyn Fn(f64) -> f64) -> String {
    let mut at = curve.at.clone();
    at.sort_unstable();
    let mut path = format!("M{LEFT} {BOTTOM}");
    for (k, &x) in at.iter().enumerate() {
        let _ = write!(path, "H{:.1}V{:.1}", across(x), up((k + 1) as f64 / curve.whole.max(1) as f64));
    }
    path + &format!("H{RIGHT}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_rises_from_the_bottom_to_its_share() {
        let curve = Steps { colour: 1, at: vec![100, 10], whole: 2 };
        let chart = shares("by nodes", &[curve], super::super::amount).into_string();
        assert!(chart.contains("d=\"M40 230H40.0V128.0H246.0V26.0H452\""), "{chart}");
        assert!(chart.contains("var(--c1)") && chart.contains(">1k<"), "{chart}");
    }

    #[test]
    fn a_chart_without_results_has_its_axes() {
        let chart = shares("by time", &[Steps { colour: 0, at: vec![], whole: 0 }], super::super::time).into_string();
        assert!(chart.contains("100") && !chart.contains("NaN"), "{chart}");
    }
}
