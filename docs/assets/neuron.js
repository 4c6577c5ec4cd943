// The interactive neuron of the page on the model. Its parameters are in the page, as JSON: see website/neuron.py.
(() => {
  "use strict";

  const place = document.querySelector("#neuron");
  if (!place) return;
  const data = JSON.parse(document.querySelector("#neuron-data").textContent);
  const D = data.features.length, M = data.P.length, C = data.classes.length;
  const inputs = data.examples[0].slice();

  // The equations of the paper, for one sample.

  const sigmoid = (a) => 1 / (1 + Math.exp(-a));
  const scaled = (i, value) => (value - data.low[i]) / (data.high[i] - data.low[i]);
  const synapse = (i, j, x) => sigmoid(data.alpha_s * (data.w_s[i][j] * x - data.theta_s[i][j])); // Eq. 1

  function layers() {
    const x = inputs.map((value, i) => scaled(i, value));
    const Y = x.map((value, i) => data.P.map((_, j) => synapse(i, j, value)));
    const Z = data.P.map((_, j) => Y.reduce((product, row) => product * row[j], 1)); // Eq. 2
    const V = data.classes.map((_, c) => Z.reduce((sum, z, j) => sum + (data.P[j][c] ? z : 0), 0)); // Eq. 5
    const R = V.map((v, c) => Math.tanh(data.alpha_t * (data.w_t[c] * v - data.theta_t[c]))); // Eq. 8
    const exponentials = R.map(Math.exp);
    const total = exponentials.reduce((a, b) => a + b);
    return { Y, Z, V, R, O: exponentials.map((e) => e / total) }; // Eq. 9
  }

  // The drawing: a column for each dendrite, a row for each feature, then the dendrites, then a row for each class.

  const LABEL = 128, COLUMN = 82, ROW = 64, PLOT = 66, DEEP = 42, BAR = 46, OUT = 40, RIGHT = 250;
  const synapses = 30, dendrites = synapses + D * ROW + 12, soma = dendrites + BAR + 46;
  const right = LABEL + M * COLUMN + 16, width = right + RIGHT, height = soma + C * OUT + 6;
  const column = (j) => LABEL + j * COLUMN + COLUMN / 2;

  function make(name, attributes, parent, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  }

  function curve(i, j) {
    const points = [];
    for (let k = 0; k <= 40; k += 1) {
      points.push(`${(k / 40) * PLOT},${(1 - synapse(i, j, k / 40)) * DEEP}`);
    }
    return points.join(" ");
  }

  const svg = make("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `A neuron of ${D} features, ${M} dendrites and ${C} outputs; the values follow the sliders`,
  }, document.createElement("div"));
  const parts = { Y: [], Z: [], V: [], R: [], O: [] };
  const value = (layer, x, y, attributes = {}) => {
    const text = make("text", { class: "value", x, y, ...attributes }, svg, "");
    parts[layer].push({ text });
    return parts[layer].at(-1);
  };

  for (let j = 0; j < M; j += 1) {
    make("text", { class: "head", x: column(j), y: 16 }, svg, `dendrite ${j + 1}`);
    make("line", { class: "dendrite", x1: column(j), x2: column(j), y1: synapses, y2: soma + C * OUT - OUT / 2 }, svg);
  }
  for (let i = 0; i < D; i += 1) {
    const top = synapses + i * ROW;
    make("text", { class: "name", x: 0, y: top + 20 }, svg, data.features[i].replace(" (cm)", ""));
    parts[`x${i}`] = make("text", { class: "small", x: 0, y: top + 36 }, svg, "");
    for (let j = 0; j < M; j += 1) {
      const group = make("g", { transform: `translate(${column(j) - PLOT / 2} ${top})` }, svg);
      make("rect", { class: "plot", width: PLOT, height: DEEP, rx: 3 }, group);
      make("polyline", { class: "curve", points: curve(i, j) }, group);
      const stem = make("line", { class: "stem", y2: DEEP }, group);
      const dot = make("circle", { class: "dot", r: 3.5 }, group);
      const text = make("text", { class: "value", x: PLOT / 2, y: DEEP + 12 }, group, "");
      parts.Y.push({ text, dot, stem });
    }
  }
  make("text", { class: "name", x: 0, y: dendrites + 20 }, svg, "dendrites");
  make("text", { class: "small", x: 0, y: dendrites + 36 }, svg, "products");
  for (let j = 0; j < M; j += 1) {
    make("rect", { class: "plot", x: column(j) - 12, y: dendrites, width: 24, height: BAR, rx: 3 }, svg);
    const bar = make("rect", { class: "bar", x: column(j) - 12, width: 24, rx: 3 }, svg);
    Object.assign(value("Z", column(j), dendrites + BAR + 15, { "text-anchor": "middle" }), { bar });
  }
  make("text", { class: "head", x: right + 20, y: soma - 18 }, svg, "sum V");
  make("text", { class: "head", x: right + 70, y: soma - 18 }, svg, "tanh R");
  make("text", { class: "head", x: right + 172, y: soma - 18 }, svg, "output O");
  make("text", { class: "small", x: 0, y: soma - 18 }, svg, "filter P joins");
  for (let c = 0; c < C; c += 1) {
    const y = soma + c * OUT + OUT / 2 - 8;
    make("text", { class: "name", x: 0, y: y + 4 }, svg, data.classes[c]);
    make("line", { class: "axon", x1: LABEL, x2: right - 8, y1: y, y2: y }, svg);
    for (let j = 0; j < M; j += 1) {
      const joined = make("circle", { class: data.P[j][c] ? "joined" : "open", cx: column(j), cy: y, r: 3 }, svg);
      if (data.P[j][c]) parts.Z[j].joined = [...(parts.Z[j].joined ?? []), joined];
    }
    value("V", right + 20, y + 4, { "text-anchor": "middle" });
    value("R", right + 70, y + 4, { "text-anchor": "middle" });
    make("rect", { class: "plot", x: right + 102, y: y - 9, width: 96, height: 18, rx: 3 }, svg);
    const bar = make("rect", { class: "bar", x: right + 102, y: y - 9, height: 18, rx: 3 }, svg);
    Object.assign(value("O", right + 204, y + 4), { bar });
  }

  // The controls.

  const controls = document.createElement("div");
  controls.className = "controls";
  const sliders = data.features.map((name, i) => {
    const label = document.createElement("label");
    const slider = Object.assign(document.createElement("input"), {
      type: "range", min: data.low[i], max: data.high[i], step: 0.1, value: inputs[i],
    });
    const number = document.createElement("output");
    label.append(name, slider, number);
    controls.append(label);
    slider.addEventListener("input", () => {
      inputs[i] = Number(slider.value);
      show();
    });
    return { slider, number };
  });
  const examples = document.createElement("p");
  examples.append("A typical ");
  data.classes.forEach((name, c) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    button.addEventListener("click", () => {
      data.examples[c].forEach((number, i) => {
        inputs[i] = number;
        sliders[i].slider.value = number;
      });
      show();
    });
    examples.append(button, " ");
  });
  const decision = document.createElement("p");
  decision.setAttribute("aria-live", "polite");
  const drawing = document.createElement("div");
  drawing.className = "drawing";
  drawing.tabIndex = 0;
  drawing.append(svg);
  place.append(examples, controls, drawing, decision);

  function write(part, number, text) {
    part.text.textContent = text;
    part.text.dataset.value = number;
  }

  function show() {
    const { Y, Z, V, R, O } = layers();
    inputs.forEach((number, i) => {
      const x = scaled(i, number);
      sliders[i].number.value = number.toFixed(1);
      parts[`x${i}`].textContent = `${number.toFixed(1)} cm: x = ${x.toFixed(2)}`;
      for (let j = 0; j < M; j += 1) {
        const part = parts.Y[i * M + j];
        part.stem.setAttribute("x1", x * PLOT);
        part.stem.setAttribute("x2", x * PLOT);
        part.dot.setAttribute("cx", x * PLOT);
        part.dot.setAttribute("cy", (1 - Y[i][j]) * DEEP);
        write(part, Y[i][j], Y[i][j].toFixed(2));
      }
    });
    Z.forEach((z, j) => {
      const part = parts.Z[j];
      part.bar.setAttribute("height", BAR * z);
      part.bar.setAttribute("y", dendrites + BAR * (1 - z));
      for (const dot of part.joined ?? []) dot.setAttribute("r", 3 + 7 * z);
      write(part, z, z.toFixed(2));
    });
    V.forEach((v, c) => write(parts.V[c], v, v.toFixed(2)));
    R.forEach((r, c) => write(parts.R[c], r, r.toFixed(2)));
    const best = O.indexOf(Math.max(...O));
    O.forEach((o, c) => {
      parts.O[c].bar.setAttribute("width", 96 * o);
      parts.O[c].bar.classList.toggle("best", c === best);
      write(parts.O[c], o, `${(100 * o).toFixed(0)} %`);
    });
    const shares = data.classes.map((name, c) => `${name} ${(100 * O[c]).toFixed(0)} %`);
    decision.textContent = `Outputs: ${shares.join(", ")}. The highest is that of ${data.classes[best]}.`;
  }

  // For tests: all values in full precision, in the order of the layers.
  place.read = () => Object.fromEntries(
    ["Y", "Z", "V", "R", "O"].map((layer) => [layer, parts[layer].map((part) => Number(part.text.dataset.value))]),
  );
  show();
})();
