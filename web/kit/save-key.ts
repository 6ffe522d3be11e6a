// Ctrl S, and Cmd S on a Mac, in a form. Pressed while a save is on its way, it saves what was typed since.

/** For `onKeyDown`: calls `save`, in place of the browser's own save dialog. */
export function onSaveKey(save: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  };
}

interface Saves {
  /** Saves, and once more for as long as that was asked for meanwhile. */
  readonly run: () => Promise<void>;
  /** For a key that is pressed while `run` is on its way. */
  readonly again: () => void;
}

/** `isDue`: whether there is anything to save again. Raises what `once` raises. */
export function createSaves(once: () => Promise<unknown>, isDue: () => boolean): Saves {
  let isAsked = false;
  return {
    run: async () => {
      do {
        isAsked = false;
        await once();
      } while (isAsked && isDue());
    },
    again: () => void (isAsked = true),
  };
}
