// The side pane in the address. On a narrow screen it is a sheet over the page, so opening it is a step of the history and Back closes it. Beside
// the page it is none: Back leaves the page.

import { useLocation, useNavigate, useSearchParams } from "@solidjs/router";
import { narrow } from "../kit/screen.ts";

type Params = Readonly<Record<string, string | undefined>>;

/** Returns the setter of the pane's parameters. `isOpen`: before the change; `opens`: after it. */
export function usePaneAddress(
  isOpen: () => boolean,
): (change: Params, options: { readonly opens: boolean }) => void {
  const [, setParams] = useSearchParams();
  const location = useLocation<{ readonly sheet?: boolean }>();
  const navigate = useNavigate();
  return (change, { opens }) => {
    const isStep = location.state?.sheet === true;
    if (isOpen() && !opens && isStep) {
      navigate(-1);
      return;
    }
    const begins = narrow() && !isOpen() && opens;
    setParams(change, {
      scroll: false,
      replace: !begins,
      ...((begins || (isStep && opens)) && { state: { sheet: true } }),
    });
  };
}
