// Declares the rendering of Markdown for pages, which runs in a worker: a hostile document can make a parser slow.

import type { Job } from "../../kit/workers/job.ts";

interface MarkdownInput {
  readonly text: string;
  /** The document, whose folder relative links start from. */
  readonly path: string;
  /** The address of the space in the console: `/console/spaces/team`. */
  readonly base: string;
}

/** As much as a page shows of any text. */
const CHARACTERS_MAX = 256 * 1024;
const DEADLINE_MS = 2_000;

export const MARKDOWN_JOB: Job<MarkdownInput, string> = {
  name: "render a document",
  deadlineMs: DEADLINE_MS,
  inputBytesMax: CHARACTERS_MAX,
  sizeOf: ({ text }) => text.length,
};
