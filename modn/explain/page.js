/* Connects the inputs to the circuit's function, and the parts of the page to what it returns. */

const form = document.querySelector("form");
const inputs = [...form.querySelectorAll("[data-feature]")];

/* An empty input is a missing value; a category that the circuit does not know is any text that is none of its. */
function valueOf(input) {
  if (input.value === "") return null;
  const known = categories[input.dataset.feature];
  if (known === null) return Number(input.value);
  return input.value === "other" ? `not ${known.join()}` : known[Number(input.value)];
}

function lightUp(part, states) {
  document.querySelectorAll(`[data-part="${part}"]`).forEach((element) => {
    element.classList.toggle("on", states[Number(element.dataset.index)] === true);
  });
}

function update() {
  const sample = neuron.features.map(() => null);
  inputs.forEach((input) => { sample[Number(input.dataset.feature)] = valueOf(input); });
  const found = neuron(sample);
  const best = neuron.labels.indexOf(found.label);
  document.querySelector("#decision").value = String(found.label);
  lightUp("condition", singly(sample).dendrites);
  lightUp("dendrite", found.dendrites);
  lightUp("class", found.scores.map((score, c) => c === best));
  document.querySelectorAll(".score").forEach((text, c) => { text.textContent = found.scores[c]; });
}

/* A slider and the number beside it follow each other. */
form.querySelectorAll('[type="range"]').forEach((slider) => {
  const number = slider.nextElementSibling;
  slider.addEventListener("input", () => { number.value = slider.value; });
  number.addEventListener("input", () => { if (number.value !== "") slider.value = number.value; });
});
form.addEventListener("input", update);
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
update();
