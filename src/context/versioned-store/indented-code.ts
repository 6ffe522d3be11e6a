// Finds the lines of a Markdown document that are code because they are indented, CommonMark 4.4 and 5.2: by four columns more than the list item
// that they belong to, and not in a paragraph. In doubt a line is text, so that no link is lost. One look at each line; knows no block quotes.

const CODE_COLUMNS = 4;
/** Nobody writes more markers before the text of a line. */
const ITEMS_PER_LINE_MAX = 16;
const TAB = 9;
const SPACE = 32;
/** A marker, and the space up to the content of the item. The content may begin with a marker, too. */
const MARKER = /(?:[-+*]|[0-9]{1,9}[.)])(?:([ \t]+)|$)/y;
const HEADING = /#{1,6}(?:[ \t]|$)/y;

export class IndentedCode {
  /** The columns where the contents of the open list items begin, the innermost last. */
  readonly #items: number[] = [];
  #isParagraph = false;

  /** Takes the next line. Returns whether it is code. A line of a fence or a comment is not for it. */
  takes(line: string): boolean {
    const { column, at } = indentOf(line);
    if (at === line.length) {
      this.#isParagraph = false;
      return false;
    }
    if (!this.#isParagraph) {
      this.#leave(column);
      if (column >= (this.#items.at(-1) ?? 0) + CODE_COLUMNS) return true;
    }
    this.#isParagraph = !this.#opensItems(line, at, column) && !isHeading(line, at);
    return false;
  }

  /** The block before the next line is no paragraph. */
  interrupt(): void {
    this.#isParagraph = false;
  }

  /** Closes the items whose content begins further right. */
  #leave(column: number): void {
    while (this.#items.length > 0 && this.#items.at(-1)! > column) this.#items.pop();
  }

  /** Returns whether nothing follows the last marker. */
  #opensItems(line: string, from: number, first: number): boolean {
    let at = from;
    let column = first;
    for (let items = 0; items < ITEMS_PER_LINE_MAX && isMarkerStart(line.charCodeAt(at)); items += 1) {
      MARKER.lastIndex = at;
      const match = MARKER.exec(line);
      if (!match) return false;
      this.#leave(column);
      const space = match[1];
      const width = match[0].length - (space?.length ?? 0);
      if (space === undefined) {
        this.#items.push(column + width + 1);
        return true;
      }
      const end = columnAfter(space, column + width);
      // After more space, the item begins with code, and its content right after the marker.
      const isFar = end - column - width > CODE_COLUMNS;
      column = isFar ? column + width + 1 : end;
      this.#items.push(column);
      if (isFar) return false;
      at += match[0].length;
      if (at === line.length) return true;
    }
    return false;
  }
}

function indentOf(line: string): { column: number; at: number } {
  let column = 0;
  let at = 0;
  for (; at < line.length; at += 1) {
    const character = line.charCodeAt(at);
    if (character === SPACE) column += 1;
    else if (character === TAB) column = nextStop(column);
    else break;
  }
  return { column, at };
}

function columnAfter(space: string, from: number): number {
  let column = from;
  for (const character of space) column = character === "\t" ? nextStop(column) : column + 1;
  return column;
}

function nextStop(column: number): number {
  return column + CODE_COLUMNS - (column % CODE_COLUMNS);
}

/** `-`, `+`, `*` or a digit. */
function isMarkerStart(character: number): boolean {
  return character === 45 || character === 43 || character === 42 || (character >= 48 && character <= 57);
}

function isHeading(line: string, at: number): boolean {
  if (line[at] !== "#") return false;
  HEADING.lastIndex = at;
  return HEADING.test(line);
}
