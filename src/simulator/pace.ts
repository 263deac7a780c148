// The provider's rate limit: so many requests in each second of the injected clock.

import { SECOND } from '../lib/time.ts';
import { Refusal } from './http.ts';

/** Returns the check of a request at an instant; it throws Refusal 429 over `perSecond`, null being no limit. */
export const rateLimit = (perSecond: number | null) => {
  let window = { second: Number.NaN, requests: 0 };
  return (at: number): void => {
    const second = Math.floor(at / SECOND);
    if (window.second !== second) window = { second, requests: 0 };
    window.requests += 1;
    if (perSecond !== null && window.requests > perSecond) {
      throw new Refusal(429, 'Rate limit exceeded. Please try again in 1 seconds.');
    }
  };
};
