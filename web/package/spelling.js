// The probable meaning of an unknown word.

/** The edit distance: how many letters must be added, left out, replaced or swapped with their neighbour. */
function distance(a, b) {
  const rows = [];
  for (let i = 0; i <= a.length; i++) {
    rows.push([]);
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        rows[i].push(i + j);
        continue;
      }
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const areExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = areExchanged ? rows[i - 2][j - 2] + 1 : Infinity;
      rows[i].push(Math.min(replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1, exchanged));
    }
  }
  return rows[a.length][b.length];
}

/** The most similar of some words, as in the native program; undefined if none is similar. */
export function nearest(word, words) {
  let [meant, least] = [undefined, Infinity];
  for (const other of words) {
    const apart = distance(word.slice(0, 40), other);
    if (apart < least && apart <= Math.min(3, Math.ceil(other.length / 3))) [meant, least] = [other, apart];
  }
  return meant;
}
