// Starts the service worker once the page is there, and tells it what was loaded before it.

/** Never raises: without a worker the interface works as before, only not offline. */
export async function registerWorker(): Promise<void> {
  // Browsers offer it on HTTPS and on this machine only.
  if (!("serviceWorker" in navigator)) return;
  try {
    const workers = navigator.serviceWorker;
    workers.addEventListener("controllerchange", tell);
    await workers.register("/sw.js");
    await workers.ready;
    tell();
  } catch {
    // Forbidden by the browser, or the server is unreachable.
  }
}

function tell(): void {
  const paths = performance
    .getEntriesByType("resource")
    .map(({ name }) => new URL(name))
    .filter(({ origin }) => origin === location.origin)
    .map(({ pathname, search }) => `${pathname}${search}`);
  navigator.serviceWorker.controller?.postMessage(paths);
}
