// How well a record fits a query. A name that is the query comes first, then names that contain it; of entries, recent ones of people and agents
// before old ones and outputs of tools. Pure.

import { DAY_MS } from "../../kit/clock.ts";
import type { FoundEntry, SearchKind } from "./schema.ts";
import { folded, type Terms } from "./terms.ts";
import type { Matches } from "./snippets.ts";

const NAME_IS = 100;
const NAME_BEGINS = 60;
const NAME_HAS_ALL = 40;
const NAME_HAS_SOME = 10;
const TEXT_HAS_PHRASE = 12;
const OCCURRENCES_MAX = 8;
const RECENT = 10;
/** After this many days, recency counts for about a third. */
const RECENT_DAYS = 14;
const OF_A_TOOL = -6;
const FORGOTTEN = -5;
const ASIDE = -3;

interface Fit {
  readonly kind: SearchKind;
  readonly title: string;
  readonly titleMatches: Matches;
  readonly body: string;
  readonly bodyMatches: Matches;
  readonly entry: Pick<FoundEntry, "kind" | "forgotten" | "aside"> | null;
  readonly time: number | null;
}

export function scoreOf(fit: Fit, terms: Terms, now: number): number {
  const age = fit.time === null ? Infinity : Math.max(0, now - fit.time) / DAY_MS;
  const recent = RECENT * Math.exp(-age / RECENT_DAYS);
  if (!fit.entry) return nameScore(fit, terms) + textScore(fit, terms) + recent / RECENT;
  const { kind, forgotten, aside } = fit.entry;
  const less = (kind === "tool" ? OF_A_TOOL : 0) + (forgotten ? FORGOTTEN : 0) + (aside ? ASIDE : 0);
  return textScore(fit, terms) + recent + less;
}

function nameScore({ kind, title, titleMatches }: Fit, { plain, terms }: Terms): number {
  const whole = folded(title);
  const names = kind === "file" ? [whole, whole.slice(whole.lastIndexOf("/") + 1)] : [whole];
  if (names.includes(plain)) return NAME_IS;
  if (names.some((name) => name.startsWith(plain))) return NAME_BEGINS;
  if (titleMatches.kinds === terms.length) return NAME_HAS_ALL;
  return titleMatches.kinds > 0 ? NAME_HAS_SOME : 0;
}

function textScore({ body, bodyMatches }: Fit, { plain }: Terms): number {
  if (bodyMatches.kinds === 0) return 0;
  const hasPhrase = bodyMatches.ranges.length > 0 && folded(body).includes(plain);
  return (hasPhrase ? TEXT_HAS_PHRASE : 0) + Math.min(OCCURRENCES_MAX, bodyMatches.ranges.length);
}
