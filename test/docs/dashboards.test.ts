// Tests that the reference of the dashboards lists every dashboard with its variables and rows.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeWordsOf, ROOT, tableRowsOf, textOf } from './documents.ts';

const FOLDER = 'grafana/dashboards';

/** Grafana does not show a variable that is hidden. */
const HIDDEN = 2;

interface Dashboard {
  readonly title: string;
  readonly refresh: string;
  readonly time: { readonly from: string };
  readonly templating: { readonly list: readonly { readonly label: string; readonly hide?: number }[] };
  readonly panels: readonly { readonly type: string; readonly title: string }[];
}

const rowOf = (file: string): Record<string, string> => {
  const { title, refresh, time, templating, panels } = JSON.parse(textOf(`${FOLDER}/${file}`)) as Dashboard;
  return {
    file,
    title,
    variables: templating.list
      .filter(({ hide }) => hide !== HIDDEN)
      .map(({ label }) => label)
      .join(', '),
    'time range': time.from.replace('now-', ''),
    refresh,
    rows: panels.flatMap((panel) => (panel.type === 'row' ? panel.title : [])).join(', '),
  };
};

test('the reference has every dashboard as it is', () => {
  const documented = tableRowsOf(textOf('docs/reference/dashboards.md'))
    .filter((row) => 'variables' in row)
    .map((row) => ({ ...row, file: codeWordsOf(row.file ?? '').join() }));
  const files = readdirSync(join(ROOT, FOLDER));
  expect(documented.toSorted((one, other) => (one.file < other.file ? -1 : 1))).toEqual(
    files.toSorted().map(rowOf),
  );
});
