// Describes the tables of the ledger, of counters that follow its rows and others, and of the reconciliation.

import { OF_ACCOUNT, ofAccount, shifted, storedAtOf, type Tables } from '../table.ts';

// The owner of a counter is graph/<graph>, <collector>/<account> or <collector>/<account>/<name>.
const OWNER_REST = `substr(owner, instr(owner, '/') + 1)`;
const OWNER_ID = `CAST(${OWNER_REST} AS INTEGER)`;

export const LEDGER_TABLES = {
  counter: {
    heldBy: `CASE WHEN owner LIKE 'graph/%' THEN (SELECT read_at FROM graph WHERE owner = 'graph/' || id)
      ELSE (${storedAtOf(
        "iif(owner LIKE 'ledger/%', 'residential_ledger', substr(owner, 1, instr(owner, '/') - 1))",
        OWNER_ID,
      )}) END`,
    reset: 'UPDATE counter SET net = 0, served = 0, held_until = @heldUntil',
    move: {
      where: `iif(owner LIKE 'graph/%',
        ${OWNER_ID} IN (SELECT id FROM source.graph WHERE ${OF_ACCOUNT}),
        ${OWNER_ID} IN (SELECT old FROM temp.moved_account))`,
      columns: {
        owner: `substr(owner, 1, instr(owner, '/')) ||
          iif(owner LIKE 'graph/%', ${shifted(OWNER_ID, 'graph')},
            (SELECT new FROM temp.moved_account WHERE old = ${OWNER_ID})) ||
          substr(${OWNER_REST}, length(${OWNER_ID}) + 1)`,
      },
    },
  },
  ledger: { move: ofAccount() },
  ledger_rates: { times: ['since', 'at'], move: ofAccount() },
  reconciliation: { expired: 'day_start < @oldest', move: ofAccount() },
} as const satisfies Tables;
