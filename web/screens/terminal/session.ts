// One shell: its socket and its screen. Bytes pass both ways unchanged; the only message is the size. Loads with the first shell.

import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { copyText } from "../../kit/pieces.tsx";
import { terminalColours } from "./colours.ts";
import { allowTerminalStyles } from "./styles.ts";

/** The server accepts frames of 64 KiB, and ends a session that is 256 KiB ahead of its shell. */
const FRAME_BYTES_MAX = 32 * 1024;
const PASTE_BYTES_MAX = 192 * 1024;
/** Bytes waiting to be drawn; faster output is dropped with a note. */
const UNDRAWN_BYTES_MAX = 8 * 1024 * 1024;
const SCROLLBACK_LINES = 5_000;
const CONTRAST_MIN = 4.5;
const FONT_PX = 13;

interface ShellEvents {
  readonly opened: () => void;
  /** The server's reason; undefined if the connection was refused or lost. */
  readonly ended: (reason: string | undefined) => unknown;
  /** Called for the key that leaves the terminal. */
  readonly left: () => void;
  readonly tooMuchPasted: (bytes: number, max: number) => void;
}

export interface Shell {
  readonly focus: () => void;
  /** Applies a changed theme. */
  readonly recolour: () => void;
  /** Ends the shell and removes its screen. */
  readonly close: () => void;
}

/** Opens a shell in `host`. `path`: of the WebSocket, below the origin. */
export function openShell(host: HTMLElement, path: string, events: ShellEvents): Shell {
  const withdrawStyles = allowTerminalStyles();
  const screen = new Terminal({
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"),
    fontSize: FONT_PX,
    lineHeight: 1.25,
    scrollback: SCROLLBACK_LINES,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    minimumContrastRatio: CONTRAST_MIN,
    theme: terminalColours(),
    screenReaderMode: true,
  });
  const fit = new FitAddon();
  screen.loadAddon(fit);
  screen.open(host);
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${path}`);
  socket.binaryType = "arraybuffer";
  const send = (bytes: Uint8Array<ArrayBuffer>) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    if (bytes.length > PASTE_BYTES_MAX) return events.tooMuchPasted(bytes.length, PASTE_BYTES_MAX);
    for (let from = 0; from < bytes.length; from += FRAME_BYTES_MAX)
      socket.send(bytes.slice(from, from + FRAME_BYTES_MAX));
  };
  const tellSize = () => {
    if (socket.readyState === WebSocket.OPEN)
      socket.send(JSON.stringify({ type: "resize", cols: screen.cols, rows: screen.rows }));
  };
  const resized = new ResizeObserver(() => {
    // Without a size, it would report one column.
    if (host.clientWidth > 0 && host.clientHeight > 0) fit.fit();
  });
  resized.observe(host);
  screen.onResize(tellSize);
  screen.onData((text) => send(new TextEncoder().encode(text)));
  screen.onBinary((text) => send(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
  hearTextWithoutKeys(screen.textarea!, (text) => send(new TextEncoder().encode(text)));
  screen.attachCustomKeyEventHandler((event) => passesOn(event, screen, events));
  socket.addEventListener("open", () => {
    fit.fit();
    tellSize();
    events.opened();
  });
  const draw = createDrawer(screen);
  socket.addEventListener("message", ({ data }) => draw(new Uint8Array(data as ArrayBuffer)));
  let over = false;
  socket.addEventListener("close", ({ reason }) => {
    if (over) return;
    over = true;
    // Input is disabled, and the cursor shows it.
    screen.options.disableStdin = true;
    screen.options.cursorBlink = false;
    events.ended(reason === "" ? undefined : reason);
  });
  return {
    focus: () => screen.focus(),
    recolour: () => (screen.options.theme = terminalColours()),
    close() {
      over = true;
      socket.close();
      resized.disconnect();
      screen.dispose();
      withdrawStyles();
    },
  };
}

/** Handles text without key events, such as from an emoji panel. In screen reader mode the terminal ignores it. */
function hearTextWithoutKeys(area: HTMLTextAreaElement, tell: (text: string) => void): void {
  let keyDown = false;
  area.addEventListener("keydown", () => (keyDown = true), { capture: true });
  area.addEventListener("keyup", () => (keyDown = false), { capture: true });
  area.addEventListener("input", (event) => {
    if (!(event instanceof InputEvent) || keyDown || event.isComposing) return;
    if (event.inputType === "insertText" && event.data !== null) tell(event.data);
  });
}

/** Keys that never reach the shell: F6 leaves the terminal, Ctrl Shift C copies the selection, Ctrl Shift V is the browser's paste. */
function passesOn(event: KeyboardEvent, screen: Terminal, events: ShellEvents): boolean {
  if (event.key === "F6") {
    if (event.type === "keydown") {
      event.preventDefault();
      events.left();
    }
    return false;
  }
  if (!event.ctrlKey || !event.shiftKey) return true;
  const key = event.key.toLowerCase();
  if (key === "c" && event.type === "keydown" && screen.hasSelection()) {
    event.preventDefault();
    void copyText(screen.getSelection()).then(() => screen.focus());
  }
  return key !== "c" && key !== "v";
}

/** Passes bytes to the screen as fast as it draws; a flood loses output rather than freezing the page. */
function createDrawer(screen: Terminal): (bytes: Uint8Array) => void {
  let undrawn = 0;
  let left = 0;
  return (bytes) => {
    if (undrawn + bytes.length > UNDRAWN_BYTES_MAX) {
      left += bytes.length;
      return;
    }
    if (left > 0) screen.write(`\r\n[${left} bytes of output dropped]\r\n`);
    left = 0;
    undrawn += bytes.length;
    screen.write(bytes, () => (undrawn -= bytes.length));
  };
}
