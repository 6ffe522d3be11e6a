// Draws diagrams in a sandboxed frame, one after the other, within a deadline, and keeps the latest. Nothing of a diagram runs in this page:
// markup and styles that return are sanitised by diagram.tsx.

import type { Drawing, DrawingRequest } from "./drawing.ts";

type Colours = DrawingRequest["colours"];

const PAGE = "/diagram.html";
const SOURCE_CHARACTERS_MAX = 20_000;
const SOURCE_LINES_MAX = 600;
const MARKUP_CHARACTERS_MAX = 2_000_000;
/** The first drawing loads the page as well. */
const DEADLINE_MS = 20_000;
const KEPT_MAX = 40;

const kept = new Map<string, Drawing>();
let frame: Promise<HTMLIFrameElement> | undefined;
let last: Promise<unknown> = Promise.resolve();
let requests = 0;

/** Returns a drawing made before in these colours. */
export function drawnBefore(source: string, colours: Colours): Drawing | undefined {
  return kept.get(keyOf(source, colours));
}

/** Never raises: a failure is a drawing with a reason. */
export function draw(source: string, colours: Colours): Promise<Drawing> {
  const turn = last.then(async () => {
    const known = drawnBefore(source, colours);
    if (known) return known;
    const made = await drawNow(source, colours);
    // A page that did not load may load next time.
    if (made !== NOT_LOADED) kept.set(keyOf(source, colours), made);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
    return made;
  });
  last = turn;
  return turn;
}

function keyOf(source: string, colours: Colours): string {
  return `${Object.values(colours).join(" ")}\n${source}`;
}

const NOT_LOADED: Drawing = { id: 0, why: "the page that draws diagrams could not be loaded" };

async function drawNow(source: string, colours: Colours): Promise<Drawing> {
  const id = ++requests;
  if (source.length > SOURCE_CHARACTERS_MAX)
    return { id, why: `longer than ${SOURCE_CHARACTERS_MAX.toLocaleString()} characters` };
  if (source.split("\n").length > SOURCE_LINES_MAX)
    return { id, why: `longer than ${SOURCE_LINES_MAX} lines` };
  const until = AbortSignal.timeout(DEADLINE_MS);
  try {
    const page = await (frame ??= openFrame(until));
    const answer = heard<Drawing>(page, until, (data) => (data as Partial<Drawing>).id === id);
    const request: DrawingRequest = { id, source, colours };
    page.contentWindow!.postMessage(request, "*");
    const drawing = await answer;
    if ("markup" in drawing && drawing.markup.length > MARKUP_CHARACTERS_MAX) return { id, why: "too large" };
    return drawing;
  } catch {
    const loaded = frame !== undefined;
    closeFrame();
    return loaded ? { id, why: "drawing takes too long" } : NOT_LOADED;
  }
}

/** Raises if the page does not load in time. */
async function openFrame(until: AbortSignal): Promise<HTMLIFrameElement> {
  const page = document.createElement("iframe");
  page.className = "md-drawing-page";
  page.setAttribute("sandbox", "allow-scripts");
  page.setAttribute("aria-hidden", "true");
  page.title = "Draws diagrams";
  page.tabIndex = -1;
  page.src = PAGE;
  const ready = heard(page, until, (data) => (data as { ready?: true }).ready === true);
  document.body.append(page);
  try {
    await ready;
    return page;
  } catch (error) {
    page.remove();
    frame = undefined;
    throw error;
  }
}

function closeFrame(): void {
  frame = undefined;
  for (const page of document.querySelectorAll(".md-drawing-page")) page.remove();
}

/** Resolves with the first message of the frame that fits. Raises at the deadline. */
function heard<T>(page: HTMLIFrameElement, until: AbortSignal, fits: (data: unknown) => boolean): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = new AbortController();
    const listen = ({ source, data }: MessageEvent) => {
      if (source !== page.contentWindow || typeof data !== "object" || data === null || !fits(data)) return;
      end.abort();
      resolve(data as T);
    };
    addEventListener("message", listen, { signal: end.signal });
    until.addEventListener("abort", () => (end.abort(), reject(new Error("late"))), { signal: end.signal });
  });
}

const TOKENS = {
  background: "--bg",
  primaryColor: "--raised",
  primaryTextColor: "--text",
  primaryBorderColor: "--line-strong",
  secondaryColor: "--accent-bg",
  tertiaryColor: "--surface",
  lineColor: "--muted",
  textColor: "--text",
  noteBkgColor: "--wait-bg",
  noteTextColor: "--text",
  noteBorderColor: "--line-strong",
};

/** The colours of the theme that is shown, as the browser resolves them. */
export function coloursNow(): Colours {
  const probe = document.createElement("span");
  document.body.append(probe);
  const found = Object.entries(TOKENS).map(([name, token]) => {
    probe.style.setProperty("color", `var(${token})`);
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(found);
}
