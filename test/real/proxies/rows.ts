// The table of probes through real proxies: every depth, protocol and outcome.

import type { Row } from './row.ts';
import { REFUSALS } from './rows-refusals.ts';
import { SUCCESSES } from './rows-success.ts';
import { TARGET_FAILURES } from './rows-targets.ts';

export const ROWS: readonly Row[] = [...SUCCESSES, ...REFUSALS, ...TARGET_FAILURES];
