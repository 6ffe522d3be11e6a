// The path of a file out of an address: what stands after the route, percent-decoded once. The framework's own parameters are not used
// for it, so that there is one decoding and one place to prove.

import { AppError } from "../../kit/error.ts";

/** `after`: the part of the route before the path, for example `/files/`. Raises `invalid`. */
export function pathFromUrl(urlPath: string, after: string): string {
  // After the space's name, which has no slash.
  const space = urlPath.indexOf("/spaces/") + "/spaces/".length;
  const start = urlPath.indexOf(after, space);
  const written = start < 0 ? "" : urlPath.slice(start + after.length);
  try {
    return decodeURIComponent(written);
  } catch {
    throw new AppError("invalid", "path: is not well-formed percent-encoding");
  }
}
