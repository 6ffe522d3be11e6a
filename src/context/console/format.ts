// Formats of the console: times, addresses. Sizes and counts are those of src/kit/text/amounts.ts.

import { minuteText } from "../../kit/text/amounts.ts";

/** Rows of one page of a list. */
export const PAGE_ROWS = 100;

/** `2026-11-22 16:05 UTC` */
export function timeText(rfc3339: string): string {
  return `${minuteText(rfc3339)} UTC`;
}

/** `2026-11-22 16:05:09 UTC` */
export function exactTimeText(rfc3339: string): string {
  return `${rfc3339.slice(0, 10)} ${rfc3339.slice(11, 19)} UTC`;
}

/** The address of a page of a space; `path` is a file or a folder, encoded segment by segment. */
export function spacePath(space: string, area = "", path = ""): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return `/console/spaces/${encodeURIComponent(space)}${area}${path === "" ? "" : `/${encoded}`}`;
}

/** Adds the parameters that have a value. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return text === "" ? path : `${path}?${text}`;
}
