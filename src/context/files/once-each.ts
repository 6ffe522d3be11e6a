// Announces the news of a batch once, because the engine may judge it a second time.

import type { Announced } from "../events/events.ts";

export type Tell = (news: Announced) => void;

export function onceEach(tell: Tell): Tell {
  const told = new Set<string>();
  return (news) => {
    const what = JSON.stringify([news.type, news.path, news.data?.["quota"]]);
    if (!told.has(what)) tell(news);
    told.add(what);
  };
}
