//! The losses of a training as a picture.

use std::path::Path;

use plotters::prelude::*;

use crate::checkpoint::EpochLoss;
use crate::data;

/// Draws the losses of all epochs.
///
/// # Errors
///
/// One line: the picture cannot be drawn or written.
pub fn losses(path: &Path, history: &[EpochLoss]) -> Result<(), String> {
    let mut picture = String::new();
    draw(&mut picture, history).map_err(|error| format!("cannot draw {}: {error}", path.display()))?;
    data::replace(path, |output| output.write_all(picture.as_bytes()))
}

fn draw(picture: &mut String, history: &[EpochLoss]) -> Result<(), Box<dyn std::error::Error>> {
    let all = || history.iter().flat_map(|epoch| [epoch.training, epoch.validation]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let margin = ((high - low) * 0.05).max(high * 1e-3);
    let area = SVGBackend::with_string(picture, (800, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(36)
        .y_label_area_size(72)
        .build_cartesian_2d(1.0..(history.len() as f64).max(1.5), low - margin..high + margin)?;
    chart.configure_mesh().x_desc("epoch").y_desc("mean squared error of the expected result").draw()?;
    let training: Vec<f64> = history.iter().map(|epoch| epoch.training).collect();
    let validation: Vec<f64> = history.iter().map(|epoch| epoch.validation).collect();
    for (label, color, values) in [("training", BLUE, training), ("validation", RED, validation)] {
        let points = (1..).map(f64::from).zip(values);
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}
