// Extracts a file path from a URL: the part after the route, percent-decoded once. Does not use the framework's parameters, so that decoding
// happens exactly once, here.

import { AppError } from "../../kit/error.ts";

/** `after`: the part of the route before the path, for example `/files/`. Raises `invalid`. */
export function pathFromUrl(urlPath: string, after: string): string {
  // Skip the name of the space, which contains no slash.
  const space = urlPath.indexOf("/spaces/") + "/spaces/".length;
  const start = urlPath.indexOf(after, space);
  const written = start < 0 ? "" : urlPath.slice(start + after.length);
  try {
    return decodeURIComponent(written);
  } catch {
    throw new AppError("invalid", "path: not well-formed percent-encoding");
  }
}
