// Tests that the objects of the Helm chart are valid for different values.

import { expect, test } from 'vitest';
import { mistakesIn, SAMPLE_VALUES } from '../../deploy/helm-chart.ts';
import { describeWith } from '../with-programs.ts';
import { CASES } from './cases.ts';
import { unknownFieldsIn } from './known-fields.ts';
import { checkRelease } from './release-checks.ts';
import { useRenderer } from './renderer.ts';

describeWith(['go'], 'a release', () => {
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
});
