//! Systems of linear equations, and least squares.

/// Solves the equations of a square matrix for all right-hand sides at once: the columns after the matrix. Returns the
/// columns of the solutions, or `None` if the solution is not unique. Gauss-Jordan elimination with pivoting.
pub fn solve(mut system: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = system.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))?;
        system.swap(column, pivot);
        let row = system[column].clone();
        if row[column].abs() < 1e-12 {
            return None;
        }
        for (_, other) in system.iter_mut().enumerate().filter(|&(at, _)| at != column) {
            let factor = other[column] / row[column];
            other.iter_mut().zip(&row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let scaled = |(at, row): (usize, &Vec<f64>)| row[size..].iter().map(|value| value / row[at]).collect();
    Some(system.iter().enumerate().map(scaled).collect())
}

/// A slope found by least squares, and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    pub value: f64,
    pub standard_error: f64,
}

/// The slopes that combine the factors of each observation into its result, with the least sum of squared residuals.
/// Each observation has `size` factors. `None` if the solution is not unique, or observations do not outnumber slopes.
pub fn least_squares(observations: &[(Vec<f64>, f64)], size: usize) -> Option<Vec<Slope>> {
    // The normal equations, with the slopes and the unit matrix as right-hand sides.
    let mut system = vec![vec![0.0; 2 * size + 1]; size];
    for (i, line) in system.iter_mut().enumerate() {
        for (factors, result) in observations {
            for j in 0..size {
                line[j] += factors[i] * factors[j];
            }
            line[size] += factors[i] * result;
        }
        line[size + 1 + i] = 1.0;
    }
    let solved = solve(system)?;
    let freedom = observations.len().checked_sub(size).filter(|&freedom| freedom > 0)?;
    let residue = |(factors, result): &(Vec<f64>, f64)| {
        let sum: f64 = factors.iter().zip(&solved).map(|(factor, line)| factor * line[0]).sum();
        (result - sum).powi(2)
    };
    let variance = observations.iter().map(residue).sum::<f64>() / freedom as f64;
    let slope =
        |(at, line): (usize, &Vec<f64>)| Slope { value: line[0], standard_error: (variance * line[1 + at]).sqrt() };
    Some(solved.iter().enumerate().map(slope).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three weighings: of the first thing, of the second, and of both. The residuals are thirds of the difference.
    #[test]
    fn slopes_have_their_errors() {
        let observations = [(vec![1.0, 0.0], 1.0), (vec![0.0, 1.0], 2.0), (vec![1.0, 1.0], 3.3)];
        let slopes = least_squares(&observations, 2).unwrap();
        for (slope, value) in slopes.iter().zip([1.1, 2.1]) {
            assert!((slope.value - value).abs() < 1e-12, "{slope:?}");
            // One degree of freedom, a variance of 3 * 0.1 * 0.1, and 2 / 3 of it for each slope.
            assert!((slope.standard_error - 0.02_f64.sqrt()).abs() < 1e-12, "{slope:?}");
        }
        assert_eq!(least_squares(&observations[..2], 2), None, "nothing to tell the errors by");
        assert_eq!(least_squares(&[(vec![1.0, 1.0], 1.0), (vec![1.0, 1.0], 1.0), (vec![1.0, 1.0], 1.0)], 2), None);
    }

    #[test]
    fn equations_are_solved_for_all_right_sides() {
        let system = vec![vec![0.0, 2.0, 4.0, 2.0], vec![1.0, 1.0, 5.0, 0.0]];
        assert_eq!(solve(system), Some(vec![vec![3.0, -1.0], vec![2.0, 1.0]]));
        assert_eq!(solve(vec![vec![1.0, 2.0, 4.0], vec![2.0, 4.0, 5.0]]), None);
    }
}
