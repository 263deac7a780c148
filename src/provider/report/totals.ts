// Compares the totals and counts of answers with what they should add up to.

import { SUMMED } from '../resources/graph-totals.ts';
import { fieldOf, listIn, listOf, mapValuesIn, numberIn } from './observed-answer.ts';

export class Totals {
  readonly #rules;

  constructor(endpoint: string) {
    this.#rules = rulesFor(endpoint).map((rule) => ({ rule, counts: { compared: 0, different: 0 } }));
  }

  observe(answer: unknown): void {
    for (const { rule, counts } of this.#rules)
      for (const [one, other] of rule.pairs(answer)) {
        if (one === undefined || other === undefined) continue;
        counts.compared += 1;
        if (!isEqual(one, other)) counts.different += 1;
      }
  }

  toJson() {
    return this.#rules.flatMap(({ rule: { rule }, counts }) =>
      counts.compared > 0 ? [{ rule, ...counts }] : [],
    );
  }
}

/** The share by which sums may differ that are not integers. Money may be rounded before or after it is added up. */
const TOLERANCE = 1e-6;

const isEqual = (one: number, other: number): boolean => {
  if (Number.isInteger(one) && Number.isInteger(other)) return one === other;
  return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one), Math.abs(other));
};

interface TotalRule {
  /** What should be equal. */
  readonly rule: string;
  /** Returns pairs that should be equal. A pair with an undefined number is not compared. */
  readonly pairs: (answer: unknown) => readonly Pair[];
}

type Pair = readonly [number | undefined, number | undefined];

/** Returns undefined if the field is no list, or any item lacks the number. */
const sumIn = (value: unknown, list: string, name: string): number | undefined =>
  listOf(value, list)?.reduce<number | undefined>((sum, item) => plus(sum, numberIn(item, name)), 0);

const plus = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one + other;

const minus = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one - other;

const sumRule = (name: string): TotalRule => ({
  rule: `data.total_${name} is the sum of data.intervals[].${name}`,
  pairs: (answer) => {
    const data = fieldOf(answer, 'data');
    return [[numberIn(data, `total_${name}`), sumIn(data, 'intervals', name)]];
  },
});

const GRAPH_RULES: readonly TotalRule[] = [
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

/** The documentation does not say that these amounts should be equal. */
const QUOTE_RULES: readonly TotalRule[] = [
  {
    rule: 'data.total is before_discount_total minus discount',
    pairs: (answer) => {
      const data = fieldOf(answer, 'data');
      const expected = minus(numberIn(data, 'before_discount_total'), numberIn(data, 'discount'));
      return [[numberIn(data, 'total'), expected]];
    },
  },
  {
    rule: 'data.before_discount_total is the sum of data.line_items[].item_total',
    pairs: (answer) => {
      const data = fieldOf(answer, 'data');
      return [[numberIn(data, 'before_discount_total'), sumIn(data, 'line_items', 'item_total')]];
    },
  },
];

const rulesFor = (endpoint: string): readonly TotalRule[] => [
  ...(endpoint.endsWith('/search') ? [PAGE_RULE] : []),
  ...(RULES[endpoint] ?? []),
];

const PAGE_RULE: TotalRule = {
  rule: 'item_count is the number of items in data',
  pairs: (answer) => [[numberIn(answer, 'item_count'), listOf(answer, 'data')?.length]],
};

const USER_RULES: readonly TotalRule[] = ['residential', 'mobile'].map((type) => ({
  rule: `data[].${type}_bytes_left is limit minus used`,
  pairs: (answer) =>
    listIn(answer, 'data').map((user) => [
      numberIn(user, `${type}_bytes_left`),
      minus(
        numberIn(user, `proxy_user_${type}_bytes_limit`),
        numberIn(user, `proxy_user_${type}_bytes_used`),
      ),
    ]),
}));

const TEST_RULES: readonly TotalRule[] = [
  {
    rule: 'proxy_test_result_created has an id for each of data.{}.results[]',
    pairs: (answer) => [[listOf(answer, 'proxy_test_result_created')?.length, resultsIn(answer)]],
  },
];

const RULES: Readonly<Record<string, readonly TotalRule[]>> = {
  'analytics/graph': GRAPH_RULES,
  'proxy_user/search': USER_RULES,
  'checkout/quote': QUOTE_RULES,
  'proxy_test_run/create': TEST_RULES,
};

const resultsIn = (answer: unknown): number =>
  mapValuesIn(answer, 'data').reduce<number>((sum, each) => sum + listIn(each, 'results').length, 0);
