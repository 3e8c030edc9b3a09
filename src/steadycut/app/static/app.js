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

  /* Either a rule of the list, or a file. */
  const file = find("rule");
  const mine = find("rule-of-mine");
  if (file && mine) {
    file.addEventListener("change", () => (mine.checked = mine.checked || file.files.length > 0));
    for (const one of document.querySelectorAll("input[name=study]")) {
      one.addEventListener("change", () => one.value && (file.value = ""));
    }
  }

  /* Where the values of a column were seen, they are picked from a list instead of typed. */
  function valuesOf(select) {
    return JSON.parse(select.selectedOptions[0]?.dataset.values || "[]");
  }

  function made(tag, content, ...inside) {
    const element = Object.assign(document.createElement(tag), content);
    element.append(...inside);
    return element;
  }

  function pickOne(box, values) {
    const nothing = made("option", { value: "", textContent: "labels are 0 and 1" });
    const options = values.map((value) => made("option", { value, textContent: value }));
    const list = made("select", {}, nothing, ...options);
    list.value = values.includes(box.value) ? box.value : "";
    list.addEventListener("change", () => (box.value = list.value));
    return list;
  }

  function pickSome(box, values) {
    const picked = new Set(box.value.split(",").map((name) => name.trim()));
    const ticks = values.map((value) =>
      made("input", { type: "checkbox", value, checked: picked.has(value) })
    );
    const collect = () => {
      box.value = ticks.filter((tick) => tick.checked).map((tick) => tick.value).join(",");
    };
    for (const tick of ticks) tick.addEventListener("change", collect);
    collect();
    const labels = ticks.map((tick) => made("label", {}, tick, ` ${tick.value}`));
    return made("div", { className: "ticks", role: "group" }, ...labels);
  }

  function offer(role, name, make) {
    const select = find(role);
    const box = find(name);
    if (!select || !box) return;
    const title = box.closest(".field").querySelector("label");
    let list = null;
    const show = () => {
      const values = valuesOf(select);
      list?.remove();
      box.hidden = values.length > 0;
      title.htmlFor = box.hidden ? `${name}-list` : name;
      if (!box.hidden) return;
      list = make(box, values);
      list.id = `${name}-list`;
      list.setAttribute("aria-label", title.textContent);
      box.after(list);
    };
    select.addEventListener("change", show);
    show();
  }
  offer("label", "positive", pickOne);
  offer("site", "internal", pickSome);
  offer("site", "external", pickSome);

  /* The field that an error names is opened, has the focus, and says what is wrong. */
  const name = document.querySelector("form[data-named]")?.dataset.named;
  const named = name && (find(name) || document.getElementsByName(name)[0]);
  if (named) {
    named.closest("details")?.setAttribute("open", "");
    const field = named.closest(".field, fieldset");
    const seen = named.hidden ? field.querySelector("select, .ticks input") || named : named;
    const text = document.querySelector("#problem p:last-child").textContent;
    field.append(made("p", { className: "problem", id: "named-problem", textContent: text }));
    seen.setAttribute("aria-invalid", "true");
    seen.setAttribute("aria-describedby", `${name}-hint named-problem`);
    seen.focus();
  }

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
