// What a word that nobody knows may have been meant to be.

/** How many letters have to be added, left out, replaced or exchanged with their neighbour to make one word the other. */
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

/** The one of some words that a word is most like, as the native program finds it; undefined if it is like none. */
export function nearest(word, words) {
  let [meant, least] = [undefined, Infinity];
  for (const other of words) {
    const apart = distance(word.slice(0, 40), other);
    if (apart < least && apart <= Math.min(3, Math.ceil(other.length / 3))) [meant, least] = [other, apart];
  }
  return meant;
}
