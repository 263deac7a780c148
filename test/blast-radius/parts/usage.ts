// Lists the parts of the use of host names.

import { type Part, RECONCILED } from './part.ts';

export const USAGE_PARTS: readonly Part[] = [
  {
    endpoint: 'log_summary/search',
    name: 'the use of a day',
    collectors: ['usage'],
    matches: ({ endpoint }) => endpoint === 'log_summary/search',
    rests: [{ group: 'usage' }],
    derived: [RECONCILED],
  },
];
