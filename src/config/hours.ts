// Hours of the day, such as those of an office.

import { parsedText } from './parsed-text.ts';

/** From the start of one hour to the start of another, on a clock's face; over midnight where `from` is the later one. */
export interface Hours {
  /** 0 to 23. */
  readonly from: number;
  /** 1 to 24. */
  readonly to: number;
}

const PATTERN = /^([01]\d|2[0-3])-([01]\d|2[0-4])$/;

/** Written like 08-20, or 22-06 over midnight; 00-24 is all day. */
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

/** How many there are. */
export const lengthOf = ({ from, to }: Hours): number => (to > from ? to - from : to + 24 - from);
