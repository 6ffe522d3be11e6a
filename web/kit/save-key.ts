// Ctrl S, and Cmd S on a Mac, in a form.

/** For `onKeyDown`: calls `save`, in place of the browser's own save dialog. */
export function onSaveKey(save: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  };
}
