//! Charts as SVG: curves over a linear or logarithmic axis.

use std::fmt::Write as _;

use maud::{Markup, html};

/// The measurements of a chart, in its own pixels.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Letters of the title that fit.
    title: usize,
}

const LARGE: Frame =
    Frame { width: 480.0, height: 256.0, left: 40.0, right: 452.0, top: 26.0, bottom: 230.0, title: 66 };
const SMALL: Frame =
    Frame { width: 320.0, height: 176.0, left: 40.0, right: 298.0, top: 26.0, bottom: 150.0, title: 40 };

/// One curve: steps that rise by an equal share at each of its values.
pub struct Steps {
    /// The index of its colour.
    pub colour: usize,
    /// The values at which it rises, in any order.
    pub at: Vec<u64>,
    /// The number of rises to 100%.
    pub whole: usize,
}

/// The powers of ten at the ends of an axis.
type Decades = (u32, u32);

fn decades<'a>(curves: impl Iterator<Item = &'a Steps> + Clone) -> Decades {
    let reached = curves.flat_map(|curve| &curve.at).map(|&x| x.max(1));
    let first = reached.clone().min().map_or(0, u64::ilog10);
    (first, reached.max().map_or(1, |x| x.ilog10() + 1).max(first + 1))
}

/// The share that each curve reaches within an amount, on a logarithmic scale; `label` writes an amount.
pub fn shares(title: &str, curves: &[Steps], label: fn(u64) -> String) -> Markup {
    draw(&LARGE, title, curves, decades(curves.iter()), label)
}

/// Small charts of the same kind, each with its title. All have the same axes, so that they can be compared.
pub fn small_shares(charts: &[(&str, Vec<Steps>)], label: fn(u64) -> String) -> Markup {
    let decades = decades(charts.iter().flat_map(|(_, curves)| curves));
    html! {
        .charts.small {
            @for (title, curves) in charts { (draw(&SMALL, title, curves, decades, label)) }
        }
    }
}

fn draw(frame: &Frame, title: &str, curves: &[Steps], (first, last): Decades, label: fn(u64) -> String) -> Markup {
    let &Frame { width, height, left, right, top, bottom, .. } = frame;
    let across =
        |x: u64| left + (right - left) * ((x.max(1) as f64).log10() - f64::from(first)) / f64::from(last - first);
    let up = |share: f64| bottom - (bottom - top) * share;
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(title) {
            text x=(left) y="16" { (fitting(title, frame.title)) }
            @for quarter in 0..=4u32 {
                @let y = up(f64::from(quarter) / 4.0);
                path.grid d=(format!("M{left} {y:.1}H{right}")) {}
                text x=(left - 5.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (25 * quarter) "%" }
            }
            @for power in first..=last {
                @let amount = 10_u64.saturating_pow(power);
                @let x = format!("{:.1}", across(amount));
                path.grid d=(format!("M{x} {top}V{bottom}")) {}
                text x=(x) y=(bottom + 16.0) text-anchor="middle" { (label(amount)) }
            }
            @for curve in curves {
                path.curve style=(format!("stroke:{}", super::colour(curve.colour)))
                    d=(path(frame, curve, &across, &up)) {}
            }
        }
    }
}

/// The title, shortened to at most `letters`.
fn fitting(title: &str, letters: usize) -> String {
    if title.chars().count() <= letters {
        return title.to_owned();
    }
    title.chars().take(letters - 1).chain(['…']).collect()
}

fn path(frame: &Frame, curve: &Steps, across: &dyn Fn(u64) -> f64, up: &dyn Fn(f64) -> f64) -> String {
    let mut at = curve.at.clone();
    at.sort_unstable();
    let mut path = format!("M{} {}", frame.left, frame.bottom);
    for (k, &x) in at.iter().enumerate() {
        let _ = write!(path, "H{:.1}V{:.1}", across(x), up((k + 1) as f64 / curve.whole.max(1) as f64));
    }
    path + &format!("H{}", frame.right)
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

    #[test]
    fn small_charts_share_their_axes() {
        let steps = |x| vec![Steps { colour: 0, at: vec![x], whole: 1 }];
        let long = "<b>".repeat(40);
        let charts = small_shares(&[("one", steps(5)), (&long, steps(50_000))], super::super::amount).into_string();
        assert_eq!(charts.matches("<svg").count(), 2);
        assert_eq!(charts.matches(">100k<").count(), 2, "{charts}");
        assert!(charts.contains('…') && !charts.contains("<b>"), "{charts}");
    }
}
