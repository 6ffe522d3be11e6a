// Enhances the console where scripts run: local times, live counters while the page is visible, a warning before typed text is lost. Every page works
// without it.

const LIVE_EVERY_MS = 5000;
const DOUBLE_CLICK_MS = 1000;

function localTimes(root) {
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  for (const time of root.querySelectorAll("time[datetime]")) {
    time.title = time.dateTime;
    time.textContent = ("exact" in time.dataset ? exact : short).format(new Date(time.dateTime));
  }
}

function keepLive(area) {
  // An answer that takes longer than a round must not come after the next one.
  let isReading = false;
  const refresh = async () => {
    if (document.visibilityState !== "visible" || isReading) return;
    isReading = true;
    try {
      const answer = await fetch(area.dataset.live, { headers: { Accept: "text/html" } });
      // Signed out, or the limit of requests: the page stays as it is until it is loaded again.
      if (!answer.ok || answer.redirected) return clearInterval(timer);
      // Our own markup, escaped by the server.
      area.innerHTML = await answer.text();
      localTimes(area);
    } catch {
      // The server restarts, or the network is away. The next round tries again.
    } finally {
      isReading = false;
    }
  };
  const timer = setInterval(refresh, LIVE_EVERY_MS);
}

function guardText(form) {
  // On a slow network, people type before this script is there.
  let isChanged = [...form.elements].some(({ value, defaultValue = value }) => value !== defaultValue);
  form.addEventListener("input", () => (isChanged = true));
  form.addEventListener("submit", () => (isChanged = false));
  addEventListener("beforeunload", (event) => {
    if (isChanged) event.preventDefault();
  });
}

function addCopy(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn small console-copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      // Without TLS, browsers offer no clipboard: select the text instead.
      getSelection().selectAllChildren(text);
    }
  });
  text.after(button);
}

/** The second click of a double click sends nothing. */
function sendOnce(form) {
  let sentAt = -DOUBLE_CLICK_MS;
  form.addEventListener("submit", (event) => {
    if (event.timeStamp - sentAt < DOUBLE_CLICK_MS) event.preventDefault();
    else sentAt = event.timeStamp;
  });
}

localTimes(document);
for (const text of document.querySelectorAll("[data-copy]")) addCopy(text);
for (const area of document.querySelectorAll("[data-live]")) keepLive(area);
for (const form of document.querySelectorAll('form[method="post"]')) sendOnce(form);
for (const form of document.querySelectorAll("form[data-guard]")) guardText(form);
