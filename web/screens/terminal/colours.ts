// The terminal's colours: our tokens, resolved in the current theme, because the terminal cannot use custom properties.

import type { ITheme } from "@xterm/xterm";

/** ANSI colours as tokens; the terminal ensures their contrast. */
const TOKENS: Readonly<Record<keyof Omit<ITheme, "extendedAnsi">, string>> = {
  background: "surface",
  foreground: "text",
  cursor: "accent",
  cursorAccent: "surface",
  selectionBackground: "accent-bg",
  selectionForeground: "text",
  selectionInactiveBackground: "line",
  scrollbarSliderBackground: "line",
  scrollbarSliderHoverBackground: "line-strong",
  scrollbarSliderActiveBackground: "faint",
  overviewRulerBorder: "line",
  black: "text",
  red: "bad",
  green: "accent",
  yellow: "wait",
  blue: "info",
  magenta: "agent-4",
  cyan: "agent-2",
  white: "muted",
  brightBlack: "faint",
  brightRed: "agent-5",
  brightGreen: "agent-6",
  brightYellow: "wait",
  brightBlue: "info",
  brightMagenta: "agent-4",
  brightCyan: "agent-1",
  brightWhite: "text",
};

export function terminalColours(): ITheme {
  const probe = document.createElement("span");
  document.body.append(probe);
  const entries = Object.entries(TOKENS).map(([name, token]) => {
    probe.style.color = `var(--${token})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries);
}
