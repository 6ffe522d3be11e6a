// A file that is dropped where nothing takes files would replace the page, and with it what somebody is typing.

/** Places that take a dropped file by themselves. */
const TAKES_FILES = "input[type=file], .cm-editor";

document.addEventListener("dragover", (event) => {
  const { dataTransfer, defaultPrevented, target } = event;
  if (defaultPrevented || !dataTransfer?.types.includes("Files")) return;
  if (target instanceof Element && target.closest(TAKES_FILES)) return;
  event.preventDefault();
  // The pointer says so, and no drop follows.
  dataTransfer.dropEffect = "none";
});
