// Tests what is in the objects that the Helm chart creates.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ALERTS } from '../../../src/alerts/table.ts';
import { createFolder } from '../../config/support.ts';
import { VALUES } from '../../deploy/helm-chart.ts';
import { textOf } from '../../docs/documents.ts';
import { describeWith } from '../with-programs.ts';
import { CASES } from './cases.ts';
import { containerOf, objectOf, podOf, settingsOfRelease } from './release-parts.ts';
import { useRenderer } from './renderer.ts';

describeWith(['go', 'promtool'], 'a release', () => {
  const render = useRenderer();

  test('restarts the pods only if the configuration changes', async () => {
    const checksumOf = async (values: object) =>
      podOf(await render(values)).metadata.annotations['checksum/config'];
    const before = await checksumOf({});
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(await checksumOf({ serviceMonitor: { enabled: true } })).toBe(before);
    expect(await checksumOf({ config: { log: { level: 'debug' } } })).not.toBe(before);
  });

  test('has the alert rules unchanged, and promtool accepts them', async () => {
    const { spec } = objectOf(await render(CASES['everything on']), 'PrometheusRule');
    const file = join(createFolder({}), 'rules.yml');
    writeFileSync(file, JSON.stringify(spec));
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', file]);
    expect(stdout).toContain(`SUCCESS: ${ALERTS.length} rules found`);
    expect(JSON.stringify(spec)).toContain('{{ $labels.account }}');
  });

  test('has the dashboards unchanged, with the label and the folder for the sidecar', async () => {
    const { objects } = await render({ dashboards: { enabled: true } });
    const dashboards = objects.filter(({ template }) => template.endsWith('/dashboards.yaml'));
    expect(dashboards).toHaveLength(9);
    for (const { content } of dashboards) {
      const [[name = '', text] = []] = Object.entries<string>(content.data);
      expect(text).toBe(textOf(`grafana/dashboards/${name}`));
      expect(content.metadata.name).toBe(`proxywatch-dashboard-${name.replace('.json', '')}`);
      expect(content.metadata.labels.grafana_dashboard).toBe('1');
      expect(content.metadata.annotations).toEqual({ grafana_folder: 'proxywatch' });
    }
  });

  test('has the image of the chart’s version, another tag or a digest', async () => {
    const imageOf = async (image: object) => containerOf(await render({ image })).image;
    const { version } = JSON.parse(textOf('package.json'));
    const { repository } = VALUES.image;
    expect(await imageOf({})).toBe(`${repository}:${version}`);
    expect(await imageOf({ tag: '1.2.3' })).toBe(`${repository}:1.2.3`);
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(await imageOf({ tag: '1.2.3', digest })).toBe(`${repository}@${digest}`);
  });

  test('has the configuration of the user, unchanged', async () => {
    const settings = settingsOfRelease(await render(CASES['everything on']));
    const [account] = settings.accounts;
    expect(account?.name).toBe('eu-1');
    expect(account?.public_key.reveal()).toBe('value of EU_PUBLIC_KEY');
    expect(account?.private_key.reveal()).toBe('value of eu_private_key');
    expect(account?.catalog).toMatchObject({ alert_on: ['{{ not a template }}'] });
    expect(account?.geography).toMatchObject({ asns: [29802, 4200000000] });
  });

  test('is named like the release, which may be long, a number or contain the name of the chart', async () => {
    const nameOf = async (name: string) => {
      const release = await render(CASES['everything on'], { release: { name, namespace: '1234' } });
      const plain = await render({}, { release: { name, namespace: '1234' } });
      expect(objectOf(release, 'StatefulSet').metadata.name).toBe('watch');
      expect(podOf(plain).metadata.labels['app.kubernetes.io/instance']).toBe(name);
      expect(objectOf(plain, 'Service').metadata.namespace).toBe('1234');
      return objectOf(plain, 'StatefulSet').metadata.name;
    };
    expect(await nameOf('proxywatch')).toBe('proxywatch');
    expect(await nameOf('proxywatch-eu')).toBe('proxywatch-eu');
    expect(await nameOf('eu')).toBe('eu-proxywatch');
    expect(await nameOf('7')).toBe('7-proxywatch');
    // The name of a pod's revision, which is a label, adds 11 characters.
    expect((await nameOf('a'.repeat(53))).length).toBeLessThanOrEqual(52);
  });
});
