// The names of the objects of a replicated directory in the object storage. Numbers have sixteen digits, so that names sort as numbers.

const DIGITS = 16;

export const LOG = "log/";
export const SNAPSHOTS = "snapshots/";
/** Says which node leads. Replaced all the time, and only a hint: the log decides. */
export const LEADER = "leader";
/** The identity of the log. Created once. */
export const CLUSTER = "cluster";
const MANIFEST = "manifest.json";

export function entryKey(seq: number): string {
  return `${LOG}${digits(seq)}`;
}

/** The folder of the snapshot that is followed by the entry after this one. */
export function snapshotFolder(after: number): string {
  return `${SNAPSHOTS}${digits(after)}/`;
}

export function manifestKey(after: number): string {
  return `${snapshotFolder(after)}${MANIFEST}`;
}

/** Undefined for any other object. */
export function snapshotOf(
  key: string,
): { readonly after: number; readonly isManifest: boolean } | undefined {
  const [, number, name] = /^snapshots\/(\d{16})\/(.+)$/.exec(key) ?? [];
  return number === undefined ? undefined : { after: Number(number), isManifest: name === MANIFEST };
}

/** Undefined for any other object. */
export function entryOf(key: string): number | undefined {
  const [, number] = /^log\/(\d{16})$/.exec(key) ?? [];
  return number === undefined ? undefined : Number(number);
}

function digits(number: number): string {
  return String(number).padStart(DIGITS, "0");
}
