// The keys that do something, in words. A key that is listed here works.

export interface Shortcut {
  readonly keys: readonly string[];
  readonly what: string;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const CONTROL = isApple ? "⌘" : "Ctrl";

export function shortcuts(): readonly Shortcut[] {
  return [
    { keys: [CONTROL, "K"], what: "Search everything, run a command" },
    { keys: ["Enter"], what: "Send the message" },
    { keys: ["Shift", "Enter"], what: "A new line in the message" },
    { keys: [CONTROL, "S"], what: "Save the file that is open" },
    { keys: ["↑", "↓"], what: "The row before, the row after, in tables" },
    { keys: ["←", "→"], what: "Resize panes, when the line between them has the focus" },
    { keys: ["Esc"], what: "Close a dialog or a menu; it never refuses, stops or deletes anything" },
  ];
}
