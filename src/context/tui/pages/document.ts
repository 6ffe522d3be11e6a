// One document to read: as it is now, or one of its versions.

import { decodeUtf8 } from "../../../kit/text/utf8.ts";
import type { Desk } from "../desk.ts";
import type { Stage } from "../page.ts";
import { TextPage, TEXT_UNITS_MAX } from "../text-page.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { diffPage } from "./difference.ts";
import { editFile } from "./editing.ts";
import { historyPage } from "./history.ts";

/** A few more than are shown, so that the page can say that something is missing. */
const BYTES_READ_MAX = TEXT_UNITS_MAX * 4 + 4;

/** `version` undefined: the file as it is now. */
export function documentPage(desk: Desk, space: string, path: string, version?: number): TextPage {
  return new TextPage({
    title: `${space}/${path}${version === undefined ? "" : ` v${version}`}`,
    text: async () => {
      const { bytes } = await desk.look(space, (door) => door.read(path, version));
      const text = decodeUtf8(beginningOf(bytes));
      return text ?? `[not text: ${sizeText(bytes.length)}; cairn file get writes it to a file]`;
    },
    actions: [
      { key: "h", does: "history", run: (stage) => stage.open(historyOf(desk, space, path)) },
      {
        key: "d",
        does: "diff",
        run: (stage) =>
          stage.open(diffPage(desk, space, path, version === undefined ? undefined : { to: version })),
      },
      ...(version === undefined
        ? [
            {
              key: "e",
              does: "edit",
              changes: true,
              run: (stage: Stage) => editFile(stage, space, path),
            },
          ]
        : []),
    ],
  });
}

/** Ends between two characters. */
function beginningOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= BYTES_READ_MAX) return bytes;
  let end = BYTES_READ_MAX;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

export function historyOf(desk: Desk, space: string, path: string): ReturnType<typeof historyPage> {
  return historyPage(desk, space, path, (version) => documentPage(desk, space, path, version));
}
