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

/// A logarithmic axis.
#[derive(Clone, Copy)]
struct Axis {
    /// The power of ten at its beginning.
    first: u32,
    /// Its end: the limit of the run, or a power of ten.
    end: u64,
}

impl Axis {
    fn of<'a>(curves: impl Iterator<Item = &'a Steps> + Clone, limit: Option<u64>) -> Axis {
        let reached = curves.flat_map(|curve| &curve.at).map(|&x| x.max(1));
        let first = reached.clone().min().map_or(0, u64::ilog10);
        let most = reached.max().unwrap_or(1);
        let next = 10_u64.saturating_pow((most.ilog10() + 1).max(first + 1));
        // A search may take a little more than its limit.
        let end = limit.map_or(next, |limit| limit.max(most));
        Axis { first, end: if end > 10_u64.pow(first) { end } else { next } }
    }

    /// The place of an amount, from 0 to 1.
    fn place(self, x: u64) -> f64 {
        let from = f64::from(self.first);
        ((x.max(1) as f64).log10() - from) / ((self.end as f64).log10() - from)
    }

    /// The amounts with a line: powers of ten.
    fn marks(self) -> impl Iterator<Item = u64> {
        (self.first..=self.end.ilog10()).map(|power| 10_u64.pow(power))
    }
}

/// The share that each curve reaches within an amount, on a logarithmic scale; `label` writes an amount.
/// `limit` is that of the run, where the axis ends.
pub fn shares(title: &str, curves: &[Steps], limit: Option<u64>, label: fn(u64) -> String) -> Markup {
    draw(&LARGE, title, curves, Axis::of(curves.iter(), limit), label)
}

/// Small charts of the same kind, each with its title. All have the same axes, so that they can be compared.
pub fn small_shares(charts: &[(&str, Vec<Steps>)], limit: Option<u64>, label: fn(u64) -> String) -> Markup {
    let axis = Axis::of(charts.iter().flat_map(|(_, curves)| curves), limit);
    html! {
        .charts.small {
            @for (title, curves) in charts { (draw(&SMALL, title, curves, axis, label)) }
        }
    }
}

fn draw(frame: &Frame, title: &str, curves: &[Steps], axis: Axis, label: fn(u64) -> String) -> Markup {
    let &Frame { width, height, left, right, top, bottom, .. } = frame;
    let across = |x: u64| left + (right - left) * axis.place(x);
    // The label of the end needs room beside that of the last line.
    let has_room = axis.marks().all(|mark| right - across(mark) > 36.0);
    let up = |share: f64| bottom - (bottom - top) * share;
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(title) {
            text x=(left) y="16" { (fitting(title, frame.title)) }
            @for quarter in 0..=4u32 {
                @let y = up(f64::from(quarter) / 4.0);
                path.grid d=(format!("M{left} {y:.1}H{right}")) {}
                text x=(left - 5.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (25 * quarter) "%" }
            }
            @for amount in axis.marks().chain(has_room.then_some(axis.end)) {
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
        let chart = shares("by nodes", &[curve], None, super::super::amount).into_string();
        assert!(chart.contains("d=\"M40 230H40.0V128.0H246.0V26.0H452\""), "{chart}");
        assert!(chart.contains("var(--c1)") && chart.contains(">1k<"), "{chart}");
    }

    #[test]
    fn a_chart_ends_at_the_limit_of_the_run() {
        let chart = |limit, at| {
            let curve = Steps { colour: 0, at: vec![at], whole: 1 };
            shares("by nodes", &[curve], Some(limit), super::super::amount).into_string()
        };
        let half = chart(300_000, 1000);
        assert!(half.contains(">300k<") && half.contains(">100k<") && !half.contains(">1.0M<"), "{half}");
        assert!(half.contains("V26.0H452"), "{half}");
        // What took longer is shown; a label that would cover another is not.
        assert!(chart(1000, 2000).contains(">1k<"));
        assert!(!chart(11_000, 1000).contains(">11k<"));
        assert!(!chart(1, 1).contains("NaN") && !chart(1, 1).contains("inf"));
    }

    #[test]
    fn a_chart_without_results_has_its_axes() {
        let chart =
            shares("by time", &[Steps { colour: 0, at: vec![], whole: 0 }], None, super::super::time).into_string();
        assert!(chart.contains("100") && !chart.contains("NaN"), "{chart}");
    }

    #[test]
    fn small_charts_share_their_axes() {
        let steps = |x| vec![Steps { colour: 0, at: vec![x], whole: 1 }];
        let long = "<b>".repeat(40);
        let charts =
            small_shares(&[("one", steps(5)), (&long, steps(50_000))], None, super::super::amount).into_string();
        assert_eq!(charts.matches("<svg").count(), 2);
        assert_eq!(charts.matches(">100k<").count(), 2, "{charts}");
        assert!(charts.contains('…') && !charts.contains("<b>"), "{charts}");
    }
}
