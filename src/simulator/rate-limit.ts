// Implements the provider's rate limit: a number of requests in each second of the injected clock.

import { SECOND } from '../lib/time.ts';
import { HttpError } from './http.ts';

/** Returns a function that counts a request at a time (ms). It throws HttpError 429 above `perSecond` (null: no limit). */
export const createRateLimiter = (perSecond: number | null) => {
  let window = { second: Number.NaN, requests: 0 };
  return (at: number): void => {
    const second = Math.floor(at / SECOND);
    if (window.second !== second) window = { second, requests: 0 };
    window.requests += 1;
    if (perSecond !== null && window.requests > perSecond) {
      throw new HttpError(429, 'Rate limit exceeded. Please try again in 1 seconds.');
    }
  };
};
