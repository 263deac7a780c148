// Tests that each value of the Helm chart has an effect, and that a user can remove optional values.

import { expect, test } from 'vitest';
import { leavesOfValues, mistakesIn, VALUES, valueAt } from '../../deploy/helm-chart.ts';
import type { Yaml } from '../../deploy/support.ts';
import { describeWith } from '../with-programs.ts';
import { EVERYTHING_ON } from './cases.ts';
import { useRenderer } from './renderer.ts';
import { without, withValue } from './values.ts';

/** The dashboards and the rules are long, so rendering is faster without them. */
const WITHOUT_FILES: Yaml = without(without(EVERYTHING_ON, 'dashboards'), 'prometheusRule');

/** Returns values with another one at the path: the default, or the opposite if it is the default. */
const withOther = (values: Yaml, path: string): Yaml => {
  if (valueAt(values, path) === undefined) return withValue(values, path, !valueAt(VALUES, path));
  return without(values, path);
};

describeWith(['go'], 'a release', () => {
  const render = useRenderer();

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

  test('leaves out what a user sets to null', async () => {
    const withNull = leavesOfValues().map((path) => {
      const [section = ''] = path.split('.');
      const isOff = VALUES[section]?.enabled === false;
      return withValue(isOff ? { [section]: { enabled: true } } : {}, path, null);
    });
    const accepted = withNull.filter((values) => mistakesIn(values).length === 0);
    expect(accepted.length).toBeGreaterThan(20);
    for (const values of accepted) {
      const { missing, objects } = await render(values);
      expect(missing).toEqual([]);
      expect(JSON.stringify(objects.map(({ content }) => content))).not.toContain(':null');
    }
  });
});
