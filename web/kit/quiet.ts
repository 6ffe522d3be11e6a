// When the page has what it asked for. Heavy extras, such as the parsers that colour code, begin after that, so that they compete with
// nothing that a person waits for, and what opens is shown in one piece.

import { type Accessor, createSignal, onMount } from "solid-js";
import { isReading } from "../api/query.ts";

/** On a slow network, what opens is shown without its rest after this time. */
const PLACING_MS_MAX = 500;
/** A page that reads all the time gets its extras, too. */
const WAIT_MS_MAX = 3_000;
const LOOK_EVERY_MS = 50;

let loads = 0;

/** Counts a part of the interface as loading until `load` ends. */
export async function loading<T>(load: Promise<T>): Promise<T> {
  loads++;
  try {
    return await load;
  } finally {
    loads--;
  }
}

/** Resolves after the next paint, once no part and no record is being loaded. */
export async function whenQuiet(): Promise<void> {
  const until = performance.now() + WAIT_MS_MAX;
  await idle();
  while (isBusy() && performance.now() < until) await idle();
}

/**
 * The class of an element that is invisible until all in it has its place: each part and record that comes later would move what is being
 * read. It is empty after the first frame in which nothing is being loaded.
 */
export function createPlaced(): Accessor<string> {
  const [isPlaced, setPlaced] = createSignal(false);
  onMount(() => void whenAllIsThere().then(() => setPlaced(true)));
  return () => (isPlaced() ? "" : "is-placing");
}

async function whenAllIsThere(): Promise<void> {
  const until = performance.now() + PLACING_MS_MAX;
  do await nextFrame();
  while (isBusy() && performance.now() < until);
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => (document.hidden ? setTimeout(resolve) : requestAnimationFrame(resolve)));
}

function isBusy(): boolean {
  return loads > 0 || isReading();
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    const later = () => setTimeout(resolve, LOOK_EVERY_MS);
    // In a background tab nothing is painted.
    if (document.hidden) later();
    else requestAnimationFrame(later);
  });
}
