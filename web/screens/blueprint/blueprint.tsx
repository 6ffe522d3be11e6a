// The blueprint of a workspace: its agents, wires and bindings, as a canvas or as a list; now, or as of an earlier turn.

import { A } from "@solidjs/router";
import { type Accessor, createMemo, type JSX, Show } from "solid-js";
import { narrow } from "../../kit/screen.ts";
import { stored } from "../../kit/storage.ts";
import { type Here, useHere } from "../../state/here.ts";
import { egressQuery } from "../../state/lists.ts";
import { Canvas } from "./canvas.tsx";
import { useEditing } from "../../parts/editing/editing.ts";
import { createFigures } from "./figures.ts";
import { gateNote, type Shown } from "./graph.ts";
import { useUndoKeys } from "./keys.ts";
import { List } from "./list.tsx";
import { createPast } from "./past.ts";
import { PastNotice, TimeSlider } from "./time-slider.tsx";
import "./blueprint.css";

type Form = "canvas" | "list";

/** The blueprint as it is now; changes only with its own parts of the state. */
function createLive(here: Here): Accessor<Shown> {
  return createMemo(
    (): Shown => {
      const { agents, wires, gearBindings, instructionBindings, grants } = here.state();
      return { agents, wires, gearBindings, instructionBindings, grants };
    },
    undefined,
    {
      equals: (a, b) =>
        a.agents === b.agents &&
        a.wires === b.wires &&
        a.gearBindings === b.gearBindings &&
        a.instructionBindings === b.instructionBindings &&
        a.grants === b.grants,
    },
  );
}

export function Blueprint(): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const past = createPast(here);
  const figures = createFigures(here.state);
  const egress = egressQuery();
  const [wanted, setWanted] = stored<Form | "">("blueprint.form", "");
  const form = () => wanted() || (narrow() ? "list" : "canvas");

  const live = createLive(here);
  const shown = createMemo(() => (past.turn() ? (past.shown() ?? live()) : live()));
  const readOnly = () => past.turn() !== undefined;
  const gateClosed = () => egress.data()?.reason ?? undefined;
  const note = () => gateNote(egress.data()?.on ?? false, shown().grants.length);
  useUndoKeys(
    () => here.view() === "blueprint" && !readOnly(),
    () => void editing.undo(),
    () => void editing.redo(),
  );
  return (
    <div class={`blueprint ${form()}`}>
      <h1 class="visually-hidden">Blueprint</h1>
      <div class="blueprint-top">
        <TimeSlider past={past} />
        <PastNotice past={past} />
        <Show when={!readOnly() && live().agents.length === 1 && form() === "canvas"}>
          <p class="blueprint-hint">
            Only the orchestrator exists so far. Ask it in the <A href={`/workspaces/${here.id}`}>chat</A> to
            create a worker, or add one yourself. Workers and their wires appear here.
          </p>
        </Show>
      </div>
      <p class="visually-hidden" role="status">
        {editing.said()}
      </p>
      <Show
        when={form() === "canvas"}
        fallback={
          <List
            shown={shown()}
            readOnly={readOnly()}
            figures={figures}
            gateClosed={gateClosed()}
            searchOn={egress.data()?.on ?? false}
            onCanvas={() => setWanted("canvas")}
          />
        }
      >
        <Canvas
          shown={shown()}
          readOnly={readOnly()}
          figures={figures}
          gateNote={note()}
          gateClosed={gateClosed()}
          onList={() => setWanted("list")}
        />
      </Show>
    </div>
  );
}
