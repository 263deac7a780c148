// Shows one list of the API in an element, page by page.

import type { Freshness, Page } from '../answers.ts';
import { emptyNote } from '../components.ts';
import type { Markup } from '../html.ts';
import { PagedList } from '../paged-list.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';

export interface SimpleList<T> {
  /** The id of the element. */
  readonly id: string;
  /** The name of the items, for the accessible name of the buttons. */
  readonly itemName: string;
  /** The path with its parameters, without `limit`. Null while there is nothing to request. */
  readonly path: () => string | null;
  readonly pageSize?: number;
  readonly draw: (items: readonly T[]) => Markup;
  readonly noItems: string;
  /** Whether a note about old or missing data is only a badge, because the page has the full note. The default is true. */
  readonly isBrief?: boolean;
  /** Is called with the freshness of each new answer. */
  readonly onFreshness?: (freshness: Freshness | undefined) => void;
  readonly onChange: () => void;
}

/** Returns a function that refreshes the list. */
export const setUpList = <T>(options: SimpleList<T>): (() => Promise<void>) => {
  const { id, itemName, path, pageSize = 10, draw, noItems, isBrief = true, onFreshness, onChange } = options;
  const list = new PagedList<T>({
    element: elementById(id),
    ...{ itemName, pageSize, onPageChange: onChange },
    path: () => {
      const base = path();
      return base === null ? null : `${base}${base.includes('?') ? '&' : '?'}limit=${pageSize}`;
    },
    draw: (page: Page<T> | null) => {
      const items = page?.data ?? [];
      const freshness = page?.freshness;
      onFreshness?.(freshness?.[0]);
      return withFreshness({ freshness, now: Date.now(), isEmpty: items.length === 0, isBrief }, () =>
        items.length > 0 ? draw(items) : emptyNote(noItems),
      );
    },
  });
  return () => list.refresh();
};
