// When the page has what it asked for. Heavy extras, such as the parsers that colour code, begin after that, so that they compete with
// nothing that a person waits for.

import { isReading } from "../api/query.ts";

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

/** Resolves before a paint, once no part is being loaded, or after `msMax`. */
export async function whenPartsAreThere(msMax: number): Promise<void> {
  const until = performance.now() + msMax;
  do await nextFrame();
  while (isLoading() && performance.now() < until);
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => (document.hidden ? setTimeout(resolve) : requestAnimationFrame(resolve)));
}

function isLoading(): boolean {
  return loads > 0;
}

function isBusy(): boolean {
  return isLoading() || isReading();
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    const later = () => setTimeout(resolve, LOOK_EVERY_MS);
    // In a background tab nothing is painted.
    if (document.hidden) later();
    else requestAnimationFrame(later);
  });
}
