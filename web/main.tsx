// Starts the interface: the routes and their screens, loaded when first opened.

import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/button.css";
import "./styles/mark.css";
import "./styles/field.css";
import "./styles/state.css";
import "./styles/section.css";
import "./styles/table.css";
import "./styles/overlay.css";
import "./styles/split.css";
import "./styles/highlight.css";
import "./frame/frame.css";
import { Navigate, Route, Router } from "@solidjs/router";
import { lazy } from "solid-js";
import { render } from "solid-js/web";
import { registerWorker } from "./api/offline/register.ts";
import "./frame/dropped-files.ts";
import { Missing, Shell } from "./frame/shell.tsx";
import { whenQuiet } from "./kit/quiet.ts";
import { workspaceViews } from "./state/here.ts";
import { loadSession } from "./state/session.ts";
import "./state/theme.ts";

const Workspaces = lazy(async () => ({
  default: (await import("./screens/workspaces/workspaces.tsx")).Workspaces,
}));
const Workspace = lazy(async () => ({
  default: (await import("./screens/workspace/workspace.tsx")).Workspace,
}));
const views = {
  chat: lazy(async () => ({ default: (await import("./screens/chat/chat.tsx")).Chat })),
  blueprint: lazy(async () => ({ default: (await import("./screens/blueprint/blueprint.tsx")).Blueprint })),
  files: lazy(async () => ({ default: (await import("./screens/files/files.tsx")).Files })),
  memory: lazy(async () => ({ default: (await import("./screens/memory/memory.tsx")).Memory })),
  activity: lazy(async () => ({ default: (await import("./screens/activity/activity.tsx")).Activity })),
};
const Inspector = lazy(async () => ({
  default: (await import("./screens/inspector/inspector.tsx")).Inspector,
}));
const Approvals = lazy(async () => ({
  default: (await import("./screens/approvals/approvals.tsx")).Approvals,
}));
const Gears = lazy(async () => ({ default: (await import("./screens/gears/gears.tsx")).Gears }));
const Gear = lazy(async () => ({ default: (await import("./screens/gears/gear.tsx")).Gear }));
const Library = lazy(async () => ({ default: (await import("./screens/library/library.tsx")).Library }));
const Context = lazy(async () => ({ default: (await import("./screens/context/context.tsx")).Context }));
const Models = lazy(async () => ({ default: (await import("./screens/models/models.tsx")).Models }));
const People = lazy(async () => ({ default: (await import("./screens/people/people.tsx")).People }));
const Audit = lazy(async () => ({ default: (await import("./screens/audit/audit.tsx")).Audit }));
const Terminal = lazy(async () => ({ default: (await import("./screens/terminal/terminal.tsx")).Terminal }));
const Login = lazy(async () => ({ default: (await import("./screens/login/login.tsx")).Login }));
const Settings = lazy(async () => ({ default: (await import("./screens/settings/settings.tsx")).Settings }));

/** At most 15 digits, which numbers hold exactly; any other path is not found. */
const id = /^[1-9]\d{0,14}$/;

void loadSession();
void whenQuiet().then(registerWorker);
render(
  () => (
    <Router root={(props) => <Shell {...props} login={Login} />}>
      <Route path="/" component={() => <Navigate href="/workspaces" />} />
      <Route path="/login" component={() => <Navigate href="/workspaces" />} />
      <Route path="/workspaces" component={Workspaces} />
      <Route
        path="/workspaces/:id/:view?"
        matchFilters={{ id, view: [...workspaceViews] }}
        component={() => <Workspace views={views} inspector={Inspector} />}
      />
      <Route path="/approvals" component={Approvals} />
      <Route path="/gears" component={Gears} />
      <Route
        path="/gears/:id/:tab?"
        matchFilters={{ id, tab: ["review", "code", "runs", "versions"] }}
        component={Gear}
      />
      <Route path="/library/:id?" matchFilters={{ id }} component={Library} />
      <Route path="/context" component={Context} />
      <Route path="/models" component={Models} />
      <Route path="/people" component={People} />
      <Route path="/audit" component={Audit} />
      <Route path="/terminal" component={Terminal} />
      <Route path="/settings" component={Settings} />
      <Route path="*" component={Missing} />
    </Router>
  ),
  document.getElementById("app")!,
);
