// Adds up the newest counted hour by product type and class of errors.

import type { RequestLogState } from '../../store/request-log-store.ts';

/** By product type. */
export type RecentRequests = ReadonlyMap<
  string,
  { readonly requests: number; readonly errors: ReadonlyMap<string, number> }
>;

export const recentRequests = ({ recent }: Pick<RequestLogState, 'recent'>): RecentRequests => {
  const types = new Map<string, { requests: number; errors: Map<string, number> }>();
  for (const { productType, requests, errors } of recent.flatMap(({ counts }) => counts)) {
    const sum = types.get(productType) ?? { requests: 0, errors: new Map() };
    types.set(productType, sum);
    sum.requests += requests;
    for (const each of errors) sum.errors.set(each.class, (sum.errors.get(each.class) ?? 0) + each.errors);
  }
  return types;
};
