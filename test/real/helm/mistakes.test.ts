// Tests that the tests of the chart find mistakes in its templates.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolder } from '../../config/support.ts';
import { CHART } from '../../deploy/helm-chart.ts';
import { yamlOf } from '../../deploy/support.ts';
import { ROOT } from '../../docs/documents.ts';
import { describeWith } from '../with-programs.ts';
import { CASES } from './cases.ts';
import { unknownFieldsIn } from './known-fields.ts';
import { checkRelease } from './release-checks.ts';
import { useRenderer } from './renderer.ts';

interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

interface Mistake extends Change {
  readonly mistake: string;
  readonly error: string;
}

const MISTAKES: readonly Mistake[] = yamlOf('test/fixtures/helm/mistakes.yaml');

/** Returns the folder of a copy of the chart, in which a file has another text. */
const chartWith = ({ file, from, to }: Change): string => {
  const folder = join(createFolder({}), 'chart');
  cpSync(join(ROOT, CHART), folder, { recursive: true, dereference: true });
  const text = readFileSync(join(folder, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(folder, file), text.replaceAll(from, to));
  return folder;
};

describeWith(['go'], 'the tests find', () => {
  const render = useRenderer();

  /** Returns the error that the tests report, or an empty text. */
  const errorOf = async (change: Change, name = 'three shards'): Promise<string> => {
    try {
      const release = await render(CASES[name], { chart: chartWith(change) });
      checkRelease(release);
      return await unknownFieldsIn([release]);
    } catch (error) {
      return `${error}`;
    }
  };

  test.each(MISTAKES)('$mistake', async ({ error, ...change }) => {
    expect(await errorOf(change)).toContain(error);
  });

  test('rules that Helm takes for a template', async () => {
    const change = {
      file: 'templates/prometheusrule.yaml',
      from: '$.Files.Get "files/rules.yml" | required',
      to: 'tpl ($.Files.Get "files/rules.yml") $ | required',
    };
    expect(await errorOf(change, 'everything on')).toContain('undefined variable "$labels"');
  });

  test.each(['three shards', 'everything on'])('no mistake in an unchanged copy: %s', async (name) => {
    expect(await errorOf({ file: 'values.yaml', from: 'shards', to: 'shards' }, name)).toBe('');
  });
});
