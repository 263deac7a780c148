// Tests what the daemon says is at fault for each cause of failing probes, through real sockets.

import { it } from 'vitest';
import { checkRow } from './check-row.ts';
import { ROWS } from './rows.ts';

it.each(ROWS)('$name', checkRow);
