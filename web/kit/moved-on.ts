// Keeps a late answer from acting on the page when the person who asked has gone elsewhere.

import { useIsRouting } from "@solidjs/router";
import { onCleanup } from "solid-js";

/**
 * Returns `act` for as long as the component that calls this is on the page and no other page was asked for; after that it does nothing. For whatever
 * leads somewhere, opens or closes after an answer.
 */
export function unlessMovedOn<Given extends readonly unknown[]>(
  act: (...given: Given) => void,
): (...given: Given) => void {
  const isRouting = useIsRouting();
  let isGone = false;
  onCleanup(() => (isGone = true));
  return (...given) => {
    if (!isGone && !isRouting()) act(...given);
  };
}
