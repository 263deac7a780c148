// Tests that the documented command sets the addresses of the status page and of the runbooks in all dashboards.

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolder } from '../config/support.ts';
import { textOf } from '../docs/documents.ts';
import { type Dashboard, FOLDER } from './dashboard-files.ts';

test('the documented command sets both addresses', () => {
  const [, command = ''] = /```sh\n(sed [^`]+)```/.exec(textOf('docs/how-to/use-the-dashboards.md')) ?? [];
  const checkout = createFolder({});
  const copy = join(checkout, 'grafana/dashboards');
  cpSync(FOLDER, copy, { recursive: true });
  execFileSync('sh', ['-c', command], { cwd: checkout });
  for (const name of readdirSync(FOLDER)) {
    const { templating } = JSON.parse(readFileSync(join(copy, name), 'utf8')) as Dashboard;
    const addresses = templating.list.filter(({ type }) => type === 'constant').map(({ query }) => query);
    expect([name, addresses]).toEqual([
      name,
      ['https://proxywatch.example.com/', 'https://docs.example.com/alerts.html'],
    ]);
  }
});
