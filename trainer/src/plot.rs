//! The losses of a training as a plot.

use std::path::Path;
use terminal::{CommandError, trouble};

use plotters::prelude::*;

use crate::checkpoint::EpochLoss;
use crate::data;

/// Draws the training loss, as pairs of a time in epochs and the loss around it, and the validation loss at each
/// epoch's end. The high losses at the very beginning of a training from scratch are left out: they would flatten the
/// rest.
///
/// # Errors
///
/// One line: the plot cannot be drawn or written.
pub fn losses(path: &Path, course: &[(f64, f64)], history: &[EpochLoss]) -> Result<(), CommandError> {
    let mut picture = String::new();
    draw(&mut picture, course, history).map_err(|error| trouble!("cannot draw {}: {error}", path.display()))?;
    data::replace(path, |output| output.write_all(picture.as_bytes()))
}

fn draw(picture: &mut String, course: &[(f64, f64)], history: &[EpochLoss]) -> Result<(), Box<dyn std::error::Error>> {
    let validation: Vec<(f64, f64)> = (1..).map(f64::from).zip(history.iter().map(|epoch| epoch.validation)).collect();
    let settled = &course[course.len() / 20..];
    let all = || settled.iter().chain(&validation).map(|&(_, loss)| loss);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let margin = ((high - low) * 0.05).max(high * 1e-3);
    let training: Vec<(f64, f64)> = course.iter().copied().filter(|&(_, loss)| loss <= high + margin).collect();
    let area = SVGBackend::with_string(picture, (800, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(36)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..history.len() as f64, low - margin..high + margin)?;
    chart.configure_mesh().x_desc("epoch").y_desc("mean squared error of the expected result").draw()?;
    chart.draw_series(validation.iter().map(|&point| Circle::new(point, 3, RED.filled())))?;
    for (label, color, points) in [("training", BLUE, training), ("validation", RED, validation)] {
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of points in the longest line of the plot.
    fn longest(picture: &str) -> usize {
        let lines = picture.split("points=\"").skip(1);
        lines
            .filter_map(|line| line.split('"').next())
            .map(|points| points.split_whitespace().count())
            .max()
            .unwrap_or(0)
    }

    /// A single epoch has a curve, too, and its validation loss is a dot.
    #[test]
    fn one_epoch_has_a_curve() {
        let mut course: Vec<(f64, f64)> =
            (0..50).map(|part| (f64::from(part) / 50.0, 0.03 - f64::from(part) * 1e-5)).collect();
        let history = [EpochLoss { training: 0.0297, validation: 0.0296, rate: 1e-5 }];
        let mut picture = String::new();
        draw(&mut picture, &course, &history).unwrap();
        assert_eq!((longest(&picture), picture.matches("<circle").count()), (50, 1));
        // The very beginning of a training from scratch is left out.
        course[0].1 = 1.0;
        picture.clear();
        draw(&mut picture, &course, &history).unwrap();
        assert_eq!(longest(&picture), 49);
    }
}
