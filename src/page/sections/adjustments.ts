// Fills the list of adjustments of services, if their collector is on.

import type { Adjustment } from '../answers.ts';
import { html, type Markup } from '../html.ts';
import { isOn } from '../monitored.ts';
import { setUpList } from '../paged-list.ts';
import { adjustmentTable } from '../views/adjustments.ts';

export const adjustmentFrame = (): Markup | null =>
  isOn(['adjustments'])
    ? html`<details><summary>Adjustments</summary><div id="adjustments"></div></details>`
    : null;

/** `query` selects the adjustments. Returns the functions that refresh the list. */
export const setUpAdjustments = (
  query: Readonly<Record<string, string>>,
  onChange: () => void,
): (() => Promise<void>)[] =>
  isOn(['adjustments'])
    ? [
        setUpList<Adjustment>({
          ...{ id: 'adjustments', itemName: 'adjustments', onChange, isBrief: false, pageSize: 10 },
          path: () => `api/v1/adjustments?${new URLSearchParams(query)}`,
          draw: adjustmentTable,
          noItems: 'The provider lists no adjustments of services.',
        }),
      ]
    : [];
