// Detects secrets assigned to a name: `api_key = "…"`, `password: …`, `TOKEN=…`, in settings, data and code. The name alone proves nothing, so
// the value must look random and must not look like a placeholder, an identifier, a path or a hash.

interface Assignment {
  /** The start of the value. */
  readonly start: number;
  readonly end: number;
}

/** Scans in one pass: the work at each name is bounded, and the next match begins after it. Raises nothing. */
export function* secretAssignments(text: string): Generator<Assignment> {
  NAME.lastIndex = 0;
  for (let name = NAME.exec(text); name !== null; name = NAME.exec(text)) {
    const [keyword, password] = name;
    const before = text.slice(Math.max(0, name.index - BEFORE_CHARACTERS), name.index);
    VALUE.lastIndex = NAME.lastIndex;
    const found = VALUE.exec(text);
    if (!found || !namesSecret(before, keyword, found[1]!)) continue;
    const value = found[3] ?? found[4]!;
    const isSecret = password === undefined ? looksRandom(value) : looksChosen(value) || looksRandom(value);
    const end = VALUE.lastIndex - (found[2]?.length ?? 0);
    if (isSecret && !isHarmless(value)) yield { start: end - value.length, end };
  }
}

/** A pre-check for texts without long unbroken strings, because a chosen password may be short. */
export function mayAssignPassword(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return PASSWORD_NEEDLES.some((needle) => text.includes(needle));
}

/** Parts of `password`, `passwd` and `passphrase` in the usual letter cases. */
const PASSWORD_NEEDLES = ["assw", "ASSW", "assp"];

/** Written as a prefix tree, which is twice as fast as a list of names. */
const NAME =
  /(p(?:ass(?:w(?:or)?d|phrase)|wd))|s(?:ecret(?:[_-]?key)?|igning[_-]?key)|token|a(?:uthorization|(?:pi|ccess|uth)[_-]?key)|private[_-]?key|encryption[_-]?key|master[_-]?key/gi;
/** The rest of the name, an operator (after a type, in some languages), and a value in quotes or up to a delimiter. */
const VALUE =
  /([\w-]{0,40})\\?["']?[ \t]{0,8}(?::[ \t]?[A-Za-z_&][\w.&' ]{0,24}=|:=|=>|[:=])[ \t]{0,8}(?:(?:Bearer|Basic)[ \t]{1,4})?(?:(\\?["'`])([^\s"'`\\]{8,512})\2|([^\s"'`,;&<>(){}[\]\\]{8,512})(?=[\s,;&}\]"'`\\]|$))/iy;
/** The longest alternative of `OTHER_BEFORE`, plus a separator. */
const BEFORE_CHARACTERS = 16;

/** Affixes of names that describe a secret rather than hold one. */
const OTHER_BEFORE =
  /(?:public|page|next|csrf|xsrf|cursor|continuation|sync|max|min|num|total|input|output|prompt|completion|no|is|has)[_-]?$/i;
const OTHER_AFTER =
  /(?:ids?|names?|files?|path|dir|ur[li]|type|kind|length|size|count|limit|max|min|ttl|expir\w*|at|env|var|prefix|suffix|field|header|hash\w*|digest|fingerprint|hint|label|policy|version|format|pattern|regex|ref|arn|alias|endpoint|scopes?|provider|encrypted)$/i;

/** `tokenizer`, `secretary` and `tokens` are other words; `tokenValue` and `TOKEN_2` are not. */
function namesSecret(before: string, keyword: string, rest: string): boolean {
  if (OTHER_BEFORE.test(before)) return false;
  if (rest === "") return true;
  const isOther = /^[a-z]/.test(rest) || (/^[A-Z]/.test(rest) && keyword === keyword.toUpperCase());
  return !isOther && !OTHER_AFTER.test(rest);
}

const RANDOM_CHARACTERS_MIN = 16;
const RANDOM_DISTINCT_MIN = 8;
/** In bits per character: 16 hexadecimal digits usually have slightly more. */
const ENTROPY_MIN = 3;
/** Transitions between letter and digit: more than words with a number at the end have. */
const CHANGES_MIN = 3;
/** The largest share of characters in word-like runs of letters. */
const WORDS_MAX = 0.5;

function looksRandom(value: string): boolean {
  if (value.length < RANDOM_CHARACTERS_MIN) return false;
  const changes = value.match(/[a-z](?=[0-9])|[0-9](?=[a-z])/gi)?.length ?? 0;
  if (changes < CHANGES_MIN || entropyOf(value) < ENTROPY_MIN) return false;
  const words = value.match(/[A-Z]?[a-z]{4,}|[A-Z]{5,}/g) ?? [];
  return words.join("").length <= value.length * WORDS_MAX;
}

/** Returns the Shannon entropy in bits per character; 0 for too few distinct characters. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  if (counts.size < RANDOM_DISTINCT_MIN) return 0;
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Character classes. Passwords that follow common rules have at least three. */
const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^\w.-]/];
const KINDS_MIN = 3;

function looksChosen(value: string): boolean {
  return KINDS.filter((kind) => kind.test(value)).length >= KINDS_MIN && new Set(value).size > 4;
}

const HARMLESS: readonly RegExp[] = [
  // A placeholder or variable; a password hash also begins with `$`.
  /^[$%@&*!<[{(]|\$\{|\$\(|\{\{|%\(|<|\.\.\.|\u2026/,
  /example|sample|dummy|placeholder|change[_-]?me|replace|redacted|your|insert|todo|fixme|test|foobar|xxx|password|passwd|secret|token|api[_-]?key|default|1234567|abcdef|qwerty|deadbeef/i,
  // A UUID is rarely a secret.
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  // A path, an address, a file, a time, a prefixed hash.
  /^(?:\.{0,2}|~)\/|:\/\/|\.(?:pem|key|txt|json|ya?ml|toml|md|[jt]sx?|py|go|rs|env|crt|html?|css)$/i,
  /^\d{4}-\d\d-\d\d|^(?:sha|md)\d+[-:]/i,
  // A type: `Uint8Array`.
  /^[A-Z][a-z]+\d{1,3}[A-Z][a-z]+$/,
  // Read from somewhere: `settings.keys.v2`, `this.#key1`, `process.env["…"]`.
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)#?[A-Za-z_$][\w$]*)+$/,
];

function isHarmless(value: string): boolean {
  return HARMLESS.some((expression) => expression.test(value));
}
