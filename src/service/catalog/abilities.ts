// The inputs that a model reads besides text. An admin's word comes first, then what its provider has refused, then what its name and protocol suggest.

import type { Protocol } from "./schema.ts";

export interface Accepts {
  readonly images: boolean;
  /** PDFs as they are; otherwise their text is sent. */
  readonly pdfs: boolean;
}

/** The facts that decide. 0 and 1 as stored. */
interface AbilityFacts {
  readonly protocol: Protocol;
  readonly base_url: string;
  readonly model_name: string;
  readonly images: 0 | 1 | null;
  readonly pdfs: 0 | 1 | null;
  readonly images_refused_at: number | null;
  readonly pdfs_refused_at: number | null;
}

/** Models of the Messages API that read text only; all others read images. */
const MESSAGES_TEXT_ONLY = /claude-(?:instant|v?[12](?=$|[-.:]))/i;
/** Families behind OpenAI-compatible servers that read images, by their usual names. A server that ignores images silently is worse than a no. */
const CHAT_WITH_IMAGES = new RegExp(
  [
    String.raw`\bgpt-(?:4o|4\.1|4\.5|4-turbo|4-vision|[5-9])`,
    String.raw`\bo[13](?:$|-pro|-\d{4})`,
    String.raw`\bo4`,
    String.raw`\bclaude-(?!instant|v?[12](?:$|[-.:]))`,
    String.raw`\bgemini`,
    String.raw`\bgemma-?[3-9]`,
    String.raw`\bllama-?4`,
    String.raw`\bpixtral`,
    String.raw`\bmistral-(?:small|medium)-?3`,
    String.raw`\bgrok-[4-9]`,
    String.raw`llava|moondream|minicpm-?v|internvl|molmo|vision|multimodal`,
    String.raw`[-_.\d]vl(?:$|[-_:.\d])`,
    String.raw`\bglm-\d[\d.]*v`,
  ].join("|"),
  "i",
);
/** Takes PDFs in the Chat Completions API. Other servers of this protocol rarely do, so they get the text. */
const CHAT_WITH_PDFS = "api.openai.com";
const MESSAGES_WITH_PDFS = /claude-/i;

export function acceptsOf(facts: AbilityFacts): Accepts {
  const images = decided(facts.images, facts.images_refused_at, () => namesImages(facts));
  return { images, pdfs: decided(facts.pdfs, facts.pdfs_refused_at, () => images && namesPdfs(facts)) };
}

function decided(said: 0 | 1 | null, refusedAt: number | null, guess: () => boolean): boolean {
  if (said !== null) return said === 1;
  return refusedAt === null && guess();
}

function namesImages({ protocol, model_name: name }: AbilityFacts): boolean {
  return protocol === "anthropic" ? !MESSAGES_TEXT_ONLY.test(name) : CHAT_WITH_IMAGES.test(name);
}

function namesPdfs({ protocol, model_name: name, base_url: url }: AbilityFacts): boolean {
  if (protocol === "anthropic") return MESSAGES_WITH_PDFS.test(name);
  return URL.parse(url)?.hostname === CHAT_WITH_PDFS;
}
