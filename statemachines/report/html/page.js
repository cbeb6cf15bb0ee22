"use strict";
document.documentElement.classList.add("js");
for (const input of document.querySelectorAll("input[data-search]")) {
  const rows = [...document.getElementById(input.dataset.search).tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, place) => { row.hidden = !words.every((word) => texts[place].includes(word)); });
  });
}
