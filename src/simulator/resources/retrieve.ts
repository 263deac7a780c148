// Builds routes that return one item by its id.

import { type ApiCall, HttpError, type Route } from '../http.ts';

/** Returns the route of a retrieval. It answers 404 if `find` returns undefined. */
export const retrieveRoute = (
  endpoint: string,
  name: string,
  find: (call: ApiCall) => object | undefined,
): Route => ({
  method: 'GET',
  endpoint,
  takesId: true,
  handle: (call) => {
    const data = find(call);
    if (!data) throw new HttpError(404, `${name} not found.`);
    return { data, message: `${name} retrieved.` };
  },
});
