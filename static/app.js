// What the pages can do beyond links and forms. Everything here is an addition
// to markup that works without it, found by its data attributes:
//   data-enhance="id"   a GET form or links whose page replaces the element id
//   data-confirm="…?"   a button that asks before its form is sent
//   data-copy="id"      copies the value of the field id
//   data-reveal="id"    shows and hides what is typed into the password field id
//   data-share          offers the page to the device's share sheet
//   data-near="id"      fills the field id with the place of the device
//   data-map            replaces the drawing before it by a real map
//   data-theme          the footer's choice of colours
//   data-again          a form whose button asks for the page once more
//   data-menu           a menu that closes on Escape and on a click outside
//   data-focus          takes the focus when the page opens
//   data-keys           presses what names a key in aria-keyshortcuts
//   data-asks="id"      a button that wants the field id filled in first
//   data-keys-list="id" shows the list of keys in the dialog id

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const live = document.createElement("p");
live.className = "sr-only";
live.setAttribute("role", "status");
document.body.append(live);

/** say lets a screen reader know. The same words twice are read twice. */
function say(text) {
  live.textContent = "";
  setTimeout(() => { live.textContent = text; }, 60);
}

// Lists

let running;

async function load(address, id, push) {
  const old = document.getElementById(id);
  if (!old) return location.assign(address);
  running?.abort();
  const mine = (running = new AbortController());
  old.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { signal: mine.signal, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = answer.ok && page.getElementById(id);
    if (!fresh) return location.assign(address);
    if (push) {
      // The entry that is left must know what to swap when it is come back to.
      history.replaceState({ part: id }, "");
      history.pushState({ part: id }, "", answer.url);
    }
    document.title = page.title;
    old.replaceWith(fresh);
    start(fresh);
    const heading = fresh.querySelector("[data-count]") ?? fresh;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    if (fresh.getBoundingClientRect().top < 0) fresh.scrollIntoView();
    say(heading === fresh ? page.title : heading.textContent.trim());
  } catch (error) {
    if (error.name !== "AbortError") location.assign(address);
  } finally {
    if (running === mine) old.removeAttribute("aria-busy");
  }
}

function enhance(element) {
  const id = element.dataset.enhance;
  if (element instanceof HTMLFormElement) {
    element.addEventListener("submit", (event) => {
      const address = new URL(element.action);
      address.search = new URLSearchParams([...new FormData(element, event.submitter)].filter(([, value]) => value !== ""));
      event.preventDefault();
      load(address.href, id, true);
    });
    return;
  }
  element.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button) return;
    event.preventDefault();
    load(link.href, id, true);
  });
}

addEventListener("popstate", (event) => {
  if (event.state?.part) load(location.href, event.state.part, false);
});

// Questions before what cannot be taken back

function confirmFirst(button) {
  button.addEventListener("click", (event) => {
    if (button.dataset.sure) return;
    event.preventDefault();
    const dialog = document.createElement("dialog");
    dialog.className = "dialog";
    const question = document.createElement("p");
    question.id = "question";
    question.textContent = button.dataset.confirm;
    dialog.setAttribute("aria-labelledby", question.id);
    const actions = document.createElement("form");
    actions.method = "dialog";
    actions.className = "actions";
    const yes = Object.assign(document.createElement("button"), { className: "btn btn-danger", value: "yes", textContent: button.textContent.trim() });
    const no = Object.assign(document.createElement("button"), { className: "btn", value: "no", textContent: "Cancel", autofocus: true });
    actions.append(yes, no);
    dialog.append(question, actions);
    document.body.append(dialog);
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue !== "yes") return button.focus();
      button.dataset.sure = "yes";
      button.click();
      delete button.dataset.sure;
    });
    dialog.showModal();
  });
}

// Copy, share, place

function copying(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  const label = button.querySelector("span") ?? button;
  const words = label.textContent;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
      label.textContent = "Copied";
      say("Copied");
      setTimeout(() => { label.textContent = words; }, 2000);
    } catch {
      field.select();
      say("Press Control C to copy");
    }
  });
}

function revealing(button) {
  button.hidden = false;
  const field = document.getElementById(button.dataset.reveal);
  const set = (shown) => {
    field.type = shown ? "text" : "password";
    button.firstElementChild.textContent = shown ? "Hide" : "Show";
  };
  button.addEventListener("click", () => { set(field.type === "password"); field.focus(); });
  // Browsers offer to keep what is sent as a password, and as nothing else.
  field.form.addEventListener("submit", () => set(false));
}

function sharing(button) {
  if (!navigator.share) return;
  button.hidden = false;
  button.addEventListener("click", () => navigator.share({ title: document.title, url: location.href }).catch(() => {}));
}

function nearMe(button) {
  if (!navigator.geolocation) return;
  button.hidden = false;
  const field = document.getElementById(button.dataset.near);
  const failed = () => {
    button.removeAttribute("aria-busy");
    say("Your place could not be found. Write a city or a ZIP code.");
    field.focus();
  };
  button.addEventListener("click", () => {
    button.setAttribute("aria-busy", "true");
    navigator.geolocation.getCurrentPosition(async ({ coords }) => {
      // A street is nobody's business: two digits are about a kilometre.
      const query = new URLSearchParams({ lat: coords.latitude.toFixed(2), lng: coords.longitude.toFixed(2) });
      try {
        const answer = await fetch(`/api/geocode/reverse?${query}`);
        const place = await answer.json();
        if (!answer.ok) return failed();
        field.value = place.zip || [place.city, place.region].filter(Boolean).join(", ") || [...query.values()].join(",");
        button.removeAttribute("aria-busy");
        field.focus();
        say(`Near ${field.value}`);
      } catch {
        failed();
      }
    }, failed, { maximumAge: 600000, timeout: 10000 });
  });
}

