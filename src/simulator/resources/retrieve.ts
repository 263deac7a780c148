// Retrievals: one item by its id.

import { type Call, Refusal, type Route } from '../http.ts';

/** The route of a retrieval; what `find` does not find is 404. */
export const retrieveRoute = (
  endpoint: string,
  name: string,
  find: (call: Call) => object | undefined,
): Route => ({
  method: 'GET',
  endpoint,
  takesId: true,
  handle: (call) => {
    const data = find(call);
    if (!data) throw new Refusal(404, `${name} not found.`);
    return { data, message: `${name} retrieved.` };
  },
});
