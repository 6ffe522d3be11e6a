// Style sheets as data for tests: rules with their declarations, the tokens of both themes, and the contrast of two colours
// (WCAG 2.2, relative luminance).

type Theme = "light" | "dark";
export const themes: readonly Theme[] = ["light", "dark"];

interface StyleRule {
  readonly selector: string;
  readonly declarations: readonly (readonly [property: string, value: string])[];
}

/** Every innermost block with declarations. Good for sheets that people write: no braces in strings. */
export function rulesOf(css: string): StyleRule[] {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...plain.matchAll(/([^{};]*)\{([^{}]*)\}/g)].map(([, selector = "", body = ""]) => ({
    selector: selector.trim(),
    declarations: body
      .split(";")
      .map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
      })
      .filter(([property]) => property !== ""),
  }));
}

/** Names of custom properties that a text reads. */
export function propertiesRead(text: string): string[] {
  return [...text.matchAll(/var\(\s*--([\w-]+)/g)].map(([, name]) => name!);
}

/** Names of custom properties that a text sets: in a rule, or in a `style` object. */
export function propertiesSet(text: string): string[] {
  return [...text.matchAll(/--([\w-]+)["'`]?\]?\s*:/g)].map(([, name]) => name!);
}

type Rgb = readonly [number, number, number];

/** Colours of the tokens in one theme; a token that stands for another one has its colour. */
export function colourTokens(tokensCss: string, theme: Theme): ReadonlyMap<string, Rgb> {
  const declared = new Map(
    rulesOf(tokensCss).flatMap(({ declarations }) =>
      declarations.flatMap(([property, value]) =>
        property.startsWith("--") ? [[property.slice(2), value] as const] : [],
      ),
    ),
  );
  const colourOf = (name: string): Rgb | undefined => {
    const value = declared.get(name) ?? "";
    const alias = /^var\(--([\w-]+)\)$/.exec(value);
    if (alias) return colourOf(alias[1]!);
    const pair = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value);
    return pair ? parse(pair[theme === "light" ? 1 : 2]!) : undefined;
  };
  return new Map(
    [...declared.keys()].flatMap((name) => {
      const colour = colourOf(name);
      return colour ? [[name, colour] as const] : [];
    }),
  );
}

function parse(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

/** As `color-mix(in srgb, over share, under)`. */
export function mixed(over: Rgb, share: number, under: Rgb): Rgb {
  return over.map((value, channel) => value * share + under[channel]! * (1 - share)) as unknown as Rgb;
}

/** 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
