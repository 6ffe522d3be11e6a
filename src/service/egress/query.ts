// Validates queries and collects facts for the person who decides. A query is refused, never trimmed or rewritten: the service sends the exact
// bytes that were approved.

import { QUERY_CHARACTERS_MAX, type EgressFacts } from "./schema.ts";

const ALLOWED = /^[\p{L}0-9 .,:;?!'"()\-+/#&]$/u;
const USUAL = /^[A-Za-z0-9 .,:;?!'"()\-+/#&]$/;
const OPAQUE_WORD_CHARACTERS_MIN = 12;
/** Shorter passages match by chance. */
const OVERLAP_CHARACTERS_MIN = 12;
/** How much of the workspace's text is compared, newest first. */
const OVERLAP_TEXT_CHARACTERS_MAX = 256 * 1024;

/** Returns a message for the model; undefined when the query is allowed. Length is counted in code points. */
export function queryProblem(query: string): string | undefined {
  const characters = [...query];
  if (characters.length > QUERY_CHARACTERS_MAX) {
    return `The query has ${characters.length} characters; at most ${QUERY_CHARACTERS_MAX} are allowed. Nothing was searched; ask again with a shorter one.`;
  }
  if (!/[\p{L}0-9]/u.test(query)) return "The query has no letter and no digit. Nothing was searched.";
  const foreign = [...new Set(characters.filter((character) => !ALLOWED.test(character)))];
  if (foreign.length === 0) return undefined;
  return `The query has characters that are not allowed (${foreign.slice(0, 5).map(codePoint).join(", ")}); letters, digits, spaces and .,:;?!'"()-+/#& are. Nothing was searched; ask again without them.`;
}

/** `texts` are the workspace's entries, newest first. */
export function factsOf(query: string, texts: Iterable<{ id: number; text: string }>): EgressFacts {
  const characters = [...query];
  return {
    characters: characters.length,
    unusual_characters: [...new Set(characters.filter((character) => !USUAL.test(character)))].map(
      (character) => `${codePoint(character)} ${character}`,
    ),
    opaque_words: query.split(" ").filter(isOpaque),
    overlap: longestOverlap(query, texts),
  };
}

/** The facts as sentences, for the list of approvals. */
export function factSentences(facts: EgressFacts): string[] {
  const { characters, unusual_characters: unusual, opaque_words: opaque, overlap } = facts;
  return [
    `${characters} characters`,
    ...(unusual.length > 0 ? [`unusual characters: ${unusual.join(", ")}`] : []),
    ...(opaque.length > 0 ? [`words that look like a key or an id: ${opaque.join(", ")}`] : []),
    ...(overlap ? [`"${overlap.text}" appears in this workspace (entry ${overlap.entry_id})`] : []),
  ];
}

function isOpaque(word: string): boolean {
  return word.length >= OPAQUE_WORD_CHARACTERS_MIN && /[0-9]/.test(word) && /\p{L}/u.test(word);
}

/** Finds the longest run of whole words of the query that one of the texts contains, ignoring case and punctuation. */
function longestOverlap(
  query: string,
  texts: Iterable<{ id: number; text: string }>,
): EgressFacts["overlap"] {
  const words = wordsOf(query);
  let best: EgressFacts["overlap"] = null;
  let left = OVERLAP_TEXT_CHARACTERS_MAX;
  for (const { id, text } of texts) {
    if (left <= 0) break;
    const said = ` ${wordsOf(text.slice(0, left)).join(" ")} `;
    left -= text.length;
    // A match that starts one word later ends no earlier, so `end` never moves back.
    for (let start = 0, end = 0; start < words.length; start++) {
      end = Math.max(end, start);
      while (end < words.length && said.includes(` ${words.slice(start, end + 1).join(" ")} `)) end += 1;
      const passage = words.slice(start, end).join(" ");
      if (passage.length >= OVERLAP_CHARACTERS_MIN && passage.length > (best?.text.length ?? 0)) {
        best = { text: passage, words: end - start, entry_id: id };
      }
    }
  }
  return best;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
