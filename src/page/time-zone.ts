// Lets the reader choose between times in the browser's zone and in UTC. The browser remembers the choice.

import { showUtc } from './format.ts';
import { elementById } from './show.ts';

const KEY = 'proxywatch-times';

/** Must be called before any time is drawn. */
export const setUpTimeZone = (): void => {
  const button = elementById('time-zone');
  const isUtc = localStorage.getItem(KEY) === 'utc';
  if (isUtc) showUtc();
  elementById('time-zone-text').textContent = isUtc
    ? 'Times are in UTC'
    : 'Times are in your time zone. Point at a time to see it in UTC';
  button.textContent = isUtc ? 'show your time zone' : 'show UTC';
  button.addEventListener('click', () => {
    localStorage.setItem(KEY, isUtc ? 'local' : 'utc');
    location.reload();
  });
};
