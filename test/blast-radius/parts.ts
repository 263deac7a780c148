// Lists the parts of the provider's answers that can be wrong: each endpoint that the daemon requests, in its pieces.

import { LISTING_PARTS } from './parts/listings.ts';
import { ORDER_AND_PLACE_PARTS } from './parts/orders-and-places.ts';
import type { Part } from './parts/part.ts';
import { TEST_PARTS } from './parts/proxy-tests.ts';
import { REQUEST_LOG_PARTS } from './parts/request-log.ts';
import { TRAFFIC_PARTS } from './parts/traffic.ts';
import { USAGE_PARTS } from './parts/usage.ts';

/** The parts by the snapshot that has their tables. */
export const PARTS_BY_PAGE = {
  traffic: TRAFFIC_PARTS,
  listings: LISTING_PARTS,
  'orders-and-places': ORDER_AND_PLACE_PARTS,
  'proxy-tests': TEST_PARTS,
  usage: USAGE_PARTS,
  'request-log': REQUEST_LOG_PARTS,
} as const;

export const PARTS: readonly Part[] = Object.values(PARTS_BY_PAGE).flat();
