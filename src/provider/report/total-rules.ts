// Lists the numbers of each endpoint's answers that should be equal.

import { GRAPH_RULES } from './graph-rules.ts';
import { listIn, listOf, mapValuesIn, numberIn } from './observed-answer.ts';
import { QUOTE_RULES } from './quote-rules.ts';
import { minus, type TotalRule } from './total-rule.ts';

/** Returns the rules for the answers of the endpoint. */
export const rulesFor = (endpoint: string): readonly TotalRule[] => [
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
