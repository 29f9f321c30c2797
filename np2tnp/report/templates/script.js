// Everything is there without this script; it adds folding, a filter, and unfolds what a link points at.
"use strict";
const files = [...document.querySelectorAll("details.file")];
const setAll = (open) => files.forEach((file) => { if (!file.hidden) file.open = open; });

function filter(words) {
  const wanted = words.trim().toLowerCase();
  for (const file of files) {
    const whole = file.querySelector(".path").textContent.toLowerCase().includes(wanted);
    let left = whole;
    for (const finding of file.querySelectorAll(".finding")) {
      finding.hidden = !whole && !finding.textContent.toLowerCase().includes(wanted);
      left = left || !finding.hidden;
    }
    file.hidden = !left;
  }
}

function unfoldTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
}

if (document.getElementById("filter")) {
  let waiting;
  document.getElementById("filter").addEventListener("input", (event) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => filter(event.target.value), 150);
  });
  document.getElementById("unfold").addEventListener("click", () => setAll(true));
  document.getElementById("fold").addEventListener("click", () => setAll(false));
}
addEventListener("hashchange", unfoldTarget);
addEventListener("beforeprint", () => setAll(true));
unfoldTarget();
document.documentElement.classList.add("has-script");
