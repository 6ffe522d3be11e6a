// Separates thoughts that a model writes as text, between `<think>` and `</think>` at the beginning of its answer. Servers that do not know the
// model's format pass them on so.

const OPENING = "<think>";
const CLOSING = "</think>";
/** Before the opening tag. Longer whitespace is text, which counts towards the limit of an answer. */
const BLANK_CHARACTERS_MAX = 256;

export class ThinkTags {
  readonly #say: (kind: "text" | "reasoning", piece: string) => void;
  #state: "beginning" | "thoughts" | "after" | "text" = "beginning";
  /** A piece that may be the start of a tag. */
  #held = "";

  constructor(say: (kind: "text" | "reasoning", piece: string) => void) {
    this.#say = say;
  }

  /** Passes on the next piece of text. */
  text(piece: string): void {
    if (this.#state === "text") {
      this.#say("text", piece);
      return;
    }
    const held = this.#held + piece;
    this.#held = "";
    if (this.#state === "beginning") this.#begin(held);
    else if (this.#state === "thoughts") this.#think(held);
    else this.#after(held);
  }

  /** Passes on what is held, at the end of the answer. */
  end(): void {
    if (this.#held === "") return;
    this.#say(this.#state === "thoughts" ? "reasoning" : "text", this.#held);
    this.#held = "";
  }

  #begin(held: string): void {
    const start = held.trimStart();
    if (start.startsWith(OPENING)) {
      this.#state = "thoughts";
      this.#think(start.slice(OPENING.length));
    } else if (OPENING.startsWith(start) && held.length <= BLANK_CHARACTERS_MAX) this.#held = held;
    else this.#enterText(held);
  }

  #think(held: string): void {
    const end = held.indexOf(CLOSING);
    if (end >= 0) {
      this.#say("reasoning", held.slice(0, end));
      this.#state = "after";
      this.#after(held.slice(end + CLOSING.length));
      return;
    }
    const kept = tagStartIn(held);
    this.#say("reasoning", held.slice(0, held.length - kept));
    this.#held = held.slice(held.length - kept);
  }

  /** Blank lines separate the thoughts from the answer. */
  #after(held: string): void {
    const text = held.trimStart();
    if (text !== "") this.#enterText(text);
  }

  #enterText(text: string): void {
    this.#state = "text";
    this.#say("text", text);
  }
}

/** The length of the longest end of `text` with which the closing tag may begin. */
function tagStartIn(text: string): number {
  const from = text.lastIndexOf("<");
  return from >= 0 && CLOSING.startsWith(text.slice(from)) ? text.length - from : 0;
}
