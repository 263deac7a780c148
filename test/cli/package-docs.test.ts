// Tests that alerts link to the documentation of this version, if package.json names its repository.

import { describe, expect, it, test } from 'vitest';
import { docsUrlOf } from '../../src/cli/context.ts';
import { AlertRig, alertNamed } from '../alerts/alert-rig.ts';

const inRepository = (owner: string) => ({
  version: '1.2.3',
  repository: { url: `git+https://github.com/${owner}/proxywatch.git` },
});
const DOCS_URL = 'https://github.com/acme/proxywatch/blob/v1.2.3/docs/alerts.md';

describe('the documentation of a package', () => {
  it('is the page about alerts at the tag of its version', () => {
    expect(docsUrlOf(inRepository('acme'))).toBe(DOCS_URL);
  });

  it.each([
    ['a placeholder', inRepository('OWNER')],
    ['no repository', { version: '1.2.3' }],
    ['another kind of address', { version: '1.2.3', repository: { url: 'github:acme/proxywatch' } }],
  ])('is unknown with %s', (_, manifest) => {
    expect(docsUrlOf(manifest)).toBeUndefined();
  });
});

test.each([
  ['no runbook if the repository is unknown', undefined, undefined, undefined],
  ['a runbook in the repository', DOCS_URL, undefined, `${DOCS_URL}#low`],
  ['a runbook at docs_url', DOCS_URL, 'https://docs.example/', 'https://docs.example/alerts.html#low'],
])('an alert of the daemon has %s', async (_, docsUrl, configured, runbook) => {
  await using rig = await AlertRig.start([alertNamed('Low')], { docs_url: configured }, docsUrl);
  const labels = { account: 'main', subject: 'a' };
  const alert = { alert: 'Low', severity: 'info', value: 1, startsAt: 0, endsAt: null, labels } as const;
  expect(rig.alerting.annotate({ ...alert, summary: '' }).runbook_url).toBe(runbook);
});
