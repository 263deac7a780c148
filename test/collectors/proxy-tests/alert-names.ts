// Lists the alerts about proxy tests whose conditions hold.

import { PROXY_TEST_ALERTS } from '../../../src/alerts/table/proxy-tests.ts';
import { alertsFound } from '../../alerts/findings.ts';
import type { Harness } from '../../support/harness.ts';

export type AlertName = string;

/** Returns the names in the order of the alert table. */
export const namesOfFindings = (harness: Harness): Promise<AlertName[]> =>
  alertsFound(
    harness,
    PROXY_TEST_ALERTS.map(({ name }) => name),
  );
