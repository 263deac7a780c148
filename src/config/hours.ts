// Parses ranges of hours of the day, such as office hours.

import { parsedText } from './parsed-text.ts';

/** Local hours from the start of `from` to the start of `to`; the range crosses midnight if `from` is later. */
export interface Hours {
  /** 0 to 23. */
  readonly from: number;
  /** 1 to 24. */
  readonly to: number;
}

const PATTERN = /^([01]\d|2[0-3])-([01]\d|2[0-4])$/;

/** Schema of hours written like 08-20, or 22-06 across midnight; 00-24 is the whole day. */
export const hours = () =>
  parsedText('hours of the day such as 08-20, 22-06 or 00-24', parseHours).meta({
    description: 'Hours of the day such as 08-20, 22-06 or 00-24.',
    pattern: PATTERN.source,
    examples: ['08-20', '00-24'],
  });

const parseHours = (text: string): Hours | undefined => {
  const [, from, to] = PATTERN.exec(text) ?? [];
  if (from === undefined || to === undefined || from === to || to === '00') return undefined;
  return { from: Number(from), to: Number(to) };
};

/** Returns the number of hours in the range. */
export const hourCount = ({ from, to }: Hours): number => (to > from ? to - from : to + 24 - from);
