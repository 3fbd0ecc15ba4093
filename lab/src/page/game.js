// Games on boards. Ibex wrote the steps of each game; this applies them and needs no rules of chess.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const games = [];
  let active = null;

  // The square's index in a row of 64, from a1.
  const index = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // The men of a FEN's first field, by square.
  function placed(fen) {
    const men = new Array(64).fill("-");
    fen.split("/").forEach((rank, row) => {
      let file = 0;
      for (const c of rank) {
        if (c >= "1" && c <= "8") file += Number(c);
        else men[8 * (7 - row) + file++] = c;
      }
    });
    return men;
  }

  function apply(men, changes) {
    for (let i = 0; i < changes.length; i += 3) men[index(changes.slice(i, i + 2))] = changes[i + 2];
  }

  function begin(section) {
    const data = JSON.parse(section.querySelector("script[type='application/json']").textContent);
    const board = section.querySelector("svg.diagram");
    const now = section.querySelector(".now");
    const list = section.querySelector(".list");
    const graph = section.querySelector(".graph svg");
    const last = data.moves.length;
    // The move shown, and the step of the line in its place, or 0.
    let ply = 0, step = 0, flipped = false, cursor = null;

    const button = (at) => section.querySelector(`[data-at="${at}"]`);
    const place = (square) => {
      const x = square % 8, y = 7 - (square >> 3);
      return flipped ? [7 - x, 7 - y] : [x, y];
    };

    function arrow(kind, squares) {
      if (!squares) return;
      const [x1, y1] = place(index(squares));
      const [x2, y2] = place(index(squares.slice(2)));
      board.append(element("path", {
        class: kind, d: `M${x1}.5 ${y1}.5L${x2}.5 ${y2}.5`, "marker-end": `url(#${kind}-tip)`,
      }));
    }

    function draw() {
      now.textContent = caption();
      board.setAttribute("aria-label", now.textContent);
      const men = placed(data.start);
      const steps = data.moves.slice(0, step ? ply - 1 : ply);
      if (step) steps.push(...data.lines[ply].slice(0, step));
      for (const [, changes] of steps) apply(men, changes);
      board.replaceChildren(board.firstElementChild);
      men.forEach((man, square) => {
        if (man === "-") return;
        const [x, y] = place(square);
        const kind = man === man.toUpperCase() ? "w" : "b";
        board.append(element("use", { class: kind, href: "#" + man.toUpperCase(), x, y, width: 1, height: 1 }));
      });
      for (let i = 0; i < 8; i++) {
        const rank = element("text", { class: "coordinate", x: 0.05, y: i + 0.22 });
        rank.textContent = flipped ? i + 1 : 8 - i;
        const file = element("text", { class: "coordinate", x: i + 0.82, y: 7.93 });
        file.textContent = "abcdefgh"[flipped ? 7 - i : i];
        board.append(rank, file);
      }
      const better = data.lines[ply];
      if (step) {
        arrow("right", steps[steps.length - 1][0]);
      } else if (ply) {
        const marked = button(ply).querySelector("b + b");
        arrow(marked ? "wrong" : "played", data.moves[ply - 1][0]);
        if (better) arrow("right", better[0][0]);
      }
    }

    // The move number before a move.
    function number(move) {
      const half = move - 1 + (data.black ? 1 : 0);
      return data.number + (half >> 1) + (half % 2 ? "…" : ".");
    }

    function caption() {
      const words = (at) => button(at).textContent.replace(/\s+/g, " ").trim();
      if (step) return `Instead of ${number(ply)} ${button(ply).querySelector("b").textContent}: ${words(`${ply}.${step}`)}`;
      if (!ply) return last ? "The first position." : "The game has no moves.";
      const better = data.lines[ply] ? `; better ${words(`${ply}.1`)}` : "";
      return `${number(ply)} ${words(ply)}${better}`;
    }

    function show(toPly, toStep) {
      ply = Math.max(0, Math.min(last, toPly));
      step = toStep;
      draw();
      for (const old of section.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
      const current = button(step ? `${ply}.${step}` : ply);
      if (current) {
        current.setAttribute("aria-current", "true");
        // Scrolls the list, not the page.
        const frame = list.getBoundingClientRect(), box = current.getBoundingClientRect();
        if (box.top < frame.top) list.scrollTop -= frame.top - box.top;
        if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom;
      } else {
        list.scrollTop = 0;
      }
      if (graph) {
        const box = graph.viewBox.baseVal, x = ply * box.width / last;
        cursor ??= graph.appendChild(element("path", { class: "cursor" }));
        cursor.setAttribute("d", `M${x} 0V${box.height}`);
      }
    }

    const game = {
      section,
      go(where) {
        active = game;
        if (where === "first") show(0, 0);
        else if (where === "last") show(last, 0);
        else if (where === "flip") { flipped = !flipped; draw(); }
        else if (where === "on" && step) show(ply, Math.min(step + 1, data.lines[ply].length));
        else if (where === "on") show(ply + 1, 0);
        else if (step > 1) show(ply, step - 1);
        else show(ply - 1, 0);
      },
    };

    section.addEventListener("click", (event) => {
      const pressed = event.target.closest("button");
      if (!pressed) return;
      active = game;
      if (pressed.dataset.go) return game.go(pressed.dataset.go);
      const [toPly, toStep] = pressed.dataset.at.split(".").map(Number);
      show(toPly, toStep || 0);
    });
    graph?.addEventListener("click", (event) => {
      const box = graph.getBoundingClientRect();
      active = game;
      show(Math.round((event.clientX - box.left) / box.width * last), 0);
    });
    let touched = null;
    board.addEventListener("touchstart", (event) => {
      touched = event.touches.length === 1 ? event.touches[0] : null;
    }, { passive: true });
    board.addEventListener("touchend", (event) => {
      if (!touched) return;
      const end = event.changedTouches[0];
      const x = end.clientX - touched.clientX, y = end.clientY - touched.clientY;
      touched = null;
      if (Math.abs(x) > 30 && Math.abs(x) > 2 * Math.abs(y)) game.go(x < 0 ? "on" : "back");
    }, { passive: true });

    section.querySelector(".buttons").hidden = !last;
    // Only this: asking for sizes would lay out a large page again for each of its games.
    draw();
    return game;
  }

  const inView = ({ section }) => {
    const box = section.getBoundingClientRect();
    return box.bottom > 80 && box.top < innerHeight - 80;
  };

  const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const where = KEYS[event.key];
    if (!where || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const game = active && inView(active) ? active : games.find(inView);
    if (!game) return;
    event.preventDefault();
    game.go(where);
  });

  for (const section of document.querySelectorAll("section.game")) games.push(begin(section));
})();
