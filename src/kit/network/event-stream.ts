// Splits server-sent events (WHATWG HTML, 9.2) for readers outside a browser. Chunks may split anywhere, even inside a character or a line
// ending. Independent of any protocol on top.

/** One event, unless the reader says otherwise. */
export const EVENT_CHARACTERS_MAX = 4 * 1024 * 1024;

const LINE_FEED = "\n";
const SPACE = 0x20;
const STREAMING = { stream: true };

export class EventStream {
  readonly #take: (data: string, type: string, id: string) => void;
  readonly #tooLarge: (charactersMax: number) => Error;
  readonly #charactersMax: number;
  readonly #decoder = new TextDecoder();
  /** The pieces of an incomplete line, joined only at its end: joining at every read would copy a long line repeatedly. */
  #pieces: string[] = [];
  #data: string | undefined;
  #type = "";
  #id = "";
  /** The size of the current event, in characters. */
  #characters = 0;
  #afterReturn = false;

  /**
   * `take` receives the data, type and id of each event; an error it raises stops reading. A missing type or id is empty. `tooLarge` creates
   * the error for an event longer than `charactersMax`.
   */
  constructor(
    take: (data: string, type: string, id: string) => void,
    tooLarge: (charactersMax: number) => Error,
    charactersMax: number = EVENT_CHARACTERS_MAX,
  ) {
    this.#take = take;
    this.#tooLarge = tooLarge;
    this.#charactersMax = charactersMax;
  }

  /** Raises what `take` and `tooLarge` do. */
  push(bytes: Uint8Array): void {
    this.#text(this.#decoder.decode(bytes, STREAMING));
  }

  /** Called at a regular end of the stream. Some servers omit the blank line after the last event. */
  end(): void {
    this.#text(this.#decoder.decode());
    if (this.#pieces.length > 0) this.#text(LINE_FEED);
    this.#text(LINE_FEED);
  }

  #text(decoded: string): void {
    const text = this.#withLineFeeds(decoded);
    let start = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, start)) {
      if (this.#pieces.length === 0) this.#line(text, start, end);
      else this.#lineInPieces(text.slice(start, end));
      start = end + 1;
    }
    if (start < text.length) this.#hold(text.slice(start));
  }

  /** A line may end with a carriage return, a line feed, or both. Inside JSON there is neither. */
  #withLineFeeds(decoded: string): string {
    let text = decoded;
    if (this.#afterReturn && text !== "") {
      this.#afterReturn = false;
      if (text.startsWith(LINE_FEED)) text = text.slice(1);
    }
    if (!text.includes("\r")) return text;
    this.#afterReturn = text.endsWith("\r");
    return text.replace(/\r\n?/g, LINE_FEED);
  }

  #lineInPieces(end: string): void {
    const line = this.#pieces.join("") + end;
    this.#pieces = [];
    this.#line(line, 0, line.length);
  }

  #hold(piece: string): void {
    this.#pieces.push(piece);
    this.#count(piece);
  }

  #count(piece: string): void {
    this.#characters += piece.length;
    if (this.#characters > this.#charactersMax) throw this.#tooLarge(this.#charactersMax);
  }

  /** Slices `text` only where the value is needed. */
  #line(text: string, start: number, end: number): void {
    if (start === end) this.#dispatch();
    else if (text.startsWith("data:", start)) this.#add(valueOf(text, start + "data:".length, end));
    else if (text.startsWith("event:", start)) this.#type = valueOf(text, start + "event:".length, end);
    else if (text.startsWith("id:", start)) this.#id = valueOf(text, start + "id:".length, end);
    else if (text.slice(start, end) === "data") this.#add("");
  }

  #add(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#count(value);
  }

  #dispatch(): void {
    const data = this.#data;
    const [type, id] = [this.#type, this.#id];
    this.#data = undefined;
    this.#type = this.#id = "";
    this.#characters = 0;
    if (data !== undefined && data !== "") this.#take(data, type, id);
  }
}

/** A space after the colon belongs to neither. */
function valueOf(text: string, start: number, end: number): string {
  return text.slice(text.charCodeAt(start) === SPACE ? start + 1 : start, end);
}
