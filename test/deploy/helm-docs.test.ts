// Tests the samples of the page about the Helm chart.

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocksIn, textOf } from '../docs/documents.ts';
import { CHART, mistakesIn, SAMPLE_VALUES, VALUES } from './helm-chart.ts';
import { validate } from './kubernetes-schemas.ts';
import { settingsIn, type Yaml, yamlOf } from './support.ts';

const PAGE = 'docs/how-to/run-in-kubernetes.md';
const { version }: { version: string } = yamlOf(`${CHART}/Chart.yaml`);

test('the page names the version of the chart', () => {
  expect(textOf(PAGE)).toContain(`/charts/proxywatch --version ${version}\``);
});

test('the page has the values of two installations, which the schema accepts', () => {
  expect(SAMPLE_VALUES).toHaveLength(2);
  for (const values of SAMPLE_VALUES) expect(mistakesIn(values)).toEqual([]);
});

test('the configuration of the first sample loads with the keys of the Secret', () => {
  const names = [...textOf(PAGE).matchAll(/--from-file=(\w+)/g)].map(([, name = '']) => name);
  const { accounts } = settingsIn(JSON.stringify(SAMPLE_VALUES[0]?.config), '/run/secrets/proxywatch', names);
  expect(accounts[0]?.private_key.reveal()).toBe('value of proxy_private_key');
});

describe('the pod that moves an account', () => {
  const [block] = codeBlocksIn(PAGE).filter(({ text }) => text.startsWith('# move-account.yaml'));
  const [claim, pod]: Yaml[] = (block?.text ?? '')
    .split('\n---\n')
    .map((text) => parse(text, { version: '1.1' }));

  test('and its volume match the schema of Kubernetes', () => {
    for (const object of [claim, pod]) validate(object);
    expect(pod.spec.containers[0].image).toBe(`${VALUES.image.repository}:${version}`);
  });

  test('mounts the volumes of two shards, and what the commands read', () => {
    const claims = pod.spec.volumes.flatMap((volume: Yaml) => volume.persistentVolumeClaim?.claimName ?? []);
    expect(claims).toEqual(['data-proxywatch-2', claim.metadata.name]);
    const [container] = pod.spec.containers;
    const names = (list: Yaml[]) => list.map(({ name }) => name);
    expect(names(container.volumeMounts)).toEqual(names(pod.spec.volumes));
    const paths = container.volumeMounts.map(({ mountPath }: Yaml) => mountPath);
    const used = [...textOf(PAGE).matchAll(/exec move-account .*?(\/\w+)\/proxywatch\.db/g)];
    expect(used.map(([, path]) => path)).toEqual(['/old', '/new']);
    expect(paths).toEqual(expect.arrayContaining(['/old', '/new', '/etc/proxywatch']));
  });

  test('meets the restricted standard, and no Service selects it', () => {
    expect(pod.metadata.labels).toBeUndefined();
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
    expect(pod.spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});
