// Which files are documents, whose links and front matter are read. All others are data.

export const DOCUMENT_EXTENSIONS = [".md", ".markdown", ".mdx", ".txt"] as const;
/** At the end of a name. */
export const DOCUMENT_EXTENSION = /\.(?:md|markdown|mdx|txt)$/i;
/** Larger files are data, not documents: their text is neither delivered nor searched. */
export const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;

export function isDocumentPath(path: string): boolean {
  return DOCUMENT_EXTENSION.test(path);
}
