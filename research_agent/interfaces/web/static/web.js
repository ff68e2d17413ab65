// The page's script. Words of documents come as text, or as HTML that the server has escaped.
const at = (id) => document.getElementById(id);
const made = (name, values = {}, ...inside) => {
  const node = Object.assign(document.createElement(name), values);
  node.append(...inside);
  return node;
};
const wide = matchMedia("(min-width: 56.01rem)");
const page = { session: "", after: 0, reading: null, scope: new Set(), documents: [], opener: null };

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  localStorage.setItem("token", given);
  history.replaceState(null, "", "/");
}

async function call(path, options = {}) {
  const headers = { authorization: `Bearer ${localStorage.getItem("token") ?? ""}` };
  const reply = await fetch(`/api/${path}`, { ...options, headers });
  if (reply.ok) return reply;
  const told = await reply.json().catch(() => ({ error: `the server said ${reply.status}` }));
  throw new Error([told.error, told.hint].filter(Boolean).join("\n"));
}
const send = (path, values) => call(path, { method: "POST", body: JSON.stringify(values) });
const talk = (rest = "") => `talk/${encodeURIComponent(page.session)}${rest}`;
const tell = (error) => { at("problem").textContent = error ? `${error.message ?? error}` : ""; };
const trying = (work) => async (event) => {
  if (event?.type === "submit") event.preventDefault();
  tell("");
  try { await work(event); } catch (error) {
    tell(error instanceof TypeError ? "research-agent web does not answer: is it still running?" : error);
  }
};

// The conversation.
function showBusy(busy) {
  at("send").hidden = busy;
  at("stop").hidden = !busy;
  if (!busy) at("status").textContent = "";
}
const scrollDown = (node) => node.scrollIntoView({ block: "start" });
const show = {
  asked({ text }) {
    at("pending")?.remove();
    at("talk").querySelector(".empty")?.remove();
    const steps = made("ol", { className: "steps" });
    steps.setAttribute("aria-live", "off");
    const asked = made("h2", { className: "asked", textContent: text, dir: "auto" });
    at("talk").append(made("article", { id: "pending" }, asked, steps));
    scrollDown(at("pending"));
    showBusy(true);
  },
  step({ text }) {
    at("pending")?.querySelector("ol").append(made("li", { textContent: text, dir: "auto" }));
    at("status").textContent = text;
  },
  turn({ turn, html }) {
    at("pending")?.remove();
    at(`turn-${turn}`)?.remove();
    at("talk").insertAdjacentHTML("beforeend", html);
    scrollDown(at(`turn-${turn}`));
    showBusy(false);
    trying(refresh)();
  },
  waits({ text, hint, question, options }) {
    const said = made("div", { className: "waits" }, made("p", { textContent: question || text }));
    if (hint) said.append(made("p", { className: "soft small", textContent: hint }));
    const choices = options.map((option) => [option, { choice: option }]);
    if (options.length) choices.push(["All of them", { choice: "all" }]);
    else choices.push(["Ask again", { again: true }]);
    const buttons = choices.map(([label, values]) => {
      const button = made("button", { type: "button", textContent: label });
      button.addEventListener("click", trying(() => ask(values)));
      return button;
    });
    said.append(made("div", { className: "choices" }, ...buttons));
    at("pending")?.querySelector(".waits")?.remove();
    at("pending")?.append(said);
    showBusy(false);
  },
  reload() { trying(() => open(page.session))(); },
};

async function open(session) {
  page.reading = null;
  page.session = session;
  const found = await (await call(talk())).json();
  localStorage.setItem("session", session);
  at("talk").innerHTML = found.html;
  if (!found.html) {
    const hint = page.documents.length ? "Ask a question about your documents." : "Add documents first: under Add documents.";
    at("talk").append(made("p", { className: "empty", textContent: hint }));
  }
  at("talk").lastElementChild?.scrollIntoView({ block: "end" });
  showBusy(false);
  page.after = found.after;
  page.scope = new Set((found.scope.documents ?? []).map((name) => name.replace(/\[([*?[])\]/g, "$1")));
  at("kind").value = found.scope.kinds?.[0] ?? "";
  at("since").value = found.scope.since ?? "";
  at("until").value = found.scope.until ?? "";
  await refresh();
  follow();
}

async function follow() {
  const reading = (page.reading = {});
  while (page.reading === reading) {
    try {
      const entries = document.hidden ? [] : await (await call(talk(`/events?after=${page.after}`))).json();
      if (page.reading !== reading) return;
      for (const entry of entries) {
        page.after = entry.n;
        show[entry.kind]?.(entry);
      }
    } catch (error) {
      if (!(error instanceof TypeError)) return tell(error);
    }
    await new Promise((done) => setTimeout(done, 400));
  }
}

function scope() {
  const chosen = { documents: [...page.scope], kinds: [at("kind").value], since: at("since").value.trim(), until: at("until").value.trim() };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value.length && value[0]));
}
let keeping = Promise.resolve();
function keepScope() {
  const [address, limits] = [talk("/scope"), scope()];
  keeping = keeping.then(trying(() => send(address, { scope: limits })));
}
async function ask(values) {
  await keeping;
  await send(talk("/ask"), { ...values, scope: scope(), preset: at("preset").value });
}

at("ask").addEventListener("submit", trying(async () => {
  const text = at("question").value.trim();
  if (!text) return;
  await ask({ text });
  at("question").value = "";
}));
at("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  at("ask").requestSubmit();
});
at("stop").addEventListener("click", trying(() => send(talk("/stop"), {})));

