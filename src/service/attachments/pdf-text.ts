// Reads the text of a PDF. Runs in a worker, whose deadline bounds it: a hostile PDF can ask for any amount of work.

import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { tolerateStrayErrors } from "../../kit/workers/job.ts";
import { PDF_PAGES_MAX, PDF_TEXT_CHARACTERS_MAX } from "./schema.ts";

interface PdfText {
  readonly pages: number;
  /** Empty for a PDF of pictures. */
  readonly text: string;
}

/** After this, the rest of the pages is left out. */
const READING_MS_MAX = 20_000;
const LEFT_OUT = "\n\n(The rest of the text is left out, because there is too much of it.)";

/** Raises `refused` for a PDF that is broken or protected by a password, `too_large` for too many pages. */
export async function readPdf(bytes: Uint8Array, name: string): Promise<PdfText> {
  tolerateStrayErrors();
  const { getDocumentProxy } = await import("unpdf");
  const settings = {
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
  };
  const document = await getDocumentProxy(bytes, settings).catch((error: unknown) => {
    throw problemOf(error, name);
  });
  try {
    const { numPages: pages } = document;
    if (pages > PDF_PAGES_MAX)
      throw new AppError("too_large", `${name}: has ${pages} pages; attach at most ${PDF_PAGES_MAX}`, {
        limit_pages: PDF_PAGES_MAX,
      });
    const endAt = systemClock.elapsed() + READING_MS_MAX;
    const isOver = (characters: number) =>
      characters > PDF_TEXT_CHARACTERS_MAX || systemClock.elapsed() > endAt;
    let text = "";
    let number = 1;
    for (; number <= pages && !isOver(text.length); number++) {
      const page = await document.getPage(number);
      const words = await wordsOf(page, (characters) => isOver(text.length + characters));
      if (words !== "") text += `${text === "" ? "" : "\n\n"}${words}`;
      page.cleanup();
    }
    if (number <= pages || isOver(text.length))
      text = wellFormed(text.slice(0, PDF_TEXT_CHARACTERS_MAX)) + LEFT_OUT;
    return { pages, text: wellFormed(text) };
  } catch (error) {
    throw problemOf(error, name);
  } finally {
    await document.cleanup().catch(() => {});
  }
}

interface Page {
  streamTextContent(): ReadableStream<{ readonly items: readonly object[] }>;
}

/** Reads piece by piece, because a page of a few bytes can have gigabytes of text. */
async function wordsOf(page: Page, isOver: (characters: number) => boolean): Promise<string> {
  const reader = page.streamTextContent().getReader();
  let words = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return words.trim();
    for (const item of value.items as readonly { readonly str?: string; readonly hasEOL?: boolean }[])
      words += `${item.str ?? ""}${item.hasEOL ? "\n" : ""}`;
    if (!isOver(words.length)) continue;
    await reader.cancel().catch(() => {});
    return words.trim();
  }
}

/** Without lone surrogates and NUL, which models and databases do not take. */
function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

function problemOf(error: unknown, name: string): AppError {
  if (error instanceof AppError) return error;
  const isLocked = error instanceof Error && error.name === "PasswordException";
  return new AppError(
    "refused",
    isLocked
      ? `${name}: protected by a password; save it without one and attach it again`
      : `${name}: not a readable PDF; open it, save it again and attach the copy`,
  );
}
