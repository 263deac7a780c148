// Describes an unknown name together with the known names that the writer may have meant.

import { closestMatch } from './closest-match.ts';

/** The most names that a message lists. */
const MAX_NAMES = 10;

/** Returns a text such as `"mian" is not known. Did you mean main?`. */
export const describeUnknownName = (name: string, known: readonly string[]): string => {
  const near = nearNames(name, known);
  if (near.length > 0) return `"${name}" is not known. Did you mean ${near.join(', ')}?`;
  const listed = known.slice(0, MAX_NAMES).join(', ');
  return `"${name}" is not known; expected one of ${listed}${known.length > MAX_NAMES ? ', …' : ''}`;
};

/** Returns the names that contain the text, or the one with the fewest different letters. Case does not matter. */
const nearNames = (name: string, known: readonly string[]): string[] => {
  const lower = name.toLowerCase();
  const containing = known.filter((each) => lower !== '' && each.toLowerCase().includes(lower));
  if (containing.length > 0) return containing.slice(0, MAX_NAMES);
  const closest = closestMatch(lower, new Set(known.map((each) => each.toLowerCase())));
  return known.filter((each) => each.toLowerCase() === closest).slice(0, 1);
};
