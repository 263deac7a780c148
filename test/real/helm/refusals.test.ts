// Tests values that the templates refuse, and changes of the number of shards.

import { expect, test } from 'vitest';
import { describeWith } from '../with-programs.ts';
import { EVERYTHING_OFF } from './cases.ts';
import { objectOf } from './release-parts.ts';
import { useRenderer } from './renderer.ts';

describeWith(['go'], 'the templates', () => {
  const render = useRenderer();

  test.each([
    [{ replicas: 2 }, 'replicas=2 is higher than shards=1. Two pods must not run the same account.'],
    [{ shards: 3, replicas: 4 }, 'replicas=4 is higher than shards=3.'],
    [
      { config: { server: { listen: '0.0.0.0:8080' } } },
      'config.server.listen is 0.0.0.0:8080, but the probes',
    ],
    ...['127.0.0.1:9876', '127.1.2.3:9876', 'localhost:9876', '[::1]:9876'].map(
      (listen): [object, string] => [
        { config: { server: { listen } } },
        `config.server.listen is ${listen}, which neither the probes nor Prometheus can reach.`,
      ],
    ),
    [
      { config: { store: { path: '/tmp/a.db' } } },
      'config.store.path is /tmp/a.db, but only /data is on the',
    ],
  ])('refuse %j', async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
    await expect(render(values, { numbersAsText: true })).rejects.toThrow(message);
  });

  test('accept a path and an address that fit the pod', async () => {
    const config = { server: { listen: '[::]:9876' }, store: { path: '/data/shards/main.db' } };
    await expect(render({ config })).resolves.toMatchObject({ missing: [] });
  });

  test.each([
    ['v1.27.16', false],
    ['v1.28.0', true],
    ['v1.28.3-gke.1203000', true],
    ['v1.33.1+k3s1', true],
  ])('need a Kubernetes that numbers pods: %s', async (kubeVersion, isNewEnough) => {
    const rendered = render({}, { kubeVersion });
    if (isNewEnough) await expect(rendered).resolves.toMatchObject({ missing: [] });
    else await expect(rendered).rejects.toThrow('chart requires kubeVersion: >=1.28.0-0');
  });

  /** Returns the StatefulSet of a release in the cluster, of which some pods still run. */
  const runningSet = async (values: object, pods: number) => ({
    ...objectOf(await render(values), 'StatefulSet'),
    status: { replicas: pods },
  });

  test.each([
    [{ shards: 3 }, 3, { shards: 4 }, 'Pods with shards=3 run now, and the new value is shards=4.'],
    [{ shards: 3 }, 1, { shards: 1 }, 'Pods with shards=3 run now, and the new value is shards=1.'],
    [{}, 1, { shards: 2 }, 'Pods with shards=1 run now, and the new value is shards=2.'],
    // The pods of a stopped release may still be ending.
    [
      { shards: 3, replicas: 0 },
      1,
      { shards: 4, replicas: 1 },
      'Pods with shards=3 run now, and the new value is shards=4.',
    ],
  ])(
    'refuse another number of shards while pods run: from %j with %i pods to %j',
    async (before, pods, after, message) => {
      const cluster = [await runningSet(before, pods)];
      await expect(render(after, { cluster })).rejects.toThrow(message);
    },
  );

  test.each([
    [{ shards: 3 }, 3, { shards: 3, extraEnv: [{ name: 'A', value: 'b' }] }],
    [{ shards: 3 }, 3, { shards: 3, replicas: 0 }],
    [{ shards: 3, replicas: 0 }, 0, { shards: 4 }],
    [{}, 1, EVERYTHING_OFF],
    [{}, 0, { shards: 2 }],
  ])('accept other changes: from %j with %i pods to %j', async (before, pods, after) => {
    const cluster = [await runningSet(before, pods)];
    await expect(render(after, { cluster })).resolves.toMatchObject({ missing: [] });
  });

  test('a set without pods has no status at first', async () => {
    const { status, ...set } = await runningSet({}, 0);
    await expect(render({ shards: 2 }, { cluster: [set] })).resolves.toMatchObject({ missing: [] });
  });
});
