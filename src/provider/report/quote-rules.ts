// Lists the amounts of quotes that should be equal. The documentation does not say so.

import { fieldOf, numberIn } from './observed-answer.ts';
import { minus, sumIn, type TotalRule } from './total-rule.ts';

export const QUOTE_RULES: readonly TotalRule[] = [
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
