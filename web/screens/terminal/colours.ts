// The colours of the terminal: those of our tokens as they are worth in the theme of the moment. It draws with values, not with variables.

import type { ITheme } from "@xterm/xterm";

/** What programs call by these names, in our colours; contrast with the ground is seen to by the terminal. */
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
