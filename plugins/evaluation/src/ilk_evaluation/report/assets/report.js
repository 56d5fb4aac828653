"use strict";
(() => {
  const root = document.documentElement;
  const remembered = () => { try { return localStorage.getItem("ilk-theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("ilk-theme", theme); } catch { /* as it is */ } };
  const theme = remembered();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;

  const make = (tag, attributes = {}, ...content) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  };

  // Light and dark
  const isDark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const SUN = "M12 4V2M12 22v-2M4 12H2M22 12h-2M6.3 6.3 4.9 4.9M19.1 19.1l-1.4-1.4M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0";
  const MOON = "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z";
  const addTheme = () => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    icon.setAttribute("viewBox", "0 0 24 24");
    icon.setAttribute("aria-hidden", "true");
    icon.append(path);
    const button = make("button", { type: "button", class: "theme" }, icon);
    const say = () => {
      const next = isDark() ? "light" : "dark";
      button.setAttribute("aria-label", `Show in ${next} colours`);
      button.title = button.getAttribute("aria-label");
      path.setAttribute("d", isDark() ? SUN : MOON);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      say();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
    say();
    document.querySelector("header").append(button);
  };

  // Sorting: a heading is a button; up, down, then the order of the page again
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (!cell) return null;
    if (cell.dataset.v === undefined) return cell.textContent.trim();
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
  const sort = (table, column, direction, rows) => {
    const sign = direction === "descending" ? -1 : 1;
    const keyed = rows.map((row, at) => ({ row, at, value: direction ? valueOf(row, column) : at }));
    const gone = (value) => value === null || Number.isNaN(value);
    keyed.sort((a, b) => gone(a.value) - gone(b.value)
      || (gone(a.value) ? 0 : sign * compare(a.value, b.value)) || a.at - b.at);
    table.tBodies[0].append(...keyed.map(({ row }) => row));
  };
  const makeSortable = (table) => {
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    const next = { none: "ascending", ascending: "descending", descending: null };
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const direction = next[head.getAttribute("aria-sort") || "none"];
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (direction) head.setAttribute("aria-sort", direction);
        sort(table, column, direction, rows);
      });
    });
  };

  // Filtering: by a text anywhere in a row, and by the values of some columns
  const labelled = (name, control) => make("label", {}, name, control);
  const selectOf = (values, all) => {
    const options = values.map((value) => make("option", { value }, value));
    return make("select", {}, ...(all ? [make("option", { value: "" }, all)] : []), ...options);
  };
  const makeFilterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    const text = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    const told = make("p", { role: "status" });
    const columns = table.dataset.filters.split("|").filter(Boolean).map((part) => {
      const at = Number(part.split(":")[0]);
      const values = [...new Set(rows.map((row) => row.cells[at].textContent))];
      return { at, name: part.slice(part.indexOf(":") + 1), select: selectOf(values, "all") };
    }).filter(({ select }) => select.options.length > 2);
    const filter = () => {
      const wanted = text.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const fits = (!wanted || row.textContent.toLowerCase().includes(wanted))
          && columns.every(({ at, select }) => !select.value || row.cells[at].textContent === select.value);
        row.hidden = !fits;
        shown += fits;
      }
      told.textContent = shown === rows.length ? `${rows.length} rows` : `${shown} of ${rows.length} rows`;
    };
    text.addEventListener("input", filter);
    columns.forEach(({ select }) => select.addEventListener("change", filter));
    const tools = make("div", { class: "tools", role: "group", "aria-label": `Filter: ${table.caption.textContent}` },
      labelled("Filter", text), ...columns.map(({ name, select }) => labelled(name, select)), told);
    table.closest(".scroll").before(tools);
    filter();
  };

  // One panel at a time, as chosen; what later choices offer depends on the first
  const makeChoice = (choice) => {
    const panels = [...choice.children];
    const names = choice.dataset.labels.split("|");
    const value = (panel, at) => panel.getAttribute(`data-choice-${at}`);
    const selects = names.map((_, at) => selectOf([...new Set(panels.map((panel) => value(panel, at)))]));
    const show = (changed) => {
      const first = selects[0].value;
      if (changed === 0 && selects[1]) {
        const kept = selects[1].value;
        const there = panels.filter((panel) => value(panel, 0) === first).map((panel) => value(panel, 1));
        selects[1].replaceChildren(...selectOf(there).options);
        selects[1].value = there.includes(kept) ? kept : there[0];
      }
      for (const panel of panels) panel.hidden = !selects.every((select, at) => select.value === value(panel, at));
    };
    selects.forEach((select, at) => select.addEventListener("change", () => show(at)));
    choice.before(make("div", { class: "tools" }, ...selects.map((select, at) => labelled(names[at], select))));
    show(0);
  };

  // What is wider than its place says so
  const tellWidth = (region) => {
    const tell = () => region.classList.toggle("wider", region.scrollWidth > region.clientWidth + 1);
    const observer = new ResizeObserver(tell);
    observer.observe(region);
    observer.observe(region.firstElementChild);
  };

  // What is folded away must be on paper, but for the numbers of figures that are there
  const onPaper = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open]):not(.data)")];
      opened.forEach((details) => { details.open = true; });
    });
    addEventListener("afterprint", () => { opened.forEach((details) => { details.open = false; }); });
  };
  // A link to something folded away opens it
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };

  addEventListener("DOMContentLoaded", () => {
    addTheme();
    document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
    document.querySelectorAll("table[data-filters]").forEach(makeFilterable);
    document.querySelectorAll(".choice").forEach(makeChoice);
    document.querySelectorAll(".scroll").forEach(tellWidth);
    onPaper();
    unfold();
    addEventListener("hashchange", unfold);
  });
})();
