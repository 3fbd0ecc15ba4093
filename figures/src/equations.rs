//! Systems of linear equations.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_for_all_right_sides() {
        let system = vec![vec![0.0, 2.0, 4.0, 2.0], vec![1.0, 1.0, 5.0, 0.0]];
        assert_eq!(solve(system), Some(vec![vec![3.0, -1.0], vec![2.0, 1.0]]));
        assert_eq!(solve(vec![vec![1.0, 2.0, 4.0], vec![2.0, 4.0, 5.0]]), None);
    }
}
