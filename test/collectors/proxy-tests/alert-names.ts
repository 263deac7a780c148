// Alerts on proxy tests whose condition is found.

import { PROXY_TEST_ALERTS } from '../../../src/alerts/table/proxy-tests.ts';
import { found } from '../../alerts/findings.ts';
import type { Harness } from '../../support/harness.ts';

export type AlertName = string;

/** Names in the order of the table. */
export const namesOfFindings = (harness: Harness): Promise<AlertName[]> =>
  found(
    harness,
    PROXY_TEST_ALERTS.map(({ name }) => name),
  );
