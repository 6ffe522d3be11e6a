// The pages for what cannot be shown: missing or hidden (the same page), not allowed, refused, failed.

import type { VNode } from "preact";
import { visible } from "../../../kit/text/visible.ts";
import { Raw, sentenceClass } from "../pieces.tsx";

interface ProblemPage {
  readonly status: number;
  readonly sentence: string;
  readonly requestId: string;
  /** The input of the refused form, so that it is not lost. */
  readonly kept: string | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Not possible",
  401: "Signed out",
  403: "Not allowed",
  404: "Not found",
  405: "Not possible",
  409: "Changed in the meantime",
  412: "Changed in the meantime",
  413: "Too large",
  429: "Too many requests",
  500: "Something failed",
  503: "Not available",
};

export function problemTitle(status: number): string {
  return TITLES[status] ?? "Refused";
}

export function ProblemBody({ status, sentence, requestId, kept }: ProblemPage): VNode {
  return (
    <div class="console-stack">
      <p class={`console-lead ${sentenceClass(sentence)}`}>
        {status === 404 ? NOT_FOUND : visible(sentence)}
      </p>
      {kept !== undefined && (
        <section class="console-stack" aria-labelledby="kept">
          <h2 id="kept">Your text was not saved</h2>
          <p class="muted">Copy it before you leave this page.</p>
          <Raw text={kept} label="Your text" />
        </section>
      )}
      {status !== 401 && (
        <p>
          <a href="/console">Go to the overview</a>
        </p>
      )}
      <p class="muted small">
        Request ID <code>{requestId}</code>
      </p>
    </div>
  );
}

/** The same for a page that does not exist and for one that this person may not see. */
const NOT_FOUND = "This page does not exist, or you may not see it.";
