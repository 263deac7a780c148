// Tests that the Helm chart creates the same objects as the kustomization.

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { patched, type Yaml, yamlOf } from '../../deploy/support.ts';
import { textOf } from '../../docs/documents.ts';
import { describeWith } from '../with-programs.ts';
import { objectOf, podOf } from './release-parts.ts';
import { type Rendered, useRenderer } from './renderer.ts';

const FOLDER = 'deploy/kubernetes';

/** Kubernetes reads YAML 1.1, in which 0440 is octal. */
const fileOf = (name: string): Yaml => parse(textOf(`${FOLDER}/${name}.yaml`), { version: '1.1' });

const { namespace, images } = fileOf('kustomization');

const OF_THE_CHART = ['instance', 'version', 'managed-by'].map((name) => `app.kubernetes.io/${name}`);

/** Returns an object without the labels by which Helm and the chart tell releases and versions apart. */
const plain = (object: Yaml): Yaml =>
  JSON.parse(
    JSON.stringify(object, (key, value) =>
      [...OF_THE_CHART, 'helm.sh/chart'].includes(key) ? undefined : value,
    ),
  );

/** What kustomize adds to an object. */
const inNamespace = (object: Yaml): Yaml => patched(object, { metadata: { namespace } });

const LABELS = { metadata: { labels: { 'app.kubernetes.io/name': 'proxywatch' } } };

/** The pod of the chart has its own ServiceAccount, and restarts when the configuration changes. */
const podWith = (release: Rendered): Yaml => ({
  metadata: { annotations: podOf(release).metadata.annotations },
  spec: {
    serviceAccountName: 'proxywatch',
    containers: [
      {
        name: 'proxywatch',
        image: `${images[0].newName}:${images[0].newTag}`,
        imagePullPolicy: 'IfNotPresent',
      },
    ],
  },
});

const VALUES = {
  image: { repository: images[0].newName, tag: images[0].newTag },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
};

describeWith(['go'], 'the chart and the kustomization', () => {
  const render = useRenderer();

  test.each([
    ['Service', 'service'],
    ['ServiceMonitor', 'service-monitor'],
    ['PrometheusRule', 'prometheus-rule'],
    ['NetworkPolicy', 'network-policy'],
  ])('have the same %s', async (kind, file) => {
    const release = await render(VALUES);
    expect(plain(objectOf(release, kind))).toEqual(patched(inNamespace(fileOf(file)), LABELS));
  });

  test.each([1, 3])('have the same StatefulSet for %i shards', async (shards) => {
    const release = await render({ ...VALUES, shards });
    const set = inNamespace(fileOf('statefulset'));
    const wanted = shards === 1 ? set : patched(set, fileOf('shards/statefulset'));
    expect(plain(objectOf(release, 'StatefulSet'))).toEqual(
      patched(wanted, { spec: { template: podWith(release) } }),
    );
  });

  test('have the same PodDisruptionBudget', async () => {
    const release = await render({ ...VALUES, shards: 3 });
    const budget = inNamespace(fileOf('shards/pod-disruption-budget'));
    expect(plain(objectOf(release, 'PodDisruptionBudget'))).toEqual(budget);
  });

  test('have the same configuration and the same Secret', async () => {
    const { data, metadata } = objectOf(await render(VALUES), 'ConfigMap');
    expect(parse(data['config.yaml'])).toEqual(yamlOf(`${FOLDER}/config.yaml`));
    expect(metadata.name).toBe(fileOf('kustomization').configMapGenerator[0].name);
    const keys = podOf(await render(VALUES)).spec.volumes.find(({ name }: Yaml) => name === 'keys');
    expect(keys.secret.secretName).toBe(fileOf('secret.example').metadata.name);
  });

  test('have the same kinds', async () => {
    const { objects } = await render({ ...VALUES, shards: 3 });
    const files: string[] = [...fileOf('kustomization').resources, 'shards/pod-disruption-budget.yaml'];
    // Helm creates the namespace, and the user creates the Secret.
    const own = files.filter((file) => !/^(namespace|secret)\./.test(file));
    const kinds = own.map((file) => fileOf(file.replace('.yaml', '')).kind);
    expect(objects.map(({ content }) => content.kind).toSorted()).toEqual(
      [...kinds, 'ConfigMap', 'ServiceAccount'].toSorted(),
    );
  });
});
