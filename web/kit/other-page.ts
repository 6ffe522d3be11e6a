// Ends what belongs to the open page and is drawn outside it, such as a question or the palette, when the address changes.

import { useLocation } from "@solidjs/router";
import { createEffect, on } from "solid-js";

export function onOtherPage(end: () => void): void {
  const location = useLocation();
  createEffect(on(() => location.pathname + location.search, end, { defer: true }));
}
