"use strict";
(() => {
  const find = (name) => document.getElementById(name);
  const textOf = (name) => find(name).textContent;

  /* Numbers, written exactly as steadycut writes them: rounded half up on their shortest form. */

  function digitsOf(value) {
    const [mantissa, exponent] = Math.abs(value).toExponential().split("e");
    return [mantissa.replace(".", ""), Number(exponent)];
  }

  function roundHalfUp(value, decimals) {
    const [digits, exponent] = digitsOf(value);
    const kept = exponent + 1 + decimals;
    const whole = kept > 0 ? BigInt(digits.slice(0, kept).padEnd(kept, "0")) : 0n;
    const next = kept >= 0 ? digits[kept] || "0" : "0";
    const text = String(whole + (next >= "5" ? 1n : 0n)).padStart(decimals + 1, "0");
    const sign = value < 0 ? "-" : "";
    const end = text.length - decimals;
    return sign + text.slice(0, end) + (decimals ? "." + text.slice(end) : "");
  }

  function significant(value, digits = 3) {
    if (Math.abs(value) < 1e-15) return "0";
    const exponent = digitsOf(value)[1];
    if (exponent < -4 || exponent > 12) {
      return value.toExponential(digits - 1).replace(/e([+-])(\d)$/, "e$10$2");
    }
    const rounded = Number(roundHalfUp(value, Math.max(digits - 1 - exponent, 0)));
    return roundHalfUp(rounded, Math.max(digits - 1 - digitsOf(rounded)[1], 0));
  }

  /* An upper limit is never written smaller than it is. */
  function atMost(value) {
    const near = Number(significant(value));
    if (near >= value * (1 - 1e-9)) return significant(near);
    return significant(near + 10 ** Math.min(digitsOf(near)[1] - 2, 0));
  }

  function percent(share) {
    if (share === null) return "not known";
    const thousandths = roundHalfUp(share, 3).replace(".", "").replace(/^0+(?=\d\d)/, "");
    const text = (thousandths.slice(0, -1) + "." + thousandths.slice(-1)).replace(/\.0$/, "");
    if (text === "0" && share > 1e-9) return "< 0.1 %";
    if (text === "100" && share < 1 - 1e-9) return "> 99.9 %";
    return text + " %";
  }

  function rate(share) {
    if (share === null) return "not known";
    if (share <= 1e-9 || share >= 1 - 1e-9) return share.toFixed(2);
    const short = roundHalfUp(share, 2);
    const text = short === "0.00" || short === "1.00" ? roundHalfUp(share, 3) : short;
    return { "0.000": "< 0.001", "1.000": "> 0.999" }[text] || text;
  }

  /* A cut-off that calls everybody or nobody is a text. */
  const isEnd = (value) => typeof value === "string";
  const cutText = (value) => (isEnd(value) ? value : significant(value, 4));

  /* Files: made in the page from what the page holds. */

  function save(name, text, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* As steadycut.safe_csv: a text that a spreadsheet would run gets an apostrophe in front. */
  function safeCell(cell) {
    const runs = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell);
    const plainNumber = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
    return runs && !plainNumber.test(cell) ? "'" + cell : cell;
  }

  function csvLine(cells) {
    const quoted = cells.map(safeCell).map((cell) =>
      /[",\r\n]/.test(cell) ? '"' + cell.replaceAll('"', '""') + '"' : cell
    );
    return quoted.join(",") + "\r\n";
  }

  function flattened(value, path = "") {
    if (value === null || typeof value !== "object") {
      return [[path, value === null ? "" : String(value)]];
    }
    const inner = (key) => (path ? path + "." : "") + key;
    return Object.keys(value).flatMap((key) => flattened(value[key], inner(key)));
  }

  function saveTable(table) {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
    const name = table.caption.textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    save(name.slice(0, 40).replace(/^-|-$/g, "") + ".csv", rows.map(csvLine).join(""), "text/csv");
  }

  function saveNumbers(file, name) {
    const rows = [["number", "value"], ...flattened(JSON.parse(textOf(file)))];
    save(name, rows.map(csvLine).join(""), "text/csv");
  }

  function copyText(element) {
    getSelection().selectAllChildren(element);
    document.execCommand("copy");
  }

  /* Sections are closed at first; a link to one opens it, and paper shows all of them. */

  const sections = [...document.querySelectorAll("main > section > details")];

  function openLinked() {
    const linked = location.hash && find(decodeURIComponent(location.hash.slice(1)));
    if (!linked) return;
    const section = linked.querySelector("details") || linked.closest("details");
    if (section) section.open = true;
    linked.scrollIntoView();
  }

  function openAll(button) {
    const open = button.getAttribute("aria-pressed") !== "true";
    for (const section of sections) section.open = open;
    button.setAttribute("aria-pressed", String(open));
  }

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = sections.filter((section) => !section.open);
    for (const section of closed) section.open = true;
  });
  addEventListener("afterprint", () => {
    for (const section of closed) section.open = false;
  });
  addEventListener("hashchange", openLinked);

  const actions = {
    all: openAll,
    theme() {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
      document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
    },
    print: () => window.print(),
    save: (button) => save(button.dataset.name, textOf(button.dataset.file), "application/json"),
    numbers: (button) => saveNumbers(button.dataset.file, button.dataset.name),
    table: (button) => saveTable(button.closest(".block").querySelector("table")),
    copy: (button) => copyText(find(button.dataset.text)),
  };
  for (const button of document.querySelectorAll("button[data-action]")) {
    button.addEventListener("click", () => actions[button.dataset.action](button));
  }

  /* The explorer: everything is computed from counts at a list of cut-offs. */

  const NICE_COSTS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100];

  function errorRates(data, at) {
    return [data.missed[at] / data.n_positive, data.alarms[at] / data.n_negative];
  }

  function mean(state, ofPositive, ofNegative) {
    return state.prevalence * ofPositive + (1 - state.prevalence) * ofNegative;
  }

  function cost(state, miss, alarm) {
    return state.costFn * state.prevalence * miss + state.costFp * (1 - state.prevalence) * alarm;
  }

  function limitAt(data, state, at) {
    return cost(state, data.miss_limit[at], data.alarm_limit[at]);
  }

  function numbersAt(data, state) {
    const at = state.cut;
    const [miss, alarm] = errorRates(data, at);
    const calls = mean(state, 1 - miss, alarm);
    const share = (part, whole) => (whole > 0 ? part / whole : null);
    const grey = [
      data.grey_positive[at] / data.n_positive,
      data.grey_negative[at] / data.n_negative,
    ];
    return {
      risk: cost(state, miss, alarm),
      limit: limitAt(data, state, at),
      trivial: Math.min(cost(state, 1, 0), cost(state, 0, 1)),
      sensitivity: (data.n_positive - data.missed[at]) / data.n_positive,
      specificity: (data.n_negative - data.alarms[at]) / data.n_negative,
      ppv: share(state.prevalence * (1 - miss), calls),
      npv: share((1 - state.prevalence) * (1 - alarm), mean(state, miss, 1 - alarm)),
      calls,
      grey: mean(state, ...grey),
    };
  }

  function inWords(state, rates) {
    const positive = Math.round(1000 * state.prevalence);
    const missed = Math.round(1000 * state.prevalence * rates[0]);
    const alarms = Math.round(1000 * (1 - state.prevalence) * rates[1]);
    const { ill, healthy } = document.getElementById("explored-words").dataset;
    return (
      `Of 1000 such patients ${positive} are ${ill}: ${positive - missed} of them are called, ` +
      `${missed} are missed. Of the ${1000 - positive} ${healthy} ${alarms} are called falsely.`
    );
  }

  function start(content) {
    const data = content.explorer;
    const home = {
      costFn: content.costs.cost_fn,
      costFp: content.costs.cost_fp,
      prevalence: data.prevalence,
      cut: data.frozen,
    };
    let state = { ...home };
    const costs = [...new Set([...NICE_COSTS, home.costFn, home.costFp])].sort((a, b) => a - b);
    const nearest = (values, wanted) =>
      values.reduce((best, value, i) =>
        Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? i : best, 0);
    const cutNumbers = data.thresholds.map((value) => (isEnd(value) ? Infinity : value));
    const isCost = (value) => value > 0 && value < 1e6;

    const controls = {
      "cost-fn": {
        last: costs.length - 1,
        place: () => nearest(costs, state.costFn),
        shown: () => state.costFn,
        slide: (place) => ({ costFn: costs[place] }),
        type: (value) => isCost(value) && { costFn: value },
      },
      "cost-fp": {
        last: costs.length - 1,
        place: () => nearest(costs, state.costFp),
        shown: () => state.costFp,
        slide: (place) => ({ costFp: costs[place] }),
        type: (value) => isCost(value) && { costFp: value },
      },
      prevalence: {
        first: 1,
        last: 199,
        place: () => Math.round(200 * state.prevalence),
        shown: () => Number((100 * state.prevalence).toPrecision(6)),
        slide: (place) => ({ prevalence: place / 200 }),
        type: (value) => value > 0 && value < 100 && { prevalence: value / 100 },
      },
      cut: {
        last: data.thresholds.length - 1,
        place: () => state.cut,
        shown: () => {
          const value = data.thresholds[state.cut];
          return isEnd(value) ? value : Number(cutText(value));
        },
        slide: (place) => ({ cut: place }),
        type: (value) => ({ cut: nearest(cutNumbers, value) }),
        snaps: true,
      },
    };

    function move(change) {
      state = { ...state, ...change };
      show();
    }

    /* A box for numbers holds no text, but shows one while it is empty. */
    function fill(box, value) {
      box.value = isEnd(value) ? "" : value;
      box.placeholder = isEnd(value) ? value : "";
    }

    function connect(name, control) {
      const slider = find(`explore-${name}`);
      const box = find(`explore-${name}-number`);
      Object.assign(slider, { min: control.first || 0, max: control.last, step: 1 });
      slider.addEventListener("input", () => move(control.slide(Number(slider.value))));
      const typed = () => {
        const change = box.value !== "" && control.type(Number(box.value));
        box.setAttribute("aria-invalid", String(!change));
        if (change) move(change);
      };
      box.addEventListener("change", () => {
        typed();
        box.removeAttribute("aria-invalid");
        fill(box, control.shown());
      });
      if (!control.snaps) box.addEventListener("input", typed);
    }

    function showControls() {
      for (const [name, control] of Object.entries(controls)) {
        const slider = find(`explore-${name}`);
        const box = find(`explore-${name}-number`);
        slider.value = control.place();
        slider.setAttribute("aria-valuetext", control.shown());
        if (document.activeElement !== box) fill(box, control.shown());
      }
    }

    function showNumbers() {
      const found = numbersAt(data, state);
      const frozen = state.cut === data.frozen;
      const texts = {
        risk: significant(found.risk),
        limit: atMost(found.limit),
        trivial: significant(found.trivial),
        sensitivity: rate(found.sensitivity),
        specificity: rate(found.specificity),
        ppv: rate(found.ppv),
        npv: rate(found.npv),
        calls: significant(100 * found.calls),
        grey: percent(found.grey),
      };
      for (const [name, text] of Object.entries(texts)) find(`explored-${name}`).textContent = text;
      find("explored-words").textContent = inWords(state, errorRates(data, state.cut));
      find("explored-frozen").hidden = !frozen;
      find("explored-other").hidden = frozen;
      find("explored-vacuous").hidden = found.limit < found.trivial;
    }

    /* The picture has a step for every cut-off, like the slider. */
    const box = { left: 46, right: 470, top: 10, bottom: 180 };
    const last = Math.max(data.thresholds.length - 1, 1);
    const across = (at) => box.left + ((box.right - box.left) * at) / last;

    function drawLine(name, values, top) {
      const up = (value) => box.bottom - ((box.bottom - box.top) * value) / top;
      const points = values.map((value, at) => `${across(at).toFixed(1)},${up(value).toFixed(1)}`);
      find(name).setAttribute("points", points.join(" "));
    }

    function placeMark(name, at) {
      find(name).setAttribute("x1", across(at));
      find(name).setAttribute("x2", across(at));
    }

    function draw() {
      const places = data.thresholds.map((_, at) => at);
      const risks = places.map((at) => cost(state, ...errorRates(data, at)));
      const limits = places.map((at) => limitAt(data, state, at));
      const top = Math.max(...risks, ...limits);
      const trivial = numbersAt(data, state).trivial;
      drawLine("drawn-risk", risks, top);
      drawLine("drawn-limit", limits, top);
      drawLine("drawn-trivial", places.map(() => trivial), top);
      placeMark("drawn-cut", state.cut);
      placeMark("drawn-frozen", data.frozen);
      find("drawn-top").textContent = significant(top, 2);
      find("drawn-middle").textContent = significant(top / 2, 2);
      [0, 0.5, 1].forEach((part, i) => {
        find(`drawn-tick-${i}`).textContent = cutText(data.thresholds[Math.round(part * last)]);
      });
    }

    function show() {
      showControls();
      showNumbers();
      draw();
    }

    for (const [name, control] of Object.entries(controls)) connect(name, control);
    find("explore-back").addEventListener("click", () => move(home));
    find("explorer").hidden = false;
    show();
  }

  if (find("explorer")) start(JSON.parse(textOf("file-content")));
  openLinked();
})();
