// Finds the name that an unknown word of a command line was meant to be: a beginning, the word of another program for the same act, or a slip.

/** Letters that say enough of a name to complete it. */
const BEGINNING_LETTERS_MIN = 2;
/** A name is suggested if it is at most this many edits away. */
const SUGGESTION_EDITS_MAX = 2;
/** With more, a list says less than the help. */
const ELSEWHERE_MAX = 3;

/** Words for the same act. The first of a row that is known stands for the others. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["list", "ls", "show"],
  ["show", "get", "cat", "view", "read", "info", "list"],
  ["delete", "remove", "rm", "del", "revoke", "unset", "uninstall", "unshare", "destroy"],
  ["create", "add", "new", "make", "put", "snapshot", "install"],
  ["put", "write", "save", "upload"],
  ["start", "serve", "run", "up"],
  ["stop", "down", "kill"],
  ["login", "signin", "sign-in"],
  ["logout", "signout", "sign-out"],
  ["search", "find", "grep"],
  ["history", "log", "versions"],
  ["--data", "--server-dir", "--data-dir", "--dir"],
  ["--listen", "--address", "--port", "--host"],
  ["--out", "--output", "-o"],
  ["--yes", "--force", "-y", "-f"],
];

/** Acts on anything. Such a word in one group does not mean the command of another, which acts on something else. */
const COMMON_ACTS: ReadonlySet<string> = new Set(
  (
    "list ls show get cat view read info create add new make put install write edit delete remove rm del revoke unset uninstall " +
    "destroy undelete enable disable set start run stop status test"
  ).split(" "),
);

export function isCommonAct(word: string): boolean {
  return COMMON_ACTS.has(word);
}

/**
 * Returns the known name that `written` begins or is one edit away from. Otherwise the commands `elsewhere`, if they are few, then the known name that
 * means the same, and then the one with the fewest edits, if they change less than half of it.
 */
export function meantBy(
  written: string,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): string | undefined {
  const begun = known.filter((name) => name.startsWith(written));
  if (written.replace(/^-+/, "").length >= BEGINNING_LETTERS_MIN && begun.length === 1) return begun[0];
  const slip = nearest(written, known, 1);
  if (slip !== undefined) return slip;
  if (isShort(elsewhere)) return elsewhere.join(" or ");
  return synonymOf(written, known) ?? nearest(written, known);
}

/** Reports whether the commands are few enough to be named. */
export function isShort(commands: readonly string[]): boolean {
  return commands.length > 0 && commands.length <= ELSEWHERE_MAX;
}

/** Returns the names for the acts that the word can mean: itself, and the first name of each row of synonyms. */
export function actsMeantBy(word: string, names: readonly string[]): string[] {
  if (names.includes(word)) return [word];
  const rows = SYNONYMS.filter((row) => row.includes(word));
  return [...new Set(rows.flatMap((row) => row.find((name) => names.includes(name)) ?? []))];
}

function synonymOf(written: string, known: readonly string[]): string | undefined {
  return SYNONYMS.filter((row) => row.includes(written))
    .flat()
    .find((name) => name !== written && known.includes(name));
}

function nearest(
  written: string,
  known: readonly string[],
  editsMax = SUGGESTION_EDITS_MAX,
): string | undefined {
  let best: string | undefined;
  let fewest = editsMax + 1;
  for (const name of known) {
    const edits = editDistance(written, name);
    if (edits < fewest && isSlip(edits, name) && !isOpposite(written, name)) [best, fewest] = [name, edits];
  }
  return best;
}

function isOpposite(one: string, other: string): boolean {
  return one === `un${other}` || other === `un${one}`;
}

/** Reports whether the edits change less than half of the name. */
function isSlip(edits: number, name: string): boolean {
  return edits < name.replace(/^-+/, "").length / 2;
}

/** Reports whether one name may be a slip of the other. */
export function isSimilar(written: string, name: string): boolean {
  return isSlip(editDistance(written, name), name);
}

/**
 * Counts the letters omitted, added, replaced or swapped with their neighbor (optimal string alignment: Wagner and Fischer, 1974, with the
 * transposition of Damerau, 1964), one row at a time.
 */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[index] === to[column - 1] ? 0 : 1);
      const edits = [replaced, row[column]! + 1, next[column - 1]! + 1];
      const isSwap = column > 1 && from[index] === to[column - 2] && from[index - 1] === to[column - 1];
      if (isSwap) edits.push(before[column - 2]! + 1);
      next.push(Math.min(...edits));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}
