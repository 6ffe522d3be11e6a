// The target of a link in a document: to another document that the same screen opens, or to a heading of the same text. Pure.

const HEADING_PREFIX = "md-";

/**
 * The address of a link that is written as a path, relative to the document at `from`, or to its root if it begins with a slash. Undefined:
 * it leads out, or is an address of another kind.
 */
export function documentAddress(from: string, href: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(href)) return undefined;
  const [written = "", fragment] = split(href, "#");
  if (written === "") return fragment ? `#${HEADING_PREFIX}${decoded(fragment)}` : undefined;
  const path = joined(from, decoded(split(written, "?")[0]!));
  return path === undefined ? undefined : `?path=${encodeURIComponent(path)}`;
}

const EXTENSIONS = [".md", ".markdown", ".mdx", ".txt"];
const FOLDER_PAGES = ["README.md", "readme.md", "index.md"];

/**
 * The document that a linked path means: itself, the page of that folder, or the one with an extension added, as the link graph resolves it
 * (docs/graph.md). The path itself if there is none.
 */
export function documentMeant(path: string, exists: (path: string) => boolean): string {
  const pages = FOLDER_PAGES.map((page) => `${path}/${page}`);
  const named = EXTENSIONS.map((extension) => path + extension);
  return [path, ...pages, ...named].find(exists) ?? path;
}

function joined(from: string, path: string): string | undefined {
  const segments = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length === 0 ? undefined : segments.join("/");
}

function split(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The id of a heading, as GitHub derives it from the text: lower case, words joined by hyphens, no punctuation. */
export function headingId(text: string): string {
  const words = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "");
  return HEADING_PREFIX + words.replaceAll(" ", "-");
}

/** The heading in `root` that `#id` means. Repeated headings are numbered from the second on: `-1`, `-2`. */
export function headingIn(root: Element, id: string): HTMLElement | undefined {
  const withId = (wanted: string) => root.querySelectorAll<HTMLElement>(`[id="${CSS.escape(wanted)}"]`);
  const numbered = /^(.+)-(\d+)$/.exec(id);
  return withId(id)[0] ?? (numbered ? withId(numbered[1]!)[Number(numbered[2])] : undefined);
}
