// Tests what CI does with the answers of a registry about known vulnerabilities.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createFolder } from '../config/support.ts';
import { ROOT } from '../docs/documents.ts';

interface Audit {
  readonly code: number;
  readonly stdout: string;
}

const PACKUMENT = {
  name: 'zod',
  'dist-tags': { latest: '4.6.7' },
  versions: { '4.6.7': { name: 'zod', version: '4.6.7' } },
};

/** Audits the lock file with a registry that answers the question about vulnerabilities like this. */
const auditWith = async (status: number, severity?: string): Promise<Audit> => {
  const advisory = {
    id: 1,
    url: 'https://advisory.example',
    title: 'test',
    vulnerable_versions: '*',
    severity,
  };
  await using server = createServer((request, response) => {
    request.resume();
    const isAudit = request.url?.includes('/advisories/');
    const body = isAudit ? (severity === undefined ? {} : { zod: [advisory] }) : PACKUMENT;
    response
      .writeHead(isAudit ? status : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const options = [`--registry=http://127.0.0.1:${port}`, `--cache=${createFolder({})}`, '--fetch-retries=0'];
  return await promisify(execFile)(process.execPath, [join(ROOT, '.ci/audit.mjs'), ...options], {
    cwd: ROOT,
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: Audit) => ({ code, stdout }),
  );
};

test('an audit fails for severe findings only, and says when it could not be made', {
  timeout: 120_000,
}, async () => {
  const [none, moderate, high, notOffered, failing] = await Promise.all([
    auditWith(200),
    auditWith(200, 'moderate'),
    auditWith(200, 'high'),
    auditWith(405),
    auditWith(500),
  ]);
  expect(none).toEqual({ code: 0, stdout: '0 vulnerable packages, 0 of them high or critical\n' });
  expect(moderate).toEqual({ code: 0, stdout: '1 vulnerable packages, 0 of them high or critical\n' });
  expect(high).toEqual({
    code: 1,
    stdout: 'high: zod *\n1 vulnerable packages, 1 of them high or critical\n',
  });
  expect(notOffered).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^NOT AUDITED: the registry offers no/),
  });
  expect(failing).toEqual({ code: 1, stdout: expect.stringMatching(/^npm audit failed: 500/) });
});
