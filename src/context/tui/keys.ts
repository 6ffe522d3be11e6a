// The input of a person at a terminal: keys, text, clicks and the wheel, read from the bytes that the terminal sends. Unknown sequences are dropped.

export type Key =
  | "up"
  | "down"
  | "left"
  | "right"
  | "page-up"
  | "page-down"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "backspace"
  | "tab"
  | "back-tab"
  | "quit"
  | "redraw";

export type Input =
  | { readonly kind: "key"; readonly key: Key }
  /** One printable character. */
  | { readonly kind: "text"; readonly text: string }
  /** One character of a text that was pasted. */
  | { readonly kind: "paste"; readonly text: string }
  /** From 0. */
  | { readonly kind: "click"; readonly row: number; readonly column: number }
  | { readonly kind: "wheel"; readonly by: -1 | 1 };

/** A person types less at once; the rest of such a chunk is dropped. */
const INPUTS_PER_CHUNK_MAX = 2_000;
const SEQUENCE_UNITS_MAX = 32;
const ESCAPE = "\u001b";
const INTERRUPT = "\u0003";
const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";

const SEQUENCE_KEYS: Readonly<Record<string, Key>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "[1~": "home",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[5~": "page-up",
  "[6~": "page-down",
  "[Z": "back-tab",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
};

const CONTROL_KEYS: Readonly<Record<string, Key>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "quit",
  "\u0004": "quit",
  "\u0002": "page-up",
  "\u0006": "page-down",
  "\u000c": "redraw",
};

// Escape, then a control sequence or a single shift; the final byte ends it. Two forms end otherwise: a click as terminals without SGR sequences
// send it, with three characters behind `M`, and a function key of the Linux console.
// oxlint-disable-next-line no-control-regex -- the escape character is the subject
const SEQUENCE = /^\u001b(?:\[(?:M[^]{3}|\[[A-E])|\[([<?]?[0-9;]*)([@-Z\\^-~])|O([A-Za-z]))/;
// oxlint-disable-next-line no-control-regex -- the same
const UNFINISHED = /^\u001b(?:\[(?:[<?]?[0-9;]*|M[^]{0,2}|\[)|O)?$/;
// oxlint-disable-next-line no-control-regex -- the same
const CONTROL = /^[\u0000-\u001f\u007f-\u009f]$/;

export class Keys {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #isPasting = false;

  /** The start of a sequence arrived; unless more follows, `flush` makes it the Escape key. */
  get isWaiting(): boolean {
    return this.#rest !== "";
  }

  read(chunk: Uint8Array): Input[] {
    let text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    this.#rest = "";
    const inputs: Input[] = [];
    while (text !== "" && inputs.length < INPUTS_PER_CHUNK_MAX) {
      if (text.startsWith(ESCAPE)) {
        if (UNFINISHED.test(text) && text.length <= SEQUENCE_UNITS_MAX) {
          this.#rest = text;
          break;
        }
        const found = SEQUENCE.exec(text);
        text = text.slice(found ? found[0].length : 1);
        if (found?.[0] === PASTE_START || found?.[0] === PASTE_END) {
          this.#isPasting = found[0] === PASTE_START;
          continue;
        }
        // Terminals take the sequence that ends a paste out of the text, so it ends there.
        if (this.#isPasting) continue;
        const input = found ? inputOf(found) : ({ kind: "key", key: "escape" } as const);
        if (input) inputs.push(input);
        continue;
      }
      const character = String.fromCodePoint(text.codePointAt(0)!);
      text = text.slice(character.length);
      // The key that interrupts is in no pasted text, and gets a person out of a paste without an end.
      if (character === INTERRUPT) this.#isPasting = false;
      if (this.#isPasting) {
        inputs.push({ kind: "paste", text: CONTROL.test(character) ? " " : character });
        continue;
      }
      const key = CONTROL_KEYS[character];
      if (key !== undefined) inputs.push({ kind: "key", key });
      else if (!CONTROL.test(character)) inputs.push({ kind: "text", text: character });
    }
    if (inputs.length === INPUTS_PER_CHUNK_MAX) this.#skip(text);
    return inputs;
  }

  /** A paste ends in a text that is dropped, too. */
  #skip(text: string): void {
    const [start, end] = [text.lastIndexOf(PASTE_START), text.lastIndexOf(PASTE_END)];
    if (start !== end) this.#isPasting = start > end;
    const rest = text.slice(-PASTE_END.length);
    const last = rest.lastIndexOf(ESCAPE);
    if (last >= 0 && UNFINISHED.test(rest.slice(last))) this.#rest = rest.slice(last);
  }

  /** Called when nothing has followed for a moment. */
  flush(): Input[] {
    const was = this.#rest;
    this.#rest = "";
    return was === ESCAPE ? [{ kind: "key", key: "escape" }] : [];
  }
}

function inputOf([, parameters = "", final = "", shifted]: RegExpExecArray): Input | undefined {
  if (parameters.startsWith("<")) return mouse(parameters.slice(1), final);
  // Modifiers (`1;5A`) do not change what a key does here.
  const plain = parameters.replace(/^1;[0-9]+$/, "").replace(/;[0-9]+$/, "");
  const key = SEQUENCE_KEYS[shifted === undefined ? `[${plain}${final}` : `O${shifted}`];
  return key === undefined ? undefined : { kind: "key", key };
}

const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

function mouse(parameters: string, final: string): Input | undefined {
  const [button, column = 0, row = 0] = parameters.split(";").map(Number);
  if (final !== "M") return undefined;
  if (button === WHEEL_UP) return { kind: "wheel", by: -1 };
  if (button === WHEEL_DOWN) return { kind: "wheel", by: 1 };
  return button === 0 ? { kind: "click", row: row - 1, column: column - 1 } : undefined;
}
