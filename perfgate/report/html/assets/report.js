"use strict";
// Drives the page: opens views, lets people walk, search and drill down. Every foreign text is set by
// `textContent`; what a view may ask for is described in perfgate/report/html/view.py.
(() => {
  const $ = (id) => document.getElementById(id);
  const page = JSON.parse($("page").textContent);
  const views = new Map(page.views.map((facts) => [facts.name, { facts, row: -1, built: null }]));
  const state = { view: null, operator: -1, found: [], place: -1 };
  const MOST_LABELS = 300;
  const MOST_MARKS = 500;

  async function unpack(id) {
    const bytes = Uint8Array.from(atob($(id).textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  function element(parent, tag, text, attributes = {}) {
    const made = document.createElement(tag);
    if (text !== null) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    parent.append(made);
    return made;
  }

  // ---- opening a view -------------------------------------------------------------------------------------

  async function open(name) {
    const view = views.get(name) ?? views.values().next().value;
    state.view = view;
    for (const [other] of views) {
      const isOpen = other === view.facts.name;
      $(`panel-${other}`).hidden = !isOpen;
      $(`tab-${other}`).setAttribute("aria-selected", String(isOpen));
      $(`tab-${other}`).tabIndex = isOpen ? 0 : -1;
    }
    view.built ??= build(view);
    await view.built;
    if (state.operator >= 0) selectOperator(view, state.operator);
    search();
    refresh(view);
  }

  async function build(view) {
    const panel = $(`panel-${view.facts.name}`);
    Object.assign(view, {
      panel,
      drawing: panel.querySelector(".drawing"),
      tables: panel.querySelector(".tables"),
    });
    const { document: content, walk, actions } = await unpack(`view-${view.facts.name}`);
    Object.assign(view, { walk, actions });
    view.content = await unpack(`table-${view.facts.name}`);
    walk.label ??= view.content[0].rows.map((cells) => told(view.content[0].header, cells));
    walk.name ??= view.content[0].rows.map((cells) => cells[0]);
    const root = content.roots[0].id;
    const made = await Bokeh.embed.embed_item({ doc: content, root_id: root }, view.drawing);
    view.document = made.roots[0].model.document;
    view.main = model(view, "main");
    view.home = view.main && { start: view.main.x_range.start, end: view.main.x_range.end };
    watch(view);
    bar(view);
    view.drawing.addEventListener("keydown", (event) => walkKey(view, event));
    view.drawing.addEventListener("mousemove", moveTip);
    view.drawing.addEventListener("mouseleave", () => ($("tip").hidden = true));
  }

  function told(header, cells) {
    return cells.map((text, column) => (column ? `${header[column]} ${text}` : text)).join("   ");
  }

  function model(view, name) {
    return view.document.get_model_by_name(name);
  }

  function watch(view) {
    for (const found of view.document._all_models.values()) {
      if (found.type === "ColumnDataSource" && found.data.row !== undefined) watchSource(view, found);
    }
    if (!view.main) return;
    view.details = view.main.renderers.filter((item) => item.tags.some((tag) => tag.detail));
    view.scaled = [...view.document._all_models.values()].filter(
      (item) => item.type === "Range1d" && item.tags.some((tag) => tag.scale),
    );
    let isWaiting = false;
    view.main.x_range.change.connect(() => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => { isWaiting = false; refresh(view); });
    });
    if (view.facts.brushes) {
      view.main.on_event("selectiongeometry", (event) => brush(view, event));
    }
  }

  function watchSource(view, source) {
    source.selected.properties.indices.change.connect(() => {
      const index = source.selected.indices[0];
      if (index === undefined) return;
      source.selected.indices = [];
      const row = source.data.row[index];
      if (row >= 0) choose(view, row);
    });
    source.inspect.connect(() => {
      const index = source.inspected.indices[0];
      const text = index === undefined ? "" : source.data.tip?.[index] ?? view.walk.label[source.data.row[index]] ?? "";
      $("tip").textContent = text;
      $("tip").hidden = text === "";
    });
  }

  function moveTip(event) {
    const tip = $("tip");
    const isRight = event.clientX > innerWidth / 2;
    tip.style.left = isRight ? "auto" : `${event.clientX + 14}px`;
    tip.style.right = isRight ? `${innerWidth - event.clientX + 14}px` : "auto";
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  }

  // ---- buttons --------------------------------------------------------------------------------------------

  function bar(view) {
    const target = view.panel.querySelector(".bar");
    for (const choice of view.facts.choices) {
      const group = element(target, "span", null, { role: "group", "aria-label": choice.label });
      choice.options.forEach((option, number) => {
        const button = element(group, "button", option.label, { "aria-pressed": String(number === 0) });
        button.addEventListener("click", () => {
          for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
          put(view, option);
        });
      });
    }
    for (const option of view.facts.buttons) {
      element(target, "button", option.label).addEventListener("click", () => put(view, option));
    }
    if (view.main) element(target, "button", "whole").addEventListener("click", () => zoom(view, view.home));
    const label = "as a table";
    const button = element(target, "button", label, { class: "table", "aria-pressed": "false" });
    button.addEventListener("click", () => showTables(view, button));
  }

  function put(view, option) {
    for (const { model: name, path, value } of option.settings) {
      const words = path.split(".");
      const last = words.pop();
      let target = name === "walk" ? view.walk : model(view, name);
      for (const word of words) target = target[word];
      target[last] = value;
    }
    refresh(view);
    mark(view);
  }

  // ---- tables ---------------------------------------------------------------------------------------------

  function showTables(view, button) {
    const isShown = view.tables.hidden;
    button.setAttribute("aria-pressed", String(isShown));
    view.tables.hidden = !isShown;
    view.drawing.hidden = isShown;
    view.lists ??= view.content.map((list) => table(view, list));
    search();
    if (!isShown) refresh(view);
  }

  function table(view, list) {
    const made = element(view.tables, "table", null);
    element(made, "caption", list.caption);
    const head = element(element(made, "thead", null), "tr", null);
    const body = element(made, "tbody", null);
    const lines = list.rows.map((cells, number) => {
      const line = element(body, "tr", null);
      cells.forEach((text, column) => {
        if (column === 0) element(line, "th", text, { scope: "row" });
        else element(line, "td", text);
      });
      return { line, number, text: cells.join(" ").toLowerCase(), cells: list.keys[number] ?? cells };
    });
    list.header.forEach((text, column) => {
      const cell = element(head, "th", null, { scope: "col", "aria-sort": "none" });
      element(cell, "button", text).addEventListener("click", () => sort(head, body, lines, column));
    });
    lines.forEach(({ line, number }) => line.addEventListener("click", () => {
      if (list.operators[number] >= 0) selectOperator(view, list.operators[number]);
    }));
    return { lines, operators: list.operators };
  }

  function sort(head, body, lines, column) {
    const cell = head.children[column];
    const isDown = cell.getAttribute("aria-sort") !== "descending";
    for (const other of head.children) other.setAttribute("aria-sort", "none");
    cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const sign = isDown ? -1 : 1;
    const order = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
    lines.sort((a, b) => sign * order(a.cells[column], b.cells[column]) || a.number - b.number);
    body.append(...lines.map(({ line }) => line));
  }

  // ---- choosing, walking, drilling down -------------------------------------------------------------------

  function choose(view, row) {
    select(view, row);
    const { act, copy } = view.walk;
    if (act?.[row] >= 0) put(view, view.actions[act[row]]);
    if (copy?.[row]) navigator.clipboard?.writeText(copy[row]).catch(() => {});
    if (view.walk.parent) zoomTo(view, row);
  }

  function select(view, row) {
    view.row = row;
    state.operator = view.walk.op[row] ?? -1;
    $("selected").textContent = `selected: ${view.walk.label[row]}`;
    breadcrumb(view, row);
    mark(view);
  }

  function selectOperator(view, operator) {
    state.operator = operator;
    const row = view.walk.op.indexOf(operator);
    if (row >= 0) select(view, row);
    for (const list of view.lists ?? []) {
      list.lines.forEach(({ line, number }) => {
        line.classList.toggle("chosen", list.operators[number] === operator);
      });
    }
  }

  function breadcrumb(view, row) {
    const target = view.panel.querySelector(".path");
    target.replaceChildren();
    if (!view.walk.parent) return;
    const path = [];
    for (let place = row; place >= 0; place = view.walk.parent[place]) path.unshift(place);
    for (const place of path) {
      element(target, "button", view.walk.name[place]).addEventListener("click", () => choose(view, place));
    }
  }

  function mark(view) {
    const source = model(view, "cursor");
    if (!source || !view.walk.x0) return;
    const rows = [...new Set([view.row, ...state.found.slice(0, MOST_MARKS)])].filter((row) => row >= 0);
    const column = (name) => rows.map((row) => view.walk[name][row]);
    source.data = {
      x0: column("x0"), x1: column("x1"), y0: column("y0"), y1: column("y1"),
      colour: rows.map((row) => (row === view.row ? "#e00000" : "#a000c8")),
    };
  }

  function zoom(view, { start, end }) {
    view.main.x_range.setv({ start, end });
  }

  function zoomTo(view, row) {
    const [x0, x1] = [view.walk.x0?.[row], view.walk.x1?.[row]];
    if (!view.main || !(x1 > x0)) return;
    const around = (x1 - x0) * (view.walk.around?.[row] ?? (view.walk.parent ? 0 : 2));
    zoom(view, { start: x0 - around, end: x1 + around });
  }

  function up(view) {
    const parent = view.walk.parent?.[view.row] ?? -1;
    if (parent >= 0) choose(view, parent);
    else if (view.main) zoom(view, view.home);
  }

  const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

  function walkKey(view, event) {
    const way = ARROWS[event.key];
    if (way) {
      const next = view.row < 0 ? 0 : view.walk[way]?.[view.row] ?? -1;
      if (next >= 0) select(view, next);
      if (next >= 0) follow(view, next);
    } else if (event.key === "Enter" && view.row >= 0) {
      choose(view, view.row);
      zoomTo(view, view.row);
    } else if (event.key === "Escape") up(view);
    else return;
    event.preventDefault();
  }

  function follow(view, row) {
    if (!view.main || !view.walk.x0) return;
    const { start, end } = view.main.x_range;
    const middle = (view.walk.x0[row] + view.walk.x1[row]) / 2;
    if (middle < start || middle > end) {
      const half = (end - start) / 2;
      zoom(view, { start: middle - half, end: middle + half });
    }
  }

  function brush(view, event) {
    const { x0, x1 } = event.geometry;
    if (!event.final || x0 === undefined || !(x1 > x0)) return;
    location.hash = `#${view.facts.brushes}`;
    open(view.facts.brushes).then(() => zoom(state.view, { start: x0, end: x1 }));
  }

  // ---- what depends on the zoom ---------------------------------------------------------------------------

  function refresh(view) {
    if (!view.main || view.drawing.hidden) return;
    const { start, end } = view.main.x_range;
    const unit = (end - start) / Math.max(view.main.inner_width, 1);
    for (const renderer of view.details) {
      const [least, most] = renderer.tags.find((tag) => tag.detail).detail;
      renderer.visible = unit >= least && (most === null || unit < most);
    }
    for (const range of view.scaled) {
      const { scale } = range.tags.find((tag) => tag.scale);
      range.setv({ start: start * scale, end: end * scale });
    }
    label(view, start, end, unit);
  }

  function label(view, start, end, unit) {
    const source = model(view, "labels");
    if (!source) return;
    const { x0, x1, y0, y1, inside = view.walk.name } = view.walk;
    const columns = { x: [], y: [], text: [] };
    for (let row = 0; row < x0.length && columns.x.length < MOST_LABELS; row += 1) {
      const [left, right] = [Math.max(x0[row], start), Math.min(x1[row], end)];
      const signs = Math.floor((right - left) / unit / 7) - 1;
      const text = inside[row];
      if (signs < 3 || text === "") continue;
      columns.x.push(left);
      columns.y.push((y0[row] + y1[row]) / 2);
      columns.text.push(text.length > signs ? `${text.slice(0, signs - 1)}…` : text);
    }
    source.data = columns;
  }

  // ---- search and addresses -------------------------------------------------------------------------------

  function search() {
    const view = state.view;
    const wanted = $("search").value.trim().toLowerCase();
    state.found = [];
    if (wanted) {
      view.walk.label.forEach((text, row) => { if (text.toLowerCase().includes(wanted)) state.found.push(row); });
    }
    $("found").textContent = wanted ? `${state.found.length} of ${view.walk.label.length}` : "";
    for (const list of view.lists ?? []) {
      for (const { line, text } of list.lines) line.hidden = wanted !== "" && !text.includes(wanted);
    }
    mark(view);
  }

  $("search").addEventListener("input", () => { state.place = -1; search(); });
  $("search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.target.value = ""; search(); }
    if (event.key !== "Enter" || state.found.length === 0) return;
    state.place = (state.place + 1) % state.found.length;
    select(state.view, state.found[state.place]);
    follow(state.view, state.found[state.place]);
  });

  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const names = [...views.keys()];
    const next = names[(names.indexOf(state.view.facts.name) + step + names.length) % names.length];
    $(`tab-${next}`).focus();
    location.hash = `#${next}`;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target.id !== "search") {
      event.preventDefault();
      $("search").focus();
    }
  });

  async function goTo() {
    const [name, operator] = location.hash.slice(1).split("/");
    if (operator !== undefined && /^\d+$/.test(operator)) state.operator = Number(operator);
    await open(name);
    performance.mark("drawn");
    document.documentElement.dataset.ready = state.view.facts.name;
  }

  addEventListener("hashchange", goTo);
  addEventListener("resize", () => refresh(state.view));
  goTo();
})();
