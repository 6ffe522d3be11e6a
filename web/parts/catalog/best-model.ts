// Which of a provider's models to suggest: a recent one for general work. Names are all that a list says, so this is a guess, and shown as one.

/** Models that do not chat. */
const OTHER_WORK =
  /embed|whisper|tts|audio|realtime|image|vision-|dall-?e|moderation|rerank|transcri|speech|guard|ocr|video|search|similarity|instruct-beta|babbage|davinci|computer-use|live/i;
/** Cheaper and weaker relatives. */
const SMALL =
  /(?:^|[^a-z])(?:mini|nano|lite|small|tiny|haiku|flash|micro)(?:$|[^a-z])|(?:^|[^\d.])[1-9](?:\.\d)?b(?:$|[^a-z])/i;
const UNFINISHED = /preview|beta|alpha|exp(?:erimental)?(?:$|-)|test/i;
/** A snapshot of a day: the name without it stays current. */
const DATED = /20\d{2}-?\d{2}-?\d{2}|-\d{4}$/;
/** The dearest of a family are not what most work needs. */
const DEAR = /opus|ultra|-pro(?:$|-)|max/i;

/** Undefined if no name looks like a model that chats. */
export function bestModel(names: readonly string[]): string | undefined {
  const ranked = names.filter((name) => !OTHER_WORK.test(name)).map((name) => ({ name, rank: rankOf(name) }));
  ranked.sort((a, b) => compare(b.rank, a.rank) || a.name.length - b.name.length);
  return ranked[0]?.name;
}

function rankOf(name: string): readonly number[] {
  const kind = -Number(SMALL.test(name)) - Number(UNFINISHED.test(name));
  return [kind, ...versionOf(name), -Number(DEAR.test(name)), -Number(DATED.test(name)), parametersOf(name)];
}

/** The first number that is neither a date nor a size: `4.5` of `x-4-5-20250929`, `3.3` of `y3.3:70b`. */
function versionOf(name: string): readonly [number, number] {
  const found = /(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d.]*b(?:$|[^a-z])|\d)/i.exec(
    name.replace(DATED, ""),
  );
  return [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
}

/** In billions, for families that name them. */
function parametersOf(name: string): number {
  return Number(/(\d+(?:\.\d+)?)b(?:$|[^a-z])/i.exec(name)?.[1] ?? 0);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const by = value - (b[index] ?? 0);
    if (by !== 0) return by;
  }
  return 0;
}
