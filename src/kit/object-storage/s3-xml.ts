// The XML of S3: its answers are flat and made by machines, so that looking for elements by name is enough. Nothing here trusts what it reads.

import { escapedMarkup } from "../text/markup.ts";

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const CODE_POINT_MAX = 0x10ffff;

interface ListPage {
  readonly objects: readonly { readonly key: string; readonly size: number }[];
  /** Undefined: the last page. */
  readonly next: string | undefined;
}

/** Returns the code of an error; undefined if the text is none of S3. */
export function errorCode(xml: string): string | undefined {
  const error = elements(xml, "Error")?.[0];
  return error === undefined ? undefined : element(error, "Code");
}

/** Returns the errors of single objects in the answer to a removal; undefined if the text is no such answer. */
export function removalErrors(xml: string): string[] | undefined {
  const result = elements(xml, "DeleteResult")?.[0] ?? (/<DeleteResult[^>]*\/>/.test(xml) ? "" : undefined);
  return result === undefined
    ? undefined
    : elements(result, "Error")?.map((error) => element(error, "Code") ?? "");
}

/** Undefined if the text is no list of objects. */
export function listPage(xml: string): ListPage | undefined {
  const result = elements(xml, "ListBucketResult")?.[0];
  if (result === undefined) return undefined;
  const isEncoded = element(result, "EncodingType") === "url";
  const contents = elements(result, "Contents");
  if (contents === undefined) return undefined;
  const objects = contents.map((found) => ({
    key: decodedKey(element(found, "Key") ?? "", isEncoded),
    size: Number(element(found, "Size")),
  }));
  if (objects.some(({ key, size }) => key === undefined || !Number.isSafeInteger(size))) return undefined;
  const isCut = element(result, "IsTruncated") === "true";
  const next = isCut ? element(result, "NextContinuationToken") : undefined;
  if (isCut && next === undefined) return undefined;
  return { objects: objects as ListPage["objects"], next };
}

/** Returns the text of the first element with this name. */
export function element(xml: string, name: string): string | undefined {
  const inner = elements(xml, name)?.[0];
  return inner === undefined ? undefined : unescaped(inner);
}

/** Reads in one pass. Undefined if an element is not closed. */
function elements(xml: string, name: string): string[] | undefined {
  const [opening, closing] = [`<${name}`, `</${name}>`];
  const found: string[] = [];
  for (let open = xml.indexOf(opening); open !== -1;) {
    const after = open + opening.length;
    const start = xml.indexOf(">", after) + 1;
    const isNamed = xml[after] === ">" || xml[after] === " ";
    const end = isNamed ? xml.indexOf(closing, start) : after;
    if (start === 0 || end === -1) return undefined;
    if (isNamed) found.push(xml.slice(start, end));
    open = xml.indexOf(opening, end);
  }
  return found;
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\dA-Fa-f]{1,6})|(\w{1,6}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= CODE_POINT_MAX ? String.fromCodePoint(point) : whole;
  });
}

/** Undefined if it is not encoded as it says. */
function decodedKey(text: string, isEncoded: boolean): string | undefined {
  if (!isEncoded) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** The body of a removal. */
export function removalBody(keys: readonly string[]): string {
  const objects = keys.map((key) => `<Object><Key>${escapedMarkup(key)}</Key></Object>`);
  return `<Delete><Quiet>true</Quiet>${objects.join("")}</Delete>`;
}

/** The body that completes an upload in parts. `tags`: of the parts, in order. */
export function completionBody(tags: readonly string[]): string {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapedMarkup(tag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}
