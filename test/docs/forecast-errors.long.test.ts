// Tests that the documented errors of forecasts are those that the benchmark measures.

import { expect, test } from 'vitest';
import { report } from '../../bench/forecast.ts';
import { textOf } from './documents.ts';

const tablesIn = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('|'));

test('the error tables are those of the benchmark', () => {
  expect(tablesIn(textOf('docs/design/forecast-errors.md'))).toEqual(tablesIn(report()));
});
