// Tests the objects that the Helm chart creates for different values.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ALERTS } from '../../../src/alerts/table.ts';
import { createFolder } from '../../config/support.ts';
import { leavesOfValues, mistakesIn, SAMPLE_VALUES, VALUES, valueAt } from '../../deploy/helm-chart.ts';
import type { Yaml } from '../../deploy/support.ts';
import { textOf } from '../../docs/documents.ts';
import { describeWith } from '../with-programs.ts';
import { CASES, EVERYTHING_ON } from './cases.ts';
import { unknownFieldsIn } from './known-fields.ts';
import { checkRelease, containerOf, objectOf, podOf, settingsOfRelease } from './release-checks.ts';
import { useRenderer } from './renderer.ts';
import { without, withValue } from './values.ts';

/** The dashboards and the rules are long, so rendering is faster without them. */
const WITHOUT_FILES: Yaml = without(without(EVERYTHING_ON, 'dashboards'), 'prometheusRule');

/** Returns values with another one at the path: the default, or the opposite if it is the default. */
const withOther = (values: Yaml, path: string): Yaml => {
  if (valueAt(values, path) === undefined) return withValue(values, path, !valueAt(VALUES, path));
  return without(values, path);
};

describeWith(['go', 'promtool'], 'a release', () => {
  const render = useRenderer();

  test.each(Object.entries(CASES))('is valid, and its parts fit together: %s', async (_, values) => {
    expect(mistakesIn(values)).toEqual([]);
    checkRelease(await render(values));
  });

  test('has only fields that Kubernetes knows', async () => {
    const values = [...Object.values(CASES), ...SAMPLE_VALUES];
    const releases = await Promise.all(values.map((each) => render(each)));
    expect(await unknownFieldsIn(releases)).toBe('');
  });

  test.each(Object.entries(CASES))('does not depend on how Helm reads numbers: %s', async (_, values) => {
    expect(await render(values, { numbersAsText: true })).toEqual(await render(values));
  });

  test('has objects for what is on, and none for what is off', async () => {
    const kindsOf = async (name: string) =>
      (await render(CASES[name])).objects.map(({ content }) => content.kind).toSorted();
    const always = ['ConfigMap', 'Service', 'StatefulSet'];
    expect(await kindsOf('everything off, with two shards')).toEqual(always);
    expect(await kindsOf('defaults')).toEqual([...always, 'NetworkPolicy', 'ServiceAccount'].toSorted());
    const added = [
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'ServiceAccount',
      'ServiceMonitor',
    ];
    const all = [...always, ...added, ...Array(9).fill('ConfigMap')];
    expect(await kindsOf('everything on')).toEqual(all.toSorted());
  });

  test('uses every value', async () => {
    const textsOf = async (values: Yaml) => (await render(values)).objects.map(({ text }) => text).join('');
    const [all, fewer] = [await textsOf(EVERYTHING_ON), await textsOf(WITHOUT_FILES)];
    const unused: string[] = [];
    for (const path of leavesOfValues()) {
      const isOfFiles = /^(dashboards|prometheusRule)\./.test(path);
      const [values, text] = isOfFiles ? [EVERYTHING_ON, all] : [WITHOUT_FILES, fewer];
      if ((await textsOf(withOther(values, path))) === text) unused.push(path);
    }
    // The digest is more exact than the tag.
    expect(unused).toEqual(['image.tag']);
  });

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
    expect(await imageOf({})).toBe(`ghcr.io/OWNER/proxywatch:${version}`);
    expect(await imageOf({ tag: '1.2.3' })).toBe('ghcr.io/OWNER/proxywatch:1.2.3');
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(await imageOf({ tag: '1.2.3', digest })).toBe(`ghcr.io/OWNER/proxywatch@${digest}`);
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
