// Alerts on proxy tests whose condition is found.

import { PROXY_TEST_ALERTS } from '../../../src/alerts/table/proxy-tests.ts';
import { found } from '../../alerts/findings.ts';
import type { House } from '../../support/house.ts';

export type AlertName = string;

/** Names in the order of the table. */
export const namesOfFindings = (house: House): Promise<AlertName[]> =>
  found(
    house,
    PROXY_TEST_ALERTS.map(({ name }) => name),
  );
