// The links of a document as they are stored: a flat JSON list in the order of the document, three values for each link.

import type { Link } from "../links.ts";

const VALUES_PER_LINK = 3;

export function packedLinks(links: readonly Link[]): string {
  const values: (string | number)[] = [];
  for (const { line, kind, target } of links) values.push(line, kind, target);
  return JSON.stringify(values);
}

export function unpackedLinks(packed: string): Link[] {
  const values = JSON.parse(packed) as unknown[];
  const links: Link[] = [];
  for (let at = 0; at < values.length; at += VALUES_PER_LINK)
    links.push({
      line: values[at] as number,
      kind: values[at + 1] as Link["kind"],
      target: values[at + 2] as string,
    });
  return links;
}
