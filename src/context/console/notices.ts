// One sentence that the page after a redirect shows once: what a form has done. Kept in memory for a moment, so that no address and no cookie can
// put words into a page.

const NOTICES_MAX = 1_000;

export interface Notice {
  readonly text: string;
  /** Shown once and selectable, such as a token. */
  readonly secret?: string;
}

export class Notices {
  readonly #byVisitor = new Map<string, Notice>();

  /** `visitor`: the CSRF token of the session. */
  put(visitor: string, notice: Notice): void {
    if (this.#byVisitor.size >= NOTICES_MAX) this.#byVisitor.delete(this.#byVisitor.keys().next().value!);
    this.#byVisitor.set(visitor, notice);
  }

  take(visitor: string): Notice | undefined {
    const notice = this.#byVisitor.get(visitor);
    this.#byVisitor.delete(visitor);
    return notice;
  }
}
