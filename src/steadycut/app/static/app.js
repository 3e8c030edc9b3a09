"use strict";
(() => {
  const find = (name) => document.getElementById(name);

  /* Files that are too large are refused before they are sent. */
  for (const form of document.querySelectorAll("form[data-limit]")) {
    const said = form.querySelector(".problem");
    form.addEventListener("submit", (event) => {
      const files = [...form.querySelectorAll("input[type=file]")].flatMap((one) => [...one.files]);
      const size = files.reduce((sum, file) => sum + file.size, 0);
      said.hidden = size <= Number(form.dataset.limit);
      said.textContent = form.dataset.refusal;
      if (!said.hidden) event.preventDefault();
    });
  }

  /* What was seen in a column, beside the field that asks for one of its values. */
  function tellValues(role, name) {
    const select = find(role);
    const hint = find(`${name}-hint`);
    if (!select || !hint) return;
    const own = hint.textContent;
    const tell = () => {
      const values = select.selectedOptions[0]?.dataset.values;
      hint.textContent = own + (values ? ` Seen: ${values}.` : "");
    };
    select.addEventListener("change", tell);
    tell();
  }
  tellValues("label", "positive");
  tellValues("site", "internal");
  tellValues("site", "external");

  /* How far the work is. */
  const running = find("running");
  async function look() {
    const answer = await fetch(running.dataset.status);
    const status = answer.ok ? await answer.json() : { state: "gone" };
    if (status.state !== "running") {
      location.reload();
      return;
    }
    if (find("step").textContent !== status.text) find("step").textContent = status.text;
    if (status.total) Object.assign(find("bar"), { max: status.total, value: status.done });
    else find("bar").removeAttribute("value");
    setTimeout(look, 500);
  }
  if (running) setTimeout(look, 500);
})();