// Citations, details and files.
at("talk").addEventListener("click", trying(async (event) => {
  const button = event.target.closest("button");
  const turn = button?.closest("[data-turn]")?.dataset.turn;
  if (button?.dataset.export) await save(button.dataset.export, button.dataset.name);
  if (button?.dataset.key) {
    const html = await (await call(talk(`/${turn}/cited/${button.dataset.key}`))).text();
    closeSide();
    at("cited").innerHTML = html;
    page.opener = button;
    button.setAttribute("aria-pressed", "true");
    if (wide.matches) at("side").show(); else at("side").showModal();
    (at("cited").querySelector(".quoted, mark") ?? at("side-title")).scrollIntoView({ block: "nearest" });
    at("side-title").focus({ preventScroll: true });
  }
}));
function closeSide() {
  if (at("side").open) at("side").close();
}
at("side").addEventListener("close", () => {
  page.opener?.setAttribute("aria-pressed", "false");
  page.opener?.focus();
});
at("close-side").addEventListener("click", closeSide);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (at("side").open) closeSide(); else showMenu(false);
});
at("talk").addEventListener("toggle", trying(async (event) => {
  const inside = event.target.matches?.(".details[open]") && event.target.querySelector("div");
  if (!inside || inside.childElementCount) return;
  const turn = event.target.closest("[data-turn]").dataset.turn;
  inside.innerHTML = await (await call(talk(`/${turn}/details`))).text();
}), true);
async function save(rest, name) {
  const address = URL.createObjectURL(await (await call(talk(`/${rest}`))).blob());
  made("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
at("markdown").addEventListener("click", trying(() => save("markdown", `${page.session}.md`)));

// The menu: sessions, preset, scope, documents to add.
function showMenu(open) {
  document.body.classList.toggle("menu-open", open);
  at("menu-button").setAttribute("aria-expanded", `${open}`);
  at("menu-button").textContent = open ? "Close" : "Menu";
}
at("menu-button").addEventListener("click", () => showMenu(!document.body.classList.contains("menu-open")));

async function refresh() {
  const found = await (await call("state")).json();
  page.documents = found.documents;
  at("where").textContent = `${page.session}, index ${found.index}: ${found.documents.length} documents`;
  const names = new Map(found.sessions.map((one) => [one.name, one.turns]));
  if (page.session && !names.has(page.session)) names.set(page.session, 0);
  at("sessions").replaceChildren(...[...names].map(([name, turns]) => {
    const button = made("button", { type: "button", textContent: `${name} (${turns})` });
    if (name === page.session) button.setAttribute("aria-current", "true");
    button.addEventListener("click", trying(async () => { await open(name); showMenu(false); }));
    return made("li", {}, button);
  }));
  if (!at("preset").options.length) {
    const listed = found.presets.map((name) => made("option", { value: name, textContent: name }));
    at("preset").append(made("option", { value: "", textContent: found.preset }), ...listed);
    at("preset").value = localStorage.getItem("preset") ?? "";
  }
  showScope();
}
function showScope() {
  const wanted = at("filter").value.trim().toLowerCase();
  const shown = page.documents.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(wanted));
  at("scope").replaceChildren(...shown.map(({ name, title }) => {
    const box = made("input", { type: "checkbox", checked: page.scope.has(name) });
    box.addEventListener("change", () => {
      if (box.checked) page.scope.add(name); else page.scope.delete(name);
      noteScope();
      keepScope();
    });
    return made("li", {}, made("label", { title }, box, made("span", { textContent: name, dir: "auto" })));
  }));
  noteScope();
}
function noteScope() {
  const known = new Set(page.documents.map(({ name }) => name));
  for (const name of page.scope) if (!known.has(name)) page.scope.delete(name);
  at("scope-note").textContent = page.scope.size ? `${page.scope.size} of ${known.size} documents` : `all ${known.size} documents`;
}
at("filter").addEventListener("input", showScope);
at("everything").addEventListener("click", () => {
  page.scope.clear();
  for (const id of ["kind", "since", "until"]) at(id).value = "";
  showScope();
  keepScope();
});
for (const id of ["kind", "since", "until"]) at(id).addEventListener("change", keepScope);
at("preset").addEventListener("change", () => localStorage.setItem("preset", at("preset").value));
at("new-session").addEventListener("submit", trying(async () => {
  await open(at("session-name").value.trim());
  at("session-name").value = "";
  showMenu(false);
  at("question").focus();
}));
at("files").addEventListener("change", trying(async () => {
  for (const file of at("files").files) {
    at("job").textContent = `copying ${file.name}`;
    await call(`files/${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
  }
  at("files").value = "";
  await send("index", {});
  await watch();
}));
at("add-folder").addEventListener("submit", trying(async () => {
  await send("index", { folder: at("folder").value.trim() });
  await watch();
}));
async function watch() {
  for (;;) {
    const job = await (await call("index")).json();
    if (!job.running) {
      const lines = job.error ? [job.error, job.hint] : job.lines;
      at("job").replaceChildren(...lines.filter(Boolean).map((line) => made("p", { className: "small", textContent: line })));
      break;
    }
    const bar = made("progress", job.total ? { max: job.total, value: job.done } : {});
    bar.setAttribute("aria-label", "Indexing");
    at("job").replaceChildren(bar, made("p", { className: "small", textContent: job.file || "looking for documents" }));
    await new Promise((done) => setTimeout(done, 400));
  }
  if (page.reading) await refresh(); else await begin();
}

async function begin() {
  const found = await (await call("state")).json();
  page.documents = found.documents;
  const last = localStorage.getItem("session");
  const names = found.sessions.map(({ name }) => name);
  page.session = "";
  await refresh();
  if (!found.documents.length) showMenu(true);
  if ((await (await call("index")).json()).running) watch();
  await open(names.includes(last) ? last : found.session);
}
trying(begin)();
at("question").focus();
