// Finds where a receiver of remote write answers queries.

const WRITE_PATH = /\/api\/v1\/write\/?$/;
const QUERY_PATH = '/api/v1/query';

/**
 * Returns the address of instant queries. `queryUrl` is the address without `/api/v1/query`, as Grafana has it. Without
 * it, the address is concluded from the address for writing, if that is of Prometheus or VictoriaMetrics. Undefined if it
 * is not. Both addresses may contain a token.
 */
export const queryAddress = (url: string, queryUrl: string | undefined): string | undefined => {
  const base = new URL(queryUrl ?? url);
  if (queryUrl === undefined && !WRITE_PATH.test(base.pathname)) return undefined;
  base.pathname = base.pathname.replace(WRITE_PATH, '').replace(/\/+$/, '') + QUERY_PATH;
  return base.href;
};
