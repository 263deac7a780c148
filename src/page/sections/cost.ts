// Fills the section about cost.

import type { Cost, Page } from '../answers.ts';
import { elementById } from '../show.ts';
import { costView } from '../views/cost.ts';
import { withFreshness } from '../views/freshness.ts';
import { Section } from './section.ts';

/** Returns a function that refreshes the section. */
export const setUpCost = (account: string): (() => Promise<void>) => {
  const cost = new Section<Page<Cost>>({
    element: elementById('cost-now'),
    path: () => `api/v1/cost?${new URLSearchParams({ account })}`,
    draw: (page) =>
      withFreshness({ freshness: page?.freshness?.[0], isEmpty: !page?.data.length }, () =>
        costView(page?.data[0]),
      ),
  });
  return () => cost.refresh();
};
