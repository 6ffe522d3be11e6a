// Turns browser notifications about pending approvals on and off. The browser is asked only when the person presses the button.

import Bell from "lucide-solid/icons/bell";
import BellOff from "lucide-solid/icons/bell-off";
import { createSignal, type JSX, Match, Switch } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { notifies, setWanted } from "../../state/notify.ts";

export function NotifyButton(): JSX.Element {
  const [permission, setPermission] = createSignal(
    typeof Notification === "undefined" ? undefined : Notification.permission,
  );
  const turnOn = async () => {
    const answer = await Notification.requestPermission();
    setPermission(answer);
    setWanted(answer === "granted");
  };
  return (
    <Switch
      fallback={
        <Button small onClick={() => void turnOn()}>
          <Bell aria-hidden="true" />
          Enable notifications
        </Button>
      }
    >
      <Match when={permission() === undefined || !isSecureContext}>
        <span class="small muted">Notifications need HTTPS, or a browser on this machine.</span>
      </Match>
      <Match when={permission() === "denied"}>
        <span class="small muted">Notifications are blocked. Allow them in the browser's site settings.</span>
      </Match>
      <Match when={notifies()}>
        <Button small onClick={() => setWanted(false)}>
          <BellOff aria-hidden="true" />
          Disable notifications
        </Button>
      </Match>
    </Switch>
  );
}
