// Progress of a run as it happens. Everything else on these pages works without scripts.
"use strict";
(() => {
  const place = document.querySelector("[data-events]");
  if (!place) return;
  const find = (what) => place.querySelector(`[data-${what}]`);
  const words = (seconds) => {
    if (seconds < 55) return `about ${Math.max(5, 5 * Math.round(seconds / 5))} s left`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`;
  };
  const source = new EventSource(place.dataset.events);
  source.onmessage = (message) => {
    const told = JSON.parse(message.data);
    if (told.state === "running" && told.stage) {
      const of = place.querySelector(".stages") ? "" : ` (${told.number} of ${told.of})`;
      find("stage").textContent = told.stage[0].toUpperCase() + told.stage.slice(1) + of;
      find("share").value = told.share;
      find("left").textContent = told.left == null ? "" : words(told.left);
      for (const stage of place.querySelectorAll(".stages li")) {
        const number = Number(stage.dataset.number);
        stage.className = number < told.number ? "done" : number === told.number ? "now" : "";
      }
    }
  };
  source.addEventListener("end", () => {
    source.close();
    location.reload();
  });
})();
