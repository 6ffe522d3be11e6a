// The attempts of a page of another origin against a service on this machine, as the script of such a page, and a server for that page.
// Each attempt reports how it ended for the page; whether it had an effect is for the service's own records to say.

import { WAIT_LIMIT_MS } from "../wait-limit.ts";

/** Runs in a browser. `run(base)` resolves with the outcome of each attempt. */
export const ATTACK_SCRIPT = `
const JSON_BODY = '{"name":"stolen"}';
const LIMIT_MS = ${WAIT_LIMIT_MS};

function element(base, tag, attribute, path) {
  return new Promise((resolve) => {
    const made = document.createElement(tag);
    made.onload = () => resolve("loaded");
    made.onerror = () => resolve("failed");
    if (tag === "link") made.rel = "stylesheet";
    made[attribute] = base + path;
    document.body.append(made);
  });
}

/** A frame's load event comes for an error page too; what counts is that the page in it can't be read. */
function frame(base, path) {
  return new Promise((resolve) => {
    const made = document.createElement("iframe");
    made.onload = () => {
      try {
        resolve(made.contentDocument ? "readable" : "closed");
      } catch {
        resolve("closed");
      }
    };
    made.src = base + path;
    document.body.append(made);
  });
}

function form(base, path, enctype, method) {
  return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.name = "target" + Math.random();
    const made = document.createElement("form");
    Object.assign(made, { action: base + path, method, enctype, target: frame.name });
    const field = document.createElement("input");
    // As text/plain this becomes the JSON {"name":"sto=len"}.
    Object.assign(field, enctype === "text/plain" ? { name: '{"name":"sto', value: 'len"}' } : { name: "name", value: "stolen" });
    made.append(field);
    document.body.append(frame, made);
    frame.onload = () => {
      try {
        if (frame.contentDocument && frame.contentDocument.URL === "about:blank") return;
      } catch {}
      resolve("answered");
    };
    made.submit();
  });
}

function request(base, path, options) {
  return fetch(base + path, options).then((answer) => (answer.type === "opaque" ? "opaque" : "read " + answer.status), () => "failed");
}

function eventSource(base, credentials) {
  return new Promise((resolve) => {
    const source = new EventSource(base + "/api/v1/workspaces/1/events", { withCredentials: credentials });
    source.onopen = () => resolve("opened");
    source.onerror = () => {
      source.close();
      resolve("failed");
    };
  });
}

function webSocket(base) {
  return new Promise((resolve) => {
    const socket = new WebSocket(base.replace("http", "ws") + "/api/v1/workspaces/1/events");
    socket.onopen = () => resolve("opened");
    socket.onerror = () => resolve("failed");
  });
}

globalThis.run = async (base) => {
  const post = (type, credentials, mode) => ({ method: "POST", body: JSON_BODY, credentials, mode, headers: type ? { "Content-Type": type } : {} });
  const attempts = {
    "form, urlencoded": () => form(base, "/api/v1/teams", "application/x-www-form-urlencoded", "POST"),
    "form, text": () => form(base, "/api/v1/teams", "text/plain", "POST"),
    "form, multipart": () => form(base, "/api/v1/teams", "multipart/form-data", "POST"),
    "form, empty POST": () => form(base, "/api/v1/logout", "application/x-www-form-urlencoded", "POST"),
    "form, GET": () => form(base, "/api/v1/users", "application/x-www-form-urlencoded", "GET"),
    "fetch": () => request(base, "/api/v1/users", {}),
    "fetch with credentials": () => request(base, "/api/v1/users", { credentials: "include" }),
    "fetch, no-cors": () => request(base, "/api/v1/users", { mode: "no-cors", credentials: "include" }),
    "POST of JSON": () => request(base, "/api/v1/teams", post("application/json", "omit", "cors")),
    "POST of JSON with credentials": () => request(base, "/api/v1/teams", post("application/json", "include", "cors")),
    "POST of text": () => request(base, "/api/v1/teams", post("", "include", "no-cors")),
    "POST of a form": () => request(base, "/api/v1/teams", post("application/x-www-form-urlencoded", "include", "no-cors")),
    "PUT": () => request(base, "/api/v1/users/1/password", { method: "PUT", body: '{"password":"stolen-password"}', credentials: "include" }),
    "DELETE": () => request(base, "/api/v1/workspaces/1", { method: "DELETE", credentials: "include" }),
    "with a header of its own": () => request(base, "/api/v1/users", { headers: { "X-HTTP-Method-Override": "POST" } }),
    "beacon": async () => (navigator.sendBeacon(base + "/api/v1/teams", new Blob([JSON_BODY], { type: "text/plain" })) ? "sent" : "failed"),
    "EventSource": () => eventSource(base, false),
    "EventSource with credentials": () => eventSource(base, true),
    "WebSocket": () => webSocket(base),
    "image": () => element(base, "img", "src", "/api/v1/users"),
    "script": () => element(base, "script", "src", "/api/v1/users"),
    "style sheet": () => element(base, "link", "href", "/api/v1/users"),
    "frame of the API": () => frame(base, "/api/v1/users"),
    "frame of the page": () => frame(base, "/"),
  };
  const outcomes = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    const limit = new Promise((resolve) => setTimeout(() => resolve("no answer"), LIMIT_MS));
    outcomes[name] = await Promise.race([attempt(), limit]);
  }
  return outcomes;
};
`;

/** How each attempt has to end for the page. */
export const ATTACKS_FAIL: Record<string, string> = {
  "form, urlencoded": "answered",
  "form, text": "answered",
  "form, multipart": "answered",
  "form, empty POST": "answered",
  "form, GET": "answered",
  fetch: "failed",
  "fetch with credentials": "failed",
  "fetch, no-cors": "failed",
  "POST of JSON": "failed",
  "POST of JSON with credentials": "failed",
  "POST of text": "failed",
  "POST of a form": "failed",
  PUT: "failed",
  DELETE: "failed",
  "with a header of its own": "failed",
  beacon: "sent",
  EventSource: "failed",
  "EventSource with credentials": "failed",
  WebSocket: "failed",
  image: "failed",
  script: "failed",
  "style sheet": "failed",
  "frame of the API": "closed",
  "frame of the page": "closed",
};

/** Serves the page on every address of this machine. */
export function attackerPage(): { port: number } & AsyncDisposable {
  const page = `<!doctype html><meta charset="utf-8"><body><script>${ATTACK_SCRIPT}</script>`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(page, { headers: { "Content-Type": "text/html" } }),
  });
  return { port: server.port!, [Symbol.asyncDispose]: () => server.stop(true) };
}
