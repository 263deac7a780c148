// Lists the numbers of traffic graphs that should be equal.

import { fieldOf, listIn, numberIn } from './observed-answer.ts';
import { plus, sumIn, type TotalRule } from './total-rule.ts';

const SUMMED = [
  'bytes',
  'requests',
  'successful',
  'error',
  'smartpath_routed_bytes',
  'smartpath_routed_requests',
  'smartpath_money_saved',
];

const sumRule = (name: string): TotalRule => ({
  rule: `data.total_${name} is the sum of data.intervals[].${name}`,
  pairs: (answer) => {
    const data = fieldOf(answer, 'data');
    return [[numberIn(data, `total_${name}`), sumIn(data, 'intervals', name)]];
  },
});

export const GRAPH_RULES: readonly TotalRule[] = [
  ...SUMMED.map(sumRule),
  {
    // The documentation does not say this.
    rule: 'data.intervals[].requests is successful plus error',
    pairs: (answer) =>
      listIn(fieldOf(answer, 'data'), 'intervals').map((bucket) => [
        numberIn(bucket, 'requests'),
        plus(numberIn(bucket, 'successful'), numberIn(bucket, 'error')),
      ]),
  },
];
