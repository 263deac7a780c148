// Says which collectors are on, and what a page shows if those that read its subject are off.

import { isMonitored } from './address.ts';

/** Whether one of the collectors is on. The server's page has the names of those that are. */
export const isOn = (collectors: readonly string[]): boolean =>
  isMonitored(collectors, (document.body.dataset.collectors ?? '').split(' '));
