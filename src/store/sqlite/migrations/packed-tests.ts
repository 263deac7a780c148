// Packs the cells of the test matrix by proxy and url, and allows subjects of tests to be deleted.

export const PACKED_TESTS = `
-- A row for each proxy and url, its testers' cells packed (see test-cell-pack.ts): a round writes a tenth of the rows.
-- Its results within an hour join those of test_sum when the hour has changed.
CREATE TABLE test_cells (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES account (id),
  proxy INTEGER NOT NULL,
  url INTEGER NOT NULL,
  at INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  cells TEXT NOT NULL,
  hour INTEGER NOT NULL DEFAULT 0,
  hour_results INTEGER NOT NULL DEFAULT 0,
  hour_successes INTEGER NOT NULL DEFAULT 0,
  hour_sum_ms REAL NOT NULL DEFAULT 0,
  UNIQUE (account_id, proxy, url)
) STRICT;

INSERT INTO test_cells (account_id, proxy, url, at, held_until, cells)
SELECT account_id, proxy, url, newest, first_held, json_group_array(
    iif(history & 1,
      json_array(tester, newest - at, response_time_ms, results, successes, held_until - first_held,
        history | (1 << rounds), error_source, error_code),
      json_array(tester, newest - at, response_time_ms, results, successes, held_until - first_held,
        history | (1 << rounds))))
FROM (SELECT *, max(at) OVER same AS newest, min(held_until) OVER same AS first_held FROM test_cell
  WINDOW same AS (PARTITION BY account_id, proxy, url))
GROUP BY account_id, proxy, url;

-- at: when a result of any kind was last stored. What never succeeded has a row too, its counts an empty list.
CREATE TABLE url_tester (
  account_id INTEGER NOT NULL REFERENCES account (id),
  url INTEGER NOT NULL,
  tester INTEGER NOT NULL,
  at INTEGER NOT NULL,
  counts TEXT NOT NULL,
  sum_ms REAL NOT NULL,
  count INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, url, tester)
) STRICT, WITHOUT ROWID;

INSERT INTO url_tester
SELECT cell.account_id, cell.url, cell.tester, max(cell.at), coalesce(counts, '[]'), coalesce(sum_ms, 0.0),
  coalesce(count, 0), coalesce(times.held_until, min(cell.held_until))
FROM test_cell cell LEFT JOIN test_response_time times USING (account_id, url, tester)
GROUP BY cell.account_id, cell.url, cell.tester;

DROP TABLE test_cell;
DROP TABLE test_response_time;

-- Subjects are referred to without a foreign key: else each that is forgotten would be looked for in whole tables.
CREATE TABLE new_tested_proxy (
  account_id INTEGER NOT NULL REFERENCES account (id),
  proxy INTEGER NOT NULL,
  last_tested_at INTEGER NOT NULL,
  failing_rounds INTEGER NOT NULL,
  PRIMARY KEY (account_id, proxy)
) STRICT, WITHOUT ROWID;

CREATE TABLE new_test_failure (
  account_id INTEGER NOT NULL REFERENCES account (id),
  proxy INTEGER NOT NULL,
  error_source TEXT NOT NULL,
  count INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, proxy, error_source)
) STRICT, WITHOUT ROWID;

CREATE TABLE new_test_error (
  account_id INTEGER NOT NULL REFERENCES account (id),
  url INTEGER NOT NULL,
  tester INTEGER NOT NULL,
  error_source TEXT NOT NULL,
  error_code TEXT NOT NULL,
  count INTEGER NOT NULL,
  held_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, url, tester, error_source, error_code)
) STRICT, WITHOUT ROWID;

INSERT INTO new_tested_proxy SELECT * FROM tested_proxy;
INSERT INTO new_test_failure SELECT * FROM test_failure;
INSERT INTO new_test_error SELECT * FROM test_error;
DROP TABLE tested_proxy;
DROP TABLE test_failure;
DROP TABLE test_error;
ALTER TABLE new_tested_proxy RENAME TO tested_proxy;
ALTER TABLE new_test_failure RENAME TO test_failure;
ALTER TABLE new_test_error RENAME TO test_error;
`;
