"use strict";
/* Sortable tables, and figures that open in full size. The page is complete without this script. */

const EMPTY = /^(|-|–|—|n\/a|nan)$/i;
const NUMBER = /^[<>≤≥≈~]?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/i;

/* The number at the start of a cell, such as "0.94 (0.95)" or "+0.01"; NaN for text. */
function leadingNumber(text) {
  const found = NUMBER.exec(text.replace("\u2212", "-").replace(/(\d),(?=\d{3}\b)/g, "$1"));
  return found ? Number(found[1]) : NaN;
}

/* Rows in the order of one column; empty cells come last in both directions. */
function ordered(rows, column, direction) {
  const texts = new Map(rows.map((row) => [row, row.cells[column].textContent.trim()]));
  const filled = rows.filter((row) => !EMPTY.test(texts.get(row)));
  const empty = rows.filter((row) => EMPTY.test(texts.get(row)));
  const numbers = new Map(filled.map((row) => [row, leadingNumber(texts.get(row))]));
  const numeric = filled.every((row) => !Number.isNaN(numbers.get(row)));
  const compare = numeric
    ? (a, b) => numbers.get(a) - numbers.get(b)
    : (a, b) => texts.get(a).localeCompare(texts.get(b), "en", { numeric: true });
  return [...filled.sort((a, b) => direction * compare(a, b)), ...empty];
}

/* Clicks on a header sort upwards, then downwards, then restore the original order. */
function makeSortable(table) {
  const body = table.tBodies[0];
  if (!body) return;
  const asWritten = [...body.rows];
  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      const state = next[header.getAttribute("aria-sort")];
      headers.forEach((other) => other.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", state);
      const rows = state === "none" ? asWritten : ordered(asWritten, column, state === "ascending" ? 1 : -1);
      body.append(...rows);
    });
  });
}

/* The browser's modal dialog: Esc closes it, and the focus returns to the figure. */
function makeZoomable(images) {
  const dialog = document.createElement("dialog");
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  const full = document.createElement("img");
  dialog.append(close, full);
  dialog.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  images.forEach((image) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "zoom";
    button.title = "Show in full size";
    image.replaceWith(button);
    button.append(image);
    button.addEventListener("click", () => {
      full.src = image.src;
      full.alt = image.alt;
      dialog.setAttribute("aria-label", image.alt);
      dialog.showModal();
      dialog.scrollTo(0, 0);
    });
  });
}

document.querySelectorAll("table").forEach(makeSortable);
makeZoomable(document.querySelectorAll("figure img"));