// Maps

function loadFile(tag, attributes) {
  return new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement(tag), attributes, { onload: resolve, onerror: reject }));
  });
}

function mapping(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { tiles, attribution, script, style } = button.dataset;
    const drawing = button.closest(".map-actions").previousElementSibling;
    button.disabled = true;
    try {
      if (!window.L) await Promise.all([loadFile("link", { rel: "stylesheet", href: style }), loadFile("script", { src: script })]);
    } catch {
      button.disabled = false;
      return say("The map could not be loaded.");
    }
    const here = drawing.dataset.mapHere.split(",").map(Number);
    const colour = getComputedStyle(button).getPropertyValue("--clay");
    const place = Object.assign(document.createElement("div"), { className: "map-tiles" });
    drawing.replaceChildren(place);
    const map = L.map(place, { scrollWheelZoom: false }).setView(here, 15);
    const credit = document.createElement("span");
    credit.textContent = attribution;
    L.tileLayer(tiles, { attribution: credit.innerHTML, maxZoom: 19 }).addTo(map);
    L.circleMarker(here, { radius: 10, color: "#fff", weight: 3, fillColor: colour, fillOpacity: 1 }).addTo(map);
    button.remove();
    say("Map shown");
  });
}

// Colours

function themes(form) {
  const mark = (chosen) => all("button", form).forEach((b) => b.setAttribute("aria-pressed", String(b.value === chosen)));
  mark(/(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1] ?? "system");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = event.submitter.value;
    await fetch(form.action, { method: "POST", body: new URLSearchParams({ theme: chosen }), redirect: "manual" });
    const sheet = document.getElementById("theme");
    const fresh = sheet.cloneNode();
    fresh.href = `/theme.css?${chosen}`;
    // The old sheet stays until the new one is there, so that nothing flashes.
    fresh.onload = () => sheet.remove();
    sheet.after(fresh);
    mark(chosen);
  });
}

// Without a network

function again(form) {
  form.addEventListener("submit", (event) => { event.preventDefault(); location.reload(); });
  addEventListener("online", () => location.reload());
}

function closing(menu) {
  addEventListener("click", (event) => { if (menu.open && !menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
}

// Keys of the desk

let wanting; // the button for which a reason is being written

/** askFor finds the field that a button wants: whether it is missing, and how to get there. */
function askFor(button) {
  const field = document.getElementById(button.dataset.asks);
  const form = field.form;
  const missing = !field.value.trim() && !form.elements.reply?.value;
  wanting = button;
  return { missing, open() { field.closest("details").open = true; field.focus(); } };
}

function asking(button) {
  button.addEventListener("click", (event) => {
    const reason = askFor(button);
    if (!reason.missing) return;
    event.preventDefault();
    reason.open();
  });
}

const writing = "input:not([type=checkbox]), textarea, select, [contenteditable]";

function keys(desk) {
  const named = (key) => all("[aria-keyshortcuts]", desk).find((e) => e.getAttribute("aria-keyshortcuts").toLowerCase().split(" ").includes(key));
  addEventListener("keydown", (event) => {
    if (event.repeat || event.isComposing || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest(writing);
    if (event.ctrlKey) {
      if (event.key !== "Enter" || typing?.id !== "reason") return;
      event.preventDefault();
      return (wanting ?? desk.querySelector("[data-asks]"))?.click();
    }
    if (typing || (event.shiftKey && event.key !== "?")) return;
    const part = named(event.key.toLowerCase());
    if (!part) return;
    event.preventDefault();
    if (part.dataset.asks) askFor(part).open();
    else part.click();
  });
}

function keysList(button) {
  button.hidden = false;
  button.addEventListener("click", () => document.getElementById(button.dataset.keysList).showModal());
}

/** inSight shows the open tab of a row that is wider than the screen. */
function inSight(tab) {
  const row = tab.closest(".tabs");
  row.scrollLeft += tab.getBoundingClientRect().left - row.getBoundingClientRect().left - (row.clientWidth - tab.offsetWidth) / 2;
}

const additions = {
  "[data-enhance]": enhance,
  "[data-confirm]": confirmFirst,
  "[data-copy]": copying,
  "[data-reveal]": revealing,
  "[data-share]": sharing,
  "[data-near]": nearMe,
  "[data-map]": mapping,
  "[data-theme]": themes,
  "[data-again]": again,
  "[data-menu]": closing,
  ".tabs [aria-current]": inSight,
  "[data-asks]": asking,
  "[data-keys]": keys,
  "[data-keys-list]": keysList,
  "[data-focus]": (element) => element.focus(),
};

/** start brings a part of the page to life. */
function start(root) {
  for (const [selector, add] of Object.entries(additions)) {
    all(selector, root).forEach(add);
    if (root instanceof Element && root.matches(selector)) add(root);
  }
}

start(document);

// The worker shows a page of ours where the network is gone. A browser that
// refuses it shows its own.
if (navigator.serviceWorker) addEventListener("load", () => navigator.serviceWorker.register("/sw.js").catch(() => {}));
