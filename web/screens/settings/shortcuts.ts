// The keyboard shortcuts and their descriptions.

interface Shortcut {
  readonly keys: readonly string[];
  readonly what: string;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const CONTROL = isApple ? "⌘" : "Ctrl";

export function shortcuts(): readonly Shortcut[] {
  return [
    { keys: [CONTROL, "K"], what: "Search and run commands" },
    { keys: ["Enter"], what: "Send the message" },
    { keys: ["Shift", "Enter"], what: "Insert a line break" },
    { keys: [CONTROL, "S"], what: "Save the open file, document or instruction" },
    { keys: ["↑", "↓"], what: "Move between rows, files, versions and search results" },
    { keys: ["←", "→"], what: "Resize panes, with the divider focused" },
    {
      keys: ["Alt", "T"],
      what: "Move to the messages in the corner, such as Undo",
    },
    { keys: ["Esc"], what: "Close a dialog or menu; never rejects, cancels or deletes" },
  ];
}
