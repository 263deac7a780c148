// Tests that a release with everything fits into the Secret in which Helm stores it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CHART, VALUES } from '../../deploy/helm-chart.ts';
import { yamlOf } from '../../deploy/support.ts';
import { ROOT } from '../../docs/documents.ts';
import { describeWith } from '../with-programs.ts';
import { EVERYTHING_ON } from './cases.ts';
import { useRenderer } from './renderer.ts';

const MAX_BYTES = 1024 ** 2;

/** Each file of the chart in base64, as Helm stores it. The kinds of files have other keys, but the same size. */
const chartFiles = (): object[] => {
  const list = (folder: string): string[] =>
    readdirSync(join(ROOT, CHART, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() || entry.name === 'dashboards' ? list(path) : [path];
    });
  return list('').map((name) => ({
    name,
    data: readFileSync(join(ROOT, CHART, name)).toString('base64'),
  }));
};

describeWith(['go'], 'a stored release', () => {
  const render = useRenderer();

  test('is at most half as large as a Secret may be', async () => {
    const { objects, notes } = await render(EVERYTHING_ON);
    const files = chartFiles();
    expect(files.length).toBeGreaterThan(25);
    const release = {
      name: 'proxywatch',
      info: { notes },
      chart: { metadata: yamlOf(`${CHART}/Chart.yaml`), files, values: VALUES },
      config: EVERYTHING_ON,
      manifest: objects.map(({ template, text }) => `---\n# Source: ${template}\n${text}`).join(''),
    };
    const encoded = gzipSync(JSON.stringify(release), { level: 9 }).toString('base64');
    // The Secret's own base64 counts only in requests, but leave room for it.
    const stored = Buffer.from(encoded).toString('base64').length;
    expect(stored).toBeGreaterThan(50_000);
    expect(stored).toBeLessThan(MAX_BYTES / 2);
  });
});
