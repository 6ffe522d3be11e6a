// Polls for a process that starts or stops.

const LOOK_EVERY_MS = 50;

/** Looks every 50 ms until something is found, for at most `ms`. Returns undefined if nothing was. */
export async function waitFor<T>(
  ms: number,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (let waited = 0; waited < ms; waited += LOOK_EVERY_MS) {
    const found = await look();
    if (found !== undefined) return found;
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return undefined;
}
