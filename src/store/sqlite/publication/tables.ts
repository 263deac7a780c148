// Describes the tables of published history and remote write.

import { DAY } from '../../../lib/time.ts';
import { ofAccount, shifted, type Tables } from '../table.ts';

/** A row of history is at most a day long, and two days leave room for changes of the clock's offset. */
const LONGEST_ROW_MS = 2 * DAY;

// A stream without a position begins at `start`. For the ledger, that can be up to a day earlier: see restartStreams.
const POSITIONS = `(SELECT * FROM source.remote_write_position
  UNION ALL SELECT name, publication.id, account_id, iif(source = 'ledger', start - ${DAY}, start), start
    FROM source.publication, source.remote_write_receiver AS receiver WHERE NOT EXISTS (
      SELECT 1 FROM source.remote_write_position WHERE receiver = name AND publication_id = publication.id))`;

export const PUBLICATION_TABLES = {
  publication: {
    times: ['until', 'closed_until'],
    highest: `SELECT coalesce(max(id), 0) FROM (SELECT seq AS id FROM main.sqlite_sequence WHERE name = 'publication'
      UNION ALL SELECT publication_id FROM main.correction
      UNION ALL SELECT value ->> '$[0]' FROM main.remote_write_batch, json_each(next, '$.streams'))`,
    move: ofAccount({ id: shifted('id', 'publication') }),
  },
  correction: {
    // The ledger's rows stay forever, so their corrections stay, too. Those of other rows stay as long as the row, which
    // is deleted when the newest of its day is old enough: otherwise the row would lose its first value before.
    expired: `at < @oldest - ${LONGEST_ROW_MS}
      AND publication_id IN (SELECT id FROM publication WHERE account_id = @accountId AND source <> 'ledger')`,
    highest: "SELECT coalesce(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'correction'",
    move: ofAccount({
      sequence: shifted('sequence', 'correction'),
      publication_id: shifted('publication_id', 'publication'),
    }),
  },
  remote_write_position: {
    times: ['at', 'start'],
    move: { ...ofAccount({ publication_id: shifted('publication_id', 'publication') }), from: POSITIONS },
  },
  remote_write_receiver: {
    times: ['start', 'refusing_since'],
    move: 'about all accounts of the store; its start moves with the positions',
  },
  remote_write_batch: {
    times: ['at'],
    move: 'already formed, so both stores send its samples, which are equal but for revised averages and maxima',
  },
} as const satisfies Tables;
